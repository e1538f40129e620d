"""Events of the last move that a page animates and logs: the collapses of Quantum Go, whether a
player or chance decided them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playproof.core.state import State
from playproof.games.quantum_go.game import QuantumGo


def events(states: Sequence[State], ply: int) -> list[dict[str, Any]]:
    """The events of the move that led to ``ply``, and of chance's moves just before it."""
    collapses: list[dict[str, Any]] = []
    while ply > 0:
        event = _collapse(states[ply - 1], states[ply])
        collapses[:0] = [event] if event else []
        if not states[ply - 1].is_chance:
            break
        ply -= 1
    return collapses


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
    if game.w_type:  # one stone of the group is measured: it is present or absent
        present = action == game.pass_action
        event |= {"to": None if present else names[action], "there": present}
        event["p"] = odds.get(action)
        return event
    removed = [names[point] for point in group if point != action]
    event |= {"to": names[action], "gone": removed[0] if len(removed) == 1 else removed}
    event["p"] = odds.get(action, pieces[names[action]].weight)
    return event
