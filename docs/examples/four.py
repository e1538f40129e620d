"""Four in a Row: discs in two colours, columns to click, rules for the lab's page.

Yellow and Red drop discs into seven columns of six cells.  Whoever has four in a line wins.

    python docs/examples/four.py

plays some moves.  CONTRIBUTING.md explains each part with Nim as the example.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

import playproof
from playproof.core.bits import mix
from playproof.core.compiling import kernel
from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.kernels import (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
    HASH_SIGNATURE,
    OBSERVE_SIGNATURE,
    ONGOING,
    OUTCOME_SIGNATURE,
    PLAYER_SIGNATURE,
    SCORE_SIGNATURE,
    Kernels,
)
from playproof.core.spec import Option
from playproof.core.view import Board, LegalMove, Piece, Turn, View

if TYPE_CHECKING:
    from playproof.core.kernels import Words
    from playproof.core.state import State

COLUMNS, ROWS = 7, 6
TALL = ROWS + 1  # bits of a column: the top one stays empty, so that lines do not wrap around
FULL = COLUMNS * ROWS
SIDE = 2

# Compiled: a row is (Yellow's discs, Red's, side to move); bit 7 c + r is column c, r from below.
# The only option word is how many discs in a line win.


@register_jitable
def has_line(discs, length):  # type: ignore[no-untyped-def]
    """Whether ``length`` discs lie in a line: vertical, horizontal or diagonal."""
    for step in (1, TALL - 1, TALL, TALL + 1):
        run = discs
        for _ in range(length - 1):
            run &= run >> uint64(step)
        if run != uint64(0):
            return True
    return False


@register_jitable
def result(options, state):  # type: ignore[no-untyped-def]
    length = int64(options[0])
    if has_line(state[0], length):
        return 1
    if has_line(state[1], length):
        return -1
    discs = state[0] | state[1]
    for column in range(COLUMNS):
        if discs >> uint64(TALL * column + ROWS - 1) & uint64(1) == uint64(0):
            return ONGOING
    return 0


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):  # type: ignore[no-untyped-def]
    if result(options, state) != ONGOING:
        return 0
    n = 0
    discs = state[0] | state[1]
    for column in range(COLUMNS):
        if discs >> uint64(TALL * column + ROWS - 1) & uint64(1) == uint64(0):
            out[n] = column
            n += 1
    return n


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):  # type: ignore[no-untyped-def]
    low = uint64(1) << uint64(TALL * action)
    column = ((uint64(1) << uint64(ROWS)) - uint64(1)) << uint64(TALL * action)
    discs = (state[0] | state[1]) & column
    state[int64(state[SIDE])] |= discs + low & ~discs  # the lowest empty cell
    state[SIDE] ^= uint64(1)


@kernel(PLAYER_SIGNATURE)
def player(options, state):  # type: ignore[no-untyped-def]
    return int64(state[SIDE])


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):  # type: ignore[no-untyped-def]
    return result(options, state)


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):  # type: ignore[no-untyped-def]
    """No points but the win."""
    value = result(options, state)
    return 0.0 if value == ONGOING else float(value)


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):  # type: ignore[no-untyped-def]
    """``planes``: the mover's discs and the other side's, the lowest row first."""
    mine = int64(state[SIDE])
    for side in range(2):
        discs = state[mine if side == 0 else 1 - mine]
        for row in range(ROWS):
            for column in range(COLUMNS):
                bit = discs >> uint64(TALL * column + row) & uint64(1)
                out[side * FULL + row * COLUMNS + column] = np.float32(bit)


@kernel(HASH_SIGNATURE)
def hash_(options, state):  # type: ignore[no-untyped-def]
    return mix(mix(state[0]) ^ state[1] << uint64(1) ^ state[SIDE])


KERNELS = Kernels(
    actions=actions,
    apply=apply,
    player=player,
    outcome=outcome,
    score=score,
    observe=observe,
    hash=hash_,
)

# For people: names, colours, positions, pictures, rules

LETTERS = "abcdefg"


class FourInARow(Game):
    name = "four"
    title = "Four in a Row"
    summary = "drop discs into seven columns; four in a line win"
    players = ("Yellow", "Red")
    colours = ("y", "r")
    rules = """
        Yellow and Red drop discs of their colour into a board that stands upright. Whoever first
        has four in a line wins.

        ## A move

        Choose a column that is not full. Your disc falls to its lowest empty cell. Yellow begins;
        after that the two sides take turns.

        ## The end

        - Four discs of one colour in a line win: along a row, up a column, or on a diagonal.
        - A full board without such a line is a draw.
    """
    option_fields = (Option("line", 4, "discs in a line that win", choices=(3, 4, 5)),)
    words = 3
    num_actions = max_actions = COLUMNS

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.observations = {"planes": (2, ROWS, COLUMNS)}
        cells = sum(((1 << ROWS) - 1) << TALL * column for column in range(COLUMNS))
        self.position_mask = np.array([cells, cells, 1], np.uint64)

    @functools.cached_property
    def kernels(self) -> Kernels:
        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        return np.array([self.options["line"]], np.uint64)

    def start_row(self) -> Words:
        return np.zeros(3, np.uint64)

    def action_name(self, action: int) -> str:
        return LETTERS[action]

    def parse_action(self, text: str) -> int:
        name = text.strip().lower()
        if len(name) != 1 or name not in LETTERS:
            raise self.bad_action(text, "a column, a to g")
        return LETTERS.index(name)

    def write_position(self, row: Words) -> str:
        discs = dict(self._discs(row))
        lines = ("".join(discs.get(f"{c}{r}", ".") for c in LETTERS) for r in range(ROWS, 0, -1))
        return f"{'/'.join(lines)} {self.colours[int(row[SIDE])]}"

    def read_position(self, text: str) -> Words:
        board, _, side = text.strip().partition(" ")
        lines = board.split("/")
        if [len(line) for line in lines] != [COLUMNS] * ROWS or side not in self.colours:
            raise DataError(
                f"{text!r} is not a position of {self.title}: want {ROWS} lines and y or r"
            )
        row = [0, 0, self.colours.index(side)]
        for c in range(COLUMNS):
            column = "".join(line[c] for line in reversed(lines)).rstrip(".")
            if not set(column) <= set(self.colours):
                raise DataError(f"column {LETTERS[c]} is {column!r}: want y and r without gaps")
            for r, colour in enumerate(column):
                row[self.colours.index(colour)] |= 1 << TALL * c + r
        return np.array(row, np.uint64)

    def _discs(self, row: Words) -> list[tuple[str, str]]:
        """The cell and the colour of every disc."""
        return [
            (f"{LETTERS[c]}{r + 1}", colour)
            for word, colour in zip(row, self.colours, strict=False)
            for c in range(COLUMNS)
            for r in range(ROWS)
            if int(word) >> TALL * c + r & 1
        ]

    def view(self, state: State) -> View:
        discs = self._discs(state.row)
        side = int(state.row[SIDE])
        over = None if state.outcome is None else f"{self.result_name(state.outcome).capitalize()}."
        return View(
            game=self.name,
            title=self.title,
            board=Board("cells", "wood", LETTERS, tuple("654321")),
            pieces=tuple(Piece(at, at, "disc", colour) for at, colour in discs),
            turn=Turn("" if over else self.colours[side], self.players[side]),
            say=over or f"{self.players[side]} to move.",
            over=over,
            last=self._last(state),
            legal=tuple(
                LegalMove((at,), self.action_name(action), ("to",))
                for action in state.legal_actions()
                for at in self._empty(discs, LETTERS[action])
            ),
        )

    def _last(self, state: State) -> tuple[str, ...]:
        """The disc that fell last is on top of its column."""
        if not state.actions:
            return ()
        column = LETTERS[state.actions[-1]]
        return (f"{column}{sum(at[0] == column for at, _ in self._discs(state.row))}",)

    def _empty(self, discs: list[tuple[str, str]], column: str) -> list[str]:
        """A click anywhere in a column is a move; the first one is where the disc falls."""
        height = sum(at[0] == column for at, _ in discs)
        return [f"{column}{r}" for r in range(height + 1, ROWS + 1)]


def main() -> None:
    playproof.register(FourInARow)
    game = playproof.make("four")
    print(game.start().play("d d c e b"))
    print("perft 1 to 5:", [playproof.perft(game, depth) for depth in range(1, 6)])


if __name__ == "__main__":
    main()
