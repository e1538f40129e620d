"""Attacks of chess pieces, and threats to a king.

The attacks of one slider along a line come from a subtraction, forwards on the board and backwards
on the reversed board (hyperbola quintessence, Isenberg and Peshkov, 2007).  This is as fast here as
magic bitboards, without their tables of a megabyte.  The attacks of all sliders together are filled
along each direction in three doublings (Kogge and Stone, 1973).  At most one slider reaches a
square in a given direction, so fills count moves too.
"""

from numba import uint64
from numba.extending import register_jitable

from playproof.rules.bits import byte_swap, lowest, minus, without_lowest
from playproof.rules.chess import lookup_tables as tables
from playproof.rules.chess.board import (
    ALL,
    FILE_A,
    NOT_A,
    NOT_H,
    NOTHING,
    occupied_of,
    square,
)


@register_jitable
def lookup(t, place, at):
    """Entry ``at`` of the table that begins at ``place``."""
    return t[uint64(place) + uint64(at)]


@register_jitable
def _along(line, occupied, here, there):
    """What a slider on ``here`` attacks along a line, which does not hold its square;
    ``there`` is that square on the reversed board."""
    blocking = occupied & line
    # The borrow runs from the slider to the first blocking square, and flips every bit on its way.
    ahead = minus(blocking, here)
    behind = byte_swap(minus(byte_swap(blocking), there))
    return (ahead ^ behind) & line


@register_jitable
def straight_attacks(t, at, occupied):
    """The attacks of a rook on square ``at``."""
    here, file, rank = square(at), uint64(at) & uint64(7), uint64(at) & uint64(56)
    upright = _along(FILE_A << file ^ here, occupied, here, byte_swap(here))
    # Reversing the bytes does not reverse a rank; its six middle squares index a table.
    middle = occupied >> (rank + uint64(1)) & uint64(63)
    return upright | t[uint64(tables.RANK) + uint64(8) * middle + file] << rank


@register_jitable
def diagonal_attacks(t, at, occupied):
    """The attacks of a bishop on square ``at``."""
    here = square(at)
    there = byte_swap(here)
    rising = _along(lookup(t, tables.RISING, at) ^ here, occupied, here, there)
    return rising | _along(lookup(t, tables.FALLING, at) ^ here, occupied, here, there)


@register_jitable
def between(t, a, b):
    """The squares strictly between two squares on a line."""
    return t[uint64(tables.BETWEEN) + uint64(64) * uint64(a) + uint64(b)]


@register_jitable
def line(t, a, b):
    """The whole line through two squares."""
    return t[uint64(tables.LINE) + uint64(64) * uint64(a) + uint64(b)]


@register_jitable
def rising_fill(sliders, free, step, mask):
    """The attacks of sliders in the direction of ``step`` bits upwards.

    ``mask`` holds the squares where such a step can end.
    """
    free &= mask
    sliders |= free & (sliders << step)
    free &= free << step
    sliders |= free & (sliders << (step + step))
    free &= free << (step + step)
    sliders |= free & (sliders << (step << uint64(2)))
    return (sliders << step) & mask


@register_jitable
def falling_fill(sliders, free, step, mask):
    """``rising_fill`` in the direction of ``step`` bits downwards."""
    free &= mask
    sliders |= free & (sliders >> step)
    free &= free >> step
    sliders |= free & (sliders >> (step + step))
    free &= free >> (step + step)
    sliders |= free & (sliders >> (step << uint64(2)))
    return (sliders >> step) & mask


@register_jitable
def all_attacked(t, p, occupied):
    """Every square that the other side attacks if the squares ``occupied`` hold pieces."""
    enemy, free = occupied & ~p.own, ~occupied
    d, s = p.diagonal & enemy, p.straight & enemy
    eight, one, nine, seven = uint64(8), uint64(1), uint64(9), uint64(7)
    attacked = rising_fill(s, free, eight, ALL) | falling_fill(s, free, eight, ALL)
    attacked |= rising_fill(s, free, one, NOT_A) | falling_fill(s, free, one, NOT_H)
    attacked |= rising_fill(d, free, nine, NOT_A) | falling_fill(d, free, nine, NOT_H)
    attacked |= rising_fill(d, free, seven, NOT_H) | falling_fill(d, free, seven, NOT_A)
    pawns = p.pawns & enemy
    attacked |= (pawns >> nine) & NOT_H | (pawns >> seven) & NOT_A
    knights = p.knights & enemy
    while knights != NOTHING:
        attacked |= lookup(t, tables.KNIGHT, lowest(knights))
        knights = without_lowest(knights)
    return attacked | lookup(t, tables.KING, lowest(p.kings & enemy))


@register_jitable
def attackers(t, p, at, occupied, enemy):
    """The pieces of ``enemy``, the other side's, that attack square ``at``."""
    here = square(at)
    pieces = straight_attacks(t, at, occupied) & p.straight
    pieces |= diagonal_attacks(t, at, occupied) & p.diagonal
    pieces |= lookup(t, tables.KNIGHT, at) & p.knights
    pieces |= lookup(t, tables.KING, at) & p.kings
    pieces |= ((here << uint64(9)) & NOT_A | (here << uint64(7)) & NOT_H) & p.pawns
    return pieces & enemy


@register_jitable
def threats(t, p, king):
    """(pieces that give check, the mover's pieces that are pinned to their king)."""
    occupied = occupied_of(p)
    enemy = occupied ^ p.own
    here = square(king)
    checkers = lookup(t, tables.KNIGHT, king) & p.knights & enemy
    checkers |= ((here << uint64(9)) & NOT_A | (here << uint64(7)) & NOT_H) & p.pawns & enemy
    aimed = lookup(t, tables.STRAIGHT_RAYS, king) & p.straight
    aimed = (aimed | lookup(t, tables.DIAGONAL_RAYS, king) & p.diagonal) & enemy
    pinned = NOTHING
    while aimed != NOTHING:
        at = lowest(aimed)
        aimed = without_lowest(aimed)
        blocking = between(t, king, at) & occupied
        if blocking == NOTHING:
            checkers |= square(at)
        elif without_lowest(blocking) == NOTHING:
            pinned |= blocking & p.own
    return checkers, pinned
