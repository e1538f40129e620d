"""Endings of Othello to solve, and what their solutions come to."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator

import pytest

import playproof
from playproof import State
from playproof.search.othello_endgame.solver import Solution

BOTH = pytest.mark.parametrize("exact", [True, False], ids=["exact", "win-loss-draw"])

# Scores for the side to move and best moves, from the FFO endgame suite.
FFO = [
    ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 38, "a2"),
    ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 0, "h4"),
    ("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X", 6, "g2"),
    ("--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O", -12, "g3 c7"),
    ("--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX-- O", -14, "d2 b8"),
]


def empties(state: State) -> int:
    filled = int(state.row[0]) | int(state.row[1])
    return int(state.game.options["size"]) ** 2 - filled.bit_count()


def endings(spec: str, left: int, seed: int) -> Iterator[State]:
    """Positions of random games with so many empties, without end."""
    game, chooser = playproof.make(spec), random.Random(seed)
    while True:
        state = game.start()
        while not state.is_terminal and empties(state) > left:
            state = state.apply(chooser.choice(state.legal_actions()))
        if not state.is_terminal:
            yield state


@functools.cache
def some_endings(spec: str, left: int, count: int, seed: int = 0) -> list[State]:
    positions = endings(spec, left, 100 * left + seed)
    return [next(positions) for _ in range(count)]


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def final_score(state: State, solution: Solution) -> int:
    """What the solver's line comes to, for the side that moves in ``state``."""
    end = state
    for action in solution.line:
        end = end.apply(action)
    assert end.is_terminal
    return round(end.score) * (-1 if solution.player else 1)
