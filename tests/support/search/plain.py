"""Minimax as a textbook writes it: over State, without a single refinement."""

from __future__ import annotations

import numpy as np

from playproof import CHANCE, State
from playproof.search.alphabeta.search import WIN


def evaluate(state: State) -> float:
    game = state.game
    function = game.kernels.evaluate or game.kernels.score
    return float(function(game.option_words, game.tables, state.row.copy(), state.history))


def noisy(state: State) -> list[int]:
    game = state.game
    out = np.empty(game.max_actions, np.int32)
    n = game.kernels.noisy(game.option_words, game.tables, state.row.copy(), state.history, out)
    return out[:n].tolist()


def minimax(state: State, depth: int, *, quiescence: bool = False) -> float:
    """The value of ``state`` from the first player's side."""
    if state.is_terminal:
        return float(state.outcome or 0) * WIN + state.score
    player = state.current_player
    if depth <= 0:
        stand = evaluate(state)
        if not quiescence or player == CHANCE:
            return stand
        below = [minimax(state.apply(a), depth - 1, quiescence=True) for a in noisy(state)]
        return max([stand, *below]) if player == 0 else min([stand, *below])
    if player == CHANCE:
        return sum(
            chance * minimax(state.apply(a), depth - 1, quiescence=quiescence)
            for a, chance in state.chance_outcomes()
        )
    below = [
        minimax(state.apply(a), depth - 1, quiescence=quiescence) for a in state.legal_actions()
    ]
    return max(below) if player == 0 else min(below)
