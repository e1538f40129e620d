"""Answers about what is known for certain: Choko, endings of Othello, and small boards."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import Reply, View

Winner = Literal[-1, 0, 1]  # Red, a draw, Blue
Source = Literal["tables", "shipped"]

# Choko


class TableCost(Reply):
    """What tables of all positions with so many pieces in play take: seconds, and bytes of
    disk and memory."""

    pieces: int
    positions: int
    cells: int
    seconds: float
    disk: int
    memory: int
    command: str


class TableSize(TableCost):
    """The same, whether they are built, and whether they would fit here."""

    built: bool
    fits: bool


class ChokoTables(Reply):
    """The tables that are here, up to ``largest`` pieces, what others would take, and the jobs
    that build some now or could go on."""

    largest: int
    sizes: list[TableSize]
    jobs: list[str]


class ChokoExample(Reply):
    """A position worth a look, as a text and a ply."""

    id: str
    title: str
    about: str
    text: str
    ply: int
    position: str


class EndingExample(Reply):
    """How many squares may be empty in an ending of Othello, and one to begin with."""

    empty: int
    example: str


class Truth(Reply):
    """What is known of Choko: its value in moves, that of each first placement, best play, and
    the tables here; what can be asked of Othello."""

    command: str
    value: int
    positions: int
    first: dict[str, int]
    first_words: str
    facts: list[str]
    line: str
    examples: list[ChokoExample]
    tables: ChokoTables
    endings: EndingExample


class TrueValue(Reply, rename={"actions": "in"}):
    """Who wins (1 is Blue, -1 Red) and in how many actions, where that is known."""

    who: Winner
    actions: int | None
    words: str


class ValuedMove(Reply, rename={"actions": "in"}):
    """A move, and what it is worth."""

    n: str
    who: Winner
    actions: int | None
    words: str


class KnownPosition(Reply):
    """The value of a position, that of its moves, best first, and best play; ``moves`` is empty
    where only the value is known."""

    value: TrueValue
    source: Source
    moves: list[ValuedMove]
    line: list[str]


class BeyondTables(Reply):
    """What it would take to know more of a position; nothing helps where no game comes to it."""

    possible: bool
    pieces: int | UnsetType = UNSET
    positions: int | UnsetType = UNSET
    cells: int | UnsetType = UNSET
    seconds: float | UnsetType = UNSET
    disk: int | UnsetType = UNSET
    memory: int | UnsetType = UNSET
    command: str | UnsetType = UNSET


class ChokoPosition(Reply):
    """A position of Choko: its picture, ``left`` moves until the game is called off, and what
    is known of it."""

    text: str
    base: str
    names: list[str]
    ply: int
    position: str
    view: View
    pieces: int
    over: bool
    left: int | None
    known: KnownPosition | None
    beyond: BeyondTables | None


class JudgedMove(Reply):
    """A move of a game: the values before and after it, whether it threw something away, and
    moves that would have kept it."""

    n: str
    mover: Literal[0, 1]
    before: TrueValue | None
    after: TrueValue | None
    threw: bool
    kind: Literal["corner", "edge", "inner", "step", "jump"]
    better: list[str]


class JudgedGame(Reply):
    """A game of Choko move by move, and a sentence about it."""

    text: str
    moves: list[JudgedMove]
    verdict: str


# Othello


class EndingMove(Reply):
    """A move and Black's margin in discs after it; null where time was up."""

    n: str
    value: int | None


class Ending(Reply):
    """An ending of Othello: its value and that of each move as Black's margin, and best play."""

    base: str
    names: list[str]
    empty: int
    view: View
    value: int | None
    moves: list[EndingMove]
    line: list[str]
    seconds: float


# Small boards


class SmallVariant(Reply):
    """A variant that small boards are solved for."""

    id: str
    title: str
    about: str


class SuperkoBoard(Reply):
    """Black's margin under superko, by variant."""

    board: str
    values: dict[str, int]


class SmallBoard(Reply):
    """By variant what Black can force and what White can hold Black to, and the commands that
    solve it."""

    board: str
    values: dict[str, tuple[int, int]]
    commands: dict[str, str]


class SmallBoards(Reply):
    """Small boards of Go and Quantum Go with their values."""

    variants: list[SmallVariant]
    superko: SuperkoBoard
    boards: list[SmallBoard]


class SmallMove(Reply):
    """A choice, and what Black can force and be held to after it."""

    n: str
    value: tuple[int, int]


class SmallPosition(Reply):
    """A position of a small board, its value, and that of every choice, best first."""

    board: str
    variant: str
    names: list[str]
    view: View
    value: tuple[int, int]
    moves: list[SmallMove]
    decisions: int
    seconds: float
    command: str
