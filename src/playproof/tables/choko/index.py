"""The index of a position of Choko in its slice, and the position of an index.

A cell is ``row * columns + column``. The row is the orbit, under the eight symmetries of the board,
of one side's set (``large``: the side with more pieces). Both sets are transformed so that this set
becomes the representative of its orbit. The column is the rank of the other side's transformed set
among the squares that are left. Where the representative is itself symmetric, a position has
several cells, which all hold its value.

Sets are ranked by halves of the board, squares 0 to 12 and 13 to 24: first by how many squares lie
in the lower half, then by the ranks of the lower and the upper half. The rank of a half among free
squares is one access to a table of the 3^13 (or 3^12) ways in which each square can be taken, free
or a member of the set.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import functools
import itertools
from math import comb
from typing import NamedTuple

import numpy as np
from numba import int64, prange, types, uint8, uint16, uint32, void
from numba.extending import register_jitable

from playproof.core.bits import popcount
from playproof.core.compiling import kernel
from playproof.rules.choko import BOARD, PIECES
from playproof.tables.choko.slices import SQUARES, Slice, orbit_counts, square_images

LOW, HIGH = 13, 12  # squares in each half
_SETS = sum(comb(SQUARES, size) for size in range(PIECES + 1))  # no side has more pieces
_LOWS, _HIGHS = 1 << LOW, 1 << HIGH

# The atlas: several small tables in one array.
IMAGES_LOW = 0
IMAGES_HIGH = IMAGES_LOW + 8 * _LOWS
COLEX = IMAGES_HIGH + 8 * _HIGHS  # a pattern's rank among those with the same number of bits
THREES = COLEX + _LOWS  # a pattern, read as the digits 0 and 1 of a number in base 3
PATTERNS = THREES + _LOWS  # patterns by number of bits, then by rank
STARTS = PATTERNS + _LOWS  # where the patterns with k bits start
SET_BASE = STARTS + 16  # [size * 16 + k]: rank of the first set with k squares in the lower half
SET_WIDTH = SET_BASE + 32 * 16  # [size * 16 + k]: ways to fill the upper half
FIRST_SET = SET_WIDTH + 32 * 16  # [size]: where the sets of a size start among all sets
_ATLAS = FIRST_SET + 32

HIGH_RANKS = 3**LOW  # where the ranks of the upper half start

# Words of the shape of a slice.
COLUMNS, SIZE, OTHERS, FIRST_REP, BASE = 0, 1, 2, 3, 4
WIDTH = BASE + 14 * 16  # [free squares in the lower half * 16 + k]
SHAPE_WORDS = WIDTH + 14 * 16

UINT32S = types.Array(uint32, 1, "C")
UINT16S = types.Array(uint16, 1, "C")
BYTES = types.Array(uint8, 1, "C")
SHAPE = types.Array(int64, 1, "C")


class Maps(NamedTuple):
    """The tables that all slices share."""

    atlas: np.ndarray  # uint32
    ranks: np.ndarray  # uint16, of a half's set among free squares
    orbits: np.ndarray  # uint32, for each set of a side: row << 4 | is symmetric << 3 | symmetry
    reps: np.ndarray  # uint32, for each row: the representative of the orbit


@register_jitable
def image(atlas, squares, symmetry):
    """The image of a set of squares under a symmetry of the board."""
    low = atlas[IMAGES_LOW + (symmetry << LOW) + (squares & (_LOWS - 1))]
    return int64(low | atlas[IMAGES_HIGH + (symmetry << HIGH) + (squares >> LOW)])


@register_jitable
def set_number(atlas, size, squares):
    """The number of a set among all sets, by size and rank."""
    low, high = squares & (_LOWS - 1), squares >> LOW
    at = size * 16 + popcount(low)
    inside = int64(atlas[COLEX + low]) * int64(atlas[SET_WIDTH + at]) + int64(atlas[COLEX + high])
    return int64(atlas[FIRST_SET + size]) + int64(atlas[SET_BASE + at]) + inside


@register_jitable
def entry_of(atlas, orbits, shape, large):
    """The entry of ``orbits`` for a set: its row, and the symmetry that maps it to the rep."""
    return int64(orbits[set_number(atlas, shape[SIZE], large)])


@register_jitable
def column_of(atlas, ranks, shape, rep, small):
    """The rank of ``small`` among the squares that ``rep`` leaves free."""
    rep_low, rep_high = rep & (_LOWS - 1), rep >> LOW
    low, high = small & (_LOWS - 1), small >> LOW
    at = (LOW - popcount(rep_low)) * 16 + popcount(low)
    low_rank = int64(ranks[atlas[THREES + rep_low] + 2 * atlas[THREES + low]])
    high_rank = int64(ranks[HIGH_RANKS + atlas[THREES + rep_high] + 2 * atlas[THREES + high]])
    return shape[BASE + at] + low_rank * shape[WIDTH + at] + high_rank


@register_jitable
def cell_of(atlas, ranks, orbits, reps, shape, large, small):
    """The cell of a position, by the two sides' sets."""
    entry = entry_of(atlas, orbits, shape, large)
    row = entry >> 4
    turned = image(atlas, small, entry & 7)
    rep = int64(reps[shape[FIRST_REP] + row])
    return row * shape[COLUMNS] + column_of(atlas, ranks, shape, rep, turned)


@register_jitable
def _spread(pattern, free):
    """The squares of ``free`` that correspond to the bits of a pattern, in order."""
    out = 0
    while pattern != 0:
        square = free & -free
        if pattern & 1:
            out |= square
        free ^= square
        pattern >>= 1
    return out


@register_jitable
def small_at(atlas, shape, rep, column):
    """The set with a rank, the inverse of ``column_of``."""
    free = BOARD & ~rep
    at = popcount(free & (_LOWS - 1)) * 16
    k = 0
    while shape[BASE + at + k + 1] <= column:
        k += 1
    inside, width = uint32(column - shape[BASE + at + k]), uint32(shape[WIDTH + at + k])
    low = int64(inside // width)
    high = int64(inside) - low * int64(width)
    low_pattern = int64(atlas[PATTERNS + atlas[STARTS + k] + low])
    high_pattern = int64(atlas[PATTERNS + atlas[STARTS + shape[OTHERS] - k] + high])
    return _spread(low_pattern, free & (_LOWS - 1)) | _spread(high_pattern, free >> LOW) << LOW


@functools.cache
def shape_of(slice_: Slice) -> np.ndarray:
    """The words that the index needs to know of a slice."""
    shape = np.zeros(SHAPE_WORDS, np.int64)
    shape[COLUMNS], shape[SIZE], shape[OTHERS] = slice_.columns, slice_.large, slice_.small
    shape[FIRST_REP] = _first_reps()[slice_.large]
    free = SQUARES - slice_.large
    for low in range(LOW + 1):
        ways = [_ways(low, k) * _ways(free - low, slice_.small - k) for k in range(15)]
        if not 0 <= free - low <= HIGH:
            continue
        shape[BASE + low * 16 : BASE + low * 16 + 16] = np.cumsum([0, *ways])
        shape[WIDTH + low * 16 : WIDTH + low * 16 + 15] = [
            _ways(free - low, slice_.small - k) for k in range(15)
        ]
    return shape


def _ways(n: int, k: int) -> int:
    """n over k, and 0 for k out of range."""
    return comb(n, k) if 0 <= k <= n else 0


def _first_reps() -> list[int]:
    """Where the rows of each size start among all representatives."""
    return [0, *itertools.accumulate(orbit_counts())]


@functools.cache
def maps() -> Maps:
    """The shared tables, which take a second to compute."""
    atlas = np.zeros(_ATLAS, np.uint32)
    patterns = np.arange(_LOWS)
    bits = np.array([int(p).bit_count() for p in patterns])
    for symmetry, to in enumerate(square_images()):
        for first, squares, at in (
            (0, LOW, IMAGES_LOW + (symmetry << LOW)),
            (LOW, HIGH, IMAGES_HIGH + (symmetry << HIGH)),
        ):
            for square in range(squares):
                chosen = np.flatnonzero(patterns[: 1 << squares] >> square & 1)
                atlas[at + chosen] |= np.uint32(1 << int(to[first + square]))
    order = np.lexsort((patterns, bits))  # the order of numbers is colexicographic
    starts = np.cumsum([0, *np.bincount(bits, minlength=LOW + 1)])
    atlas[PATTERNS : PATTERNS + _LOWS] = order
    atlas[COLEX + order] = patterns - starts[bits[order]]
    atlas[STARTS : STARTS + LOW + 1] = starts[: LOW + 1]
    atlas[THREES : THREES + _LOWS] = sum((patterns >> i & 1) * 3**i for i in range(LOW))
    first = 0
    for size in range(SQUARES + 1):
        atlas[FIRST_SET + size] = first
        ways = [_ways(LOW, k) * _ways(HIGH, size - k) for k in range(LOW + 1)]
        atlas[SET_BASE + size * 16 : SET_BASE + size * 16 + LOW + 1] = np.cumsum([0, *ways[:-1]])
        atlas[SET_WIDTH + size * 16 : SET_WIDTH + size * 16 + LOW + 1] = [
            _ways(HIGH, size - k) for k in range(LOW + 1)
        ]
        first += comb(SQUARES, size)
    ranks = np.zeros(3**LOW + 3**HIGH, np.uint16)
    _fill_ranks(atlas, LOW, ranks[: 3**LOW])
    _fill_ranks(atlas, HIGH, ranks[3**LOW :])
    return Maps(atlas, ranks, *_orbits(atlas))


def _orbits(atlas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(orbits, reps) of a side's sets; the representative of an orbit is its first set."""
    sets, first, how = (np.empty(_SETS, kind) for kind in (np.uint32, np.uint32, np.uint8))
    _first_images(atlas, sets, first, how)
    chosen = np.flatnonzero(first == np.arange(_SETS, dtype=np.uint32))
    rows = np.zeros(_SETS, np.uint32)
    begins = _first_reps()[: PIECES + 2]
    for begin, end in itertools.pairwise(begins):
        rows[chosen[begin:end]] = np.arange(end - begin, dtype=np.uint32)
    return rows[first] << np.uint32(4) | how, sets[chosen]


@kernel(void(UINT32S, UINT32S, UINT32S, BYTES), parallel=True)
def _first_images(atlas, sets, first, how):
    """Write for each set, by number: the set, its first image, and the symmetry to that image."""
    for squares in prange(1 << SQUARES):
        size = popcount(squares)
        if size > PIECES:
            continue
        number = set_number(atlas, size, squares)
        best, symmetry, fixed = number, 0, 0
        for g in range(1, 8):
            turned = set_number(atlas, size, image(atlas, squares, g))
            fixed += int64(turned == number)
            if turned < best:
                best, symmetry = turned, g
        sets[number] = squares
        first[number] = best
        how[number] = symmetry | int64(fixed > 0) << 3


@kernel(void(UINT32S, int64, UINT16S))
def _fill_ranks(atlas, squares, out):
    """Write the rank of each set among the squares not taken, for all ways to take squares."""
    for taken in range(1 << squares):
        free = ((1 << squares) - 1) & ~taken
        for pattern in range(1 << popcount(free)):
            members = _spread(pattern, free)
            number = int64(atlas[THREES + taken]) + 2 * int64(atlas[THREES + members])
            out[number] = atlas[COLEX + pattern]
