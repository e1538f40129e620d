"""Replies about a game."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from playproof.web.protocol.refusal import Code, Refusal
from playproof.web.protocol.replies.base import Message, Number, Options, Reply, Result, View


class Seat(Reply):
    """Who has a seat: ``you`` if it is yours, ``here`` if its person is connected."""

    kind: Literal["human", "open", "agent"]
    name: str
    spec: str
    you: bool
    here: bool


class ClockTimes(Reply):
    """The seconds that each side has left, and the side whose clock runs."""

    left: list[float]
    running: int | None
    seconds: float
    increment: float


class Allowed(Reply):
    """What you may do now."""

    move: bool
    undo: bool
    redo: bool
    resign: bool


class Source(Reply):
    """Who played the game under analysis, according to its text."""

    players: tuple[str, str]
    result: str
    date: str
    event: str
    left_out: list[str]


class Variation(Reply, rename={"begin": "from"}):
    """A line of an analysis, which leaves its parent at ply ``from``."""

    id: int
    parent: int | None
    begin: int
    moves: list[str]
    current: bool


class State(Message, tag_field="type", tag="state"):
    """The whole game as you see it. ``ver`` increases with every change."""

    id: str
    ver: int
    game: str
    title: str
    variant: str
    options: Options
    seed: int
    players: list[str]
    ply: int
    of: int
    line: int
    view: View
    moves: list[str]
    seats: list[Seat]
    clock: ClockTimes | None
    result: Result
    reason: str | None
    thinking: bool
    can: Allowed
    analysis: bool
    source: Source | None
    lines: list[Variation]
    shared: bool
    yours: bool
    formats: list[str]


class ThoughtMove(Reply):
    """A move that the agent considered, with its figures and the line that follows."""

    c: list[str]
    n: str
    visits: Number | None
    prior: float | None
    value: float | None
    words: str
    share: float | None
    action: int
    line: list[str]
    actions: list[int]


class Thought(Message, tag_field="type", tag="think"):
    """A report of an analysis: ``sims`` of ``of``, the value and its unit, ``words`` where the
    result is certain, and the moves considered, best first. The last report has ``done``."""

    ver: int
    ply: int
    line: int
    agent: str
    sims: Number = 0
    of: Number = 0
    nodes: Number = 0
    seconds: float = 0.0
    value: float | None = None
    unit: Literal["points", "result"] = "result"
    words: str = ""
    share: float | None = None
    proven: bool = False
    heat: dict[str, float] = msgspec.field(default_factory=dict)
    pv: list[str] = msgspec.field(default_factory=list)
    actions: list[int] = msgspec.field(default_factory=list)
    top: list[ThoughtMove] = msgspec.field(default_factory=list)
    done: bool = False
    truth: str | UnsetType = UNSET


class NextClick(Reply):
    """A click that may follow: what it means, and whether it completes the move ``n``."""

    t: str
    kind: str
    ends: bool
    n: str | UnsetType = UNSET


class NextClicks(Message, tag_field="type", tag="next"):
    """The clicks that may follow a prefix."""

    tokens: list[NextClick]


class Error(Message, tag_field="type", tag="error"):
    """A refusal: ``code`` for programs, ``msg`` for people. ``state`` is the game as it is now."""

    code: Code
    msg: str
    state: State | UnsetType = UNSET
    topic: str | UnsetType = UNSET

    @classmethod
    def of(cls, refusal: Refusal, rid: str | None = None) -> Error:
        error = cls(code=refusal.public_code, msg=str(refusal))
        if rid is not None:
            error.rid = rid
        return error


class LeftGame(Message, tag_field="type", tag="left"):
    """You are not in a game any more."""


class Pong(Message, tag_field="type", tag="pong"):
    """The answer to a ping."""


class Watching(Message, tag_field="type", tag="watching"):
    """You are now watching the topic."""

    topic: str


class Unwatching(Message, tag_field="type", tag="unwatching"):
    """You are not watching the topic any more."""

    topic: str


class ListedRights(Reply):
    """What you may do with a listed game."""

    see: bool
    delete: bool


class ListedGame(Reply):
    """A game in a list."""

    id: str
    game: str
    title: str
    variant: str
    options: Options
    seats: list[Seat]
    ply: int
    result: Result
    reason: str | None
    analysis: bool
    updated: float
    shared: bool
    yours: bool
    open: bool
    can: ListedRights


class Games(Reply):
    """The games you may see."""

    games: list[ListedGame]


class FoundGame(Reply):
    """A game in a text, and its place there."""

    number: int
    begin: int
    end: int
    players: list[str]
    result: str
    date: str
    event: str


class GameChoice(Reply):
    """A game that a text may belong to."""

    name: str
    title: str


class Contents(Reply):
    """What a text holds: its games, the first ones of ``of``, or the games it may belong to.
    ``msg`` says why it is not simply one game."""

    choices: list[GameChoice]
    msg: str
    games: list[FoundGame]
    of: int


class RecordedSide(Reply):
    """A side of a recorded game, and who played it."""

    c: str
    name: str
    player: str


class RecordedGame(Reply):
    """A recorded game: its moves, and ``record``, the line of JSON with everything in it."""

    game: str
    title: str
    variant: str
    options: Options
    sides: list[RecordedSide]
    moves: list[str]
    of: int
    result: str
    reason: str | None
    formats: list[str]
    record: str


class RecordedViews(Reply, rename={"begin": "from"}):
    """Boards of a recorded game, from ply ``from`` on."""

    begin: int
    views: list[dict[str, Any]]
