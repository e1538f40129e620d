"""Searches that ask tables of solved positions: exact, and none the worse outside of them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from playproof import Game, State
from playproof.search.alphabeta.search import PROVEN, WIN, AlphaBeta, AlphaBetaConfig, minimax
from playproof.search.evaluators import material
from playproof.search.mcts import UNKNOWN, SearchConfig, TreeSearch
from playproof.tables.choko.game import with_tables
from playproof.tables.choko.probe import Probe, TableValue
from playproof.tables.choko.slices import slice_of
from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore
from tests.support.longer import longer
from tests.support.tables.small_tables import choko, copied, files, position_in, positions


def tabled(cap: int = 0, lone_jump: bool = False, kind: str = DISTANCE) -> Game:
    return with_tables(choko(lone_jump, cap), files(lone_jump, kind))


def result_of(value: float) -> int:
    return int(value > PROVEN) - int(value < -PROVEN)


def of_mover(state: State, value: float) -> float:
    return value if state.current_player == 0 else -value


def exact_moves(state: State, *, capped: bool = False) -> dict[int, TableValue]:
    store = files(state.game.options["lone_jump"])
    return dict(Probe(store).moves(state, capped=capped))


# Alpha-beta


@pytest.mark.parametrize("lone_jump", [False, True])
def test_one_ply_before_the_tables_the_result_is_exact_and_the_win_the_quickest(
    lone_jump: bool,
) -> None:
    game = tabled(lone_jump=lone_jump)
    search = AlphaBeta(game, AlphaBetaConfig(table_mb=1))
    results = []
    for state in positions(game, longer(50, 150), 1):
        result = search.search(state)
        moves = exact_moves(state)
        best = next(iter(moves.values()))
        assert result.action is not None
        assert result.proven
        assert result.depth == 1
        assert moves[result.action] == best  # the quickest win, the slowest loss
        assert result_of(of_mover(state, result.value)) == best.outcome
        if best.outcome and best.distance != 1:
            after = of_mover(state, result.value) - best.outcome * WIN
            assert after == pytest.approx(best.outcome * (1 - ((best.distance or 0) - 1) / 1000))
        elif best.outcome == 0:
            assert abs(result.value) <= 12  # a draw on the board counts the captures
        results.append(best.outcome)
    assert set(results) == {-1, 0, 1}


@pytest.mark.parametrize(
    "settings", [AlphaBetaConfig(depth=3), minimax(2), AlphaBetaConfig(quiescence=True)]
)
def test_any_settings_find_the_exact_result(settings: AlphaBetaConfig) -> None:
    game = tabled()
    search = AlphaBeta(game, settings)
    for state in positions(game, 60, 2):
        result = search.search(state)
        best = next(iter(exact_moves(state).values()))
        assert result_of(of_mover(state, result.value)) == best.outcome
        assert result.proven


def test_the_cap_is_respected() -> None:
    game = tabled(cap=100)
    search, late = AlphaBeta(game, AlphaBetaConfig(table_mb=1)), 0
    for state in positions(game, 150, 3, ply=90):
        result = search.search(state)
        moves = exact_moves(state, capped=True)
        assert result.action is not None
        best = next(iter(moves.values()))
        assert result_of(of_mover(state, result.value)) == best.outcome
        assert moves[result.action].outcome == best.outcome
        late += next(iter(exact_moves(state).values())).outcome != best.outcome
    assert late > 10


def test_without_distances_the_result_is_exact_still() -> None:
    game = tabled(kind=OUTCOME)
    search = AlphaBeta(game, AlphaBetaConfig(table_mb=1))
    for state in positions(game, 100, 4):
        result = search.search(state)
        best = next(iter(exact_moves(state).values()))
        assert result.action is not None
        assert exact_moves(state)[result.action].outcome == best.outcome
        assert result_of(of_mover(state, result.value)) == best.outcome


def some_tables(folder: Path, cap: int = 0) -> Game:
    """With both hands empty alone: a search of positions with hands meets them further down."""
    return with_tables(choko(cap=cap), FileStore(copied(folder, "h0-*"), False, DISTANCE))


def test_what_is_proven_from_outside_the_tables_is_true(tmp_path: Path) -> None:
    game = some_tables(tmp_path)
    search = AlphaBeta(game, AlphaBetaConfig(depth=5, table_mb=1))
    plain = AlphaBeta(choko(cap=0), AlphaBetaConfig(depth=5, table_mb=1))
    proven = without = 0
    slices = [slice_of(1, 1, 3), slice_of(1, 3, 1), slice_of(1, 1, 1)]
    for state in positions(game, 60, 5, slices=slices):
        result = search.search(state)
        if result.proven:
            proven += 1
            best = next(iter(exact_moves(state).values()))
            assert result_of(of_mover(state, result.value)) == best.outcome
            assert result.action is not None
            assert exact_moves(state)[result.action].outcome == best.outcome
        without += plain.search(State(plain.game, state.row, set_up=True)).proven
    assert proven > without + 20


def test_far_from_the_cap_a_known_position_is_not_taken_for_its_earlier_self(
    tmp_path: Path,
) -> None:
    game = some_tables(tmp_path, cap=100)
    depth, differing = 3, 0
    search = AlphaBeta(game, AlphaBetaConfig(depth=depth, table_mb=1))
    chooser = random.Random(6)
    for _ in range(60):
        state = position_in(game, slice_of(1, 3, 1), chooser, forced=False, ply=40)
        assert state is not None
        late = State(game, state.row + np.uint64([0, 0, 40 << 16]), set_up=True)
        assert late.ply == state.ply + 40
        early = search.search(state)
        again = search.search(late)
        fresh = AlphaBeta(game, AlphaBetaConfig(depth=depth, table_mb=1)).search(late)
        assert again.value == fresh.value
        differing += early.value != again.value
    assert differing > 5


def test_every_move_is_ranked_by_what_the_tables_say_of_it() -> None:
    game = tabled()
    search = AlphaBeta(game, AlphaBetaConfig(depth=2, table_mb=1))
    for state in positions(game, 20, 7):
        lines = search.search_lines(state, 1000)
        moves = exact_moves(state)
        assert len(lines) == len(moves)
        for line in lines:
            assert result_of(of_mover(state, line.value)) == moves[line.action].outcome
            assert line.proven
        assert lines[0].value == search.search(state).value


def test_games_without_tables_count_no_probes() -> None:
    state = choko().position("5/1b3/2r2/1b3/4r b 0 0 - 40")
    assert "probed" not in AlphaBeta(choko(), AlphaBetaConfig(depth=2)).search(state).statistics
    result = AlphaBeta(tabled(cap=100), AlphaBetaConfig(depth=2)).search(state)
    assert result.statistics["probed"] == len(state.legal_actions())


# Tree search


@pytest.mark.parametrize("evaluator", [None, material])
def test_trees_prove_what_the_tables_know(evaluator) -> None:  # type: ignore[no-untyped-def]
    game = tabled()
    states = positions(game, 80, 8)
    trees = TreeSearch.from_states(states, SearchConfig(simulations=200, seed=1), evaluator)
    trees.run()
    proven = 0
    for tree, state in enumerate(states):
        root, moves = trees.root(tree), exact_moves(state)
        best = next(iter(moves.values()))
        if root.is_proven:
            proven += 1
            assert of_mover(state, root.result) == best.outcome
            assert moves[root.best()].outcome == best.outcome
        for action, result in zip(root.actions, root.proven, strict=True):
            if result != UNKNOWN:
                assert of_mover(state, int(result)) == moves[int(action)].outcome
    assert proven > 70  # few have more moves than a tree has simulations


def test_a_tree_that_is_kept_still_looks_for_a_move() -> None:
    game = tabled()
    states = positions(game, 30, 9)
    trees = TreeSearch.from_states(states, SearchConfig(simulations=100, seed=2))
    trees.run()
    played = [trees.root(tree).best() for tree in range(len(states))]
    trees.advance(played)
    trees.run()
    for tree, (state, action) in enumerate(zip(states, played, strict=True)):
        after = state.apply(action)
        if after.is_terminal:
            assert trees.root(tree).result == after.outcome
        else:
            moves = exact_moves(after)
            root = trees.root(tree)
            if root.is_proven:
                assert moves[root.best()].outcome == next(iter(moves.values())).outcome
