"""The row of chess, and its conversion from and to a FEN.

A row is a position from the mover's side in seven words (``rules.chess.board``),
and a ledger: from bit 0 the side to move (1 for Black), whether a draw was claimed,
from bit 16 the clock (plies since a capture or a pawn move), and from bit 32 the
plies played.  Clock and plies are not part of the position.

In a FEN, squares are White's: a1 is 0, h8 is 63.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.errors import DataError
from playproof.core.kernels import Words
from playproof.games.chess.fen import KINDS, Fen
from playproof.rules.bits import lowest
from playproof.rules.chess.attacks import threats
from playproof.rules.chess.board import NOTHING, RANK_6, load, occupied_of, turn
from playproof.rules.chess.castling_en_passant import en_passant_takers

OWN, RIGHTS, LEDGER, WORDS = 5, 6, 7, 8
CLAIMED, CLOCK, PLY = 1, 16, 32  # shifts of the fields of the ledger
CLOCK_BITS = 16

# The boards of a row that each kind of piece is on; a queen is on two.
_BOARDS = {"p": (0,), "n": (1,), "b": (2,), "r": (3,), "q": (2, 3), "k": (4,)}


@register_jitable
def side_of(ledger):
    return int64(ledger & uint64(1))


@register_jitable
def clock_of(ledger):
    return int64(ledger >> uint64(CLOCK)) & ((1 << CLOCK_BITS) - 1)


@register_jitable
def is_claimed(ledger):
    return ledger >> uint64(CLAIMED) & uint64(1) != NOTHING


# Conversion, with the rules called as plain Python: nothing here is compiled.


def row_of(fen: Fen, tables: Words) -> Words:
    """The row of a position; DataError if the side not to move is in check."""
    flip = 56 if fen.black_to_move else 0
    words = [0] * WORDS
    for square, letter in fen.pieces.items():
        bit = 1 << (square ^ flip)
        for board in _BOARDS[letter.lower()]:
            words[board] |= bit
        if letter.islower() == fen.black_to_move:
            words[OWN] |= bit
    marked = fen.corners if fen.passant is None else {*fen.corners, fen.passant}
    words[RIGHTS] = sum(1 << (square ^ flip) for square in marked)
    words[LEDGER] = int(fen.black_to_move) | fen.clock << CLOCK | fen.ply << PLY
    row = np.array(words, np.uint64)
    p = load(row)
    enemy = turn(p)
    if threats(tables, enemy, lowest(enemy.kings & enemy.own))[0]:
        waiting = "White" if fen.black_to_move else "Black"
        raise DataError(f"{waiting} is in check and not to move: no game leads there")
    if fen.passant is not None:
        king = lowest(p.kings & p.own)
        if not en_passant_takers(tables, p, king, occupied_of(p)):
            row[RIGHTS] &= ~RANK_6
    return row


def fen_of(row: Words) -> Fen:
    """The parts of a row's FEN."""
    words = [int(word) for word in row]
    black = bool(words[LEDGER] & 1)
    flip = 56 if black else 0
    pieces = {}
    for square in range(64):
        kind = kind_at(words, square ^ flip)
        if kind:
            own = words[OWN] >> (square ^ flip) & 1
            pieces[square] = kind if own == black else kind.upper()
    marked = {square ^ flip for square in range(64) if words[RIGHTS] >> square & 1}
    passant = {square for square in marked if square // 8 in (2, 5)}
    return Fen(
        pieces,
        black,
        frozenset(marked - passant),
        min(passant, default=None),
        int(clock_of(row[LEDGER])),
        words[LEDGER] >> PLY,
    )


def flip_of(words: list[int]) -> int:
    """The number to XOR with a square of the mover's board to get White's: 56 for Black, or 0."""
    return 56 if words[LEDGER] & 1 else 0


def kind_at(words: list[int], square: int) -> str:
    """The kind of piece on a square of the mover's board, or "" if there is none."""
    boards = tuple(board for board in range(5) if words[board] >> square & 1)
    return next((kind for kind in KINDS if _BOARDS[kind] == boards), "")


def is_check(row: Words, tables: Words) -> bool:
    """Whether the mover's king is attacked."""
    p = load(row)
    return bool(threats(tables, p, lowest(p.kings & p.own))[0])
