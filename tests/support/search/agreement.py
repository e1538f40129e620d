"""Alpha-beta beside full-width minimax, on many positions: in the tests a few
hundred, in ``make verify`` a thousand of each game."""

from __future__ import annotations

import playproof
from playproof.search.alphabeta.search import AlphaBeta, AlphaBetaConfig, minimax
from tests.support.search.positions import random_positions

PLIES = {"othello": (1, 56), "choko": (1, 98)}


def alphabeta_equals_minimax(spec: str, depth: int, count: int, seed: int) -> int:
    """The same value on ``count`` random positions; how many were compared."""
    game = playproof.make(spec)
    whole = AlphaBeta(game, minimax(depth))
    pruned = AlphaBeta(game, AlphaBetaConfig(depth=depth, equal_depth=True, table_mb=4))
    for state in random_positions(game, count, seed, PLIES[game.name]):
        expected, result = whole.search(state), pruned.search(state)
        # A proven result ends the deepening early: then it is the result that must agree.
        if result.depth == depth:
            assert result.value == expected.value, f"seed {seed}, depth {depth}: {state!r}"
        else:
            assert result.proven, f"seed {seed}, depth {depth}: {state!r}"
            same = (result.value > 0) == (expected.value > 0)
            assert same or result.exhausted, f"seed {seed}, depth {depth}: {state!r}"
        reached = state.apply(result.action)
        assert result.line[0] == result.action
        assert reached is not None
    return count
