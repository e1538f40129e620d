"""The endgame solver against exhaustive search over the naive board's rules."""

from __future__ import annotations

import functools
import random

import numpy as np
import pytest

import playproof
from playproof import State, UsageError
from playproof.core.stopping import stop_flag
from playproof.rules import othello as rules
from playproof.search.othello_endgame import solve


def exhaustive(state: State) -> int:
    """The score for the side to move, every line followed to its end."""
    squares = rules.board(state.game.size)

    @functools.cache
    def best(own: int, other: int) -> int:
        placements = rules.moves(own, other, squares)
        if not placements:
            if not rules.moves(other, own, squares):
                lead = own.bit_count() - other.bit_count()
                empty = (squares & ~(own | other)).bit_count()
                bonus = empty * ((lead > 0) - (lead < 0))
                return lead + (bonus if state.game.options["empties_to_winner"] else 0)
            return -best(other, own)
        found = -100
        while placements:
            move = placements & -placements
            placements ^= move
            turned = rules.flips(own, other, move)
            found = max(found, -best(other & ~turned, own | turned | move))
        return found

    black, white = int(state.row[0]), int(state.row[1])
    return best(white, black) if state.current_player == 1 else best(black, white)


def endings(spec: str, count: int, empties: tuple[int, int], seed: int) -> list[State]:
    game = playproof.make(spec)
    chooser, found = random.Random(seed), []
    while len(found) < count:
        state = game.start()
        goal = chooser.randint(*empties)
        while not state.is_terminal and game.empties(state) > goal:
            state = state.apply(chooser.choice(state.legal_actions()))
        if not state.is_terminal:
            found.append(state)
    return found


@pytest.mark.parametrize(
    ("spec", "count", "empties"),
    [
        ("othello", 60, (1, 7)),
        ("othello", 4, (8, 9)),
        ("othello:empties_to_winner", 30, (2, 8)),
        ("othello:size=6", 15, (3, 9)),
        ("othello:size=4", 20, (3, 10)),
    ],
)
def test_scores_are_those_of_exhaustive_search(
    spec: str, count: int, empties: tuple[int, int]
) -> None:
    for state in endings(spec, count, empties, seed=count):
        expected = exhaustive(state)
        found = solve(state, megabytes=1)
        assert found.finished
        assert found.score == expected, repr(state)
        assert found.best_move in state.legal_actions()
        # The line is legal, whole, and worth what it promises.
        end = state
        for action in found.line:
            end = end.apply(action)
        assert end.is_terminal
        assert (-1 if state.current_player == 1 else 1) * end.score == expected
        sign = solve(state, exact=False, megabytes=1)
        assert sign.score == np.sign(expected), repr(state)


@pytest.mark.parametrize(("spec", "score"), [("othello:size=4", -8),
                                            ("othello:size=4,empties_to_winner", -10)])  # fmt: skip
def test_the_smallest_board_from_its_start(spec: str, score: int) -> None:
    assert solve(playproof.make(spec).start(), megabytes=1).score == score


def test_a_stop_leaves_bounds_and_no_claim() -> None:
    start = playproof.make("othello").start()
    flag = stop_flag()
    flag[0] = 1
    for found in (solve(start, stop=flag), solve(start, seconds=0.0), solve(start, nodes=100)):
        assert not found.finished
        assert found.score is None
        assert -64 <= found.lower <= found.upper <= 64


def test_the_same_question_has_the_same_answer() -> None:
    (state,) = endings("othello", 1, (12, 12), seed=4)
    first, again = solve(state, megabytes=1), solve(state, megabytes=1)
    assert (first.score, first.line, first.nodes) == (again.score, again.line, again.nodes)


def test_alphabeta_plays_endings_perfectly() -> None:
    game = playproof.make("othello")
    agent = playproof.make_agent("alphabeta:depth=2", game)
    for state in endings("othello", 3, (5, 7), seed=2):
        decision = agent.decide(state)
        assert decision.statistics["proven"]
        worth = exhaustive(state)
        after = state.apply(decision.action)
        if not after.is_terminal:
            passed = after.current_player == state.current_player
            assert worth == (exhaustive(after) if passed else -exhaustive(after))


def test_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="is for othello"):
        solve(playproof.make("choko").start())
