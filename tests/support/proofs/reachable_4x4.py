"""Every position that play can reach on 4x4, by walking through all games with a board of text.

Nothing here is shared with the rules of the package or with its words.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

SIZE = 4
# Black on c2 and b3, White on b2 and c3, counted from a1.
START = "-----OX--XO-----"
_OTHER = {"X": "O", "O": "X"}


def _ray(square: int, down: int, right: int) -> list[int]:
    squares = []
    row, column = square // SIZE + down, square % SIZE + right
    while 0 <= row < SIZE and 0 <= column < SIZE:
        squares.append(SIZE * row + column)
        row, column = row + down, column + right
    return squares


RAYS = [
    [
        ray
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if (down or right) and len(ray := _ray(square, down, right)) > 1
    ]
    for square in range(SIZE * SIZE)
]


def turned(board: str, mover: str, square: int) -> list[int]:
    """The discs that a disc of ``mover`` on an empty square turns over."""
    discs: list[int] = []
    for ray in RAYS[square]:
        between = []
        for place in ray:
            if board[place] != _OTHER[mover]:
                if board[place] == mover:
                    discs += between
                break
            between.append(place)
    return discs


def moves(board: str, mover: str) -> list[int]:
    return [i for i, disc in enumerate(board) if disc == "-" and turned(board, mover, i)]


@dataclass(frozen=True)
class Counted:
    """A reachable position with what can be asked about it."""

    board: str
    mover: str
    own_moves: int
    opponent_moves: int
    empties: int

    @property
    def own_stones(self) -> int:
        return self.board.count(self.mover)


@functools.cache
def reachable() -> tuple[Counted, ...]:
    """All positions with the side to move, those before a pass and after the end included."""
    seen = {(START, "X")}
    pending, positions = [*seen], []
    while pending:
        board, mover = pending.pop()
        own, other = moves(board, mover), moves(board, _OTHER[mover])
        positions.append(Counted(board, mover, len(own), len(other), board.count("-")))
        for after in _after(board, mover, own, bool(other)):
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return tuple(positions)


def _after(board: str, mover: str, own: list[int], passes: bool) -> Iterator[tuple[str, str]]:
    for square in own:
        discs = {square, *turned(board, mover, square)}
        text = "".join(mover if i in discs else disc for i, disc in enumerate(board))
        yield text, _OTHER[mover]
    if not own and passes:
        yield board, _OTHER[mover]
