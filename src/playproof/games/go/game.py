"""Go on rectangles from 2x2 to 19x19; without options, by the rules of Tromp and Taylor.

A move puts a stone on an empty point.  Then chains without liberties leave the
board, the opponent's first.  No board may occur twice.  Two passes end the game,
and each side counts its stones and the points that they surround.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.core.game import Game
from playproof.core.view import Button, LegalMove, Mark, Piece, Turn, View
from playproof.games.go import text as go_text
from playproof.rules import go_board

if TYPE_CHECKING:
    from playproof.core.kernels import Kernels, Words
    from playproof.core.state import State

_POSITION_SYNTAX = (
    "want the board from the top, the side, the passes, the ko point or -, and the prisoners "
    "of Black and White, such as '3/1XO/3 b 0 - 0 0'"
)


class Go(Game):
    name = "go"
    title = "Go"
    summary = "surround points and capture stones; Tromp-Taylor rules, any rectangle"
    players = ("Black", "White")
    colours = ("b", "w")
    option_fields = go_text.COMMON_OPTIONS
    uses_history = True  # superko

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        width, height, self.twice_komi = go_text.board_and_komi(self.name, self.options)
        self.width, self.height = width, height
        self.points = go_text.Points(width, height)
        self.start_stones = go_text.handicap_points(
            self.name, width, height, self.options["handicap"]
        )
        self.board_words = go_board.words_for(width, height)
        self.words = 3 * self.board_words + 1
        self.pass_action = self.points.count
        self.num_actions = self.max_actions = self.points.count + 1
        self.symmetries = 8 if width == height else 4
        self.observations = {"planes": (8, height, width)}
        territory = self.options["scoring"] == "territory"
        whole = [int(word) for word in go_board.ground(width, height).whole]
        # Side, passes and ko belong to the position, and under territory scoring the prisoners.
        ledger = (1 << 24) - 1 if territory else (1 << 12) - 1
        if self.options["ko"] == "superko":
            ledger &= ~(0x1FF << 3)
        self.position_mask = np.array([*whole, *whole, *[0] * len(whole), ledger], np.uint64)

    @functools.cached_property
    def kernels(self) -> Kernels:
        from playproof.games.go.kernels import KERNELS

        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        return common_words(self.width, self.height, self.twice_komi, self.options)

    def start_row(self) -> Words:
        return self._row(self.start_stones, [], int(bool(self.start_stones)), 0, None, (0, 0))

    def _row(
        self, black: Iterable[int], white: Iterable[int], side: int, passes: int, ko: int | None,
        prisoners: tuple[int, int],
    ) -> Words:  # fmt: skip
        """The row with these stones; DataError if a chain has no liberty."""
        from playproof.games.go import kernels as go_kernels

        row = np.zeros(self.words, np.uint64)
        for colour, stones in enumerate((black, white)):
            for point in stones:
                row[colour * self.board_words + point // 64] |= np.uint64(1 << point % 64)
        row[-1] = go_kernels.write_ledger(side, passes, -1 if ko is None else ko, *prisoners)
        if go_kernels.fill_derived(self.option_words, row):
            raise DataError(f"impossible in {self.title}: a chain has no liberty")
        return row

    # Names

    def action_name(self, action: int) -> str:
        return self.points.action_name(action)

    def parse_action(self, text: str) -> int:
        action = self.points.find(text)
        if action is None:
            raise self.bad_action(text, self.points.move_syntax)
        return action

    # Positions: the board from the top, side, passes, ko point, prisoners

    def stones(self, row: Words) -> tuple[list[int], list[int]]:
        """The points of Black's and of White's stones."""
        n = self.board_words
        return self.points.points_in(row[:n]), self.points.points_in(row[n : 2 * n])

    def prisoners(self, state: State) -> tuple[int, int]:
        """How many stones Black and White have captured."""
        return self._prisoners(state.row)

    def _prisoners(self, row: Words) -> tuple[int, int]:
        ledger = int(row[-1])
        return ledger >> 24 & 0xFFFFF, ledger >> 44

    def write_position(self, row: Words) -> str:
        ledger = int(row[-1])
        black, white = self.stones(row)
        board = self.points.write(dict.fromkeys(black, "X") | dict.fromkeys(white, "O"))
        ko = ledger >> 3 & 0x1FF
        point = self.points.names[ko - 1] if ko else "-"
        prisoners = "{} {}".format(*self._prisoners(row))
        return f"{board} {'bw'[ledger & 1]} {ledger >> 1 & 3} {point} {prisoners}"

    def read_position(self, text: str) -> Words:
        parts = text.split()
        if len(parts) != 6 or parts[1] not in "bw" or parts[2] not in ("0", "1", "2"):
            raise DataError(f"{text[:80]!r} is no position of {self.title}: {_POSITION_SYNTAX}")
        letters = self.points.read(parts[0], "XO")
        try:
            prisoners = int(parts[4]), int(parts[5])
            ko = None if parts[3] == "-" else self.points.numbers[parts[3].upper()]
            if not all(0 <= n < 2**20 for n in prisoners):
                raise ValueError
        except (KeyError, ValueError):
            raise DataError(
                f"{text[:80]!r} is no position of {self.title}: {_POSITION_SYNTAX}"
            ) from None
        if ko is not None and (ko in letters or self.options["ko"] == "superko"):
            raise DataError(f"ko at {parts[3]}: only an empty point under ko=simple can be barred")
        sides = [[p for p, x in letters.items() if x == letter] for letter in "XO"]
        return self._row(sides[0], sides[1], "bw".index(parts[1]), int(parts[2]), ko, prisoners)

    def score_without(self, state: State, dead: Iterable[str]) -> float:
        """Black's margin after the sides have agreed that the stones on ``dead`` are dead.

        Each of these stones becomes a prisoner."""
        black, white = (set(stones) for stones in self.stones(state.row))
        removed = set()
        for name in dead:
            point = self.points.find(name)
            if point not in black | white:
                raise UsageError(f"there is no stone on {name} that could be dead")
            removed.add(point)
        by_black, by_white = self.prisoners(state)
        prisoners = by_black + len(removed & white), by_white + len(removed & black)
        row = self._row(black - removed, white - removed, 0, 2, None, prisoners)
        return float(self.kernels.score(self.option_words, self.tables, row, row[:0]))

    # Picture

    def view(self, state: State) -> View:
        over, side = state.outcome, int(state.row[-1]) & 1
        legal = state.legal_actions()
        placements = [a for a in legal if a != self.pass_action]
        mover = self.players[side]
        passed = " The other side has passed." if int(state.row[-1]) >> 1 & 1 and not over else ""
        if over is not None:
            sentence = result = self.result_sentence(over, state.score)
        else:
            count = f"{len(placements)} point{'s' if len(placements) != 1 else ''} to play on"
            sentence, result = f"{mover} to move.{passed} {count}.", None
        prisoners = self.prisoners(state)
        names = self.points.names
        colours = zip(self.colours, self.stones(state.row), strict=True)
        ko = int(state.row[-1]) >> 3 & 0x1FF
        return View(
            game=self.name,
            title=self.title,
            board=self.points.board(),
            pieces=tuple(Piece(names[p], names[p], "stone", c) for c, ps in colours for p in ps),
            turn=Turn("" if over is not None else self.colours[side], mover),
            say=sentence,
            marks=(Mark(names[ko - 1], "cross"),) if ko else (),
            last=tuple(names[a] for a in state.actions[-1:] if a != self.pass_action),
            score={"b": prisoners[0], "w": prisoners[1]},
            over=result,
            legal=tuple(LegalMove((names[a],), names[a], ("to",), action=a) for a in placements),
            actions=(Button("pass", "Pass", self.pass_action),) if legal else (),
            steps=("Choose an empty point, or pass",) if legal else (),
        )

    def result_sentence(self, outcome: int, margin: float) -> str:
        if outcome == 0:
            return "Draw: both sides have the same number of points."
        return f"{self.result_name(outcome)} by {go_text.points_text(abs(margin))}."


def common_words(
    width: int, height: int, twice_komi: int, options: dict[str, Any], more: Iterable[int] = ()
) -> Words:
    """The option words: those that Go and Quantum Go share, ``more`` of a game's own, and the
    masks of ``rows``."""
    ground = go_board.ground(width, height)
    words = [
        width, height, len(ground.whole), twice_komi % 2**64, options["ko"] == "superko",
        options["suicide"], options["scoring"] == "territory", *more,
    ]  # fmt: skip
    masks = [*ground.not_first, *ground.not_last, *ground.whole]
    return np.array([*words, *[0] * (24 - len(words)), *masks], np.uint64)
