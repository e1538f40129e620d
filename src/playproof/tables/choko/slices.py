"""The slices of Choko: free positions by hands and pieces, and the slices each depends on.

Only positions in which the mover is *free* are stored; those with a forced reply take the value of
the best reply. In slice ``(h; a, b)`` both hands hold ``h``, the mover has ``a`` pieces on the
board and the other side ``b``. A step leads into ``(h; b, a)``, a jump into ``(h; b - 2, a)``, and
a placement with its reply into ``(h - 1; a + 1, b + 1)``. So slices are solved by growing hands,
then by growing ``a + b``, and ``(h; a, b)`` together with its mirror ``(h; b, a)``.

A slice is laid out by the set of the side with more pieces, whoever is to move. So the positions
before and after a move are in the same row or in one of a few others, and most look-ups hit the
cache.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from math import comb
from typing import NamedTuple

import numpy as np

from playproof.rules.choko import PIECES

SQUARES = 25
COUNTS = PIECES + 1  # a side has 0 to 12 pieces on the board, and 0 to 12 in hand


class Slice(NamedTuple):
    """All free positions with given hands, pieces and side to move."""

    hands: int  # pieces in each hand
    large: int  # pieces on the board of the side with more, whose sets are the rows
    small: int  # pieces on the board of the other side
    mover: int  # 0: the side with more pieces; 1: the other side

    @property
    def own(self) -> int:
        """The mover's pieces on the board."""
        return self.small if self.mover else self.large

    @property
    def other(self) -> int:
        return self.large if self.mover else self.small

    @property
    def mirror(self) -> Slice:
        """The slice that steps lead to."""
        return self._replace(mover=1 - self.mover)

    @property
    def rows(self) -> int:
        return orbit_counts()[self.large]

    @property
    def columns(self) -> int:
        return comb(SQUARES - self.large, self.small)

    @property
    def cells(self) -> int:
        """Stored positions: one side's sets up to symmetry, times the other's."""
        return self.rows * self.columns

    @property
    def raw(self) -> int:
        """Positions, with symmetric ones counted separately."""
        return comb(SQUARES, self.large) * self.columns

    @property
    def name(self) -> str:
        return f"h{self.hands}-{self.own}v{self.other}"

    def after_jump(self) -> Slice | None:
        """The slice that jumps lead to; None if there are none, or if they win the game."""
        left = max(0, self.other - 2)
        if self.other == 0 or self.own == 0 or (self.hands == 0 and left == 0):
            return None
        return slice_of(self.hands, left, self.own)

    def after_placements(self) -> Slice | None:
        """The slice that a placement and its reply lead to; None with empty hands."""
        if self.hands == 0:
            return None
        return Slice(self.hands - 1, self.large + 1, self.small + 1, self.mover)


def slice_of(hands: int, own: int, other: int) -> Slice:
    """The slice in which the mover has ``own`` pieces; even counts are laid out by the mover."""
    return Slice(hands, own, other, 0) if own >= other else Slice(hands, other, own, 1)


def parse(name: str) -> Slice | None:
    """The slice with a name such as ``h0-4v2``, or None if it is no such name."""
    head, _, pieces = name.removeprefix("h").partition("-")
    own, _, other = pieces.partition("v")
    if not (head.isdecimal() and own.isdecimal() and other.isdecimal()):
        return None
    slice_ = slice_of(int(head), int(own), int(other))
    return slice_ if slice_.name == name else None


def belongs(slice_: Slice, lone_jump: bool) -> bool:
    """Whether a game can reach this slice, judged by the numbers of pieces.

    Without lone jumps pieces are captured in twos. With them, a single piece is captured only if it
    is alone on the board, so the two sides cannot both have lost exactly one.
    """
    most = PIECES - slice_.hands
    lost = most - slice_.own, most - slice_.other
    if not 0 <= slice_.hands <= PIECES or min(lost) < 0 or min(slice_.own, slice_.other) < 0:
        return False
    if slice_.hands == 0 and min(slice_.own, slice_.other) == 0:
        return False  # the game is over
    if not lone_jump:
        return lost[0] % 2 == lost[1] % 2 == 0
    return lost != (1, 1) and (slice_.hands == PIECES or slice_.own + slice_.other > 0)


def pairs(lone_jump: bool) -> Iterator[tuple[Slice, ...]]:
    """All slices in the order of solving, each together with its mirror."""
    for hands in range(PIECES + 1):
        most = PIECES - hands
        slices = [Slice(hands, a, b, 0) for a in range(most + 1) for b in range(a + 1)]
        for slice_ in sorted(slices, key=lambda s: (s.large + s.small, s.large)):
            if belongs(slice_, lone_jump):
                yield (slice_,) if slice_.large == slice_.small else (slice_, slice_.mirror)


def needed_by(slice_: Slice, lone_jump: bool) -> list[Slice]:
    """The slices outside its pair that a slice's moves lead to, to be solved before it."""
    exits = (slice_.after_jump(), slice_.after_placements())
    return [
        successor for successor in exits if successor is not None and belongs(successor, lone_jump)
    ]


@functools.cache
def square_images() -> np.ndarray:
    """(8, 25) the square to which each symmetry of the board takes each square."""
    square = np.arange(SQUARES).reshape(5, 5)
    out = []
    for turned in (square, square.T):
        for rows in (turned, turned[::-1]):
            out += [rows.ravel(), rows[:, ::-1].ravel()]
    return np.array(out, np.int64)


@functools.cache
def orbit_counts() -> tuple[int, ...]:
    """The number of sets of squares of each size, up to symmetry (Burnside's lemma)."""
    totals = [0] * (SQUARES + 1)
    for image in square_images():
        fixed = [1]  # sets that the symmetry leaves fixed, by size: a product over its cycles
        for length in _cycles(image.tolist()):
            longer = [0] * (len(fixed) + length)
            for size, count in enumerate(fixed):
                longer[size] += count
                longer[size + length] += count
            fixed = longer
        totals = [total + count for total, count in zip(totals, fixed, strict=True)]
    return tuple(total // 8 for total in totals)


def _cycles(image: list[int]) -> list[int]:
    seen: set[int] = set()
    lengths = []
    for square in range(len(image)):
        length = 0
        while square not in seen:
            seen.add(square)
            square, length = image[square], length + 1
        if length:
            lengths.append(length)
    return lengths
