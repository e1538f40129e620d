"""The static evaluation of chess: material and piece-square tables.

Each piece has a value on each square for the middle game and another for the endgame.
The evaluation interpolates between the two by the pieces that are left (a tapered
evaluation).  The values express a few simple ideas and are not tuned: knights and
bishops belong in the centre, rooks on the seventh rank, pawns should advance, and the
king should hide until the queens are gone.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import functools

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.kernels import Words
from playproof.rules.bits import lowest, popcount, without_lowest
from playproof.rules.chess import lookup_tables as chess_tables
from playproof.rules.chess.board import NOTHING

# Pawn, knight, bishop, rook, queen, king.
POINTS = (1, 3, 3, 5, 9, 0)
_MIDDLEGAME_VALUES = (100, 325, 340, 500, 980, 0)  # hundredths of a pawn
_ENDGAME_VALUES = (120, 310, 335, 540, 1000, 0)
_FULL_PHASE = 24  # phase of the start position: a minor piece counts 1, a rook 2, a queen 4

# (2, 6, 64) hundredths of a pawn: middle game and endgame, kind, square.
SQUARE_VALUES = chess_tables.SIZE
ENDGAME_OFFSET = 6 * 64


def _centre(square: int) -> int:
    """From 0 in a corner to 6 in the centre."""
    rank, file = divmod(square, 8)
    return min(rank, 7 - rank) + min(file, 7 - file)


def _pawn(square: int, ending: bool) -> int:
    rank, file = divmod(square, 8)
    if ending:
        return (0, 0, 4, 12, 28, 60, 110, 0)[rank]
    middle = (3 <= file <= 4) * (0, -22, 4, 24, 22, 20, 20, 0)[rank]
    return middle + (0, 0, 2, 4, 10, 24, 50, 0)[rank]


def _knight(square: int, ending: bool) -> int:
    return (9 if ending else 12) * _centre(square) - 40


def _bishop(square: int, ending: bool) -> int:
    at_home = not ending and square < 8
    return 5 * _centre(square) - 14 - 12 * at_home


def _rook(square: int, ending: bool) -> int:
    rank, file = divmod(square, 8)
    if ending:
        return 10 * (rank == 6)
    return 22 * (rank == 6) + 4 * min(file, 7 - file) - 6


def _queen(square: int, ending: bool) -> int:
    return 6 * _centre(square) - 18 if ending else 2 * _centre(square) - 6


def _king(square: int, ending: bool) -> int:
    rank, file = divmod(square, 8)
    if ending:
        return 14 * _centre(square) - 42
    shelter = (28, 36, 12, -8, -4, -8, 36, 28)[file]
    return shelter - 26 * rank


_SQUARE_BONUS = (_pawn, _knight, _bishop, _rook, _queen, _king)


@functools.cache
def tables() -> Words:
    """The tables of chess: those of the rules, then the piece-square values."""
    values = [
        worth[kind] + _SQUARE_BONUS[kind](square, ending)
        for worth, ending in ((_MIDDLEGAME_VALUES, False), (_ENDGAME_VALUES, True))
        for kind in range(6)
        for square in range(64)
    ]
    return np.concatenate([chess_tables.tables(), np.array(values, np.int64).view(np.uint64)])


@register_jitable
def _square_sums(t, pieces, kind, turned):
    """(middle game, endgame) sums over one side's pieces of one kind.

    ``turned`` is 56 for the side whose squares are seen from the other end, else 0."""
    middle, end = 0, 0
    base = uint64(SQUARE_VALUES + 64 * kind)
    while pieces != NOTHING:
        at = base + uint64(lowest(pieces) ^ turned)
        pieces = without_lowest(pieces)
        middle += int64(t[at])
        end += int64(t[at + uint64(ENDGAME_OFFSET)])
    return middle, end


@register_jitable
def _add_kind(t, p, kind, pieces, middle, end):
    own, other = (
        _square_sums(t, pieces & p.own, kind, 0),
        _square_sums(t, pieces & ~p.own, kind, 56),
    )
    return middle + own[0] - other[0], end + own[1] - other[1]


@register_jitable
def tapered_evaluation(t, p):
    """The mover's advantage, in pawns."""
    bishops, rooks = p.diagonal & ~p.straight, p.straight & ~p.diagonal
    queens = p.diagonal & p.straight
    middle, end = _add_kind(t, p, 0, p.pawns, 0, 0)
    middle, end = _add_kind(t, p, 1, p.knights, middle, end)
    middle, end = _add_kind(t, p, 2, bishops, middle, end)
    middle, end = _add_kind(t, p, 3, rooks, middle, end)
    middle, end = _add_kind(t, p, 4, queens, middle, end)
    middle, end = _add_kind(t, p, 5, p.kings, middle, end)
    phase = popcount(p.knights | bishops) + 2 * popcount(rooks) + 4 * popcount(queens)
    phase = min(phase, _FULL_PHASE)
    return float(phase * middle + (_FULL_PHASE - phase) * end) / (100.0 * _FULL_PHASE)


@register_jitable
def _capture_worth(p, at):
    """The points of the piece on a square; a queen counts as a bishop and a rook."""
    s = uint64(at)
    minor = (p.knights | p.diagonal) >> s & uint64(1)
    worth = (p.pawns >> s & uint64(1)) + uint64(3) * minor
    return int64(worth + uint64(5) * (p.straight >> s & uint64(1)))


@register_jitable
def sort_mvv_lva(t, p, out, n):
    """Sort captures in place: the most valuable victim first, then the least valuable attacker
    (MVV-LVA)."""
    for i in range(n):
        action = int64(out[i])
        origin = action & 63
        goal = (origin + int64(t[uint64(chess_tables.DELTA + (action >> 6))])) & 63
        worth = 9 * _capture_worth(p, goal) - _capture_worth(p, origin) + 9
        ranked = worth << 13 | action
        j = i
        while j > 0 and out[j - 1] < ranked:
            out[j] = out[j - 1]
            j -= 1
        out[j] = ranked
    for i in range(n):
        out[i] &= (1 << 13) - 1


@register_jitable
def material(p):
    """The mover's lead in material: a pawn 1, knight and bishop 3, rook 5, queen 9."""
    lead = 0
    for sign in range(2):
        own = p.own if sign == 0 else ~p.own
        pawns, knights = popcount(p.pawns & own), popcount(p.knights & own)
        diagonal, straight = popcount(p.diagonal & own), popcount(p.straight & own)
        queens = popcount(p.diagonal & p.straight & own)
        # A queen is also on both slider boards, which adds 3 + 5; one more makes 9.
        points = pawns + 3 * (knights + diagonal) + 5 * straight + queens
        lead += points if sign == 0 else -points
    return lead
