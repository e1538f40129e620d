"""The endgame solver: equal to exhaustive search."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator

import pytest

import playproof
from playproof import State
from playproof.search.othello_endgame.solver import solve
from tests.support.longer import longer
from tests.support.search.endgames import (
    BOTH,
    FFO,
    empties,
    endings,
    final_score,
    sign,
    some_endings,
)
from tests.support.search.exhaustive import check

MANY = longer(1, 3)


@BOTH
@pytest.mark.parametrize(
    ("left", "count"),
    [
        *[(1, 15), (2, 20), (3, 25), (4, 25), (5, 25), (6, 25), (7, 25)],
        *longer([(8, 8), (9, 4), (10, 1)], [(8, 20), (9, 10), (10, 3)]),
    ],
)
def test_it_finds_what_exhaustive_search_finds(left: int, count: int, exact: bool) -> None:
    for state in some_endings("othello", left, MANY * count):
        check(state, exact)


@pytest.mark.parametrize(("left", "count"), longer([(11, 1)], [(11, 3), (12, 1)]))
def test_it_finds_it_with_more_empties(left: int, count: int) -> None:
    for state in some_endings("othello", left, MANY * count):
        check(state, exact=True)


@BOTH
@pytest.mark.parametrize(
    ("spec", "left", "count"),
    [
        ("othello:empties_to_winner", 3, 20),
        ("othello:empties_to_winner", 6, 20),
        ("othello:empties_to_winner", 8, 13),
        ("othello:size=6", 5, 20),
        ("othello:size=6", 8, 20),
        ("othello:size=6", 10, 4),
        ("othello:size=6,empties_to_winner", 8, 13),
        ("othello:size=4", 5, 20),
        ("othello:size=4", 9, 10),
        ("othello:size=4,empties_to_winner", 8, 13),
    ],
)
def test_it_knows_every_board_and_both_ways_to_count(
    spec: str, left: int, count: int, exact: bool
) -> None:
    for state in some_endings(spec, left, MANY * count):
        check(state, exact)


def early_ends(spec: str, seed: int) -> Iterator[State]:
    """Positions where the game may end with squares left, a few plies before one did."""
    game, chooser = playproof.make(spec), random.Random(seed)
    while True:
        state = game.start()
        while not state.is_terminal:
            state = state.apply(chooser.choice(state.legal_actions()))
        before = state.before(6)
        if empties(state) >= 1 and 1 < empties(before) <= 9 and not before.is_terminal:
            yield before


@pytest.mark.parametrize("spec", ["othello", "othello:empties_to_winner", "othello:size=6"])
def test_games_that_end_with_squares_left(spec: str) -> None:
    positions = early_ends(spec, 5)
    for _ in range(4):
        state = next(positions)
        check(state, exact=True)
        check(state, exact=False)


@pytest.mark.parametrize(("spec", "score"), [("", -8), (",empties_to_winner", -10)])
def test_four_by_four_from_the_start(spec: str, score: int) -> None:
    game = playproof.make("othello:size=4" + spec)
    solution = solve(game.start())
    assert (solution.score, solution.first_player_score) == (score, score)
    assert final_score(game.start(), solution) == score
    after = solve(game.start().apply(solution.line[0]))
    assert (after.score, after.player, after.first_player_score) == (-score, 1, score)
    assert solve(game.start(), exact=False).score == -1


# All five: `make verify endgame`
@pytest.mark.parametrize(("position", "score", "best"), FFO[:1], ids=["40"])
def test_the_endgame_suite(position: str, score: int, best: str) -> None:
    state = playproof.make("othello").position(position)
    solution = solve(state)
    assert solution.score == score
    assert state.name(solution.line[0]) in best.split()
    assert final_score(state, solution) == score


# Positions with little to search


def test_a_finished_game_has_a_score_and_no_move() -> None:
    state = next(iter(endings("othello", 4, 1)))
    while not state.is_terminal:
        state = state.apply(state.legal_actions()[0])
    solution = solve(state, seconds=0)
    assert solution.finished
    sign_of_first = -1 if solution.player else 1
    assert solution.first_player_score == solution.lower * sign_of_first == state.score
    assert (solution.best_move, solution.line) == (None, ())
    assert solve(state, exact=False).score == sign(solution.score or 0)


@functools.cache
def with_one_action(passing: bool, count: int) -> list[State]:
    positions = []
    for state in endings("othello", 8, 3):
        legal = state.legal_actions()
        if len(legal) == 1 and (legal == [state.game.num_actions - 1]) == passing:
            positions.append(state)
        if len(positions) == count:
            break
    return positions


@BOTH
def test_a_player_who_must_pass_passes(exact: bool) -> None:
    for state in with_one_action(passing=True, count=5):
        check(state, exact)
        assert state.name(solve(state, exact=exact).line[0]) == "pass"


@BOTH
def test_a_position_with_one_move(exact: bool) -> None:
    for state in with_one_action(passing=False, count=5):
        check(state, exact)
