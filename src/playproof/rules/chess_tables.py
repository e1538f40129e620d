"""What chess looks up, as one array of words: attacks, lines, and the planes of moves.

Square ``8 * rank + file`` is a bit, a1 is bit 0.  The array is handed to every
function as ``t``, with the names below as places in it.  It is never a global
of compiled code, which would be copied into each function that uses it.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from playproof.rules.chess_magics import DIAGONAL, STRAIGHT

Words = npt.NDArray[np.uint64]

# Directions from north clockwise, as (ranks, files): the order of the planes too.
DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
LEAPS = ((2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1))
STRAIGHTS, DIAGONALS = DIRECTIONS[0::2], DIRECTIONS[1::2]

# Planes of moves, 64 actions each: see ``chess_actions``.
QUEEN_PLANES, KNIGHT_PLANES, UNDER_PLANES = 0, 56, 64
PLANES = 73

# Places in the array.  A magic is four words: mask, factor, shift, first entry.
STRAIGHT_MAGIC = 0
DIAGONAL_MAGIC = STRAIGHT_MAGIC + 4 * 64
KNIGHT = DIAGONAL_MAGIC + 4 * 64  # attacks on an empty board, a word a square
KING = KNIGHT + 64
STRAIGHT_RAYS = KING + 64
DIAGONAL_RAYS = STRAIGHT_RAYS + 64
RISING = DIAGONAL_RAYS + 64  # the diagonal from south-west to north-east
FALLING = RISING + 64  # the one from north-west to south-east
BETWEEN = FALLING + 64  # (64, 64) squares strictly between two on a line
LINE = BETWEEN + 64 * 64  # (64, 64) the whole line through two squares
STEP_PLANE = (
    LINE + 64 * 64
)  # (128,) 64 * plane of a king's, knight's or diagonal move by 64 + to - from
SLIDE_PLANE = STEP_PLANE + 128  # (128,) the same for straight moves
DELTA = SLIDE_PLANE + 128  # (73,) to - from of each plane, modulo 64
PLANE = DELTA + PLANES
ATTACKS = PLANE + 4096  # the entries of the magics
SIZE = ATTACKS + 102_400 + 5_248


def _walk(square: int, step: tuple[int, int], most: int = 7) -> list[int]:
    """The squares met from ``square`` on, in that direction."""
    rank, file = divmod(square, 8)
    found = []
    for _ in range(most):
        rank, file = rank + step[0], file + step[1]
        if not (0 <= rank < 8 and 0 <= file < 8):
            break
        found.append(8 * rank + file)
    return found


def _bits(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _blockers(square: int, steps: tuple[tuple[int, int], ...]) -> list[int]:
    """Squares that can block: all but the last of each ray."""
    return [s for step in steps for s in _walk(square, step)[:-1]]


def _subsets(squares: list[int]) -> Words:
    """All sets of the squares, as words."""
    numbers = np.arange(1 << len(squares), dtype=np.uint64)
    out = np.zeros_like(numbers)
    for place, square in enumerate(squares):
        out |= (numbers >> np.uint64(place) & np.uint64(1)) << np.uint64(square)
    return out


def _slides(square: int, steps: tuple[tuple[int, int], ...], occupied: Words) -> Words:
    """What a slider attacks, for each of many occupations."""
    out = np.zeros_like(occupied)
    for step in steps:
        clear = np.full_like(occupied, 2**64 - 1)
        for met in _walk(square, step):
            bit = np.uint64(1 << met)
            out |= clear & bit
            clear[occupied & bit != 0] = 0
    return out


def _fill_magics(
    t: Words, place: int, factors: tuple[int, ...], steps: tuple[tuple[int, int], ...], first: int
) -> int:
    """Lay the attacks of one kind of slider out from ``first`` on; where they end."""
    for square, factor in enumerate(factors):
        blockers = _blockers(square, steps)
        shift = 64 - len(blockers)
        t[place + 4 * square : place + 4 * square + 4] = (_bits(blockers), factor, shift, first)
        occupied = _subsets(blockers)
        numbers = occupied * np.uint64(factor) >> np.uint64(shift)
        t[numbers.astype(np.int64) + first] = _slides(square, steps, occupied)
        first += 1 << len(blockers)
    return first


def _fill_lines(t: Words) -> None:
    for square in range(64):
        for number, step in enumerate(DIRECTIONS):
            ray = _walk(square, step)
            line = _bits([square, *ray, *_walk(square, DIRECTIONS[number ^ 4])])
            for length, met in enumerate(ray):
                t[BETWEEN + 64 * square + met] = _bits(ray[:length])
                t[LINE + 64 * square + met] = line
            rays = STRAIGHT_RAYS if step in STRAIGHTS else DIAGONAL_RAYS
            t[rays + square] |= np.uint64(_bits(ray))
            if step in DIAGONALS:
                slope = RISING if step[0] == step[1] else FALLING
                t[slope + square] = line


def _fill_planes(t: Words) -> None:
    for number, (ranks, files) in enumerate(DIRECTIONS):
        for distance in range(1, 8):
            plane = QUEEN_PLANES + 7 * number + distance - 1
            delta = distance * (8 * ranks + files)
            t[DELTA + plane] = delta % 64
            # One step north-west and seven squares east are the same number of bits.
            if (ranks and files) or distance < 3:
                t[STEP_PLANE + 64 + delta] = 64 * plane
            if not (ranks and files):
                t[SLIDE_PLANE + 64 + delta] = 64 * plane
    for sq in range(64):
        for number, step in enumerate(DIRECTIONS):
            for distance, met in enumerate(_walk(sq, step)):
                t[PLANE + 64 * sq + met] = 64 * (7 * number + distance)
        for number, leap in enumerate(LEAPS):
            for met in _walk(sq, leap, 1):
                t[PLANE + 64 * sq + met] = 64 * (56 + number)
    for number, (ranks, files) in enumerate(LEAPS):
        delta = 8 * ranks + files
        t[DELTA + KNIGHT_PLANES + number] = delta % 64
        t[STEP_PLANE + 64 + delta] = 64 * (KNIGHT_PLANES + number)
    for number in range(9):
        t[DELTA + UNDER_PLANES + number] = 7 + number % 3


@functools.cache
def tables() -> Words:
    """(SIZE,) words; the same array for every caller, not to be written to."""
    t = np.zeros(SIZE, np.uint64)
    end = _fill_magics(t, STRAIGHT_MAGIC, STRAIGHT, STRAIGHTS, ATTACKS)
    end = _fill_magics(t, DIAGONAL_MAGIC, DIAGONAL, DIAGONALS, end)
    assert end == SIZE
    for square in range(64):
        t[KNIGHT + square] = _bits([s for leap in LEAPS for s in _walk(square, leap, 1)])
        t[KING + square] = _bits([s for step in DIRECTIONS for s in _walk(square, step, 1)])
    _fill_lines(t)
    _fill_planes(t)
    return t
