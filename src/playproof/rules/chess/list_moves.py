"""Listing the legal moves as actions.

Only legal moves are generated, so none has to be tried out: a move must end where it meets a check,
and a pinned piece stays on the line to its king.
"""

from numba import uint64
from numba.extending import register_jitable

from playproof.rules.bits import first, lowest, popcount, without_lowest
from playproof.rules.chess import lookup_tables as tables
from playproof.rules.chess.attacks import (
    all_attacked,
    between,
    diagonal_attacks,
    line,
    lookup,
    straight_attacks,
    threats,
)
from playproof.rules.chess.board import (
    A1,
    ALL,
    FILE_A,
    H1,
    NOT_A,
    NOT_H,
    NOTHING,
    RANK_3,
    RANK_6,
    RANK_7,
    RANK_8,
    occupied_of,
    square,
)
from playproof.rules.chess.castling_en_passant import (
    C1_TO_E1,
    E1_TO_G1,
    en_passant_takers,
    open_castling,
)
from playproof.rules.chess.make_move import EAST_2, NORTH_2, WEST_2

BLOCK = 6  # moves that are written at a time: a list needs room for that many more
NORTH_1, NORTH_EAST_1, NORTH_WEST_1 = 0, 7, 49

# For the parts of ``list_moves``: as calls they would cost a quarter of its time.
_inlined = register_jitable(inline="always")


@register_jitable
def _list_targets(t, planes, origin, targets, out, n):
    """All moves of the piece on ``origin`` to ``targets``.

    They are written six at a time, which saves most branches that are hard to predict.  What is
    written beyond the last move is overwritten or not counted.
    """
    base, here = uint64(planes + 64 - origin), uint64(origin)
    end = n + popcount(targets)
    while True:
        for i in range(BLOCK):
            out[uint64(n + i)] = t[base + uint64(first(targets))] | here
            targets = without_lowest(targets)
        n += BLOCK
        if n >= end:
            return end


@register_jitable
def _list_pawns(targets, step, plane, out, n):
    """Moves of pawns that all go ``step`` squares ahead."""
    offset = 64 * plane - step
    end = n + popcount(targets)
    while n < end:
        for i in range(4):
            out[uint64(n + i)] = first(targets) + offset
            targets = without_lowest(targets)
        n += 4
    return end


@register_jitable
def _list_underpromotions(targets, step, plane, out, n):
    """Underpromotions to three kinds of pieces, whose planes are three apart."""
    while targets != NOTHING:
        offset = lowest(targets) - step
        targets = without_lowest(targets)
        out[n] = 64 * plane + offset
        out[n + 1] = 64 * (plane + 3) + offset
        out[n + 2] = 64 * (plane + 6) + offset
        n += 3
    return n


@_inlined
def _list_king(t, p, king, steps, castling, checkers, occupied, out, n):
    """Steps to squares that are not attacked, and castling."""
    if steps | castling == NOTHING:
        return n
    attacked = all_attacked(t, p, occupied ^ square(king))
    n = _list_targets(t, tables.STEP_PLANE, king, steps & ~attacked, out, n)
    if castling != NOTHING and checkers == NOTHING:
        if castling & H1 != NOTHING and attacked & E1_TO_G1 == NOTHING:
            out[n] = 64 * EAST_2 + king
            n += 1
        if castling & A1 != NOTHING and attacked & C1_TO_E1 == NOTHING:
            out[n] = 64 * WEST_2 + king
            n += 1
    return n


@_inlined
def _list_officers(t, p, king, pinned, target, occupied, out, n):
    """Moves of knights and sliders to ``target``; a queen is both a bishop and a rook."""
    pieces = p.knights & p.own & ~pinned
    while pieces != NOTHING:
        at = lowest(pieces)
        pieces = without_lowest(pieces)
        targets = lookup(t, tables.KNIGHT, at) & target
        n = _list_targets(t, tables.STEP_PLANE, at, targets, out, n)
    pieces = p.diagonal & p.own
    while pieces != NOTHING:
        at = lowest(pieces)
        pieces = without_lowest(pieces)
        targets = diagonal_attacks(t, at, occupied) & target
        if pinned & square(at) != NOTHING:
            targets &= line(t, king, at)
        n = _list_targets(t, tables.STEP_PLANE, at, targets, out, n)
    pieces = p.straight & p.own
    while pieces != NOTHING:
        at = lowest(pieces)
        pieces = without_lowest(pieces)
        targets = straight_attacks(t, at, occupied) & target
        if pinned & square(at) != NOTHING:
            targets &= line(t, king, at)
        n = _list_targets(t, tables.SLIDE_PLANE, at, targets, out, n)
    return n


@_inlined
def _list_all_pawns(t, p, king, pinned, evasions, occupied, tactical, out, n):
    """Moves of pawns except en passant; a pinned pawn moves only along its line."""
    pawns, loose = p.pawns & p.own, ~pinned
    upright = loose | FILE_A << uint64(king & 7)
    pushes = (pawns & upright) << uint64(8) & ~occupied
    doubles = (pushes & RANK_3) << uint64(8) & ~occupied & evasions
    pushes &= evasions
    if tactical:
        pushes &= RANK_8
        doubles = NOTHING
    captures = occupied & ~p.own & evasions
    east = (pawns & (loose | lookup(t, tables.RISING, king))) << uint64(9) & NOT_A & captures
    west = (pawns & (loose | lookup(t, tables.FALLING, king))) << uint64(7) & NOT_H & captures
    n = _list_pawns(west, 7, NORTH_WEST_1, out, n)
    n = _list_pawns(pushes, 8, NORTH_1, out, n)
    n = _list_pawns(east, 9, NORTH_EAST_1, out, n)
    n = _list_pawns(doubles, 16, NORTH_2, out, n)
    if pawns & RANK_7 != NOTHING and not tactical:
        under = tables.UNDER_PLANES
        n = _list_underpromotions(west & RANK_8, 7, under, out, n)
        n = _list_underpromotions(pushes & RANK_8, 8, under + 1, out, n)
        n = _list_underpromotions(east & RANK_8, 9, under + 2, out, n)
    return n


@register_jitable
def _list_en_passant(t, p, king, occupied, out, n):
    takers = en_passant_takers(t, p, king, occupied)
    target = lowest(p.rights & RANK_6)
    while takers != NOTHING:
        at = lowest(takers)
        takers = without_lowest(takers)
        out[n] = t[uint64(tables.STEP_PLANE + 64 + target - at)] | uint64(at)
        n += 1
    return n


@register_jitable
def list_moves(t, p, tactical, out):
    """Write the legal moves to ``out`` and return their number.

    If ``tactical``, only captures and promotions to a queen are listed.
    """
    occupied = occupied_of(p)
    king = lowest(p.kings & p.own)
    checkers, pinned = threats(t, p, king)
    targets = occupied & ~p.own if tactical else ~p.own
    steps = lookup(t, tables.KING, king) & targets
    castling = NOTHING if tactical else open_castling(p, occupied)
    n = _list_king(t, p, king, steps, castling, checkers, occupied, out, 0)
    evasions = ALL
    if checkers != NOTHING:
        if without_lowest(checkers) != NOTHING:
            return n  # in double check only the king can move
        evasions = checkers | between(t, king, lowest(checkers))
    n = _list_officers(t, p, king, pinned, targets & evasions, occupied, out, n)
    n = _list_all_pawns(t, p, king, pinned, evasions, occupied, tactical, out, n)
    if p.rights & RANK_6 != NOTHING:
        n = _list_en_passant(t, p, king, occupied, out, n)
    return n
