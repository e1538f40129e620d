"""The value of a position by exhaustive search: the reference for all other searches.

No pruning, no symmetry, no bounds: it only follows the rules.
"""

from __future__ import annotations

from collections.abc import Callable

from playproof import CHANCE, State

Payoff = Callable[[State], float]


def result(state: State) -> float:
    """What the first player gets at the end: 1, 0 or -1."""
    return state.returns()[0]


def points(state: State) -> float:
    """The first player's lead at the end, in the game's own points."""
    return state.score


def value(state: State, payoff: Payoff = result) -> float:
    """The first player's expected payoff if both sides play best."""
    memo: dict[bytes, float] = {}

    def solve(state: State) -> float:
        if state.is_terminal:
            return payoff(state)
        # The future depends on the row alone, unless the game uses its history.
        key = b"" if state.game.uses_history else state.row.tobytes()
        if key in memo:
            return memo[key]
        if state.current_player == CHANCE:
            odds = state.chance_outcomes()
            best_value = sum(chance * solve(state.apply(action)) for action, chance in odds)
        else:
            best = max if state.current_player == 0 else min
            best_value = best(solve(state.apply(action)) for action in state.legal_actions())
        if key:
            memo[key] = best_value
        return best_value

    return solve(state)


def values(state: State, payoff: Payoff = result) -> dict[int, float]:
    """The value after each legal action."""
    return {action: value(state.apply(action), payoff) for action in state.legal_actions()}
