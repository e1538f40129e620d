"""What statements about Othello share: names of squares, symmetries, growth from the centre."""

from __future__ import annotations

import functools
from typing import Any

from playproof.games.square_symmetries import image
from playproof.proofs.othello.constructible import centre, closure_round
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.words import Word
from playproof.rules import othello as rules

PLACES = tuple(f"{'abcdefgh'[i % 8]}{i // 8 + 1}" for i in range(64))

Position = tuple[int, int]  # the stones of the side to move, and the opponent's


def closure(within: Any, size: int, rounds: int) -> Any:
    """The centre after ``rounds`` rounds of growth inside ``within``, which must contain it."""
    stones: Any = within & centre(size)
    for _ in range(rounds):
        stones = closure_round(within, stones)
    return stones


def add_position(
    problem: Problem, size: int, names: tuple[str, str] = ("own", "opponent")
) -> tuple[Word, Word]:
    """Two free words of stones, required to be disjoint and to occupy the centre."""
    squares = rules.board(size)
    own = problem.input(names[0], squares, PLACES)
    opponent = problem.input(names[1], squares, PLACES)
    for a, b in zip(own.literals, opponent.literals, strict=True):
        problem.require_any((a ^ 1, b ^ 1))
    for square in range(64):
        if centre(size) >> square & 1:
            problem.require_any((own[square], opponent[square]))
    return own, opponent


def require_growth(problem: Problem, occupied: Word, size: int, max_stones: int) -> None:
    """Require that at most ``max_stones`` occupied squares grow from the centre."""
    rounds = max(0, max_stones - 4)  # each adds a stone, until none can be added
    grown = closure(occupied | centre(size), size, rounds)
    for stone, reached in zip(occupied.literals, grown.literals, strict=True):
        problem.require_any((stone ^ 1, reached))


CENTRE_OCCUPIED = "the four centre squares are occupied"


def squares_text(word: int) -> str:
    """The names of a set of squares."""
    return " ".join(place for square, place in enumerate(PLACES) if word >> square & 1) or "none"


@functools.cache
def _tables(size: int) -> list[list[list[int]]]:
    """The image of each value of a byte, indexed by symmetry, number of the byte and value."""
    tables = []
    for symmetry in range(8):
        goals = [0] * 64
        for row in range(size):
            for column in range(size):
                to = image(size, row, column, symmetry)
                goals[8 * row + column] = 1 << (8 * (to // size) + to % size)
        rows = []
        for byte in range(8):
            table = [0] * 256
            for value in range(1, 256):
                low = value & -value
                table[value] = table[value ^ low] | goals[8 * byte + low.bit_length() - 1]
            rows.append(table)
        tables.append(rows)
    return tables


def images(word: int, size: int) -> list[int]:
    """The eight images of a set of squares under the symmetries of the board."""
    data = word.to_bytes(8, "little")
    return [
        t0[data[0]] | t1[data[1]] | t2[data[2]] | t3[data[3]]
        | t4[data[4]] | t5[data[5]] | t6[data[6]] | t7[data[7]]
        for t0, t1, t2, t3, t4, t5, t6, t7 in _tables(size)
    ]  # fmt: skip


def position_images(position: Position, size: int) -> list[Position]:
    """The eight images of a position."""
    own, opponent = position
    return list(zip(images(own, size), images(opponent, size), strict=True))


def canonical(position: Position, size: int) -> Position:
    """The least image, which is the same for all images of a position."""
    return min(position_images(position, size))


def position_text(position: Position, size: int) -> str:
    """The position in the notation of the game, with the side to move as Black."""
    letters = [
        "X" if position[0] >> square & 1 else "O" if position[1] >> square & 1 else "-"
        for square in (8 * row + column for row in range(size) for column in range(size))
    ]
    return "".join(letters) + " X"
