"""Choko by the book: a board of cells, the twelve rules one after another.

Nothing here is shared with the engine. A mistake would have to be made twice, in two quite
different ways of writing the rules down, before the two could agree on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

BLUE, RED = 0, 1
SIDE = 5
SQUARES = SIDE * SIDE
PIECES = 12
FIRST_STEP = SQUARES
FIRST_JUMP = SQUARES + 4 * SQUARES
ACTIONS = FIRST_JUMP + 4 * SQUARES * SQUARES

# Up, right, down, left as (row, column): row 0 is the bottom, so up adds a row.
DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))

Cell = int | None
Board = tuple[tuple[Cell, ...], ...]
EMPTY_BOARD: Board = ((None,) * SIDE,) * SIDE


def board_of(blue: Iterable[int], red: Iterable[int]) -> Board:
    """A board with pieces on the given squares, for positions nobody has played to."""
    cells: list[list[Cell]] = [[None] * SIDE for _ in range(SIDE)]
    for side, squares in ((BLUE, blue), (RED, red)):
        for square in squares:
            row, column = divmod(square, SIDE)
            assert cells[row][column] is None, "two pieces on one square"
            cells[row][column] = side
    return tuple(tuple(row) for row in cells)


def with_cells(board: Board, changes: dict[int | None, Cell]) -> Board:
    """The board with some squares changed; boards are values and never altered in place."""
    cells = [list(row) for row in board]
    for square, cell in changes.items():
        assert square is not None, "a piece beyond the edge"
        cells[square // SIDE][square % SIDE] = cell
    return tuple(tuple(row) for row in cells)


def cell_at(board: Board, square: int) -> Cell:
    """The side that stands on a square, or None."""
    return board[square // SIDE][square % SIDE]


def squares_with(board: Board, cell: Cell) -> list[int]:
    """The squares, in order, that hold this side's pieces (or nothing, for None)."""
    return [square for square in range(SQUARES) if cell_at(board, square) == cell]


def neighbour(square: int, direction: int, distance: int = 1) -> int | None:
    """The square at a distance in a direction, or None beyond the edge."""
    row = square // SIDE + distance * DIRECTIONS[direction][0]
    column = square % SIDE + distance * DIRECTIONS[direction][1]
    return SIDE * row + column if 0 <= row < SIDE and 0 <= column < SIDE else None


def naive_steps(board: Board, side: int) -> list[tuple[int, int]]:
    """(square, direction) of each step of this side to an empty orthogonal neighbour."""
    steps = []
    for square in squares_with(board, side):
        for direction in range(4):
            target = neighbour(square, direction)
            if target is not None and cell_at(board, target) is None:
                steps.append((square, direction))
    return steps


def naive_removals(board: Board, side: int, jumped: int, lone_jump: bool) -> list[int]:
    """The enemy pieces, one of which this side removes as well when it jumps over one."""
    enemies = squares_with(board, 1 - side)
    if lone_jump and enemies == [jumped]:
        return [jumped]
    return [enemy for enemy in enemies if enemy != jumped]


def naive_jumps(board: Board, side: int, lone_jump: bool) -> list[tuple[int, int, list[int]]]:
    """(square, direction, squares that may be removed) of each jump that is allowed."""
    jumps = []
    for square in squares_with(board, side):
        for direction in range(4):
            over, landing = neighbour(square, direction), neighbour(square, direction, 2)
            if over is None or landing is None:
                continue
            if cell_at(board, over) != 1 - side or cell_at(board, landing) is not None:
                continue
            removable = naive_removals(board, side, over, lone_jump)
            # The second removal is mandatory, so a last enemy piece is safe without the option.
            if removable:
                jumps.append((square, direction, removable))
    return jumps


@dataclass(frozen=True)
class NaiveChoko:
    """A position with the whole drop initiative: "none", BLUE or RED."""

    lone_jump: bool = False
    cap: int = 100
    board: Board = EMPTY_BOARD
    to_move: int = BLUE
    hands: tuple[int, int] = (PIECES, PIECES)
    captured: tuple[int, int] = (0, 0)  # pieces that each side has taken from the other
    initiative: str | int = "none"
    ply: int = 0

    @property
    def forced(self) -> bool:
        """Whether the mover must place because the opponent holds the drop initiative."""
        return self.initiative == 1 - self.to_move

    def actions_regardless_of_the_end(self) -> list[int]:
        """What the board, the hand and the initiative allow, before asking if the game is over."""
        actions = squares_with(self.board, None) if self.hands[self.to_move] else []
        if not self.forced:
            for square, direction in naive_steps(self.board, self.to_move):
                actions.append(FIRST_STEP + 4 * square + direction)
            for square, direction, removable in naive_jumps(
                self.board, self.to_move, self.lone_jump
            ):
                for removed in removable:
                    actions.append(FIRST_JUMP + SQUARES * (4 * square + direction) + removed)
        return sorted(actions)

    def legal(self) -> list[int]:
        """The legal actions; none once the game is over."""
        return [] if self.over else self.actions_regardless_of_the_end()

    @property
    def over(self) -> bool:
        """A win, the cap on actions, or a mover without an action."""
        if PIECES in self.captured or self.ply >= self.cap:
            return True
        return not self.actions_regardless_of_the_end()

    @property
    def winner(self) -> int:
        """+1 for Blue, who moves first, -1 for Red, 0 for a draw; a win beats the cap."""
        if not self.over:
            raise ValueError("the game is not over")
        return (self.captured[BLUE] == PIECES) - (self.captured[RED] == PIECES)

    def play(self, action: int) -> NaiveChoko:
        """The position after a legal action; an illegal one is a mistake of the caller."""
        if action not in self.legal():
            raise ValueError(f"action {action} is not legal here")
        side = self.to_move
        hands, captured = list(self.hands), list(self.captured)
        initiative = self.initiative
        changes: dict[int | None, Cell]
        if action < FIRST_STEP:
            changes = {action: side}
            hands[side] -= 1
            # A forced reply leaves the initiative with its holder.
            if not self.forced:
                initiative = side
        elif action < FIRST_JUMP:
            square, direction = divmod(action - FIRST_STEP, 4)
            changes = {square: None, neighbour(square, direction): side}
            initiative = "none"
        else:
            ray, removed = divmod(action - FIRST_JUMP, SQUARES)
            square, direction = divmod(ray, 4)
            over, landing = neighbour(square, direction), neighbour(square, direction, 2)
            changes = {square: None, over: None, removed: None, landing: side}
            captured[side] += len({over, removed})
            initiative = "none"
        return replace(
            self,
            board=with_cells(self.board, changes),
            to_move=1 - side,
            hands=(hands[0], hands[1]),
            captured=(captured[0], captured[1]),
            initiative=initiative,
            ply=self.ply + 1,
        )


def perft(position: NaiveChoko, depth: int) -> int:
    """Leaves at a depth; a game that ended earlier counts as one leaf."""
    if depth == 0:
        return 1
    actions = position.legal()
    if not actions:
        return 1
    if depth == 1:
        return len(actions)
    return sum(perft(position.play(action), depth - 1) for action in actions)
