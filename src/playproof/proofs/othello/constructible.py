"""The lemma on occupied squares: those of a reachable position grow from the centre.

A placed stone turns at least one disc over, so in some direction d the squares
s+d and s+2d were occupied before the stone was placed on s.  Stones are never
removed.  So the occupied set of a reachable position is *constructible*: starting from
the four centre squares, the whole set is reached by adding, again and again, a square s
of the set for which s+d and s+2d are in.

The converse is false, so the test can only exclude positions.
"""

import numpy as np
from numba import boolean, uint64
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.errors import UsageError
from playproof.rules import othello as rules


@register_jitable
def _two_away(shift, reached):  # type: ignore[no-untyped-def]
    """The squares whose next two neighbours in one direction are both reached."""
    near = shift(reached)
    return near & shift(near)


@register_jitable
def closure_round(occupied, reached):  # type: ignore[no-untyped-def]
    """``reached`` together with the occupied squares that can be added to it in one step.

    It has no branches, so it works on ints, uint64 and words of literals alike.  A set
    of n squares needs at most n - 4 rounds; a round that adds nothing is the last.
    """
    return occupied & (
        reached
        | _two_away(rules.east, reached)
        | _two_away(rules.west, reached)
        | _two_away(rules.south, reached)
        | _two_away(rules.north, reached)
        | _two_away(rules.southeast, reached)
        | _two_away(rules.northwest, reached)
        | _two_away(rules.southwest, reached)
        | _two_away(rules.northeast, reached)
    )


def centre(size: int) -> int:
    """The four squares that are occupied at the start."""
    black, white = rules.start(size)
    return black | white


@register_jitable
def constructible_from(middle, occupied):  # type: ignore[no-untyped-def]
    """Whether ``occupied`` can be built up from the centre squares ``middle``; both are uint64."""
    if middle & ~occupied != uint64(0):
        return False
    reached, before = middle, uint64(0)
    while reached != before:
        before = reached
        reached = uint64(closure_round(occupied, reached))
    return reached == occupied


@kernel(boolean(uint64, uint64))
def _constructible(middle, occupied):  # type: ignore[no-untyped-def]
    return constructible_from(middle, occupied)


@kernel(uint64(uint64, uint64))
def removable(middle, occupied):  # type: ignore[no-untyped-def]
    """The squares that may have been occupied last: if one of them is removed, the rest is still
    constructible."""
    squares = uint64(0)
    remaining = occupied & ~middle
    while remaining != uint64(0):
        square = remaining & (~remaining + uint64(1))
        remaining ^= square
        if constructible_from(middle, occupied ^ square):
            squares |= square
    return squares


def is_constructible(occupied: int, size: int = 8) -> bool:
    """Whether the set of squares ``occupied`` is constructible."""
    if size not in rules.SIZES:
        raise UsageError(f"there is no Othello board of size {size}: want 4, 6 or 8")
    if occupied & ~rules.board(size):
        raise UsageError(f"{occupied:#x} has squares off the {size}x{size} board: want none")
    return bool(_constructible(np.uint64(centre(size)), np.uint64(occupied)))
