"""Othello: turn the opponent's discs over by enclosing them.

A pass is an explicit action, legal only when the side to move cannot place a disc
but the other side can.  The game is over as soon as neither side can.  The side
with more discs wins.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.spec import Option
from playproof.core.view import Board, Button, LegalMove, Mark, Piece, Turn, View
from playproof.rules import othello as rules

if TYPE_CHECKING:
    from playproof.core.kernels import Kernels, Words
    from playproof.core.state import State

_PASSES = {"pass", "pa", "--", "ps"}
# Digits are a move number, not part of a square, if they stand alone or end with a sign:
# f5 2. d6, f52.d6.
_WORD = re.compile(
    r"(?P<between>[\s,;\ufeff]+|\d+\s*[.):]+|(?:(?<=\s)|^)\d+(?=\s|[a-h]))"
    r"|(?P<move>[a-z][1-9]|--|pass)|(?P<other>[^\s]{1,2})"
)
_SQUARE_LETTERS = {"X": 0, "B": 0, "*": 0, "O": 1, "W": 1, "-": None, ".": None, "_": None}


class Othello(Game):
    name = "othello"
    title = "Othello"
    summary = "close discs in and turn them over; the most discs win"
    players = ("Black", "White")
    colours = ("b", "w")
    option_fields = (
        Option("size", 8, "squares along a side", choices=rules.SIZES),
        Option("empties_to_winner", False, "empty squares count for the winner"),
    )
    perft_counts_finished = True
    colour_symmetry = True
    level_name = "stones"
    level_start = 4
    words = 4
    symmetries = 8

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.size = int(self.options["size"])
        self.pass_action = self.size**2
        self.num_actions = self.size**2 + 1
        self.max_actions = self.size**2
        self.skipped_action = self.pass_action
        self.observations = {"planes": (3, self.size, self.size)}
        self.position_mask = np.array([2**64 - 1, 2**64 - 1, 0, 1], np.uint64)

    @functools.cached_property
    def kernels(self) -> Kernels:
        from playproof.games.othello.kernels import KERNELS

        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        winner = self.options["empties_to_winner"]
        return np.array([self.size, rules.board(self.size), winner], np.uint64)

    def start_row(self) -> Words:
        return self._row(*rules.start(self.size), 0)

    def _row(self, black: int, white: int, side: int) -> Words:
        from playproof.games.othello.kernels import fill_derived

        row = np.array([black, white, 0, side], np.uint64)
        fill_derived(self.option_words, row)
        return row

    def empties(self, state: State) -> int:
        """Squares without a disc."""
        return self.size**2 - int(state.row[0]).bit_count() - int(state.row[1]).bit_count()

    # Names

    def square_name(self, action: int) -> str:
        row, column = divmod(action, self.size)
        return f"{'abcdefgh'[column]}{row + 1}"

    def action_name(self, action: int) -> str:
        return "pass" if action == self.pass_action else self.square_name(action)

    def parse_action(self, text: str) -> int:
        name = text.strip().lower()
        if name in _PASSES:
            return self.pass_action
        last = self.square_name(self.size**2 - 1)
        if len(name) == 2 and name[0] in "abcdefgh"[: self.size] and name[1] in "12345678":
            row, column = int(name[1]) - 1, "abcdefgh".index(name[0])
            if row < self.size:
                return self.size * row + column
        raise self.bad_action(text, f"a square from a1 to {last}, or pass")

    def split_moves(self, text: str) -> list[str]:
        """The moves of a transcript such as ``f5d6c4``, in either case.

        Spaces, commas and move numbers such as ``1.`` may separate them; passes are ``--``,
        ``pa``, ``ps`` or ``pass``."""
        names = []
        for word in _WORD.finditer(text.lower()):
            if word.lastgroup != "between":
                names.append("--" if word[0] == "pass" else word[0])
        return names

    def join_moves(self, names: Sequence[str]) -> str:
        return "".join("--" if name == "pass" else name for name in names)

    def looks_like_position(self, text: str) -> bool:
        return not any(letter.isdigit() for letter in text)

    # Positions: size * size letters from a1 along the rows, then the side to move

    def write_position(self, row: Words) -> str:
        letters = []
        for r in range(self.size):
            for c in range(self.size):
                bit = 1 << (8 * r + c)
                letters.append("X" if int(row[0]) & bit else "O" if int(row[1]) & bit else "-")
        return "".join(letters) + (" O" if int(row[3]) & 1 else " X")

    def read_position(self, text: str) -> Words:
        letters = "".join(text.split()).upper()
        squares = self.size**2
        if len(letters) != squares + 1:
            raise DataError(
                f"a board of {self.title} {self.size}x{self.size} is {squares} characters "
                f"(X, O, -) and the side to move (X or O), not {len(letters)} characters"
            )
        stones = [0, 0]
        for i, letter in enumerate(letters[:-1]):
            if letter not in _SQUARE_LETTERS:
                raise DataError(f"'{letter}' on a board of {self.title}: want X, O or -")
            colour = _SQUARE_LETTERS[letter]
            if colour is not None:
                stones[colour] |= 1 << (8 * (i // self.size) + i % self.size)
        centre = sum(rules.start(self.size))
        if centre & ~(stones[0] | stones[1]):
            raise DataError(f"no game of {self.title} has an empty centre: want four discs there")
        side = _SQUARE_LETTERS.get(letters[-1])
        if side is None:
            raise DataError(f"'{letters[-1]}' is no side to move: want X (Black) or O (White)")
        return self._row(stones[0], stones[1], side)

    # Picture

    def view(self, state: State) -> View:
        row = state.row
        over = state.outcome
        side = int(row[3]) & 1
        legal = state.legal_actions()
        placements = [a for a in legal if a != self.pass_action]
        discs = [bin(int(row[0])).count("1"), bin(int(row[1])).count("1")]
        mover = self.players[side]
        if over is not None:
            sentence = result = self._result_sentence(over, discs)
        else:
            result = None
            moves = f"{len(placements)} legal move{'s' if len(placements) != 1 else ''}"
            sentence = f"{mover} to move. " + (moves if placements else f"{mover} must pass") + "."
        last = state.actions[-1:] if state.actions else ()
        return View(
            game=self.name,
            title=self.title,
            board=Board(
                kind="cells",
                style="felt",
                columns="abcdefgh"[: self.size],
                rows=tuple(str(r + 1) for r in range(self.size)),
            ),
            pieces=tuple(self._pieces(row)),
            turn=Turn("" if over is not None else self.colours[side], mover),
            say=sentence,
            marks=tuple(Mark(self.square_name(a), "num", i) for i, a in enumerate(placements, 1)),
            last=tuple(self.square_name(a) for a in last if a != self.pass_action),
            score={"b": discs[0], "w": discs[1]},
            over=result,
            legal=tuple(
                LegalMove((self.square_name(a),), self.square_name(a), ("to",), action=a)
                for a in placements
            ),
            actions=(Button("pass", "Pass", legal[0]),) if legal and not placements else (),
            steps=("Choose one of the marked squares",) if placements else (),
        )

    def _pieces(self, row: Words) -> list[Piece]:
        pieces = []
        for action in range(self.size**2):
            bit = 1 << (8 * (action // self.size) + action % self.size)
            for colour, stones in zip(self.colours, row[:2], strict=True):
                if int(stones) & bit:
                    at = self.square_name(action)
                    pieces.append(Piece(at, at, "disc", colour))
        return pieces

    def _result_sentence(self, over: int, discs: list[int]) -> str:
        if over == 0:
            return f"Draw, {discs[0]} discs each."
        winner, loser = (0, 1) if over > 0 else (1, 0)
        return f"{self.players[winner]} wins {discs[winner]} to {discs[loser]}."
