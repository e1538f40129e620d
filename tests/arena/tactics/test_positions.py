"""Tactics: the families, the shipped set, the paper's positions, and how they are made."""

from __future__ import annotations

import functools
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playproof import State, UsageError
from playproof.arena.tactics import make as tactics_make
from playproof.arena.tactics import paper_positions as tactics_paper
from playproof.arena.tactics import positions as tactics_set
from playproof.arena.tactics.effects import threatened
from playproof.arena.tactics.families import (
    DEFENCE,
    EVASION,
    FAMILIES,
    SACRIFICE,
    SECURE,
    can_recapture,
    family,
    moves_of,
)
from playproof.arena.tactics.make import exact_values, make_tactics
from playproof.arena.tactics.paper_positions import FIGURES, positions, reconstruct, word
from playproof.arena.tactics.positions import Tactics, parse, read
from playproof.arena.yardstick.critical import CriticalPosition, rows_of
from playproof.arena.yardstick.sample import canonical
from playproof.core.errors import DataError
from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.store import DISTANCE, OUTCOME, MemoryStore
from tests.support.arena.tactical import GAME, everything, tactics
from tests.support.longer import longer

FILE = Path(tactics_set.__file__).parents[1] / "data" / "choko_tactics.json.gz"


@functools.cache
def store() -> MemoryStore:
    """All positions with empty hands and up to six pieces."""
    device = Cpu()
    made = MemoryStore(False, DISTANCE, device)
    build(plan_build(False, DISTANCE, hands=0, pieces=6), device, made)
    return made


# Families


def board(own: int, other: int, side: int) -> State:
    boards = (own, other) if side == 0 else (other, own)
    return State(GAME, GAME.row_of(*boards, side, 0, (0, 0), 24 + side), set_up=True)  # type: ignore[attr-defined]


@st.composite
def sides(draw: st.DrawFn) -> tuple[int, int]:
    squares = draw(st.lists(st.integers(0, 24), unique=True, min_size=4, max_size=14))
    first = draw(st.integers(2, len(squares) - 2))
    return sum(1 << s for s in squares[:first]), sum(1 << s for s in squares[first:])


def jumped(name: str) -> int:
    """The square that a jump such as B1xD1,E1 leaps over, as a word."""
    start, landing = (word(part) for part in name.split(",")[0].split("x"))
    places = start.bit_length() + landing.bit_length() - 2
    return 1 << places // 2


def captures(state: State) -> list[str]:
    return [name for name in state.legal_names() if "x" in name]


@given(sides(), st.integers(0, 1))
def test_what_is_threatened_is_what_the_engine_jumps_over(both: tuple[int, int], side: int) -> None:
    own, other = both
    expected = 0
    for name in captures(board(own, other, side)):
        expected |= jumped(name)
    assert threatened(own, other) == expected
    words = threatened(np.array([own], np.uint64), np.array([other], np.uint64))
    assert words.tolist() == [expected]


def test_answered_is_what_the_engine_can_take_back() -> None:
    found: Counter[bool] = Counter()
    for row in tactics_make._random_rows(GAME, (6, 4), np.random.default_rng(1))[:400]:
        own, other = int(row[0]), int(row[1])
        state = board(other, own, 0)
        if captures(state):
            after = [state.apply(name) for name in captures(state)]
            expected = all(captures(reached) for reached in after)
            assert can_recapture(own, other) == expected
            found[expected] += 1
        else:
            assert can_recapture(own, other)
    assert min(found[True], found[False]) > 40


def family_of(state: State, values: tuple[int, ...]) -> str | None:
    (moves,) = moves_of(GAME, np.array([state.row]), [values])
    side = int(state.row[2]) & 1
    own, other = int(state.row[side]), int(state.row[1 - side])
    return family(own, other, moves, won=max(values) > 0)


def test_moves_are_what_the_engine_makes_of_them() -> None:
    chosen = [one for _, one in everything()[::60]]
    rows = rows_of(GAME, chosen)
    for one, row, moves in zip(
        chosen, rows, moves_of(GAME, rows, [one.values for one in chosen]), strict=True
    ):
        state = GAME.position(one.position)
        side = int(row[2]) & 1
        for number, (action, move) in enumerate(zip(state.legal_actions(), moves, strict=True)):
            after, name = state.apply(action), state.name(action)
            assert (move.own, move.other) == (int(after.row[side]), int(after.row[1 - side]))
            assert move.captures == ("x" in name)
            ends = name.split(",")[0].replace("x", "-").split("-")
            assert move.jump == tuple(word(square) for square in ends)
            assert move.keeps == one.keeps(number)
            lost = 0 if after.is_terminal else sum({jumped(reply) for reply in captures(after)})
            assert move.lost == lost


@pytest.mark.parametrize(
    ("figure", "name"),
    [("figure-4", SECURE), ("skirmish-1", EVASION), ("skirmish-2", DEFENCE), ("figure-7", None)],
)
def test_the_papers_positions_are_of_the_families_they_began(figure: str, name: str | None) -> None:
    (one,) = (one.critical for one in tactics().paper if one.figure.name == figure)
    assert family_of(GAME.position(one.position), one.values) == name


def plain_family(state: State, values: tuple[int, ...]) -> str | None:
    """The families once more, by names of moves and by the engine's replies."""
    one, names = CriticalPosition(state.position, values), state.legal_names()
    right = {name for number, name in enumerate(names) if one.keeps(number)}
    after = {name: state.apply(name) for name in names}
    risk = {name: {jumped(reply) for reply in captures(after[name])} for name in names}
    side = int(state.row[2]) & 1
    own, enemy = int(state.row[side]), int(state.row[1 - side])
    danger = {jumped(reply) for reply in captures(board(enemy, own, 1 - side))}
    if right <= set(captures(state)):
        leaps = {name.split(",")[0] for name in right}
        same = [name for name in names if name.split(",")[0] in leaps]
        safe = {name for name in same if not risk[name]}
        if safe == right and all(
            any(n.startswith(leap) and risk[n] for n in same) for leap in leaps
        ):
            lands = {name: word(name.split("x")[1].split(",")[0]) for name in same}
            if all(risk[name] <= {lands[name]} for name in same):
                return SECURE
            if all(risk[name] <= danger - {lands[name]} for name in same):
                return DEFENCE
    if danger and not captures(state) and not any(risk[name] for name in right):
        return EVASION
    gains = {name: 2 * ("x" in name) - 2 * bool(risk[name]) for name in names}
    given = all(
        risk[name]
        and gains[name] < max(gains.values())
        and all(captures(after[name].apply(reply)) for reply in captures(after[name]))
        for name in right
    )
    return SACRIFICE if given and one.value > 0 else None


@pytest.mark.slow
def test_families_are_what_the_engine_says_of_them() -> None:
    """Whatever the values are: each move in turn is the only right one."""
    found: Counter[str | None] = Counter()
    chance = np.random.default_rng(3)
    for shape in ((2, 4), (4, 2), (4, 4), (6, 4)):
        for row in tactics_make._random_rows(GAME, shape, chance)[: longer(30, 50)]:
            state = State(GAME, row, set_up=True)
            count = len(state.legal_actions())
            for right in range(count) if count > 1 else ():
                values = tuple(int(move == right) for move in range(count))
                name = family_of(state, values)
                assert name == plain_family(state, values), (state.position, right)
                found[name] += 1
    assert all(found[name] > 10 for name in FAMILIES), found


# A position of two against four, and what becomes of its family when values change:
# B1 jumps C1; E1, A5 and E5 are the removals, and only E1 could retake.
SECURED = "b3b/5/5/5/rrb1b r 0 0 - 25"


@pytest.mark.parametrize(
    ("values", "name"),
    [
        # A1-A2, B1-B2, and B1xD1 with E1, A5 and E5.
        ((-2, -26, 0, -2, -2), SECURE),
        ((-2, -26, 0, 0, -2), None),  # a removal that lets Blue retake is right
        ((-2, 0, 0, -2, -2), None),  # so is a quiet move
        ((-2, 0, -2, -2, -2), None),  # or that alone
    ],
)
def test_a_family_goes_by_values(values: tuple[int, ...], name: str | None) -> None:
    state = GAME.position(SECURED)
    assert state.legal_names() == ["A1-A2", "B1-B2", "B1xD1,E1", "B1xD1,A5", "B1xD1,E5"]
    assert family_of(state, values) == name


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_the_same_in_every_image(name: str) -> None:
    for one in tactics().families[name][::25]:
        state = GAME.position(one.position)
        table = dict(zip(state.legal_actions(), one.values, strict=True))
        for symmetry in range(8):
            turn = functools.partial(GAME.kernels.transform_action, GAME.option_words)
            turned = {int(turn(action, symmetry)): value for action, value in table.items()}
            values = tuple(turned[action] for action in sorted(turned))
            assert family_of(state.transformed(symmetry), values) == name


def test_a_sacrifice_is_worse_than_greed_until_it_is_taken() -> None:
    for one in tactics().families[SACRIFICE][::10]:
        state = GAME.position(one.position)
        gains = []
        for number, action in enumerate(state.legal_actions()):
            after = state.apply(action)
            taken = "x" in state.name(action)
            gains.append((one.keeps(number), 2 * taken - 2 * bool(captures(after))))
            if one.keeps(number):
                replies = captures(after)
                assert replies
                assert all(captures(after.apply(reply)) for reply in replies)
        assert max(g for right, g in gains if right) < max(g for _, g in gains)
        assert one.value == 1


# The shipped set


def test_the_shipped_set_is_small_and_even() -> None:
    assert FILE.stat().st_size < 60_000
    assert {name: len(found) for name, found in tactics().families.items()} == dict.fromkeys(
        FAMILIES, 300
    )
    assert len(tactics().paper) == 4
    for name in (SECURE, EVASION, DEFENCE):
        assert Counter(one.value for one in tactics().families[name]) == {1: 150, 0: 150}


def test_shipped_positions_are_of_their_families_and_in_time() -> None:
    for name, one in everything():
        assert family_of(GAME.position(one.position), one.values) == name
        assert 0.0 < one.share < 1.0
        assert max(map(abs, one.values)) <= 75
        played = int(one.position.split()[-1])
        assert played + max(map(abs, one.values)) <= 100


def test_no_two_shipped_positions_are_images_of_each_other() -> None:
    rows = rows_of(GAME, [one for _, one in everything()])
    assert len(np.unique(canonical(GAME, rows), axis=0)) == 1200


def pieces(one: CriticalPosition) -> int:
    return sum(letter in "br" for letter in one.position.split()[0])


def test_shipped_values_are_those_of_tables_made_on_the_spot() -> None:
    small = [one for _, one in everything() if pieces(one) <= 6]
    small += [one.critical for one in tactics().paper if pieces(one.critical) <= 6]
    assert len(small) > 200
    found = exact_values(Probe(store()), rows_of(GAME, small))
    for one, values in zip(small, found, strict=True):
        assert tuple(values.values()) == one.values


def test_shipped_values_of_captures_are_those_of_the_positions_after_them() -> None:
    probe, tried = Probe(store()), 0
    for _, one in everything():
        if pieces(one) == 8 and one.position.split()[0].count("b") == 4:
            state = GAME.position(one.position)
            for number, name in enumerate(state.legal_names()):
                if "x" in name:
                    value = probe.value(state.apply(name))
                    later = value.outcome * (1 + (value.distance or 0))
                    assert one.values[number] == -later
                    tried += 1
    assert tried > 500


def test_a_set_is_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "again"
    tactics().write(file)
    assert file.read_bytes() == FILE.read_bytes()
    assert read(file) == tactics()


def content() -> dict[str, Any]:
    found = json.loads(gzip.decompress(FILE.read_bytes()))
    found["families"] = {name: pairs[:2] for name, pairs in found["families"].items()}
    return found  # type: ignore[no-any-return]


def packed(data: object) -> bytes:
    return gzip.compress(json.dumps(data).encode())


SOME = "5/5/br3/2b2/r4 r 0 0 - 25"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "playproof yardstick 1"}, "x is no set of tactics: want one written by"),
        ({"game": "choko:cap=0"}, "choko:cap=0 is not choko"),
        ({"game": "chokko"}, "no game 'chokko'"),
        ({"families": {"evasion": []}}, "the families are not secure-capture, evasion"),
        ({"families": 7}, "x is broken"),
        ({"made": None}, "x is broken"),
        ({"paper": [{"name": "figure-4"}]}, "x is broken"),
        ({"families": {name: [[SOME, [0]]] for name in FAMILIES}}, "1 values for 5 moves"),
        ({"families": {name: [[SOME, [0] * 5]] for name in FAMILIES}}, "is not critical"),
        ({"families": {name: [[SOME, [0.5] * 5]] for name in FAMILIES}}, "not a whole number"),
    ],
)
def test_a_broken_set_is_noticed(change: dict[str, object], says: str) -> None:
    assert parse(packed(content()), "x").paper == tactics().paper
    with pytest.raises(DataError, match=says) as raised:
        parse(packed(content() | change), "x")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("name", "figure-9", "the paper has no 'figure-9'"),
        ("values", [-2, -26, -2, 0, -2], "B1xD1,E1 is not right in"),
        ("ways", "many", "'many' is not a whole number"),
    ],
)
def test_a_broken_figure_is_noticed(key: str, value: object, says: str) -> None:
    data = content()
    data["paper"][0][key] = value
    with pytest.raises(DataError, match=says):
        parse(packed(data), "x")


# The paper's positions


def test_the_papers_positions_hold_what_the_text_names() -> None:
    assert [one.figure for one in tactics().paper] == list(FIGURES)
    for one in tactics().paper:
        figure, state = one.figure, GAME.position(one.critical.position)
        assert state.view().turn.name == "Red"
        blue, red = (int(w) for w in state.row[:2])
        assert red == word(figure.red) | word(one.added_red)
        assert blue == word(figure.blue) | word(one.added_blue)
        assert not (red | blue) & word(figure.empty)
        added = (len(one.added_red.split()), len(one.added_blue.split()))
        assert added == figure.added
        assert figure.move in state.legal_names()


@pytest.mark.parametrize("figure", FIGURES[:3], ids=lambda figure: figure.name)
def test_the_papers_positions_follow_from_the_text_and_the_tables(
    figure: tactics_paper.Figure,
) -> None:
    exact = functools.partial(exact_values, Probe(store()))
    (kept,) = (one for one in tactics().paper if one.figure == figure)
    assert reconstruct(GAME, figure, exact) == kept


def test_skirmish_2_is_as_the_text_says_wherever_it_is_not_lost() -> None:
    (one,) = (one for one in tactics().paper if one.figure.name == "skirmish-2")
    assert one.right == one.only == one.ways - one.lost == 15
    state = GAME.position(one.critical.position)
    assert one.critical.values[state.legal_names().index("D4xB4,C2")] == -2


def test_figure_7_is_the_one_position_that_fits_the_text() -> None:
    (one,) = (one for one in tactics().paper if one.figure.name == "figure-7")
    assert len(list(positions(one.figure))) == one.ways == 1
    state = GAME.position(one.critical.position)
    assert {name.split(",")[0] for name in captures(state)} == {"A3xC3"}
    after = state.apply("A3xC3,E3")
    takes = {name.split(",")[0] for name in captures(after)}
    assert takes == {"A4xC4", "B5xB3"}  # B4, from two sides
    for reply in captures(after):
        assert captures(after.apply(reply))
    # Were it Red's move again, E1 would take E2.
    blue, red = (int(w) for w in after.row[:2])
    assert "E1xE3" in {name.split(",")[0] for name in captures(board(red, blue, 1))}


# Making


SHAPES = ((2, 2), (2, 4), (4, 2))


def made(seed: int, count: int = 2) -> Tactics:
    return make_tactics(store(), per_family=count, seed=seed, shapes=SHAPES, figures=False)


@pytest.mark.slow
def test_a_set_is_made_from_tables_and_a_seed(tmp_path: Path) -> None:
    first, again, other = made(1), made(1), made(2)
    assert first == again
    assert first.families != other.families
    for name, found in first.families.items():
        assert len(found) == 2
        for one in found:
            assert family_of(GAME.position(one.position), one.values) == name
    file = tmp_path / "a"
    first.write(file)
    assert read(file).families == first.families


def test_what_makes_no_set_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="want 1 or more"):
        made(1, 0)
    with pytest.raises(UsageError, match="have no distances"):
        make_tactics(MemoryStore(False, OUTCOME, Cpu()))
    monkeypatch.setattr(tactics_make, "_MAX_ROUNDS", 1)
    with pytest.raises(UsageError, match="ask for fewer"):
        made(1, 200)
