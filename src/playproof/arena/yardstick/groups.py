"""Groups of critical positions by what they ask of a player: which kinds of position are hard?

A position belongs to one group of each aspect: its phase, the kinds of its right moves (those that
keep the value), whether it is won or drawn, how many of its moves are right, and how far away the
win is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from playproof.arena.yardstick.critical import CriticalPosition, rows_of
from playproof.core.batch import Batch
from playproof.core.game import Game

_QUARTERS = ("up to 25 %", "up to 50 %", "up to 75 %", "more")
_WIN_ENDS = (10, 25, 45)  # the last distance of each band, in actions
_PLACEMENTS = ("inner", "edge", "corner")


class Group(NamedTuple):
    """A group of positions, such as ``("phase", "opening")``."""

    aspect: str
    name: str


def groups_of(game: Game, positions: Sequence[CriticalPosition]) -> list[tuple[Group, ...]]:
    """The groups of each position, one of each aspect that applies to it."""
    batch = Batch(game, rows_of(game, positions))
    groups = []
    for row, one in enumerate(positions):
        names = batch[row].legal_names()
        right = {move_kind(name) for move, name in enumerate(names) if one.keeps(move)}
        of_one = [
            Group("phase", one.phase),
            Group("right moves", _describe_kinds(right)),
            Group("value", "won" if one.value > 0 else "drawn"),
            Group("share of right moves", _QUARTERS[math.ceil(4 * one.share) - 1]),
        ]
        if one.value > 0:
            distance = min(value for value in one.values if value > 0)
            of_one.append(Group("actions to the win", _band(distance)))
        groups.append(tuple(of_one))
    return groups


def move_kind(name: str) -> str:
    """What a move of Choko does, by its name: ``jump``, ``step``, or where it places a piece.

    The squares of a placement are ``corner``, ``edge`` or ``inner``.
    """
    if "x" in name:
        return "jump"
    if "-" in name:
        return "step"
    return _PLACEMENTS[(name[0] in "AE") + (name[1:] in ("1", "5"))]


def _describe_kinds(kinds: set[str]) -> str:
    """The name of the group of positions whose right moves are of these kinds."""
    placements = kinds & set(_PLACEMENTS)
    if not placements:
        return " or ".join(sorted(kinds, reverse=True))
    if kinds != placements:
        return "placements and others"
    if len(placements) == 1:
        return f"placement, {placements.pop()}"
    return "placement, outer" if "inner" not in placements else "placement, several"


def _band(distance: int) -> str:
    first = 1
    for last in _WIN_ENDS:
        if distance <= last:
            return f"{first} to {last}"
        first = last + 1
    return f"{first} or more"
