"""The endgame solver: honest about what it proves, and the same again however it is asked."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

import playproof
from playproof import State, UsageError
from playproof.core.stopping import stop_flag
from playproof.search.othello_endgame.solver import solve
from tests.support.search.endgames import BOTH, FFO, endings, final_score, some_endings

# Limits


def long_work() -> State:
    return playproof.make("othello").start()


def test_a_stop_flag_stops_it_at_once() -> None:
    delays = []
    for _ in range(3):
        flag, solutions = stop_flag(), []
        work = threading.Thread(
            target=lambda f=flag, g=solutions: g.append(solve(long_work(), stop=f)), daemon=True
        )
        work.start()
        time.sleep(0.1)
        assert work.is_alive()
        flag[0] = 1
        before = time.perf_counter()
        work.join(10)
        delays.append(time.perf_counter() - before)
        assert not solutions[0].finished
        assert solutions[0].score is None
    assert min(delays) < 0.01


def test_a_flag_that_is_up_already_lets_nothing_begin() -> None:
    flag = stop_flag()
    flag[0] = 1
    solution = solve(long_work(), stop=flag)
    assert not solution.finished
    assert solution.nodes < 100
    assert (solution.lower, solution.upper) == (-64, 64)
    assert (solution.best_move, solution.line) == (None, ())


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"seconds": -1}, {"nodes": 0}])
def test_no_time_and_no_nodes_are_no_error(limits: dict[str, float]) -> None:
    solution = solve(long_work(), **limits)  # type: ignore[arg-type]
    assert not solution.finished
    assert solution.score is None
    assert solution.first_player_score is None


def test_a_time_limit_ends_it() -> None:
    started = time.perf_counter()
    solution = solve(long_work(), seconds=0.2)
    assert not solution.finished
    assert 0.15 < time.perf_counter() - started < 5
    assert 0.15 < solution.seconds < 5


def test_bounds_of_an_unfinished_search_are_proven() -> None:
    game, ranges = playproof.make("othello"), set()
    for position, score, _ in (FFO[0], FFO[4]):
        for nodes in (1_000, 100_000, 1_000_000, 4_000_000):
            solution = solve(game.position(position), nodes=nodes)
            assert not solution.finished
            assert solution.nodes <= nodes + 500
            assert solution.lower <= score <= solution.upper
            ranges.add((solution.lower, solution.upper))
    assert len(ranges) > 1


# The same again


@BOTH
def test_the_same_input_gives_the_same_output(exact: bool) -> None:
    state = next(iter(endings("othello", 14, 9)))
    first, second = (replace(solve(state, exact=exact), seconds=0) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("megabytes", [1e-6, 0.01, 3, 64])
def test_the_size_of_the_table_does_not_change_the_score(megabytes: float) -> None:
    for state in some_endings("othello", 13, 1):
        expected = solve(state, megabytes=16)
        solution = solve(state, megabytes=megabytes)
        assert solution.score == expected.score
        assert final_score(state, solution) == expected.score


def test_mirrored_positions_have_the_same_score() -> None:
    for state in some_endings("othello", 12, 1, seed=1):
        assert {solve(state.transformed(k), megabytes=1).score for k in range(8)} == {
            solve(state).score
        }


@pytest.mark.parametrize("limits", [{"megabytes": 0}, {"megabytes": -1}])
def test_a_table_without_room_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="megabytes"):
        solve(long_work(), **limits)  # type: ignore[arg-type]


def test_another_game_is_refused() -> None:
    with pytest.raises(UsageError, match="othello, not for choko"):
        solve(playproof.make("choko").start())
