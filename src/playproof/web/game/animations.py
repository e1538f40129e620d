"""What happened by itself with the last move, for a page to animate and log: the
collapses of Quantum Go, whoever decided them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playproof.core.state import State
from playproof.games.quantum_go.game import QuantumGo


def events(states: Sequence[State], ply: int) -> list[dict[str, Any]]:
    """Of the move that led to ``ply``, and of chance's moves right before it."""
    found: list[dict[str, Any]] = []
    while ply > 0:
        event = _collapse(states[ply - 1], states[ply])
        found[:0] = [event] if event else []
        if not states[ply - 1].is_chance:
            break
        ply -= 1
    return found


def _collapse(before: State, after: State) -> dict[str, Any] | None:
    game = before.game
    if not isinstance(game, QuantumGo):
        return None
    group = game.collapsing_group(before.row)
    if not group:
        return None
    names, action = game.points.names, after.actions[-1]
    pieces = {piece.at: piece for piece in before.view().pieces}
    first = pieces[names[group[0]]]
    event: dict[str, Any] = {
        "k": "collapse",
        "pair": first.text or first.at,
        "by": "chance" if before.is_chance else game.players[before.current_player or 0],
    }
    odds = dict(before.chance_outcomes())
    if game.w_type:  # a stone of the group is looked for: it is there, or it is not
        there = action == game.pass_action
        event |= {"to": None if there else names[action], "there": there}
        event["p"] = odds.get(action)
        return event
    gone = [names[point] for point in group if point != action]
    event |= {"to": names[action], "gone": gone[0] if len(gone) == 1 else gone}
    event["p"] = odds.get(action, pieces[names[action]].weight)
    return event
