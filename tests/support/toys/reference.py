"""The value of a position by looking at everything below it: the yardstick of all searches.

No pruning, no symmetry, no bounds: what the rules say, added up.
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
    """What the first player gets under best play of both sides, in the mean over chance."""
    known: dict[bytes, float] = {}

    def solve(state: State) -> float:
        if state.is_terminal:
            return payoff(state)
        # The future depends on the row alone, unless the game looks at its past.
        key = b"" if state.game.uses_history else state.row.tobytes()
        if key in known:
            return known[key]
        if state.current_player == CHANCE:
            found = sum(chance * solve(state.apply(a)) for a, chance in state.chance_outcomes())
        else:
            best = max if state.current_player == 0 else min
            found = best(solve(state.apply(action)) for action in state.legal_actions())
        if key:
            known[key] = found
        return found

    return solve(state)


def values(state: State, payoff: Payoff = result) -> dict[int, float]:
    """The value after each legal action."""
    return {action: value(state.apply(action), payoff) for action in state.legal_actions()}
