"""Choko: place, step and jump on a board of five by five pits.

A player who places while free takes the *drop initiative*: the other side must
place too.  A step or a jump gives the initiative up.  A jump captures the piece
that it leaps over and one more.  A side that has lost all twelve pieces has lost.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.spec import Option
from playproof.core.view import Board, Flag, Hand, LegalMove, Mark, Piece, Turn, View
from playproof.rules.choko import BOARD, PIECES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playproof.core.kernels import Kernels, Words
    from playproof.core.state import State

_STEPS = (5, 1, -5, -1)  # up, right, down, left, in squares
_MOVE = re.compile(r"([A-E][1-5])(?:-([A-E][1-5])|X([A-E][1-5]),([A-E][1-5]))?")
_FIRST_STEP, _FIRST_JUMP = 25, 125
_MOVE_SYNTAX = "a placement C3, a step B3-B4 or a jump B1xD1,E1 (squares A1 to E5)"
_POSITION_SYNTAX = (
    "want rows 5 to 1, side, hands, initiative, actions played, such as '5/5/2b2/5/5 r 11 12 b 1'"
)


def square_name(square: int) -> str:
    return f"{'ABCDE'[square % 5]}{square // 5 + 1}"


def _goal(square: int, direction: int, length: int) -> int | None:
    """Where a step (length 1) or a jump (2) lands; None off the board."""
    row, column = divmod(square, 5)
    row += (length, 0, -length, 0)[direction]
    column += (0, length, 0, -length)[direction]
    return 5 * row + column if 0 <= row < 5 and 0 <= column < 5 else None


def _square(name: str) -> int:
    return 5 * (int(name[1]) - 1) + "ABCDE".index(name[0])


def _first_step(legal: Sequence[int]) -> str:
    """The instruction for the first click: only what the position allows."""
    places = any(action < _FIRST_STEP for action in legal)
    if all(action < _FIRST_STEP for action in legal):
        return "Place on an empty pit"
    return "Place on an empty pit, or choose a piece" if places else "Choose a piece"


class Choko(Game):
    name = "choko"
    title = "Choko"
    summary = "place, step and jump on 5x5 pits; capture all twelve enemy pieces"
    players = ("Blue", "Red")
    colours = ("b", "r")
    option_fields = (
        Option("lone_jump", False, "a jump may take the only enemy piece on the board"),
        Option("cap", 100, "draw after so many actions, 0 for never", minimum=0, maximum=10**6),
    )
    length_options = ("cap",)
    words = 3
    num_actions = 2625
    # Each of 12 pieces has at most one move in each of 4 directions: a step, or a jump with up
    # to 11 removals.  There are up to 25 placements.
    max_actions = 25 + 12 * 4 * 11
    symmetries = 8

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.observations = {
            "paper-25": (25,), "paper-26": (26,), "planes": (6, 5, 5), "position": (5, 5, 5),
        }  # fmt: skip
        # Hands, forced bit and side belong to the position; initiative, ending and ply do not.
        self.position_mask = np.array([BOARD, BOARD, 0xFF3], np.uint64)

    @functools.cached_property
    def kernels(self) -> Kernels:
        from playproof.games.choko.kernels import KERNELS

        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        lone = BOARD if self.options["lone_jump"] else 0
        return np.array([lone, self.options["cap"]], np.uint64)

    def start_row(self) -> Words:
        return self.row_of(0, 0, 0, 0, (PIECES, PIECES), 0)

    def row_of(
        self, blue: int, red: int, side: int, initiative: int, hands: tuple[int, int], ply: int
    ) -> Words:
        """The row of a position with these parts, which must be consistent."""
        from playproof.games.choko import kernels as k

        forced = int(initiative == 2 - side)
        ledger = k.write_ledger(side, forced, initiative, hands[0], hands[1], 0, ply)
        row = np.array([blue, red, ledger], np.uint64)
        row[k.LEDGER] |= np.uint64(int(k.ending(self.option_words, row, side, ply)) << 12)
        return row

    def ply(self, state: State) -> int:
        return int(state.row[2]) >> 16

    def actions_left(self, state: State) -> int | None:
        return self.options["cap"] - self.ply(state) if self.options["cap"] else None

    # Names

    def action_name(self, action: int) -> str:
        if action < _FIRST_STEP:
            return square_name(action)
        if action < _FIRST_JUMP:
            square, direction = divmod(action - _FIRST_STEP, 4)
            goal = _goal(square, direction, 1)
            if goal is not None:
                return f"{square_name(square)}-{square_name(goal)}"
        else:
            start, removed = divmod(action - _FIRST_JUMP, 25)
            square, direction = divmod(start, 4)
            goal = _goal(square, direction, 2)
            if goal is not None:
                return f"{square_name(square)}x{square_name(goal)},{square_name(removed)}"
        return f"action {action} (off the board)"

    def parse_action(self, text: str) -> int:
        match = _MOVE.fullmatch(text.strip().upper())
        if not match:
            raise self.bad_action(text, _MOVE_SYNTAX)
        start, step, landing, removed = match.groups()
        square = _square(start)
        if step:
            return _FIRST_STEP + 4 * square + self._direction(text, square, _square(step), 1)
        if landing:
            direction = self._direction(text, square, _square(landing), 2)
            return _FIRST_JUMP + 25 * (4 * square + direction) + _square(removed)
        return square

    def _direction(self, text: str, start: int, goal: int, length: int) -> int:
        rows, columns = goal // 5 - start // 5, goal % 5 - start % 5
        directions = {(length, 0): 0, (0, length): 1, (-length, 0): 2, (0, -length): 3}
        if (rows, columns) not in directions:
            raise self.bad_action(text, _MOVE_SYNTAX)
        return directions[rows, columns]

    def split_moves(self, text: str) -> list[str]:
        """The moves, separated by spaces; move numbers such as ``1.`` are skipped."""
        return re.sub(r"\b\d+\.+\s*", " ", text).split()

    # Positions: rows 5 to 1, side, hands of Blue and Red, initiative, actions played

    def write_position(self, row: Words) -> str:
        blue, red, ledger = (int(word) for word in row)
        ranks = []
        for rank in range(4, -1, -1):
            letters = ""
            for column in range(5):
                bit = 1 << (5 * rank + column)
                letters += "b" if blue & bit else "r" if red & bit else "."
            ranks.append(re.sub(r"\.+", lambda gap: str(len(gap[0])), letters))
        side, holder = "br"[ledger & 1], "-br"[ledger >> 2 & 3]
        hands = f"{ledger >> 4 & 15} {ledger >> 8 & 15}"
        return f"{'/'.join(ranks)} {side} {hands} {holder} {ledger >> 16}"

    def read_position(self, text: str) -> Words:
        parts = text.split()
        if len(parts) not in (5, 6):
            raise DataError(f"{text!r} is no position of Choko: {_POSITION_SYNTAX}")
        blue, red = self._read_board(parts[0])
        if parts[1] not in ("b", "r") or parts[4] not in ("-", "b", "r"):
            raise DataError(f"{text!r} is no position of Choko: {_POSITION_SYNTAX}")
        side, initiative = "br".index(parts[1]), "-br".index(parts[4])
        try:
            hands = int(parts[2]), int(parts[3])
            ply = int(parts[5]) if len(parts) == 6 else 2 * PIECES - sum(hands)
        except ValueError:
            raise DataError(f"{text!r} is no position of Choko: {_POSITION_SYNTAX}") from None
        self._check_counts(blue, red, side, initiative, hands, ply)
        return self.row_of(blue, red, side, initiative, hands, ply)

    def _read_board(self, text: str) -> tuple[int, int]:
        ranks = text.split("/")
        if len(ranks) != 5:
            raise DataError(f"{text!r} has {len(ranks)} rows: a board of Choko has 5")
        stones = {"b": 0, "r": 0}
        for rank, letters in zip(range(4, -1, -1), ranks, strict=True):
            row = re.sub(r"[1-5]", lambda gap: "." * int(gap[0]), letters)
            if len(row) != 5 or set(row) - set("br."):
                raise DataError(f"row {letters!r} of Choko: want five of b, r and gaps as digits")
            for column, letter in enumerate(row):
                if letter != ".":
                    stones[letter] |= 1 << (5 * rank + column)
        return stones["b"], stones["r"]

    def _check_counts(
        self, blue: int, red: int, side: int, initiative: int, hands: tuple[int, int], ply: int
    ) -> None:
        for player, pieces, hand in zip(self.players, (blue, red), hands, strict=True):
            if not 0 <= hand <= PIECES or pieces.bit_count() + hand > PIECES:
                raise DataError(
                    f"{player} has {pieces.bit_count()} on the board and {hand} in hand: "
                    f"a side of Choko has {PIECES} pieces at most"
                )
        # Hands are equal whenever the mover is free; a forced mover holds one more.
        forced = int(initiative == 2 - side)
        if hands[side] - hands[1 - side] != forced:
            want = "one more than the other" if forced else "as many as the other"
            raise DataError(
                f"hands {hands[0]} and {hands[1]} cannot be: {self.players[side]}, "
                f"{'forced' if forced else 'free'} to move, must hold {want}"
            )
        if ply % 2 != side or not 2 * PIECES - sum(hands) <= ply < 2**31:
            raise DataError(
                f"{ply} actions played cannot be: with {self.players[side]} to move and "
                f"{2 * PIECES - sum(hands)} pieces placed it is that many or an even number more"
            )

    # Picture

    def view(self, state: State) -> View:
        blue, red, ledger = (int(word) for word in state.row)
        outcome, side = state.outcome, ledger & 1
        holder = ledger >> 2 & 3
        hands = (ledger >> 4 & 15, ledger >> 8 & 15)
        captured = [
            PIECES - hand - stones.bit_count()
            for hand, stones in zip(hands, (blue, red), strict=True)
        ]
        legal = state.legal_actions()
        mover = self.players[side]
        result = None
        if outcome is not None:
            sentence = result = self._result_sentence(outcome, self.ply(state))
        else:
            must = " and must place" if ledger >> 1 & 1 else ""
            count = f"{len(legal)} legal move{'s' if len(legal) != 1 else ''}"
            sentence = f"{mover} to move{must}. {count}."
        return View(
            game=self.name,
            title=self.title,
            board=Board("pits", "sand", "ABCDE", ("5", "4", "3", "2", "1")),
            pieces=tuple(
                Piece(square_name(s), square_name(s), "peg", colour)
                for s in range(25)
                for colour, stones in zip(self.colours, (blue, red), strict=True)
                if stones >> s & 1
            ),
            turn=Turn("" if outcome is not None else self.colours[side], mover),
            say=sentence,
            marks=tuple(Mark(square_name(a), "dot") for a in legal if a < _FIRST_STEP),
            last=self._last(state),
            hands=tuple(Hand(c, n, PIECES) for c, n in zip(self.colours, hands, strict=True)),
            flag=Flag(self.colours[holder - 1], "drop initiative") if holder else None,
            score={"b": captured[1], "r": captured[0]},
            over=result,
            legal=tuple(self._legal_move(action) for action in legal),
            steps=(
                _first_step(legal),
                "Choose where it goes",
                f"Now remove one more {self.players[1 - side].lower()} piece",
            ),
        )

    def _legal_move(self, action: int) -> LegalMove:
        name = self.action_name(action)
        if action < _FIRST_STEP:
            return LegalMove((name,), name, ("to",), action=action)
        if action < _FIRST_JUMP:
            return LegalMove(tuple(name.split("-")), name, ("src", "to"), action=action)
        start, removed = divmod(action - _FIRST_JUMP, 25)
        square, direction = divmod(start, 4)
        jumped = square_name(square + _STEPS[direction])
        clicks = (*name.split(",")[0].split("x"), square_name(removed))
        gone = (jumped,) if removed == _square(jumped) else (jumped, square_name(removed))
        return LegalMove(clicks, name, ("src", "to", "rm"), gone, action)

    def _last(self, state: State) -> tuple[str, ...]:
        if not state.actions:
            return ()
        return tuple(re.split("[-x]", self.action_name(state.actions[-1]).split(",")[0]))

    def _result_sentence(self, outcome: int, ply: int) -> str:
        if outcome == 0:
            capped = self.options["cap"] and ply >= self.options["cap"]
            return f"Draw after {ply} actions." if capped else "Draw: no legal move."
        return f"{self.result_name(outcome)}: all {PIECES} enemy pieces captured."
