"""Othello as people paste it: moves or a board.  What is neither is told what would be right."""

from __future__ import annotations

import re

from playproof.core.errors import DataError
from playproof.core.registry import make

WANTED = "want moves such as f5d6c3, or 64 squares X, O and - from a1 on, then X or O to move"
_MOVES = re.compile(r"(?:[a-h][1-8]|--|pa(?:ss)?)+", re.IGNORECASE)
_BOARD = re.compile(r"[XB*OW._-]+", re.IGNORECASE)
_RECORD = ("{", "[", "(")  # how those begin


def check(text: str) -> None:
    """A DataError unless the text is meant as moves, as a board or as a record; whether it is a
    right one the game tells."""
    plain = "".join(text.split())
    if not plain:
        raise DataError(f"there is nothing to read yet: {WANTED}")
    moves = "".join(make("othello").split_moves(text))
    if plain.startswith(_RECORD) or _MOVES.fullmatch(moves) or _BOARD.fullmatch(plain):
        return
    raise DataError(f"this is neither moves nor a board of Othello: {WANTED}")
