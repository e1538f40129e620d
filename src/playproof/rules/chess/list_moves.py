"""The legal moves, listed as actions.

A legal list is made at once, without trying moves out: a move must end where
it answers a check, and a pinned piece stays on the line to its king.
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
    looked_up,
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

BLOCK = 6  # moves that are written at a time: a list needs room for as many more
NORTH_1, NORTH_EAST_1, NORTH_WEST_1 = 0, 7, 49

# For parts of the one long function: as calls they would cost a quarter of its time.
_spliced = register_jitable(inline="always")


@register_jitable
def _list_goals(t, planes, origin, goals, out, n):
    """All moves of the piece on ``origin`` to ``goals``.

    They are written six at a time, which spares most guesses at where a list
    ends: what is written beyond the last is overwritten, or not counted.
    """
    base, here = uint64(planes + 64 - origin), uint64(origin)
    end = n + popcount(goals)
    while True:
        for i in range(BLOCK):
            out[uint64(n + i)] = t[base + uint64(first(goals))] | here
            goals = without_lowest(goals)
        n += BLOCK
        if n >= end:
            return end


@register_jitable
def _list_pawns(goals, step, plane, out, n):
    """Moves of pawns that all go ``step`` squares on."""
    offset = 64 * plane - step
    end = n + popcount(goals)
    while n < end:
        for i in range(4):
            out[uint64(n + i)] = first(goals) + offset
            goals = without_lowest(goals)
        n += 4
    return end


@register_jitable
def _list_under(goals, step, plane, out, n):
    """Underpromotions, of three kinds whose planes are three apart."""
    while goals != NOTHING:
        offset = lowest(goals) - step
        goals = without_lowest(goals)
        out[n] = 64 * plane + offset
        out[n + 1] = 64 * (plane + 3) + offset
        out[n + 2] = 64 * (plane + 6) + offset
        n += 3
    return n


@_spliced
def _list_king(t, p, king, steps, castling, checkers, occupied, out, n):
    """Steps to squares that are not attacked, and castling."""
    if steps | castling == NOTHING:
        return n
    attacked = all_attacked(t, p, occupied ^ square(king))
    n = _list_goals(t, tables.STEP_PLANE, king, steps & ~attacked, out, n)
    if castling != NOTHING and checkers == NOTHING:
        if castling & H1 != NOTHING and attacked & E1_TO_G1 == NOTHING:
            out[n] = 64 * EAST_2 + king
            n += 1
        if castling & A1 != NOTHING and attacked & C1_TO_E1 == NOTHING:
            out[n] = 64 * WEST_2 + king
            n += 1
    return n


@_spliced
def _list_officers(t, p, king, pinned, target, occupied, out, n):
    """Moves of knights and sliders to ``target``; a queen slides twice."""
    pieces = p.knights & p.own & ~pinned
    while pieces != NOTHING:
        at = lowest(pieces)
        pieces = without_lowest(pieces)
        goals = looked_up(t, tables.KNIGHT, at) & target
        n = _list_goals(t, tables.STEP_PLANE, at, goals, out, n)
    pieces = p.diagonal & p.own
    while pieces != NOTHING:
        at = lowest(pieces)
        pieces = without_lowest(pieces)
        goals = diagonal_attacks(t, at, occupied) & target
        if pinned & square(at) != NOTHING:
            goals &= line(t, king, at)
        n = _list_goals(t, tables.STEP_PLANE, at, goals, out, n)
    pieces = p.straight & p.own
    while pieces != NOTHING:
        at = lowest(pieces)
        pieces = without_lowest(pieces)
        goals = straight_attacks(t, at, occupied) & target
        if pinned & square(at) != NOTHING:
            goals &= line(t, king, at)
        n = _list_goals(t, tables.SLIDE_PLANE, at, goals, out, n)
    return n


@_spliced
def _list_all_pawns(t, p, king, pinned, answer, occupied, loud, out, n):
    """Moves of pawns but en passant; a pinned pawn moves along its line alone."""
    pawns, loose = p.pawns & p.own, ~pinned
    upright = loose | FILE_A << uint64(king & 7)
    pushes = (pawns & upright) << uint64(8) & ~occupied
    doubles = (pushes & RANK_3) << uint64(8) & ~occupied & answer
    pushes &= answer
    if loud:
        pushes &= RANK_8
        doubles = NOTHING
    prey = occupied & ~p.own & answer
    east = (pawns & (loose | looked_up(t, tables.RISING, king))) << uint64(9) & NOT_A & prey
    west = (pawns & (loose | looked_up(t, tables.FALLING, king))) << uint64(7) & NOT_H & prey
    n = _list_pawns(west, 7, NORTH_WEST_1, out, n)
    n = _list_pawns(pushes, 8, NORTH_1, out, n)
    n = _list_pawns(east, 9, NORTH_EAST_1, out, n)
    n = _list_pawns(doubles, 16, NORTH_2, out, n)
    if pawns & RANK_7 != NOTHING and not loud:
        under = tables.UNDER_PLANES
        n = _list_under(west & RANK_8, 7, under, out, n)
        n = _list_under(pushes & RANK_8, 8, under + 1, out, n)
        n = _list_under(east & RANK_8, 9, under + 2, out, n)
    return n


@register_jitable
def _list_en_passant(t, p, king, occupied, out, n):
    takers = en_passant_takers(t, p, king, occupied)
    goal = lowest(p.rights & RANK_6)
    while takers != NOTHING:
        at = lowest(takers)
        takers = without_lowest(takers)
        out[n] = t[uint64(tables.STEP_PLANE + 64 + goal - at)] | uint64(at)
        n += 1
    return n


@register_jitable
def list_moves(t, p, loud, out):
    """Write the legal moves to ``out``; how many.  If ``loud``, captures and
    promotions to a queen only."""
    occupied = occupied_of(p)
    king = lowest(p.kings & p.own)
    checkers, pinned = threats(t, p, king)
    wanted = occupied & ~p.own if loud else ~p.own
    steps = looked_up(t, tables.KING, king) & wanted
    castling = NOTHING if loud else open_castling(p, occupied)
    n = _list_king(t, p, king, steps, castling, checkers, occupied, out, 0)
    answer = ALL
    if checkers != NOTHING:
        if without_lowest(checkers) != NOTHING:
            return n  # from two checks only the king can flee
        answer = checkers | between(t, king, lowest(checkers))
    n = _list_officers(t, p, king, pinned, wanted & answer, occupied, out, n)
    n = _list_all_pawns(t, p, king, pinned, answer, occupied, loud, out, n)
    if p.rights & RANK_6 != NOTHING:
        n = _list_en_passant(t, p, king, occupied, out, n)
    return n
