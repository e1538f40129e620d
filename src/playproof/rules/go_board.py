"""Boards of points as tuples of 64-bit words, and who stands beside whom.

Point ``width * row + column`` is a bit: A1 is bit 0 of the first word.  Two
words hold boards of up to 128 points, six the full board.  Compiled, such a
tuple lives in registers; uncompiled, it is a plain tuple of numbers.
"""

from typing import NamedTuple

from numba import uint64
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

SMALLEST, LARGEST = 2, 19  # points along a side
WIDTHS = (2, 6)  # words that a board may have


class Ground(NamedTuple):
    """The empty board: its width, and the points that a shift along a row may reach."""

    width: int
    not_first: tuple  # all columns but the first
    not_last: tuple
    whole: tuple


def words_for(width: int, height: int) -> int:
    """Words of a board with so many points."""
    return next(words for words in WIDTHS if width * height <= 64 * words)


def ground(width: int, height: int) -> Ground:
    """The board as Python numbers; kernels read the same words from their options."""
    words, points = words_for(width, height), range(width * height)

    def board(wanted) -> tuple:
        bits = sum(1 << point for point in points if wanted(point % width))
        return tuple(uint64(bits >> 64 * i & 0xFFFFFFFFFFFFFFFF) for i in range(words))

    return Ground(
        width,
        board(lambda column: column > 0),
        board(lambda column: column < width - 1),
        board(lambda column: True),
    )


def put(x, i, word):
    """``x`` with another word ``i``."""
    return (*x[:i], word, *x[i + 1 :])


@overload(put, inline="always")
def _put(x, i, word):
    return lambda x, i, word: tuple_setitem(x, i, word)


@register_jitable
def nothing(like):
    for i in range(len(like)):
        like = put(like, i, uint64(0))
    return like


@register_jitable
def one(like, point):
    """The board with that point alone."""
    out = nothing(like)
    return put(out, point >> 6, uint64(1) << uint64(point & 63))


@register_jitable
def has(x, point):
    return (x[point >> 6] >> uint64(point & 63)) & uint64(1) != uint64(0)


@register_jitable
def either(x, y):
    for i in range(len(x)):
        x = put(x, i, x[i] | y[i])
    return x


@register_jitable
def both(x, y):
    for i in range(len(x)):
        x = put(x, i, x[i] & y[i])
    return x


@register_jitable
def without(x, y):
    for i in range(len(x)):
        x = put(x, i, x[i] & ~y[i])
    return x


@register_jitable
def some(x):
    """Whether any point is there."""
    found = uint64(0)
    for i in range(len(x)):
        found |= x[i]
    return found != uint64(0)


@register_jitable
def several(x):
    """Whether two points or more are there."""
    found, more = uint64(0), uint64(0)
    for i in range(len(x)):
        if x[i] != uint64(0):
            more |= x[i] & (x[i] - uint64(1))
            if found != uint64(0):
                more |= x[i]
            found |= x[i]
    return more != uint64(0)


@register_jitable
def same(x, y):
    difference = uint64(0)
    for i in range(len(x)):
        difference |= x[i] ^ y[i]
    return difference == uint64(0)


@register_jitable
def lowest_of(x):
    """The board with the lowest point of ``x`` alone."""
    out = nothing(x)
    for i in range(len(x)):
        if x[i] != uint64(0):
            return put(out, i, x[i] ^ (x[i] & (x[i] - uint64(1))))
    return out


@register_jitable
def sideways(x, g):
    """Points to the left and right of ``x``."""
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
    """Points above and below ``x``; beyond the last row too."""
    out, n = x, len(x)
    s = uint64(g.width)
    back = uint64(64) - s
    for i in range(n):
        up, down = x[i] << s, x[i] >> s
        if i > 0:
            up |= x[i - 1] >> back
        if i + 1 < n:
            down |= x[i + 1] << back
        out = put(out, i, up | down)
    return out


@register_jitable
def around(x, g):
    """Points that are orthogonal neighbours of ``x``, perhaps its own; beyond the
    last row too, so the result must be cut to points of the board."""
    return either(sideways(x, g), lengthways(x, g))


@register_jitable
def around_and_across(x, g):
    """The same with diagonal neighbours."""
    line = either(x, sideways(x, g))
    return either(sideways(x, g), lengthways(line, g))


@register_jitable
def flood(seed, area, g):
    """All of ``area`` that hangs together with ``seed``."""
    x = both(seed, area)
    while True:
        y = both(either(x, around(x, g)), area)
        if same(x, y):
            return x
        x = y
