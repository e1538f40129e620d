"""Making a move: the position after it, seen from the other side."""

from numba import int64, uint64
from numba.extending import register_jitable

from playproof.rules.bits import lowest
from playproof.rules.chess import lookup_tables as tables
from playproof.rules.chess.attacks import lookup
from playproof.rules.chess.board import (
    A1,
    CORNERS,
    H1,
    NOT_A,
    NOT_H,
    NOTHING,
    RANK_1,
    RANK_6,
    RANK_8,
    Position,
    occupied_of,
    square,
    turn,
)
from playproof.rules.chess.castling_en_passant import en_passant_takers

D1, F1 = uint64(1 << 3), uint64(1 << 5)
NORTH_2 = 1  # the plane of a pawn's double step
EAST_2, WEST_2 = 7 * 2 + 1, 7 * 6 + 1  # those of castling


@register_jitable
def _moved(x, origin, target, endpoints):
    """``x`` after a move from ``origin`` to ``target``, where nothing else remains."""
    return x & ~endpoints | (x >> uint64(origin) & uint64(1)) << uint64(target)


@register_jitable
def make_move(t, p, action):
    """(the position after a legal move, whether a pawn moved or a piece was taken)."""
    plane, origin = action >> 6, action & 63
    target = (origin + int64(lookup(t, tables.DELTA, plane))) & 63
    start, end = square(origin), square(target)
    endpoints = start | end
    irreversible = (occupied_of(p) & end | p.pawns & start) != NOTHING
    is_pawn, is_king = p.pawns & start != NOTHING, p.kings & start != NOTHING
    pawns = _moved(p.pawns, origin, target, endpoints)
    knights = _moved(p.knights, origin, target, endpoints)
    diagonal = _moved(p.diagonal, origin, target, endpoints)
    straight = _moved(p.straight, origin, target, endpoints)
    kings = _moved(p.kings, origin, target, endpoints)
    own = p.own ^ start | end
    rights = p.rights & CORNERS & ~endpoints
    if is_king:
        rights &= ~RANK_1
    # Rare cases come behind conditions that are rarely true, which processors predict well.
    if pawns & RANK_8 != NOTHING:
        pawns ^= end
        kind = (plane - tables.UNDER_PLANES) // 3  # below 0: a queen
        if kind == 0:
            knights |= end
        if kind < 0 or kind == 1:
            diagonal |= end
        if kind < 0 or kind == 2:
            straight |= end
    elif end == p.rights & RANK_6 and is_pawn:
        pawns ^= end >> uint64(8)
    elif plane == NORTH_2 and is_pawn:
        near = (end << uint64(1) & NOT_A | end >> uint64(1) & NOT_H) & pawns & ~own
        if near != NOTHING:
            rights |= end >> uint64(8)
    elif plane == EAST_2 and is_king:
        straight ^= H1 | F1
        own ^= H1 | F1
    elif plane == WEST_2 and is_king:
        straight ^= A1 | D1
        own ^= A1 | D1
    q = turn(Position(pawns, knights, diagonal, straight, kings, own, rights))
    if q.rights & RANK_6 != NOTHING:
        king = lowest(q.kings & q.own)
        if en_passant_takers(t, q, king, occupied_of(q)) == NOTHING:
            q = Position(
                q.pawns, q.knights, q.diagonal, q.straight, q.kings, q.own, q.rights & ~RANK_6
            )
    return q, irreversible
