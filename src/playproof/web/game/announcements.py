"""Moves as sentences for screen readers: "White plays d3, flips 2."

Only the Views are used, so it works for every game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playproof.core.game import Game
from playproof.core.kernels import CHANCE

Json = Mapping[str, Any]


def move_sentence(game: Game, side: int | None, name: str, before: Json, after: Json) -> str:
    """What ``side`` did with the move called ``name``, between two Views as JSON."""
    if side is None:
        return ""
    if side == CHANCE:
        return f"Chance: {name}."
    player = game.players[side]
    if name.strip().lower() == "pass":
        return f"{player} passes."
    return f"{player} plays {name}{_effect(game, side, before, after)}."


def _effect(game: Game, side: int, before: Json, after: Json) -> str:
    """The effect on the other side's pieces; superposed ones, of weight below 1, do not count."""
    own, other = game.colours[side], game.colours[1 - side]
    lost = _count(before, other) - _count(after, other)
    gained = _count(after, own) - _count(before, own)
    if lost <= 0:
        return ""
    # A disc was placed and the others changed sides.
    flips = gained == lost + 1 and all(piece["k"] == "disc" for piece in after["pieces"])
    return f", {'flips' if flips else 'takes'} {lost}"


def _count(view: Json, colour: str) -> int:
    return sum(piece["c"] == colour and piece.get("w", 1) >= 1 for piece in view["pieces"])
