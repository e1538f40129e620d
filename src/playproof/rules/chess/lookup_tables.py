"""The lookup tables of chess in one array of words: attacks, lines and planes of moves.

Square ``8 * rank + file`` is a bit; a1 is bit 0.  The array is passed to every function as ``t``,
and the constants below are places in it.  It is not a global of compiled code, which would be
copied into each function that uses it.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

# Directions as (ranks, files), clockwise from north, and likewise a knight's leaps; the planes are
# in the same order.
DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
LEAPS = ((2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1))

# Planes of moves, 64 actions each: seven distances in each direction, the leaps, and pawns that
# become a knight, bishop or rook by capturing to the left, advancing or capturing to the right.
QUEEN_PLANES, KNIGHT_PLANES, UNDER_PLANES = 0, 56, 64
PLANES = 73

# Places in the array.
KNIGHT = 0  # attacks, a word a square
KING = KNIGHT + 64
STRAIGHT_RAYS = KING + 64  # attacks on an empty board
DIAGONAL_RAYS = STRAIGHT_RAYS + 64
RISING = DIAGONAL_RAYS + 64  # the diagonal from south-west to north-east
FALLING = RISING + 64  # the one from north-west to south-east
RANK = FALLING + 64  # (64, 8) attacks along rank 1, by what stands on b1 to g1 and from where
BETWEEN = RANK + 64 * 8  # (64, 64) squares strictly between two on a line
LINE = BETWEEN + 64 * 64  # (64, 64) the whole line through two squares
STEP_PLANE = LINE + 64 * 64  # (128,) 64 * plane of a move by 64 + to - from, for all pieces ...
SLIDE_PLANE = STEP_PLANE + 128  # (128,) ... but straight sliders, which have their own
DELTA = SLIDE_PLANE + 128  # (73,) to - from of each plane, modulo 64
SIZE = DELTA + PLANES


def _walk(square: int, step: tuple[int, int], most: int = 7) -> list[int]:
    """The squares from ``square`` on in a direction, at most ``most``."""
    rank, file = divmod(square, 8)
    squares = []
    for _ in range(most):
        rank, file = rank + step[0], file + step[1]
        if not (0 <= rank < 8 and 0 <= file < 8):
            break
        squares.append(8 * rank + file)
    return squares


def _bits(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _fill_lines(t: Words) -> None:
    for square in range(64):
        for number, step in enumerate(DIRECTIONS):
            ray = _walk(square, step)
            line = _bits([square, *ray, *_walk(square, DIRECTIONS[number ^ 4])])
            for length, met in enumerate(ray):
                t[BETWEEN + 64 * square + met] = _bits(ray[:length])
                t[LINE + 64 * square + met] = line
            slanting = step[0] and step[1]
            t[(DIAGONAL_RAYS if slanting else STRAIGHT_RAYS) + square] |= np.uint64(_bits(ray))
            if slanting:
                t[(RISING if step[0] == step[1] else FALLING) + square] = line


def _fill_rank(t: Words) -> None:
    for middle in range(64):
        for file in range(8):
            for step in (-1, 1):
                for met in _walk(file, (0, step)):
                    t[RANK + 8 * middle + file] |= np.uint64(1 << met)
                    if middle << 1 >> met & 1:
                        break


def _fill_planes(t: Words) -> None:
    for number, (ranks, files) in enumerate(DIRECTIONS):
        for distance in range(1, 8):
            plane = QUEEN_PLANES + 7 * number + distance - 1
            delta = distance * (8 * ranks + files)
            t[DELTA + plane] = delta % 64
            # One step north-west and seven squares east are the same number of bits; of
            # straight moves, other pieces make only those of one square, and of two for castling.
            if (ranks and files) or distance < 3:
                t[STEP_PLANE + 64 + delta] = 64 * plane
            if not (ranks and files):
                t[SLIDE_PLANE + 64 + delta] = 64 * plane
    for number, (ranks, files) in enumerate(LEAPS):
        delta = 8 * ranks + files
        t[DELTA + KNIGHT_PLANES + number] = delta % 64
        t[STEP_PLANE + 64 + delta] = 64 * (KNIGHT_PLANES + number)
    for number in range(9):
        t[DELTA + UNDER_PLANES + number] = 7 + number % 3


@functools.cache
def tables() -> Words:
    """(SIZE,) words; the same array for every caller, which must not write to it."""
    t = np.zeros(SIZE, np.uint64)
    for square in range(64):
        t[KNIGHT + square] = _bits([s for leap in LEAPS for s in _walk(square, leap, 1)])
        t[KING + square] = _bits([s for step in DIRECTIONS for s in _walk(square, step, 1)])
    _fill_lines(t)
    _fill_rank(t)
    _fill_planes(t)
    return t
