"""Canonical positions: the least image under symmetry, with a variant that keeps the colours.

A position is (own, opponent): the stones of the side to move, and the opponent's.
The rules do not depend on which side is Black, and they are the same in all eight
images of the board.  So backward and forward search work on the least image.

Four of the eight symmetries leave the start as it is.  The other four exchange
the two diagonals of its centre, as if Black and White had swapped seats.  A
quarter turn of a position with Black to move is therefore *not* reachable by
the same moves, turned, because those begin at the turned start.  And after a
pass the number of stones does not tell which side is Black.  So two facts must
be stored with a least image to determine the concrete position:

bit 0, ``side``    the side to move: 0 Black, 1 White;
bit 1, ``turned``  0 if the start lies as usual, 1 if it is turned by a quarter.

Together they are the position's *variant*, 0 ... 3.  One ply back or forward
changes the side; an image by one of the second four symmetries changes the
turn.  A position that is its own image under one of those belongs to both turns
at once.  It is always written with turn 0, so that equal positions have equal
variants.  The start is variant 0 of the start's stones.

For questions up to symmetry and colours the variant is always 0.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, types, uint64
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.games.othello.kernels import mirror_columns, mirror_rows, transpose

WHITE_TO_MOVE, TURNED = 1, 2
STRAIGHT, QUARTER, BOTH = 0, 1, 2  # how the symmetry to the least image changes the turn

_ALL = uint64(0xFFFFFFFFFFFFFFFF)


@register_jitable
def _columns(x, gap):
    return mirror_columns(x) >> gap


@register_jitable
def _rows(x, gap):
    return mirror_rows(x) >> (gap * uint64(8))


@register_jitable
def _half_turn(x, gap):
    return _rows(_columns(x, gap), gap)


@register_jitable
def _lesser(turn, x, y, gap, a, b):
    """The lesser of (a, b) and the image of (x, y).

    The second word is transformed only if the first does not decide.
    """
    x = turn(x, gap)
    if x > a:
        return a, b
    y = turn(y, gap)
    return (a, b) if x == a and y > b else (x, y)


@kernel(types.Tuple((uint64, uint64, int64))(uint64, uint64, int64))
def least_image(own, opponent, size):
    """The least of the eight images, and how its turn differs."""
    gap = uint64(8 - size)
    x, y = transpose(own), transpose(opponent)
    # The symmetries that keep the start: identity, half turn, mirrors at both diagonals.
    a, b = (x, y) if x < own or (x == own and y < opponent) else (own, opponent)
    a, b = _lesser(_half_turn, own, opponent, gap, a, b)
    a, b = _lesser(_half_turn, x, y, gap, a, b)
    # Those that exchange its diagonals: mirrors at rows and columns, and quarter turns.
    # Their minimum starts at the largest value, so that ties with the others show.
    c, d = _lesser(_columns, own, opponent, gap, _ALL, _ALL)
    c, d = _lesser(_rows, own, opponent, gap, c, d)
    c, d = _lesser(_columns, x, y, gap, c, d)
    c, d = _lesser(_rows, x, y, gap, c, d)
    if c < a or (c == a and d < b):
        return c, d, QUARTER
    if a == c and b == d:
        return a, b, BOTH
    return a, b, STRAIGHT


@register_jitable
def variant_at_image(variant, way):
    """The variant of the least image of a position of ``variant``."""
    if way == BOTH:
        return variant & ~TURNED
    if way == QUARTER:
        return variant ^ TURNED
    return variant


@register_jitable
def variants_at_image(mask, way):
    """``variant_at_image`` for a set of variants: bit v of ``mask`` stands for variant v."""
    low, high = mask & 3, mask >> 2
    if way == BOTH:
        return low | high
    if way == QUARTER:
        return low << 2 | high
    return mask


@register_jitable
def variants_after_ply(mask):
    """The set of variants with the side to move changed in each."""
    return (mask & 5) << 1 | (mask & 10) >> 1


@kernel(types.UniTuple(uint64, 3)(uint64, uint64, int64, int64))
def canonical(own, opponent, variant, size):
    """(own, opponent, variant) of the least image."""
    a, b, way = least_image(own, opponent, size)
    return a, b, uint64(variant_at_image(variant, way))
