"""The claims of section 4.3: figures compared with plain loops over States, and verdicts."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from playproof import Batch, State
from playproof.arena.tactics.effects import move_effects
from playproof.arena.tactics.families import DEFENCE, EVASION, SECURE
from playproof.arena.tactics.positions import shipped
from playproof.arena.yardstick.critical import rows_of
from playproof.core.errors import DataError
from playproof.papers.chokozero.claims import (
    assess,
    captures,
    critic,
    dangers,
    nets,
    placements,
    reconstructions,
    results,
    searches,
    self_play,
    skirmishes,
)
from tests.support.learning.run_folders import metrics, write_run

NETS = nets.paper_nets({})
GAME = NETS["v1"].game
TINY = assess.ClaimSizes(games=3, per_family=4, yardstick=9, searched=3, quick=True)


@functools.cache
def own_games(name: str = "v2") -> self_play.OwnGames:
    return self_play.play(NETS[name], 4, seed=3)


def jumped(state: State, action: int) -> str:
    """The square that a jump leaps over, by the names of its squares."""
    start, landing = state.name(action).partition(",")[0].split("x")
    column = chr((ord(start[0]) + ord(landing[0])) // 2)
    return f"{column}{(int(start[1]) + int(landing[1])) // 2}"


def attacked(state: State) -> set[str]:
    """The squares that the player to move can jump over."""
    if state.is_terminal:
        return set()
    return {jumped(state, action) for action in state.legal_actions() if action >= 125}


def by_hand(states: list[State], policy: np.ndarray, safe: str) -> list[tuple[float, float, float]]:
    """``commitment`` in plain Python; ``policy`` in the order of ``Batch.legal_lists``."""
    lists = Batch.of(states).legal_lists()
    out = []
    for row, state in enumerate(states):
        jumps: dict[str, list[tuple[float, bool]]] = defaultdict(list)
        for place in range(lists.offsets[row], lists.offsets[row + 1]):
            action = int(lists.actions[place])
            if action < 125:
                continue
            jump = state.name(action).partition(",")[0]
            lost = attacked(state.apply(action))
            good = jump.partition("x")[2] not in lost if safe == "jumper" else not lost
            jumps[jump].append((float(policy[place]), good))
        total = [0.0, 0.0, 0.0]
        for removals in jumps.values():
            good = sum(flag for _, flag in removals)
            if 0 < good < len(removals):
                mass = sum(weight for weight, _ in removals)
                total[0] += mass
                total[1] += sum(weight for weight, flag in removals if flag)
                total[2] += mass * good / len(removals)
        out.append((total[0], total[1], total[2]))
    return out


@pytest.mark.parametrize("safe", ["jumper", "everything"])
def test_commitment_is_that_of_a_loop_over_states(safe: str) -> None:
    positions = [*shipped().families[SECURE][::15], *shipped().families[DEFENCE][::15]]
    own = own_games()
    rows = np.concatenate([rows_of(GAME, positions), own.rows[20::9]])
    effects = move_effects(GAME, rows)
    policy = np.random.default_rng(1).random(len(effects.actions))
    good = ~effects.retaken if safe == "jumper" else effects.exposed == 0
    found = captures.commitment(effects, policy, good)
    states = [State(GAME, row, set_up=True) for row in rows]
    wanted = np.array(by_hand(states, policy, safe))
    assert (wanted[:, 0] > 0).sum() > 20
    assert found.committed == pytest.approx(wanted[:, 0])
    assert found.good == pytest.approx(wanted[:, 1])
    assert found.chance == pytest.approx(wanted[:, 2])


def test_dangers_of_own_games_are_those_of_a_loop_over_states() -> None:
    own = own_games("v1")
    right = count = 0.0
    for row in own.rows:
        state = State(GAME, row, set_up=True)
        batch = Batch.of([state])
        legal, policy = batch.legal_lists().actions.tolist(), NETS["v1"].policy(batch)
        successors = [state.apply(action) for action in legal]
        side, ledger = int(row[2]) & 1, int(row[2])
        free = State(  # the same board, as if the other side were to move, with nothing in hand
            GAME, GAME.row_of(int(row[0]), int(row[1]), 1 - side, 0, (0, 0), 24 + 1 - side),  # type: ignore[attr-defined]
            set_up=True,
        )  # fmt: skip
        if ledger >> 16 < 4 or not attacked(free) or any(action >= 125 for action in legal):
            continue
        if any(after.legal_actions() and after.row[2] & np.uint64(2) for after in successors):
            continue  # the other side would have to place
        safe = [not attacked(after) for after in successors]
        if any(safe) and not all(safe):
            count += 1
            right += sum(p for p, flag in zip(policy, safe, strict=True) if flag)
    assert count > 10
    estimate = dangers.in_own_games(own, seed=1)
    assert estimate.value == pytest.approx(right / count)


def test_the_critics_ordering_is_that_of_a_double_loop() -> None:
    rng = np.random.default_rng(4)
    values, right = rng.integers(0, 5, 60).astype(float), rng.random(60) < 0.4
    groups = rng.integers(0, 9, 60)
    wanted = {}
    for group in set(groups.tolist()):
        pairs = [
            (values[i], values[j])
            for i in range(60)
            for j in range(60)
            if groups[i] == groups[j] == group and right[i] and not right[j]
        ]
        if pairs:
            wanted[group] = sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs)
    names, shares = critic.ordering(values, right, groups)
    assert dict(zip(names.tolist(), shares.tolist(), strict=True)) == pytest.approx(wanted)


def test_critics_are_compared_with_exact_values() -> None:
    positions = [*shipped().families[SECURE][::60], *shipped().families[EVASION][::60]]
    moves = critic.valued_moves(GAME, positions)
    plain = []
    for number, one in enumerate(positions):
        state = GAME.position(one.position)
        for action, value in zip(state.legal_actions(), one.values, strict=True):
            after = state.apply(action)
            if not after.is_terminal:
                own = float(NETS["v3"].values(Batch.of([after]))[0])
                plain.append((number, (value > 0) - (value < 0), -own))
    values = moves.by(NETS["v3"])
    found = zip(moves.position.tolist(), moves.exact.tolist(), values.tolist(), strict=True)
    assert np.array(sorted(found)) == pytest.approx(np.array(sorted(plain)), abs=1e-5)
    won = [value for value, exact in zip(values, moves.exact, strict=True) if exact > 0]
    lost = [value for value, exact in zip(values, moves.exact, strict=True) if exact < 0]
    balanced = (np.mean(np.array(won) > 0) + np.mean(np.array(lost) < 0)) / 2
    estimate = critic.sign_accuracy(values, moves, "", 1)
    assert estimate.value == pytest.approx(balanced)
    x = np.clip(values, -1, 1)
    assert critic.correlation(values, moves, "", 1).value == pytest.approx(
        np.corrcoef(x, moves.exact)[0, 1]
    )


def test_pieces_are_counted_for_the_mover() -> None:
    state = GAME.position("5/5/br3/2b2/r4 r 0 0 - 25")
    rows = np.stack([state.row])
    effects = move_effects(GAME, rows)
    moves = critic.ValuedMoves(
        effects, np.arange(len(effects.actions)), effects.position, effects.jump,
        np.zeros(len(effects.actions)), np.zeros(len(effects.actions), bool), 1,
    )  # fmt: skip
    for action, value in zip(effects.actions.tolist(), moves.by(None).tolist(), strict=True):
        assert value == (2 if action >= 125 else 0) / 12


# Corners


def test_placements_go_inward_as_the_names_say() -> None:
    own = own_games()
    ring = {"A1": 0, "E3": 0, "B2": 1, "C3": 2, "D3": 1}
    for name, depth in ring.items():
        assert placements.RINGS[GAME.parse_action(name)] == depth
    assert placements.KINDS[[0, 1, 6, 12]].tolist() == [0, 1, 2, 3]
    means = placements.mean_of_placements(own, range(8), placements.RINGS)
    for number in range(own.count):
        actions = own.actions[(own.games == number) & (own.plies < 8)]
        wanted = np.mean([placements.RINGS[action] for action in actions if action < 25])
        assert means[number] == pytest.approx(wanted)


def test_a_corner_that_was_emptied_is_filled_again() -> None:
    def game(name: str) -> int:
        return GAME.parse_action(name)

    early = [game(name) for name in ("A1", "E1", "B2")]
    late = [game(name) for name in ("A1", "E5", "B2", "A1-B1")]
    actions = np.array([*early, *late, game("E5")])
    plies = np.array([0, 1, 2, 16, 17, 18, 19, 23])
    own = self_play.OwnGames(NETS["v1"], 1, np.zeros((8, 3)), actions, np.zeros(8, int), plies)
    assert placements.refilled(own) == 2 / 4  # A1, and E5 the second time


def test_own_games_are_games() -> None:
    own = own_games()
    for number in range(own.count):
        state = GAME.start()
        chosen = own.games == number
        for row, action in zip(own.rows[chosen], own.actions[chosen], strict=True):
            assert np.array_equal(state.row, row)
            state = state.apply(int(action))
        assert state.is_terminal
    again = self_play.play(NETS["v2"], 4, seed=3)
    assert np.array_equal(again.actions, own.actions)


# The paper's positions


@functools.cache
def six_pieces() -> reconstructions.Probe:
    return reconstructions.solved_tables(6)


def test_skirmish_2_in_all_ways() -> None:
    ways = reconstructions.ways(GAME, "skirmish-2")
    best = reconstructions.truth(six_pieces(), ways, skirmishes.DEFENDS)
    other = reconstructions.truth(six_pieces(), ways, skirmishes.CAPTURES_C2)
    assert (len(ways), best.holdable.sum()) == (18, 15)
    assert (best.right & best.holdable).sum() == best.only[best.holdable].sum() == 15
    assert (other.right & best.holdable).sum() == 0
    assert len(reconstructions.ways(GAME, "skirmish-2", added=(0, 3))) == 816
    assert len(reconstructions.ways(GAME, "skirmish-1")) == 312


def test_a_move_has_its_probability_and_rank_in_each_way() -> None:
    ways = reconstructions.ways(GAME, "skirmish-2", hand=2)
    found = reconstructions.distribution(NETS["v2"], ways, skirmishes.DEFENDS)
    agent = nets.make_agent("net:choko-ppo-v2", GAME)
    for row in (0, 7, 17):
        state = State(GAME, ways.rows[row], set_up=True)
        assert "A5" in state.legal_names()  # with pieces in hand, Red may place
        (decision,) = agent.choose(Batch.of([state]), limits=nets_limits())
        priors = {state.name(move.action): move.prior or 0.0 for move in decision.moves}
        order = sorted(priors, key=lambda name: -priors[name])
        assert found.rank[row] == 1 + order.index(skirmishes.DEFENDS)
        assert found.probability[row] == pytest.approx(priors[skirmishes.DEFENDS], rel=1e-4)
    assert ways.rows[0, 2] == GAME.position("5/5/5/5/rb3 r 2 2 - 21").row[2]


def nets_limits():  # type: ignore[no-untyped-def]
    from playproof.agents.limits import Limits

    return Limits(priors=True)


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [([True, True], "holds"), ([False, False], "does not hold"), ([True, False], "not decided")],
)
def test_a_claim_about_an_unknown_position_must_hold_in_every_way(
    holds: list[bool], verdict: str
) -> None:
    assert skirmishes.by_ways(np.array(holds)) == verdict


def test_the_fork_of_figure_7_lets_e2_escape() -> None:
    (shown,) = (one for one in shipped().paper if one.figure.name == "figure-7")
    state = GAME.position(shown.critical.position).apply(GAME.parse_action(skirmishes.SACRIFICES))
    for reply in state.legal_actions():
        name, after = state.name(reply), state.apply(reply)
        target = name[-2:] if name.startswith("E2-") else "E2"
        wanted = any(
            jumped(after, action) == target or after.name(action).endswith(f",{target}")
            for action in after.legal_actions()
            if action >= 125
        )
        assert skirmishes.can_capture(after) == wanted, name


# Search


def test_a_search_that_counts_pieces_follows_the_policy() -> None:
    agent = searches.search_by_material(NETS["v3"], seed=1)
    rows = rows_of(GAME, shipped().families[SECURE][:3])
    chosen = searches.chosen_actions(agent, rows)
    assert all(
        action in State(GAME, row, set_up=True).legal_actions()
        for row, action in zip(rows, chosen.tolist(), strict=True)
    )
    value = agent.choose(Batch(GAME, rows))[0].value
    assert value is not None
    assert round(np.arctanh(value) * 6, 6) == round(round(np.arctanh(value) * 6), 6)


def test_positions_with_a_choice_of_removals_are_sampled() -> None:
    own = own_games()
    rows, games = searches.choices(own, 5, seed=2)
    assert len(rows) == len(games) == 5
    effects = move_effects(GAME, rows)
    found = captures.commitment(effects, np.ones(len(effects.actions)), effects.exposed == 0)
    assert (found.committed > 0).all()


# All together


def test_everything_is_measured_and_repeats() -> None:
    first = assess.assess({}, sizes=TINY, seed=5)
    names = [claim.name for claim in first.claims]
    assert len(set(names)) == len(names) >= 24
    known = {results.HOLDS, results.FAILS, results.UNDECIDED, results.UNTESTABLE}
    for claim in first.claims:
        assert claim.verdict in known
        assert bool(claim.estimates) == (claim.verdict != results.UNTESTABLE), claim.name
        for one in claim.estimates:
            if one.interval is not None:
                lower, upper = one.interval
                assert lower - 1e-9 <= one.value <= upper + 1e-9 or one.samples < 5, one.measure
    data = json.loads(json.dumps(first.to_json()))
    assert data["consistently"]["share"] == 0.9
    assert set(data["consistently"]["deserved"]) == {
        "secure-capture", "capture-and-defence", "evasion", "search-leaves-safe",
    }  # fmt: skip
    policy = next(claim for claim in data["claims"] if claim["name"] == "skirmish-2-policy")
    assert policy["distributions"][0]["count"] == 18
    assert json.loads(json.dumps(assess.assess({}, sizes=TINY, seed=5).to_json())) == data


def test_nets_come_from_runs(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no net of ChokoZero"):
        nets.files_of_runs(tmp_path)
    write_run(tmp_path / "one", metrics(3), preset="choko-ppo-v2")
    with pytest.raises(DataError, match="holds no net of ChokoZero"):
        nets.files_of_runs(tmp_path)  # a run without a net
    (tmp_path / "one" / nets.NET).write_bytes(b"")
    files = nets.files_of_runs(tmp_path)
    assert files == {"choko-ppo-v2": str(tmp_path / "one" / nets.NET)}
    assert nets.paper_nets(files)["v2"].file == files["choko-ppo-v2"]
    write_run(tmp_path / "two", metrics(3), preset="choko-ppo-v2")
    (tmp_path / "two" / nets.NET).write_bytes(b"")
    with pytest.raises(DataError, match="two runs of choko-ppo-v2"):
        nets.files_of_runs(tmp_path)
