"""The yardstick: positions sampled, sets made and read, players measured."""

from __future__ import annotations

import functools
import gzip
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playproof import UsageError, make
from playproof.agents import registry
from playproof.arena.evaluate_positions import choose_batch
from playproof.arena.statistics.score import wilson
from playproof.arena.yardstick import positions as yardstick_set
from playproof.arena.yardstick import sample as yardstick_sample
from playproof.arena.yardstick.critical import CriticalPosition
from playproof.arena.yardstick.measure import KeptShare, measure
from playproof.arena.yardstick.positions import Yardstick, make_set, parse, read, shipped
from playproof.arena.yardstick.sample import PHASES, canonical, phase_of, sample, stratified_sample
from playproof.core.errors import DataError, PlayproofError
from tests.support.arena import critical

GAME = make("choko", cap=0)
SHIPPED = Path(yardstick_set.__file__).parent / "data" / "choko_yardstick.json.gz"


# Sampling


@pytest.fixture(scope="module")
def sampled() -> list[str]:
    return sample(make("choko"), 600, 3)


def fields(position: str) -> tuple[str, str, tuple[int, int], str, int]:
    board, side, blue, red, initiative, ply = position.split()
    return board, side, (int(blue), int(red)), initiative, int(ply)


@pytest.mark.slow
def test_a_third_of_a_sample_is_of_each_phase(sampled: list[str]) -> None:
    assert Counter(phase_of(fields(p)[2]) for p in sampled) == dict.fromkeys(PHASES, 200)


@pytest.mark.slow
def test_a_seed_gives_the_same_sample_again(sampled: list[str]) -> None:
    # The cap is nothing to a sample.
    assert sample(GAME, 600, 3) == sampled


def test_sampled_positions_leave_a_choice_free_or_forced(sampled: list[str]) -> None:
    forced = 0
    for position in sampled:
        state = make("choko").position(position)
        assert state.position == position
        assert len(state.legal_actions()) > 1
        forced += "br"[1 - "br".index(fields(position)[1])] == fields(position)[3]
    assert 100 < forced < 400


def test_sampled_positions_are_as_early_as_their_hands_allow(sampled: list[str]) -> None:
    for position in sampled:
        *rest, ply = position.rsplit(" ", 1)
        with pytest.raises(DataError, match="actions played cannot be"):
            GAME.position(f"{rest[0]} {int(ply) - 2}")


def swapped(position: str) -> str:
    """The same position with the colours exchanged."""
    board, side, (blue, red), initiative, _ = fields(position)
    table = str.maketrans("br", "rb")
    placed = 24 - blue - red
    other = placed + (placed + "rb".index(side)) % 2
    words = [board.translate(table), side.translate(table), str(red), str(blue)]
    return " ".join([*words, initiative.translate(table), str(other)])


def plain_canonical(position: str) -> tuple[int, ...]:
    """By the game's own symmetries."""
    states = [GAME.position(text) for text in (position, swapped(position))]
    return min(state.canonical().position_words for state in states)


def test_no_two_sampled_positions_are_images_of_each_other(sampled: list[str]) -> None:
    assert len({plain_canonical(position) for position in sampled}) == len(sampled)


def test_images_have_one_number_and_others_have_another(sampled: list[str]) -> None:
    states = [GAME.position(position) for position in sampled[:40]]
    images = [state.transformed(k).row for state in states for k in range(8)]
    images += [GAME.position(swapped(state.position)).row for state in states]
    numbers = [tuple(row) for row in canonical(GAME, np.stack(images)).tolist()]
    assert len(set(numbers)) == 40
    for i in range(40):
        assert len({*numbers[8 * i : 8 * i + 8], numbers[320 + i]}) == 1


def test_a_sample_is_spread_over_material(sampled: list[str]) -> None:
    pieces = Counter(sum(c in "br" for c in fields(p)[0]) for p in sampled if "0 0" in p)
    assert sum(pieces.values()) == 200
    # A game seldom ends with all pieces placed and most of them left.
    assert all(15 <= pieces[count] <= 30 for count in range(4, 18, 2))


def test_a_position_with_one_move_is_left_out() -> None:
    positions = ["5/5/5/5/brr2 b 0 0 - 24", "5/5/5/5/br1r1 b 0 0 - 24"]
    states = [GAME.position(position) for position in positions]
    assert [len(state.legal_actions()) for state in states] == [1, 2]
    left = yardstick_sample._with_a_choice(GAME, np.stack([state.row for state in states]))
    assert left.tolist() == [states[1].row.tolist()]


@pytest.mark.parametrize("count", [0, -1, 10**8])
def test_a_senseless_sample_is_refused(count: int) -> None:
    with pytest.raises(UsageError, match="cannot be sampled"):
        sample(GAME, count, 1)


def fair(there: Counter[int], taken: Counter[int]) -> bool:
    """Whether no stratum gives much less than another without giving all."""
    most = max(taken.values(), default=0)
    return all(taken[key] >= min(there[key], most - 1) for key in there)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2))), st.integers(0, 40))
def test_strata_give_equal_parts_or_all_they_have(keys: list[tuple[int, int]], count: int) -> None:
    items = list(enumerate(keys))
    chosen = stratified_sample(
        items, count, [lambda i: i[1][0], lambda i: i[1][1]], np.random.default_rng(1)
    )
    assert len(set(chosen)) == len(chosen) == min(count, len(items))
    assert set(chosen) <= set(items)
    assert fair(Counter(i[1][0] for i in items), Counter(i[1][0] for i in chosen))
    for first in range(4):
        there = Counter(i[1][1] for i in items if i[1][0] == first)
        assert fair(there, Counter(i[1][1] for i in chosen if i[1][0] == first))


# Sets


@pytest.fixture(scope="module")
def small() -> Yardstick:
    return make_set(critical.lines(), make("choko"), per_phase=80, provenance={"by": "a test"})


def test_a_set_holds_critical_positions_alone(small: Yardstick) -> None:
    truth = {answer["position"]: answer for answer in map(json.loads, critical.lines())}
    assert len(small.positions) > 100
    for one in small.positions:
        answer = truth[one.position]
        names = GAME.position(one.position).legal_names()
        assert one.values == tuple(answer["moves"][name] for name in names)
        assert np.sign(answer["value"]) == one.value >= 0
        kept = [one.keeps(move) for move in range(len(names))]
        assert 0 < sum(kept) < len(kept)
        assert one.share == sum(kept) / len(kept)


def test_a_set_takes_won_and_drawn_ones_alike(small: Yardstick) -> None:
    assert small.counts["opening"] == {"won": 0, "drawn": 0}
    assert small.counts["end"] == {"won": 40, "drawn": 40}
    assert small.provenance["answers"] == len(critical.lines())
    assert small.provenance["by"] == "a test"


def test_a_set_takes_hard_and_easy_ones_alike() -> None:
    def quarters(found: Yardstick, value: int) -> Counter[int]:
        here = [one for one in found.positions if (one.phase, one.value) == ("end", value)]
        return Counter(math.ceil(4 * one.share) for one in here)

    whole, part = (make_set(critical.lines(), GAME, per_phase=n) for n in (1000, 40))
    for value in (0, 1):
        there, taken = quarters(whole, value), quarters(part, value)
        assert len(there) > 2
        assert sum(taken.values()) == 20
        assert fair(there, taken)


def test_a_position_and_its_image_count_once() -> None:
    lines = critical.lines()[:200]
    images = [image_of(json.loads(line), 5) for line in lines]
    once = make_set(lines, GAME).positions
    assert {one.position for one in make_set(lines + images, GAME).positions} == {
        one.position for one in once
    }


def image_of(answer: dict[str, object], symmetry: int) -> str:
    state = GAME.position(str(answer["position"]))
    moves = answer["moves"]
    assert isinstance(moves, dict)
    transform = GAME.kernels.transform_action
    turned = {
        state.name(int(transform(GAME.option_words, state.game.parse_action(name), symmetry))): n
        for name, n in moves.items()
    }
    image = state.transformed(symmetry).position
    return json.dumps({"position": image, "value": answer["value"], "moves": turned})


def test_a_set_is_written_and_read(small: Yardstick, tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    small.write(first)
    again = read(first)
    again.write(second)
    assert first.read_bytes() == second.read_bytes()
    assert (again.game, again.positions, again.provenance) == (
        small.game,
        small.positions,
        small.provenance,
    )


def content(yardstick: Yardstick) -> dict[str, object]:
    return {
        "format": "playproof yardstick 1",
        "game": yardstick.game.spec,
        "made": {},
        "positions": [[one.position, list(one.values)] for one in yardstick.positions[:2]],
    }


def packed(data: object) -> bytes:
    return gzip.compress(json.dumps(data).encode())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "notes 1"}, "x is no set of positions: want one written by"),
        ({"game": "choko"}, "has a cap on actions"),
        ({"game": "chess-960"}, "no game 'chess-960'"),
        ({"made": None}, "x is broken"),
        ({"positions": [["5/5/5/5/5 b 0 0 -", [1]]]}, "x is broken"),
        ({"positions": [["no position", [1]]]}, "is no position of Choko"),
        ({"positions": 7}, "x is broken"),
        ({"positions": [["5/5/5/5/5 b 12 12 - 0", [1.5] * 25]]}, "1.5 is not a whole number"),
        ({"positions": [["5/5/5/5/5 b 12 12 - 0", [1] * 24]]}, "24 values for 25 moves"),
        ({"positions": [["5/5/5/5/5 b 12 12 - 0", [1] * 25]]}, "is not critical"),
    ],
)
def test_a_broken_set_is_noticed(small: Yardstick, change: dict[str, object], says: str) -> None:
    with pytest.raises(DataError, match=says) as raised:
        parse(packed(content(small) | change), "x")
    assert "\n" not in str(raised.value)


def test_what_is_no_set_at_all_is_noticed(small: Yardstick) -> None:
    whole = packed(content(small))
    assert parse(whole, "x").positions == small.positions[:2]
    for bad in (b"", b"hello", whole[:-20], whole[:60] + b"????" + whole[64:], packed([1])):
        with pytest.raises(DataError, match="x is no set of positions"):
            parse(bad, "x")


GOOD = (
    '{"position":"5/4r/4b/5/r2b1 b 0 0 - 24","value":1,"moves":{"E3xE5,A1":1,"E3-E2":0,'
    '"E3-D3":0,"D1-D2":-2,"D1-E1":-2,"D1-C1":-2}}'
)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "no answer of 'playproof table query'"),
        ("[1]", "no answer"),
        ('{"position": "5/5/5/5/5 b 12 12 - 0", "error": "no"}', "no answer"),
        (GOOD.replace('"value":1', '"value":true'), "no answer"),
        (GOOD.replace('"E3-E2":0', '"E3-E2":"x"'), "no answer"),
        (GOOD.replace("r2b1 b 0 0", "r2b1 b 0 5"), "hands 0 and 5 cannot be"),
        (GOOD.replace('"E3-E2":0,', ""), "not its legal ones (E3-E2)"),
        (GOOD.replace("E3-E2", "E3-C3"), "not its legal ones (E3-C3, E3-E2)"),
        (GOOD.replace('"value":1', '"value":0'), "the value 0 of"),
        (GOOD.replace('"value":1', '"value":3'), "the value 3 of"),
        (GOOD.replace('"E3-E2":0', '"E3-E2":3').replace('A1":1', 'A1":5'), "the value 1 of"),
    ],
)
def test_a_wrong_answer_is_told_with_its_line(line: str, says: str) -> None:
    assert len(make_set([GOOD], GAME).positions) == 1
    with pytest.raises(DataError) as raised:
        make_set([GOOD, "", line, GOOD], GAME, source="a.txt")
    assert str(raised.value).startswith("a.txt, line 3: ")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_answers_without_a_critical_position_make_no_set() -> None:
    start = GAME.start()
    won = {"position": start.position, "value": 59, "moves": dict.fromkeys(start.legal_names(), 59)}
    with pytest.raises(DataError, match="hold no critical position"):
        make_set([json.dumps(won)], GAME)
    with pytest.raises(UsageError, match="want 1 or more"):
        make_set([GOOD], GAME, per_phase=0)


# Measuring


def test_the_interval_is_wilsons() -> None:
    # Newcombe (1998), table I, method 3.
    for kept, total, lower, upper in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        assert wilson(kept, total) == pytest.approx((lower, upper), abs=5e-5)
        assert wilson(total - kept, total) == pytest.approx((1 - upper, 1 - lower), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)
    assert str(KeptShare(263, 81)) == "30.8 % (25.5\N{EN DASH}36.6)"
    assert str(KeptShare(0, 0)) == "-"


@pytest.fixture
def known(small: Yardstick, monkeypatch: pytest.MonkeyPatch) -> Iterator[Yardstick]:
    """The small set, with agents who know it."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    critical.register_all()
    critical._Knowing.learn(small)
    yield small
    critical._Knowing.known.clear()


@pytest.mark.parametrize(("agent", "share"), [("knowing", 1.0), ("spoiling", 0.0)])
def test_who_knows_all_keeps_all_or_nothing(known: Yardstick, agent: str, share: float) -> None:
    parts = measure(known, agent).phases
    assert list(parts) == ["opening", "middle", "end", "all"]
    assert parts["opening"].kept.mean is None
    for phase in ("middle", "end", "all"):
        assert parts[phase].kept.mean == share
        assert parts[phase].wins.mean in (share, None)
        assert parts[phase].draws.mean in (share, None)
    assert parts["all"].kept.positions == len(known.positions)
    assert parts["end"].wins.positions == known.counts["end"]["won"]


def test_random_moves_keep_what_is_expected_of_them(small: Yardstick) -> None:
    shares = np.array([one.share for one in small.positions])
    kept = [measure(small, "random", seed=seed).phases["all"].kept.kept for seed in range(20)]
    expected = 20 * shares.sum()
    deviation = math.sqrt(20 * (shares * (1 - shares)).sum())
    assert abs(sum(kept) - expected) < 4 * deviation
    assert len(set(kept)) > 5  # each seed another player
    assert measure(small, "random", seed=3).phases["all"].random == pytest.approx(shares.mean())


def test_deeper_search_keeps_more(small: Yardstick) -> None:
    shares = [measure(small, f"minimax:depth={n}").phases["end"].kept.kept for n in (1, 3)]
    assert shares[0] < shares[1]


@pytest.mark.slow
def test_processes_change_nothing(small: Yardstick) -> None:
    seen: list[tuple[int, int]] = []
    alone = measure(small, "random", seed=5, on_progress=lambda *now: seen.append(now))
    assert measure(small, "random", seed=5, workers=2) == alone
    assert seen[-1] == (len(small.positions),) * 2
    assert seen == sorted(seen)


def test_an_answer_depends_on_the_position_and_not_on_its_company(small: Yardstick) -> None:
    numbers = list(range(len(small.positions)))
    choose_moves = functools.partial(choose_batch, "random", small.game.spec, 5)
    every = choose_moves(small.rows, numbers, ())
    assert choose_moves(small.rows[::7], numbers[::7], ()) == every[::7]


def test_a_limit_takes_phases_evenly_and_for_all_agents_alike(known: Yardstick) -> None:
    parts = measure(known, "knowing", seed=5, limit=30).phases
    assert [parts[name].kept.positions for name in ("middle", "end", "all")] == [15, 15, 30]
    # The expected share tells the chosen positions.
    others = [measure(known, name, seed=5, limit=30) for name in ("random", "spoiling")]
    assert {other.phases["all"].random for other in others} == {parts["all"].random}
    assert measure(known, "knowing", seed=6, limit=30).phases["all"].random != parts["all"].random
    assert measure(known, "knowing", limit=10**6).phases["all"].kept.kept == len(known.positions)


def test_who_cannot_be_measured_is_told(known: Yardstick) -> None:
    with pytest.raises(PlayproofError, match="lawless gives no legal move in"):
        measure(known, "lawless")
    with pytest.raises(UsageError, match="human cannot be asked"):
        measure(known, "human")
    with pytest.raises(UsageError, match="no agent 'nobody'"):
        measure(known, "nobody")
    with pytest.raises(UsageError, match="want 1 or more"):
        measure(known, "random", limit=0)
    with pytest.raises(UsageError, match="the set is empty"):
        measure(Yardstick(GAME, ()), "random")


# The shipped set


def test_there_is_a_yardstick_for_choko_alone() -> None:
    with pytest.raises(UsageError, match="no yardstick for othello: want choko"):
        shipped(make("othello"))
    with pytest.raises(UsageError, match="no set of choko:lone_jump=true,cap=0 is shipped"):
        shipped(make("choko", lone_jump=True))


@pytest.mark.skipif(not SHIPPED.exists(), reason="it is made from a full solve, on a GPU")
def test_the_shipped_set_is_small_and_large_enough() -> None:
    found = shipped(make("choko"))
    assert SHIPPED.stat().st_size < 2_000_000
    assert len(found.positions) >= 3000
    assert found.game == GAME
    for phase in PHASES:
        assert sum(found.counts[phase].values()) >= 1000
    assert len({plain_canonical(one.position) for one in found.positions}) == len(found.positions)
    # Choko is won for Blue in 59 actions and no win takes more than 205.
    assert max(abs(value) for one in found.positions for value in one.values) <= 205


def test_a_position_knows_its_phase() -> None:
    assert [phase_of(h) for h in [(12, 12), (7, 7), (7, 8)]] == ["opening"] * 3
    assert [phase_of(h) for h in [(7, 6), (6, 6), (1, 0), (0, 1)]] == ["middle"] * 4
    assert CriticalPosition("5/5/5/5/5 b 0 0 - 24", (1,)).phase == "end"
