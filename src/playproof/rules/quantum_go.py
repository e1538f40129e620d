"""The law of Quantum Go (Ranchin, 2016), where it differs from Go's.

A turn places a *group* of entangled stones, usually a pair.  When a new stone touches another
stone, groups collapse in three steps: first the mover's older groups that are touched, then the
opponent's, then the new one.  Captures are made after that.  A group is packed into a word: nine
bits for each point, which is counted from 1, the lowest point first.
"""

from dataclasses import dataclass

from numba import int64, uint64
from numba.extending import register_jitable

from playproof.rules.go_board import around, around_and_across, both, either, has, nothing, one
from playproof.rules.go_board import some as any_of

MEMBER_BITS = 9
LARGEST_GROUP = 7  # points that fit into a word
_MEMBER = (1 << MEMBER_BITS) - 1

# Steps of a turn, and what follows the second pass.
PLACE, OWN_OLDER, OPPONENTS, NEW_GROUP, LEFT_OVER, OTHERS_LEFT_OVER, OVER = range(7)


@dataclass(frozen=True)
class Variant:
    """A variant of the rules."""

    name: str
    title: str
    summary: str
    weak: bool = False  # diagonal neighbours touch too
    symmetric: bool = False  # the second stone is placed on the mirror point of the first
    pairs: tuple[bool, bool] = (True, True)  # who places groups: Black, White


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("standard", "Quantum Go", "entangled pairs that collapse on contact"),
        Variant("weak", "Weak Quantum Go", "diagonal contact collapses too", weak=True),
        Variant(
            "symmetric",
            "Symmetric Quantum Go",
            "the second stone stands opposite, seen from the centre",
            symmetric=True,
        ),
        Variant(
            "semi-black",
            "Semi-Quantum Go",
            "Black places pairs, White single stones",
            pairs=(True, False),
        ),
        Variant(
            "semi-white",
            "Semi-Quantum Go, reversed",
            "White places pairs, Black single stones",
            pairs=(False, True),
        ),
    )
}


# Groups


@register_jitable
def member(group, i):
    """Point ``i`` of a group; -1 beyond its last point."""
    return (int64(group >> uint64(MEMBER_BITS * i)) & _MEMBER) - 1


@register_jitable
def size(group):
    """The number of points of a group."""
    n = 0
    while group != uint64(0):
        n += 1
        group >>= uint64(MEMBER_BITS)
    return n


@register_jitable
def with_member(group, point):
    """The group with one more point, still lowest first."""
    out, shift, placed = uint64(0), 0, False
    for i in range(size(group)):
        here = member(group, i)
        if not placed and point < here:
            out |= uint64(point + 1) << uint64(shift)
            shift += MEMBER_BITS
            placed = True
        out |= uint64(here + 1) << uint64(shift)
        shift += MEMBER_BITS
    if not placed:
        out |= uint64(point + 1) << uint64(shift)
    return out


@register_jitable
def without_member(group, point):
    """The group without one point."""
    out, shift = uint64(0), 0
    for i in range(size(group)):
        here = member(group, i)
        if here != point:
            out |= uint64(here + 1) << uint64(shift)
            shift += MEMBER_BITS
    return out


@register_jitable
def points_of(like, group):
    """A group as a board."""
    out = nothing(like)
    for i in range(size(group)):
        out = either(out, one(like, member(group, i)))
    return out


@register_jitable
def mirror(points, point):
    """The point opposite through the centre of a board of ``points`` points."""
    return points - 1 - point


@register_jitable
def later(a, b, width):
    """The later of two points, by column and then by row.

    The amplitudes of a pair are written in this order, as in Figure 7 of the paper.
    """
    if (a % width, a // width) > (b % width, b // width):
        return a
    return b


# Contact


@register_jitable
def contact(x, g, weak):
    """Points that touch ``x``: orthogonal neighbours and, in the weak game, diagonal ones."""
    if weak:
        return around_and_across(x, g)
    return around(x, g)


@register_jitable
def collapses(new, stones, g, weak):
    """Whether new stones touch another stone, or each other."""
    near = contact(new, g, weak)
    return any_of(both(near, either(stones, new)))


@register_jitable
def bound_by(group, survivors, g, weak):
    """The members of the new group that touch a stone which survived a collapse of this turn, as
    bits: one of them must be kept.  Stones that were single before the turn do not count."""
    near, bound = contact(survivors, g, weak), 0
    for i in range(size(group)):
        if has(near, member(group, i)):
            bound |= 1 << i
    return bound
