"""What an agent's value means, in words: a mate, a margin, a win.

Alpha-beta counts a game that is over as ten thousand points and its score, so that it goes
before every estimate.  People read "+10012.0" as nothing at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from playproof.core.errors import PlayproofError

if TYPE_CHECKING:
    from playproof.core.state import State

WON = (
    10_000.0  # points of a won game before its score (search/alphabeta), and of a mate (agents/uci)
)
CERTAIN = WON / 2  # points: beyond, the result is known
_FAR_BEYOND = 1e6  # greedy counts a win so that no score of any game outweighs it
_BY_MARGIN = ("othello", "go", "quantum-go")  # games that the score decides


def unit(agent_spec: str) -> str:
    """What an agent's values are in: the game's points, the pawns of an engine, or a result
    from -1 to 1."""
    from playproof.agents.registry import find

    return find(agent_spec.partition(":")[0].partition(" ")[0]).unit


def is_certain(value: float, unit_name: str) -> bool:
    """Whether a value says how the game ends, and does not only estimate it."""
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
    """``mate in 2 for White``, ``White by 12``, ``Blue wins in 5``; nothing for an estimate.

    ``line`` is the play that the value rests on, from ``state``; where it reaches the end of
    the game, its plies say how far that is.  ``has_distance``: the value is from tables that
    know it (``distance`` among a decision's statistics).  ``is_proven``: a tree has searched all
    of it, and a result of 1, 0 or -1 is no estimate.
    """
    unit_name = unit(agent_spec)
    if is_proven and unit_name == "result" and value in (-1.0, 0.0, 1.0):
        return f"{state.game.players[0 if value > 0 else 1]} wins" if value else "a draw"
    if value is None or not is_certain(value, unit_name):
        return ""
    game = state.game
    winner = game.players[0 if value > 0 else 1]
    size = abs(value)
    if unit_name == "pawns":  # an engine says how far it is
        return f"mate in {round(WON - size)} for {winner}"
    if game.has_chance and size < WON - CERTAIN / 2:  # a mean over what chance may do
        return f"{winner} wins in about {(1 + size / WON) / 2:.0%}"
    plies = _plies_to_the_end(state, line, 1 if value > 0 else -1)
    if has_distance:
        plies = round(1000 * (WON + 1 - size))  # a thousandth a ply: agents/exact
    if game.name == "chess" and plies:
        return f"mate in {math.ceil(plies / 2)} for {winner}"
    margin = size - WON
    if game.name in _BY_MARGIN and 0 < margin < _FAR_BEYOND:
        return f"{winner} by {margin:g}"
    return f"{winner} wins in {plies}" if plies else f"{winner} wins"


def _plies_to_the_end(state: State, line: Sequence[int], outcome: int) -> int:
    """The length of a line that ends the game with ``outcome``; 0 if this one does not."""
    try:
        for action in line:
            state = state.apply(action)
    except PlayproofError:
        return 0
    return len(line) if state.outcome == outcome else 0
