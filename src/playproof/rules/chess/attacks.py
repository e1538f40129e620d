"""Attacks of chess pieces, and what threatens a king.

One slider's attacks along a line come from a subtraction, forwards and on the
turned board backwards (hyperbola quintessence, Isenberg and Peshkov, 2007): as
fast as magic bitboards here, without their tables of a megabyte.  Those of all
sliders together are filled along each direction in three doublings (Kogge and
Stone, 1973); a square is reached in one direction by one slider at most, so fills
count moves too.
"""

from numba import uint64
from numba.extending import register_jitable

from playproof.rules.bits import lowest, minus, turned, without_lowest
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
def looked_up(t, place, at):
    """Entry ``at`` of a table."""
    return t[uint64(place) + uint64(at)]


@register_jitable
def _along(line, occupied, here, there):
    """What a slider on ``here`` attacks along a line, which does not hold its square;
    ``there`` is that square on the turned board."""
    blocking = occupied & line
    # A borrow runs from the slider to the first blocking square, and flips all it passes.
    ahead = minus(blocking, here)
    behind = turned(minus(turned(blocking), there))
    return (ahead ^ behind) & line


@register_jitable
def straight_attacks(t, at, occupied):
    """What a rook on square ``at`` attacks."""
    here, file, begin = square(at), uint64(at) & uint64(7), uint64(at) & uint64(56)
    upright = _along(FILE_A << file ^ here, occupied, here, turned(here))
    # A rank does not turn round with the board; six squares of it are soon looked up.
    middle = occupied >> (begin + uint64(1)) & uint64(63)
    return upright | t[uint64(tables.RANK) + uint64(8) * middle + file] << begin


@register_jitable
def diagonal_attacks(t, at, occupied):
    """What a bishop on square ``at`` attacks."""
    here = square(at)
    there = turned(here)
    rising = _along(looked_up(t, tables.RISING, at) ^ here, occupied, here, there)
    return rising | _along(looked_up(t, tables.FALLING, at) ^ here, occupied, here, there)


@register_jitable
def between(t, a, b):
    """The squares strictly between two on a line."""
    return t[uint64(tables.BETWEEN) + uint64(64) * uint64(a) + uint64(b)]


@register_jitable
def line(t, a, b):
    """The whole line through two squares."""
    return t[uint64(tables.LINE) + uint64(64) * uint64(a) + uint64(b)]


@register_jitable
def rising_fill(sliders, free, step, mask):
    """What sliders attack in the direction of ``step`` bits upwards; ``mask`` is
    where such a step can end."""
    free &= mask
    sliders |= free & (sliders << step)
    free &= free << step
    sliders |= free & (sliders << (step + step))
    free &= free << (step + step)
    sliders |= free & (sliders << (step << uint64(2)))
    return (sliders << step) & mask


@register_jitable
def falling_fill(sliders, free, step, mask):
    """The same ``step`` bits downwards."""
    free &= mask
    sliders |= free & (sliders >> step)
    free &= free >> step
    sliders |= free & (sliders >> (step + step))
    free &= free >> (step + step)
    sliders |= free & (sliders >> (step << uint64(2)))
    return (sliders >> step) & mask


@register_jitable
def all_attacked(t, p, occupied):
    """Every square that the other side attacks, were the board ``occupied`` so."""
    enemy, free = occupied & ~p.own, ~occupied
    d, s = p.diagonal & enemy, p.straight & enemy
    eight, one, nine, seven = uint64(8), uint64(1), uint64(9), uint64(7)
    found = rising_fill(s, free, eight, ALL) | falling_fill(s, free, eight, ALL)
    found |= rising_fill(s, free, one, NOT_A) | falling_fill(s, free, one, NOT_H)
    found |= rising_fill(d, free, nine, NOT_A) | falling_fill(d, free, nine, NOT_H)
    found |= rising_fill(d, free, seven, NOT_H) | falling_fill(d, free, seven, NOT_A)
    pawns = p.pawns & enemy
    found |= (pawns >> nine) & NOT_H | (pawns >> seven) & NOT_A
    knights = p.knights & enemy
    while knights != NOTHING:
        found |= looked_up(t, tables.KNIGHT, lowest(knights))
        knights = without_lowest(knights)
    return found | looked_up(t, tables.KING, lowest(p.kings & enemy))


@register_jitable
def attackers(t, p, at, occupied, enemy):
    """Those of the other side's pieces ``enemy`` that attack square ``at``."""
    here = square(at)
    found = straight_attacks(t, at, occupied) & p.straight
    found |= diagonal_attacks(t, at, occupied) & p.diagonal
    found |= looked_up(t, tables.KNIGHT, at) & p.knights
    found |= looked_up(t, tables.KING, at) & p.kings
    found |= ((here << uint64(9)) & NOT_A | (here << uint64(7)) & NOT_H) & p.pawns
    return found & enemy


@register_jitable
def threats(t, p, king):
    """(pieces that give check, the mover's pieces that are pinned to their king)."""
    occupied = occupied_of(p)
    enemy = occupied ^ p.own
    here = square(king)
    checkers = looked_up(t, tables.KNIGHT, king) & p.knights & enemy
    checkers |= ((here << uint64(9)) & NOT_A | (here << uint64(7)) & NOT_H) & p.pawns & enemy
    aimed = looked_up(t, tables.STRAIGHT_RAYS, king) & p.straight
    aimed = (aimed | looked_up(t, tables.DIAGONAL_RAYS, king) & p.diagonal) & enemy
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
