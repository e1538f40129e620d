"""Values of agents in words: ``mate in 2 for White``, ``White by 12``.

Alpha-beta counts a finished game as ten thousand points plus its score, so that it outweighs every
estimate.  A person cannot read anything into "+10012.0".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from playproof.core.errors import PlayproofError

if TYPE_CHECKING:
    from playproof.core.state import State

WON = 10_000.0  # points of a won game, before its score (alphabeta) or the moves to mate (uci)
CERTAIN = WON / 2  # points beyond which the result is known
_GREEDY_WIN = 1e6  # greedy counts a win as more than any game's score
_BY_MARGIN = ("othello", "go", "quantum-go")  # games that the score decides


def unit(agent_spec: str) -> str:
    """The unit of an agent's values: the game's ``points``, an engine's ``pawns``, or a ``result``
    from -1 to 1."""
    from playproof.agents.registry import find

    return find(agent_spec.partition(":")[0].partition(" ")[0]).unit


def is_certain(value: float, unit_name: str) -> bool:
    """Whether a value states how the game ends, rather than estimating it."""
    return unit_name != "result" and abs(value) > CERTAIN


def certain_words(
    state: State,
    value: float | None,
    agent_spec: str,
    line: Sequence[int] = (),
    *,
    has_distance: bool = False,
    is_proven: bool = False,
) -> str:
    """``mate in 2 for White``, ``White by 12`` or ``Blue wins in 5``; empty for an estimate.

    ``line`` is the play from ``state`` that the value rests on; if it reaches the end of the game,
    its length is the distance.  ``has_distance`` says that the value comes from tables with
    distances (``distance`` among a decision's statistics).  ``is_proven`` says that a tree search
    is complete, so that a result of 1, 0 or -1 is exact.
    """
    unit_name = unit(agent_spec)
    if is_proven and unit_name == "result" and value in (-1.0, 0.0, 1.0):
        return f"{state.game.players[0 if value > 0 else 1]} wins" if value else "a draw"
    if value is None or not is_certain(value, unit_name):
        return ""
    game = state.game
    winner = game.players[0 if value > 0 else 1]
    size = abs(value)
    if unit_name == "pawns":  # an engine announces the distance itself
        return f"mate in {round(WON - size)} for {winner}"
    if game.has_chance and size < WON - CERTAIN / 2:  # a mean over the outcomes of chance
        return f"{winner} wins in about {(1 + size / WON) / 2:.0%}"
    plies = _plies_to_the_end(state, line, 1 if value > 0 else -1)
    if has_distance:
        plies = round(1000 * (WON + 1 - size))  # a thousandth per ply, as in agents/exact
    if game.name == "chess" and plies:
        return f"mate in {math.ceil(plies / 2)} for {winner}"
    margin = size - WON
    if game.name in _BY_MARGIN and 0 < margin < _GREEDY_WIN:
        return f"{winner} by {margin:g}"
    return f"{winner} wins in {plies}" if plies else f"{winner} wins"


def _plies_to_the_end(state: State, line: Sequence[int], outcome: int) -> int:
    """The length of a line if it ends the game with ``outcome``, else 0."""
    try:
        for action in line:
            state = state.apply(action)
    except PlayproofError:
        return 0
    return len(line) if state.outcome == outcome else 0
