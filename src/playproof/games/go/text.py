"""Points, boards and options of Go as text; shared with Quantum Go.

A point is a column letter, A to T without I, and a row number from the bottom:
``C4``.  A board is written row by row from the top, separated by ``/``, with
numbers for runs of empty points: ``3/1XO/3``.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

from playproof.core.errors import DataError, UsageError
from playproof.core.spec import Option
from playproof.core.view import Board
from playproof.rules.go_board import LARGEST, SMALLEST

if TYPE_CHECKING:
    from playproof.core.kernels import Words

COLUMNS = "ABCDEFGHJKLMNOPQRST"
_BOARD = re.compile(r"([1-9]\d?)x([1-9]\d?)")
_PASSES = {"pass", "pa", "tt"}

COMMON_OPTIONS = (
    Option("board", "19x19", f"columns x rows, each from {SMALLEST} to {LARGEST}"),
    Option("komi", 0.0, "points added for White, in halves", minimum=-400.0, maximum=400.0),
    Option("handicap", 0, "Black stones on the board at the start", minimum=0, maximum=9),
    Option("suicide", False, "a move may take the mover's own last liberty"),
    Option("ko", "superko", "superko: no earlier board again", choices=("superko", "simple")),
    Option("scoring", "area", "stones and what they surround", choices=("area", "territory")),
)


def board_size(owner: str, text: str) -> tuple[int, int]:
    """(columns, rows) from the option ``board``."""
    match = _BOARD.fullmatch(text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(SMALLEST <= side <= LARGEST for side in size):
        raise UsageError(
            f"{owner}: board={text[:20]} is not columns x rows, each from {SMALLEST} to {LARGEST}, "
            "such as 9x9"
        )
    return size


def twice_komi(owner: str, komi: float) -> int:
    if 2 * komi != int(2 * komi):
        raise UsageError(f"{owner}: komi={komi} is not in half points, such as 6.5")
    return int(2 * komi)


def handicap_points(owner: str, width: int, height: int, stones: int) -> list[int]:
    """The points of the handicap stones, in the usual order: corners, sides, centre."""
    if stones == 0:
        return []

    def lines(side: int) -> tuple[int, int, int]:
        edge = 3 if side >= 13 else 2
        return edge, side // 2, side - 1 - edge

    (left, middle, right), (low, half, high) = lines(width), lines(height)
    corners = [(left, low), (right, high), (left, high), (right, low)]  # the order of GTP
    sides = [(left, half), (right, half), (middle, low), (middle, high)]
    centre = [(middle, half)]
    places = {
        5: corners + centre,
        6: corners + sides[:2],
        7: corners + sides[:2] + centre,
        8: corners + sides,
        9: corners + sides + centre,
    }.get(stones, corners[:stones])
    uneven = width % 2 == 0 or height % 2 == 0
    if stones == 1 or min(width, height) < 7 or (stones > 4 and (uneven or min(width, height) < 9)):
        raise UsageError(
            f"{owner}: handicap={stones} does not fit: 2 to 4 stones from 7x7 on, "
            "up to 9 from 9x9 on with sides of odd length"
        )
    return [width * row + column for column, row in places]


class Points:
    """The points of a board of one size, by number and by name."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.count = width * height
        self.names = [f"{COLUMNS[p % width]}{p // width + 1}" for p in range(self.count)]
        self.numbers = {name: p for p, name in enumerate(self.names)}

    @property
    def move_syntax(self) -> str:
        """How a move is written, for error lines."""
        return f"a point from A1 to {self.names[-1]} (no column I), or pass"

    def action_name(self, action: int) -> str:
        return self.names[action] if action < self.count else "pass"

    def find(self, text: str) -> int | None:
        """The action with this name; None if there is none."""
        name = text.strip()
        if name.lower() in _PASSES:
            return self.count
        return self.numbers.get(name.upper())

    def points_in(self, words: Words) -> list[int]:
        """The points of a bitboard, lowest first."""
        bits = sum(int(word) << 64 * i for i, word in enumerate(words))
        return [p for p in range(self.count) if bits >> p & 1]

    def write(self, letters: dict[int, str]) -> str:
        """A board as text; ``letters`` are those on its points, other points are empty."""
        rows = []
        for row in range(self.height - 1, -1, -1):
            line = [letters.get(self.width * row + c, "") for c in range(self.width)]
            runs = [(letter, len(list(run))) for letter, run in groupby(line)]
            rows.append("".join(letter * n if letter else str(n) for letter, n in runs))
        return "/".join(rows)

    def read(self, text: str, alphabet: str) -> dict[int, str]:
        """The letters of a written board by point; they must be in ``alphabet``."""
        rows = text.split("/")
        if len(rows) != self.height:
            raise DataError(f"a board of {len(rows)} rows: want {self.height}, separated by /")
        letters: dict[int, str] = {}
        for row, line in zip(range(self.height - 1, -1, -1), rows, strict=True):
            parts = re.findall(r"\d+|\D", line)
            points = [letter for p in parts for letter in _expand_run(p)]
            if len(points) != self.width or set(points) - {*alphabet, "."}:
                raise DataError(
                    f"row {line[:40]!r} of the board: want {self.width} points, "
                    f"each one of {' '.join(alphabet)}, with numbers for runs of empty ones"
                )
            letters |= {self.width * row + c: x for c, x in enumerate(points) if x != "."}
        return letters

    def board(self) -> Board:
        """The empty board for a View, with the usual star points."""
        return Board(
            kind="points",
            style="wood",
            columns=COLUMNS[: self.width],
            rows=tuple(str(row + 1) for row in range(self.height - 1, -1, -1)),
            stars=tuple(self.names[p] for p in self._stars()),
        )

    def _stars(self) -> list[int]:
        def lines(side: int) -> list[int]:
            if side < 7:
                return []
            edge = 3 if side >= 13 else 2
            middle = [side // 2] if side % 2 and side >= 9 else []
            return [edge, *middle, side - 1 - edge]

        columns, rows = lines(self.width), lines(self.height)
        small = min(self.width, self.height) < 13
        edges = {(c, r) for c in columns[:1] + columns[-1:] for r in rows[:1] + rows[-1:]}
        centre = {(self.width // 2, self.height // 2)} if len(columns) == len(rows) == 3 else set()
        stars = edges | centre if small else {(c, r) for c in columns for r in rows}
        return sorted(self.width * r + c for c, r in stars)


def _expand_run(part: str) -> list[str]:
    """The points of a run of empty ones (``.``), or a single letter."""
    if not part.isdigit():
        return [part]
    return ["."] * min(int(part[:3]), LARGEST + 1)


def board_and_komi(owner: str, options: dict[str, Any]) -> tuple[int, int, int]:
    """(columns, rows, twice the komi) from the options; UsageError if they are not possible."""
    width, height = board_size(owner, options["board"])
    return width, height, twice_komi(owner, options["komi"])


def points_text(margin: float) -> str:
    """A number of points in words: ``3.5 points``, ``1 point``."""
    return f"{margin:g} point{'' if margin == 1 else 's'}"
