"""Counting the legal moves without listing them.

Sliders and pawns are counted direction by direction: at most one of them reaches a square in a
given direction, so their moves are the bits of a fill.
"""

from numba import uint64
from numba.extending import register_jitable

from playproof.rules.bits import lowest, popcount, without_lowest
from playproof.rules.chess import lookup_tables as tables
from playproof.rules.chess.attacks import (
    all_attacked,
    between,
    falling_fill,
    lookup,
    rising_fill,
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
    RANK_1,
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


@register_jitable
def count_moves(t, p):
    """The number of moves that ``list_moves`` lists."""
    occupied = occupied_of(p)
    king = lowest(p.kings & p.own)
    checkers, pinned = threats(t, p, king)
    steps = lookup(t, tables.KING, king) & ~p.own
    castling = open_castling(p, occupied)
    n = 0
    if steps | castling != NOTHING:
        attacked = all_attacked(t, p, occupied ^ square(king))
        n = popcount(steps & ~attacked)
        if castling != NOTHING and checkers == NOTHING:
            if castling & H1 != NOTHING and attacked & E1_TO_G1 == NOTHING:
                n += 1
            if castling & A1 != NOTHING and attacked & C1_TO_E1 == NOTHING:
                n += 1
    target = ~p.own
    if checkers != NOTHING:
        if without_lowest(checkers) != NOTHING:
            return n  # in double check only the king can move
        target = checkers | between(t, king, lowest(checkers))
    free = ~occupied
    loose = ~pinned
    upright = loose | FILE_A << uint64(king & 7)
    level = loose | RANK_1 << uint64(king & 56)
    rising = loose | lookup(t, tables.RISING, king)
    falling = loose | lookup(t, tables.FALLING, king)
    eight, one, nine, seven = uint64(8), uint64(1), uint64(9), uint64(7)
    straight, diagonal = p.straight & p.own, p.diagonal & p.own
    n += popcount(rising_fill(straight & upright, free, eight, ALL) & target)
    n += popcount(falling_fill(straight & upright, free, eight, ALL) & target)
    n += popcount(rising_fill(straight & level, free, one, NOT_A) & target)
    n += popcount(falling_fill(straight & level, free, one, NOT_H) & target)
    n += popcount(rising_fill(diagonal & rising, free, nine, NOT_A) & target)
    n += popcount(falling_fill(diagonal & rising, free, nine, NOT_H) & target)
    n += popcount(rising_fill(diagonal & falling, free, seven, NOT_H) & target)
    n += popcount(falling_fill(diagonal & falling, free, seven, NOT_A) & target)
    knights = p.knights & p.own & loose
    while knights != NOTHING:
        n += popcount(lookup(t, tables.KNIGHT, lowest(knights)) & target)
        knights = without_lowest(knights)
    pawns = p.pawns & p.own
    pushes = (pawns & upright) << eight & free
    doubles = (pushes & RANK_3) << eight & free & target
    pushes &= target
    captures = target & ~free
    east = (pawns & rising) << nine & NOT_A & captures
    west = (pawns & falling) << seven & NOT_H & captures
    n += popcount(pushes) + popcount(doubles) + popcount(east) + popcount(west)
    if pawns & RANK_7 != NOTHING:
        n += 3 * (popcount(pushes & RANK_8) + popcount(east & RANK_8) + popcount(west & RANK_8))
    if p.rights & RANK_6 != NOTHING:
        n += popcount(en_passant_takers(t, p, king, occupied))
    return n


@register_jitable
def can_move(t, p):
    """Whether there is a legal move.  Mostly a pawn can advance, and no more is computed."""
    checkers, pinned = threats(t, p, lowest(p.kings & p.own))
    if checkers == NOTHING:
        ahead = (p.pawns & p.own & ~pinned) << uint64(8)
        if ahead & ~occupied_of(p) != NOTHING:
            return True
    return count_moves(t, p) > 0
