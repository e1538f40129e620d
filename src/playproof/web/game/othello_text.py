"""A check that pasted text is Othello, moves or a board; if not, the error says what would be."""

from __future__ import annotations

import re

from playproof.core.errors import DataError
from playproof.core.registry import make

WANTED = "want moves such as f5d6c3, or 64 squares X, O and - starting at a1, then X or O to move"
_MOVES = re.compile(r"(?:[a-h][1-8]|--|pa(?:ss)?)+", re.IGNORECASE)
_BOARD = re.compile(r"[XB*OW._-]+", re.IGNORECASE)
_RECORD = ("{", "[", "(")  # first characters of records


def check(text: str) -> None:
    """A DataError unless the text looks like moves, a board or a record of Othello.

    Whether the moves or the board are right is for the game to say.
    """
    plain = "".join(text.split())
    if not plain:
        raise DataError(f"there is nothing to read yet: {WANTED}")
    moves = "".join(make("othello").split_moves(text))
    if plain.startswith(_RECORD) or _MOVES.fullmatch(moves) or _BOARD.fullmatch(plain):
        return
    raise DataError(f"this is neither moves nor a board of Othello: {WANTED}")
