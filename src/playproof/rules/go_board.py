"""Boards of points as tuples of 64-bit words, and which points are neighbours.

Point ``width * row + column`` is a bit: A1 is bit 0 of the first word.  Two words hold boards of up
to 128 points, six the full board.  In compiled code such a tuple is kept in registers; otherwise
it is a plain tuple of ints.
"""

from typing import NamedTuple

from numba import uint64
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

SMALLEST, LARGEST = 2, 19  # points along a side
WIDTHS = (2, 6)  # words that a board may have


class Ground(NamedTuple):
    """The geometry of a board: its width, and masks of points."""

    width: int
    not_first: tuple  # all columns but the first
    not_last: tuple  # all columns but the last
    whole: tuple  # all points


def words_for(width: int, height: int) -> int:
    """The number of words of a board of this size."""
    return next(words for words in WIDTHS if width * height <= 64 * words)


def ground(width: int, height: int) -> Ground:
    """The geometry as Python ints; kernels read the same words from their options."""
    words, points = words_for(width, height), range(width * height)

    def mask(has_column) -> tuple:
        bits = sum(1 << point for point in points if has_column(point % width))
        return tuple(uint64(bits >> 64 * i & 0xFFFFFFFFFFFFFFFF) for i in range(words))

    return Ground(
        width,
        mask(lambda column: column > 0),
        mask(lambda column: column < width - 1),
        mask(lambda column: True),
    )


def put(x, i, word):
    """``x`` with word ``i`` replaced."""
    return (*x[:i], word, *x[i + 1 :])


@overload(put, inline="always")
def _put(x, i, word):
    return lambda x, i, word: tuple_setitem(x, i, word)


@register_jitable
def nothing(like):
    """An empty board with as many words as ``like``."""
    for i in range(len(like)):
        like = put(like, i, uint64(0))
    return like


@register_jitable
def one(like, point):
    """The board with only that point."""
    out = nothing(like)
    return put(out, point >> 6, uint64(1) << uint64(point & 63))


@register_jitable
def has(x, point):
    """Whether the point is in ``x``."""
    return (x[point >> 6] >> uint64(point & 63)) & uint64(1) != uint64(0)


@register_jitable
def either(x, y):
    """The union of two boards."""
    for i in range(len(x)):
        x = put(x, i, x[i] | y[i])
    return x


@register_jitable
def both(x, y):
    """The intersection of two boards."""
    for i in range(len(x)):
        x = put(x, i, x[i] & y[i])
    return x


@register_jitable
def without(x, y):
    """The points of ``x`` that are not in ``y``."""
    for i in range(len(x)):
        x = put(x, i, x[i] & ~y[i])
    return x


@register_jitable
def some(x):
    """Whether the board has a point."""
    bits = uint64(0)
    for i in range(len(x)):
        bits |= x[i]
    return bits != uint64(0)


@register_jitable
def several(x):
    """Whether the board has two points or more."""
    bits, more = uint64(0), uint64(0)
    for i in range(len(x)):
        if x[i] != uint64(0):
            more |= x[i] & (x[i] - uint64(1))
            if bits != uint64(0):
                more |= x[i]
            bits |= x[i]
    return more != uint64(0)


@register_jitable
def same(x, y):
    """Whether two boards are equal."""
    difference = uint64(0)
    for i in range(len(x)):
        difference |= x[i] ^ y[i]
    return difference == uint64(0)


@register_jitable
def lowest_of(x):
    """The board with only the lowest point of ``x``."""
    out = nothing(x)
    for i in range(len(x)):
        if x[i] != uint64(0):
            return put(out, i, x[i] ^ (x[i] & (x[i] - uint64(1))))
    return out


@register_jitable
def sideways(x, g):
    """The points to the left and right of ``x``."""
    out, n = x, len(x)
    for i in range(n):
        east, west = x[i] << uint64(1), x[i] >> uint64(1)
        if i > 0:
            east |= x[i - 1] >> uint64(63)
        if i + 1 < n:
            west |= x[i + 1] << uint64(63)
        out = put(out, i, east & g.not_first[i] | west & g.not_last[i])
    return out


@register_jitable
def lengthways(x, g):
    """The points above and below ``x``, perhaps beyond the last row."""
    out, n = x, len(x)
    step = uint64(g.width)
    back = uint64(64) - step
    for i in range(n):
        up, down = x[i] << step, x[i] >> step
        if i > 0:
            up |= x[i - 1] >> back
        if i + 1 < n:
            down |= x[i + 1] << back
        out = put(out, i, up | down)
    return out


@register_jitable
def around(x, g):
    """The orthogonal neighbours of ``x``, which may be in ``x`` themselves.

    Some may lie beyond the last row: intersect the result with points of the board.
    """
    return either(sideways(x, g), lengthways(x, g))


@register_jitable
def around_and_across(x, g):
    """The orthogonal and diagonal neighbours of ``x``, as in ``around``."""
    line = either(x, sideways(x, g))
    return either(sideways(x, g), lengthways(line, g))


@register_jitable
def flood(seed, area, g):
    """All points of ``area`` that are connected to ``seed`` within it."""
    x = both(seed, area)
    while True:
        y = both(either(x, around(x, g)), area)
        if same(x, y):
            return x
        x = y
