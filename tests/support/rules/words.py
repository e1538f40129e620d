"""Boards as words: squares to bits and back, for Othello and Choko."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from playproof.rules import choko
from tests.support.oracles import othello_naive
from tests.support.oracles.othello_naive import Square

NO_OR_YES = (0, choko.BOARD)

# By the number of the direction, as in actions: up, right, down, left.
FORWARD = (choko.up, choko.right, choko.down, choko.left)
BACKWARD = (choko.down, choko.left, choko.up, choko.right)


def shuffled(cases: Iterable[Any], seed: int) -> list[Any]:
    """In a fixed random order, so that every n-th case is a fair sample of all kinds."""
    cases = list(cases)
    Random(seed).shuffle(cases)
    return cases


def squares_of(word: int) -> list[int]:
    """The squares of a word, lowest first."""
    return [square for square in range(64) if word >> square & 1]


def all_squares(size: int) -> list[Square]:
    return [(row, column) for row in range(size) for column in range(size)]


def othello_word(squares: Iterable[Square]) -> int:
    """The word of some squares; the stride is eight on every size of board."""
    return sum(1 << (8 * row + column) for row, column in squares)


def discs(board: othello_naive.Board, colour: int) -> int:
    """The word of one colour's discs."""
    return othello_word(
        (r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell == colour
    )


def choko_word(squares: Iterable[int | None]) -> int:
    """The word of some squares; None stands for a square beyond the edge."""
    return sum(1 << square for square in squares if square is not None)
