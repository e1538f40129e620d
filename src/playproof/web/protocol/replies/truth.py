"""Replies about solved games: Choko, endings of Othello, and small boards."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import Reply, View

Winner = Literal[-1, 0, 1]  # Red, a draw, Blue
Source = Literal["tables", "shipped"]

# Choko


class TableCost(Reply):
    """The cost of tables for all positions up to a number of pieces: seconds, and bytes of disk
    and of memory."""

    pieces: int
    positions: int
    cells: int
    seconds: float
    disk: int
    memory: int
    command: str


class TableSize(TableCost):
    """The cost of a table, whether it is built, and whether it would fit on this machine."""

    built: bool
    fits: bool


class ChokoTables(Reply):
    """The tables on this machine, up to ``largest`` pieces; the cost of all sizes; and the jobs
    that are building tables or can be resumed."""

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
    """How many squares may be empty in an ending of Othello, and an example."""

    empty: int
    example: str


class Truth(Reply):
    """What is known of Choko: its value in moves, the value of each first placement, best play,
    and the tables on this machine; and what can be asked about Othello."""

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
    """Who wins (1 is Blue, -1 Red), and in how many actions if that is known."""

    who: Winner
    actions: int | None
    words: str


class ValuedMove(Reply, rename={"actions": "in"}):
    """A move and its value."""

    n: str
    who: Winner
    actions: int | None
    words: str


class KnownPosition(Reply):
    """The value of a position, the values of its moves, best first, and best play. ``moves`` is
    empty if only the position's value is known."""

    value: TrueValue
    source: Source
    moves: list[ValuedMove]
    line: list[str]


class BeyondTables(Reply):
    """The tables needed to know more of a position; not ``possible`` if no game reaches it."""

    possible: bool
    pieces: int | UnsetType = UNSET
    positions: int | UnsetType = UNSET
    cells: int | UnsetType = UNSET
    seconds: float | UnsetType = UNSET
    disk: int | UnsetType = UNSET
    memory: int | UnsetType = UNSET
    command: str | UnsetType = UNSET


class ChokoPosition(Reply):
    """A position of Choko: its picture, the moves ``left`` until the game is called off, and what
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
    """A move of a game: the values before and after it, whether it gave something away (``threw``),
    and moves that would have kept it."""

    n: str
    mover: Literal[0, 1]
    before: TrueValue | None
    after: TrueValue | None
    threw: bool
    kind: Literal["corner", "edge", "inner", "step", "jump"]
    better: list[str]


class JudgedGame(Reply):
    """A game of Choko, move by move, with a summary in a sentence or two."""

    text: str
    moves: list[JudgedMove]
    verdict: str


# Othello


class EndingMove(Reply):
    """A move, and Black's margin in discs after it; null if time ran out."""

    n: str
    value: int | None


class Ending(Reply):
    """An ending of Othello: its value and the value of each move as Black's margin; best play."""

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
    """A variant for which small boards are solved."""

    id: str
    title: str
    about: str


class SuperkoBoard(Reply):
    """Black's margin under superko, by variant."""

    board: str
    values: dict[str, int]


class SmallBoard(Reply):
    """A board: by variant what Black can force, what White can hold Black to, and the commands
    that solve it."""

    board: str
    values: dict[str, tuple[int, int]]
    commands: dict[str, str]


class SmallBoards(Reply):
    """Small boards of Go and Quantum Go with their values."""

    variants: list[SmallVariant]
    superko: SuperkoBoard
    boards: list[SmallBoard]


class SmallMove(Reply):
    """A choice, with what Black can force after it and what White can hold Black to."""

    n: str
    value: tuple[int, int]


class SmallPosition(Reply):
    """A position of a small board, its value, and the value of every choice, best first."""

    board: str
    variant: str
    names: list[str]
    view: View
    value: tuple[int, int]
    moves: list[SmallMove]
    decisions: int
    seconds: float
    command: str
