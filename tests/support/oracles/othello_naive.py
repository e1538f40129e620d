"""Othello by the book: a board of cells, eight directions, a walk along each.

Nothing here is shared with the engine. A mistake would have to be made twice, in two quite
different ways of writing the rules down, before the two could agree on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

BLACK, WHITE = 0, 1

Cell = int | None
Board = tuple[tuple[Cell, ...], ...]
Square = tuple[int, int]

DIRECTIONS: tuple[Square, ...] = (
    (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1),
)  # fmt: skip


def board_of(size: int, black: Iterable[Square], white: Iterable[Square]) -> Board:
    """A board with the given discs, so that tests can ask about positions nobody has played to."""
    cells: list[list[Cell]] = [[None] * size for _ in range(size)]
    for colour, squares in ((BLACK, black), (WHITE, white)):
        for row, column in squares:
            assert cells[row][column] is None, "two discs on one square"
            cells[row][column] = colour
    return freeze(cells)


def freeze(cells: list[list[Cell]]) -> Board:
    """Positions are values: a board handed out must not change under its reader."""
    return tuple(tuple(row) for row in cells)


def start_board(size: int) -> Board:
    """Black on d5 and e4 of the full board, and the same centre on the smaller ones."""
    low, high = size // 2 - 1, size // 2
    return board_of(size, black=[(high, low), (low, high)], white=[(low, low), (high, high)])


def naive_flips(board: Board, colour: int, row: int, column: int) -> set[Square]:
    """The discs that a disc of this colour on an empty square would turn; none elsewhere."""
    if board[row][column] is not None:
        return set()
    size = len(board)
    turned: set[Square] = set()
    for row_step, column_step in DIRECTIONS:
        line: list[Square] = []
        r, c = row + row_step, column + column_step
        while 0 <= r < size and 0 <= c < size and board[r][c] == 1 - colour:
            line.append((r, c))
            r, c = r + row_step, c + column_step
        # The line counts only if it is closed: off the board or on an empty square it is not.
        if 0 <= r < size and 0 <= c < size and board[r][c] == colour:
            turned.update(line)
    return turned


def naive_moves(board: Board, colour: int) -> set[Square]:
    """The empty squares where a disc of this colour turns at least one other."""
    size = len(board)
    return {
        (row, column)
        for row in range(size)
        for column in range(size)
        if naive_flips(board, colour, row, column)
    }


def count(board: Board, colour: int) -> int:
    """How many discs of this colour lie on the board."""
    return sum(row.count(colour) for row in board)


@dataclass(frozen=True)
class NaiveOthello:
    """A position; actions are size * row + column, and size * size for a pass."""

    size: int = 8
    empties_to_winner: bool = False
    board: Board = ()
    to_move: int = BLACK

    def __post_init__(self) -> None:
        if not self.board:
            object.__setattr__(self, "board", start_board(self.size))

    @property
    def pass_action(self) -> int:
        """The action after the last square."""
        return self.size * self.size

    @property
    def over(self) -> bool:
        """Over as soon as neither side can place, without two passes being played out."""
        return not naive_moves(self.board, BLACK) and not naive_moves(self.board, WHITE)

    def legal(self) -> list[int]:
        """The placements; a pass only for want of one, while the opponent still has some."""
        return list(self._legal)

    @cached_property
    def _legal(self) -> tuple[int, ...]:
        # Kept with the position: it is asked for again at every action that is played.
        placements = naive_moves(self.board, self.to_move)
        if placements:
            return tuple(sorted(self.size * row + column for row, column in placements))
        return (self.pass_action,) if naive_moves(self.board, 1 - self.to_move) else ()

    def play(self, action: int) -> NaiveOthello:
        """The position after a legal action; an illegal one is a mistake of the caller."""
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal here")
        if action == self.pass_action:
            return replace(self, to_move=1 - self.to_move)
        row, column = divmod(action, self.size)
        cells = [list(line) for line in self.board]
        for r, c in naive_flips(self.board, self.to_move, row, column):
            cells[r][c] = self.to_move
        cells[row][column] = self.to_move
        return replace(self, board=freeze(cells), to_move=1 - self.to_move)

    @property
    def difference(self) -> int:
        """Black's discs less White's; the option adds a finished game's empties to the winner."""
        black, white = count(self.board, BLACK), count(self.board, WHITE)
        if self.empties_to_winner and self.over and black != white:
            empties = self.size * self.size - black - white
            return black - white + (empties if black > white else -empties)
        return black - white

    @property
    def winner(self) -> int:
        """+1 for Black, who moves first, 0 for a draw, -1 for White."""
        if not self.over:
            raise ValueError("the game is not over")
        return (self.difference > 0) - (self.difference < 0)


def perft(position: NaiveOthello, depth: int) -> int:
    """Leaves at a depth; a pass is a ply, and a game that ended earlier counts as one leaf."""
    if depth == 0:
        return 1
    actions = position.legal()
    if not actions:
        return 1
    if depth == 1:
        return len(actions)
    return sum(perft(position.play(action), depth - 1) for action in actions)
