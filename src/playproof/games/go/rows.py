"""The compiled code that Go and Quantum Go share: boards in rows, hashes, superko, the score.

The option words are the board's width and height, the words per board, twice the
komi, the rules below, and then three boards: all columns but the first, all but
the last, all points.

The hash of a position at the start of a turn has fields, because superko compares
only the board.  From bit 0: START, the side to move, the passes (2 bits), the
number of units (single stones and entangled groups, 9 bits), under territory
scoring the balance of prisoners (12 bits), and then the hash of the board.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import float32, int64, njit, uint64
from numba.extending import register_jitable

from playproof.core.bits import GOLDEN, lowest, mix, popcount
from playproof.rules import go as rules
from playproof.rules.go_board import Ground, either, has, put, without

# For functions with one caller: Numba inlines them before type inference, so that they are
# compiled once instead of twice.
inlined = njit(inline="always")

WIDTH, HEIGHT, BOARD_WORDS, TWICE_KOMI, SUPERKO, SUICIDE, TERRITORY = range(7)
MASKS = 24  # where the three boards begin; a game may have options of its own before them

# Eight points as eight floats, for each value of a byte: copying these is several times faster
# than extracting bits.
_BYTE_PLANES = np.array([[n >> i & 1 for i in range(8)] for n in range(256)], np.float32)

# Empty boards of the two sizes, for up to 128 and up to 361 points; ``like`` is always one of them.
NARROW = (uint64(0), uint64(0))
WIDE = (uint64(0), uint64(0), uint64(0), uint64(0), uint64(0), uint64(0))

START = 1  # marks the hash of a position in which a turn begins
SIDE_SHIFT, PASSES_SHIFT, UNITS_SHIFT, BALANCE_SHIFT = 1, 2, 4, 13
UNITS = 0x1FF << UNITS_SHIFT
BALANCE_BITS = 12


@register_jitable
def load(like, words, at):
    """The board that begins at ``words[at]``."""
    for i in range(len(like)):
        like = put(like, i, words[at + i])
    return like


@register_jitable
def store(words, at, x):
    """Write a board to ``words``, from ``words[at]`` on."""
    for i in range(len(x)):
        words[at + i] = x[i]


@register_jitable
def ground_of(like, options):
    n = len(like)
    return Ground(
        int64(options[WIDTH]),
        load(like, options, MASKS),
        load(like, options, MASKS + n),
        load(like, options, MASKS + 2 * n),
    )


@register_jitable
def count(x):
    total = 0
    for i in range(len(x)):
        total += popcount(x[i])
    return total


@register_jitable
def lowest_point(x):
    """The lowest point of a board; -1 if it is empty."""
    for i in range(len(x)):
        if x[i] != uint64(0):
            return 64 * i + lowest(x[i])
    return -1


@register_jitable
def list_points(x, out, n):
    """Write the points of ``x`` to ``out`` from ``out[n]`` on; return the new length."""
    for i in range(len(x)):
        word = x[i]
        while word != uint64(0):
            out[n] = 64 * i + lowest(word)
            n += 1
            word &= word - uint64(1)
    return n


@register_jitable
def word_hash(place, word):
    """The summand of one word of the row in the hash of the board."""
    return mix(word ^ (uint64(place + 1) * uint64(GOLDEN)))


@register_jitable
def board_shift(options):
    """How many bits of a position's hash are below the hash of the board."""
    if options[TERRITORY] != uint64(0):
        return uint64(BALANCE_SHIFT + BALANCE_BITS)
    return uint64(BALANCE_SHIFT)


@register_jitable
def superko_bits(options):
    """The bits of a hash that superko compares."""
    return uint64(0xFFFFFFFFFFFFFFFF) << board_shift(options) | uint64(UNITS | START)


@register_jitable
def turn_hash(options, board, units, side, passes, balance):
    """The hash of a position in which a turn begins."""
    h = board << board_shift(options) | uint64(units << UNITS_SHIFT)
    h |= uint64(side << SIDE_SHIFT | passes << PASSES_SHIFT | START)
    if options[TERRITORY] != uint64(0):
        h |= uint64(balance) << uint64(BALANCE_SHIFT)
    return h


@register_jitable
def has_occurred(options, history, h):
    """Whether the board of the hash ``h`` is in the history."""
    bits = superko_bits(options)
    board = h & bits
    matches = 0
    for i in range(history.shape[0]):  # no early exit, so that the loop is vectorised
        matches += int64((history[i] & bits) == board)
    return matches > 0


@register_jitable
def board_filter(options, history, units):
    """A Bloom filter of the boards in the history with this number of units, in two words.

    A board whose bit is not set in both words is none of them.  Both words are 0 if there
    are no such boards."""
    bits = uint64(UNITS | START)
    key = uint64(units << UNITS_SHIFT | START)
    matches = 0
    for i in range(history.shape[0]):
        matches += int64((history[i] & bits) == key)
    one, other = uint64(0), uint64(0)
    if matches > 0:
        shift = board_shift(options)
        for i in range(history.shape[0]):
            if history[i] & bits == key:
                board = history[i] >> shift
                one |= uint64(1) << (board & uint64(63))
                other |= uint64(1) << ((board >> uint64(6)) & uint64(63))
    return one, other


@register_jitable
def may_contain(bloom, board):
    """Whether a board with this hash may be among those of the filter."""
    one = bloom[0] >> (board & uint64(63))
    other = bloom[1] >> ((board >> uint64(6)) & uint64(63))
    return one & other & uint64(1) != uint64(0)


@register_jitable
def possible_repeats(bloom, hashed, stones, at, points):
    """Those of ``points`` where one more stone may recreate a board of the filter.

    ``hashed`` is the hash of the present board, and ``stones`` are those of the mover, whose
    board begins at word ``at`` of the row."""
    out = points
    for i in range(len(points)):
        rest, repeats = points[i], uint64(0)
        without_word = hashed - word_hash(at + i, stones[i])
        while rest != uint64(0):
            stone = rest & (~rest + uint64(1))
            rest ^= stone
            if may_contain(bloom, without_word + word_hash(at + i, stones[i] | stone)):
                repeats |= stone
        out = put(out, i, repeats)
    return out


# Score, in points from Black's side


@register_jitable
def margin(options, black, white, empty, balance, g):
    """Black's lead minus the komi; ``balance`` is Black's prisoners minus White's."""
    to_black, to_white = rules.surrounded(black, white, empty, g)
    lead = float(count(to_black) - count(to_white))
    if options[TERRITORY] != uint64(0):
        lead += float(balance)
    else:
        lead += float(count(black) - count(white))
    return lead - komi(options)


@register_jitable
def komi(options):
    return float(int64(options[TWICE_KOMI])) / 2.0


@register_jitable
def signed_balance(balance):
    """The number that a row stores as a balance of prisoners, in 12 bits of two's complement."""
    half = 1 << (BALANCE_BITS - 1)
    return ((balance + half) & ((1 << BALANCE_BITS) - 1)) - half


@register_jitable
def estimate(options, black, white, atari, side, balance, g):
    """A heuristic for Black's lead before the board is full.

    An empty point belongs to the side whose stones are nearer.  Each stone in atari costs its
    owner a point if the opponent is to move, half of what its capture would cost."""
    empty = without(g.whole, either(black, white))
    to_black, to_white = rules.nearer(black, white, empty, g)
    lead = float(count(to_black) - count(to_white) + count(black) - count(white))
    threatened = 0
    for i in range(len(atari)):
        stones = black[i] if side else white[i]
        threatened += popcount(atari[i] & stones)
    lead += float(threatened) if side == 0 else -float(threatened)
    if options[TERRITORY] != uint64(0):
        lead += float(balance) - float(count(black) - count(white))
    return lead - komi(options)


# Observation


@register_jitable
def write_plane(out, at, x, points):
    for i in range(len(x)):
        word = x[i]
        left = min(64, points - 64 * i)
        start = uint64(at + 64 * i)
        for _ in range(left >> 3):
            line = word & uint64(0xFF)
            for j in range(8):
                out[start + uint64(j)] = _BYTE_PLANES[line, uint64(j)]
            word >>= uint64(8)
            start += uint64(8)
        for j in range(left & 7 if left > 0 else 0):
            out[start + uint64(j)] = float32((word >> uint64(j)) & uint64(1))


@register_jitable
def fill_plane(out, at, value, points):
    for j in range(points):
        out[uint64(at + j)] = float32(value)


@register_jitable
def fill_flag(out, at, condition, points):
    fill_plane(out, at, 1.0 if condition else 0.0, points)


# Symmetries: 0 to 7 of a square, 0 to 3 of a rectangle


@register_jitable
def image_point(width, height, point, symmetry):
    """The image of a point: bit 2 of ``symmetry`` transposes first, then bit 1 mirrors the rows
    and bit 0 the columns."""
    row, column = point // width, point % width
    if symmetry & 4:
        row, column = column, row
    if symmetry & 2:
        row = height - 1 - row
    if symmetry & 1:
        column = width - 1 - column
    return width * row + column


@register_jitable
def image_board(options, x, symmetry):
    """The image of a board under a symmetry."""
    width, height = int64(options[WIDTH]), int64(options[HEIGHT])
    out = x
    for i in range(len(x)):
        out = put(out, i, uint64(0))
    for point in range(width * height):
        if has(x, point):
            to = image_point(width, height, point, symmetry)
            out = put(out, to >> 6, out[to >> 6] | uint64(1) << uint64(to & 63))
    return out
