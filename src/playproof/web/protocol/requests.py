"""Messages of a client, over the WebSocket or as ``POST /api/games/ID/TYPE``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar, cast

from msgspec import UNSET, Meta, Struct, UnsetType

from playproof.web.protocol.refusal import LARGEST

MOST_CLICKS = 16  # of one move
MOST_LINES = 20  # best moves of one thinking
MOST_VERSIONS = 2**53  # as many as JavaScript tells apart

T = TypeVar("T")


def wants(text: str, **more: Any) -> Meta:
    """What a field must be, in words, where its type alone says it badly."""
    return Meta(extra={"wants": text}, **more)


# Fields

Version = Annotated[
    int,
    Meta(
        ge=0,
        le=MOST_VERSIONS,
        description="The version that the message was made on; refused as stale if it is old.",
    ),
]
Seed = Annotated[int, Meta(ge=0, le=2**53)]
LineId = Annotated[int, Meta(ge=0, le=100_000, description="A line of an analysis.")]
Ply = Annotated[
    Annotated[int, Meta(ge=0, le=1_000_000)] | Literal["last"] | None,
    wants('a whole number from 0 to 1000000, or "last"'),
]
Token = Annotated[str, Meta(max_length=16)]
Clicks = Annotated[
    tuple[Token, ...],
    wants(
        f'a list of 1 to {MOST_CLICKS} tokens, such as ["e2", "e4"]',
        min_length=1,
        max_length=MOST_CLICKS,
        description="As in view.legal, or the id of one of view.actions.",
    ),
]
Prefix = Annotated[
    tuple[Token, ...],
    wants(f'a list of at most {MOST_CLICKS} tokens, such as ["e2"]', max_length=MOST_CLICKS),
]
Option = (
    Annotated[str, Meta(max_length=64)]
    | bool
    | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
    | float
)
Variant = Annotated[
    Annotated[str, Meta(max_length=64)]
    | Annotated[dict[Annotated[str, Meta(max_length=32)], Option], Meta(max_length=32)],
    wants(
        'the id of a variant or options such as {"size": 6}',
        description="A variant's id in the catalog, or options.",
    ),
]
GameName = Annotated[
    str, Meta(max_length=32, description='A game of the catalog; with a text also "auto".')
]
SeatSpec = Annotated[str, Meta(min_length=1, max_length=200)]
Seats = Annotated[
    tuple[SeatSpec, SeatSpec],
    wants(
        'two of "human", "open" and agents, such as ["human", "greedy"]',
        description="Each is human (you), open (whoever joins first) or an agent's spec.",
    ),
]
AgentSpec = Annotated[
    str, Meta(max_length=200, examples=["alphabeta:time=2", "mcts:simulations=800"])
]
Topic = Annotated[str, Meta(max_length=160, examples=["jobs", "run:choko"])]


class Clock(Struct, frozen=True, forbid_unknown_fields=True):
    """Time for the whole game, and what each move adds."""

    seconds: Annotated[float, Meta(ge=1, le=86_400)]
    increment: Annotated[float, Meta(ge=0, le=3_600)] = 0.0


Seconds = Annotated[float, Meta(ge=0.05, le=30)]


class Budget(Struct, frozen=True, forbid_unknown_fields=True):
    """Time for one thinking."""

    seconds: Seconds


# Messages


class Request(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag=str.lower
):
    """What every message may say: its game, and its own name, which the answer repeats."""

    id: Annotated[str, Meta(max_length=64)] | UnsetType = UNSET
    rid: (
        Annotated[
            Annotated[str, Meta(max_length=64)] | int | None,
            wants("a text of at most 64 characters"),
        ]
        | UnsetType
    ) = UNSET


class New(Request, frozen=True):
    """Begin a game and enter it."""

    game: GameName | UnsetType = UNSET
    variant: Variant | UnsetType = UNSET
    seats: Seats | UnsetType = UNSET
    seed: Seed | UnsetType = UNSET
    clock: (
        Annotated[Clock | None, wants('such as {"seconds": 300, "increment": 2}')] | UnsetType
    ) = UNSET
    text: (
        Annotated[
            str,
            Meta(
                max_length=LARGEST,
                description="A record, transcript, PGN, SGF, FEN or board to begin from.",
            ),
        ]
        | UnsetType
    ) = UNSET
    analysis: (
        Annotated[bool, Meta(description="The board is free, and moves may branch.")] | UnsetType
    ) = UNSET


class Join(Request, frozen=True):
    """Enter a game, or look at it; a seat that is open becomes one's own."""

    seat: Annotated[int, Meta(ge=0, le=1)] | None = None
    ply: Ply = None


class Leave(Request, frozen=True):
    """Leave the game."""


class Move(Request, frozen=True):
    """Play a move: its clicks, or its number as a thinking tells it."""

    ver: Version
    c: Clicks | UnsetType = UNSET
    action: Annotated[int, Meta(ge=0, le=2**31, description="Instead of clicks.")] | UnsetType = (
        UNSET
    )
    line: LineId | UnsetType = UNSET
    ply: Ply = None


class Next(Request, frozen=True):
    """The clicks that may follow a prefix, where view.lazy says the list is too long."""

    ver: Version
    prefix: Prefix
    line: LineId | UnsetType = UNSET
    ply: Ply = None


class Undo(Request, frozen=True):
    """Take back to one's own previous decision."""

    ver: Version


class Redo(Request, frozen=True):
    """Play again what undo took back."""

    ver: Version


class Resign(Request, frozen=True):
    """Give the game up."""

    ver: Version


class Goto(Request, frozen=True):
    """Look at an earlier position; "last" follows the game again. For this connection alone."""

    ply: Ply


class Line(Request, frozen=True):
    """Choose a line of an analysis."""

    line: LineId
    ply: Ply = None


class Think(Request, frozen=True):
    """What an agent thinks of a position: streamed over the WebSocket, over HTTP the end."""

    agent: AgentSpec
    budget: (
        Annotated[
            Seconds | Budget,
            wants('seconds from 0.05 to 30, such as 2 or {"seconds": 2}'),
        ]
        | UnsetType
    ) = UNSET
    lines: (
        Annotated[
            int,
            Meta(ge=1, le=MOST_LINES, description="Best moves to tell with their continuation."),
        ]
        | UnsetType
    ) = UNSET
    ver: Version | UnsetType = UNSET
    line: LineId | UnsetType = UNSET
    ply: Ply = None


class Hint(Request, frozen=True):
    """The same, by a good agent with about a second."""

    ver: Version | UnsetType = UNSET
    line: LineId | UnsetType = UNSET
    ply: Ply = None


class Stop(Request, frozen=True):
    """End one's thinking with what it has; over HTTP all of one's thinkings in this game."""


class Share(Request, frozen=True):
    """Let everyone in the lab see the game, or no longer."""

    on: bool


class Delete(Request, frozen=True):
    """Delete the game."""


class Ping(Request, frozen=True):
    """Nothing but an answer."""


class Watch(Request, frozen=True):
    """Hear what changes about a topic."""

    topic: Topic


class Unwatch(Request, frozen=True):
    """Hear of a topic no longer."""

    topic: Topic


ALL: tuple[type[Request], ...] = (
    New, Join, Leave, Move, Next, Undo, Redo, Resign, Goto, Line, Think, Hint, Stop, Share,
    Delete, Ping, Watch, Unwatch,
)  # fmt: skip
BY_TYPE: dict[str, type[Request]] = {kind.__name__.lower(): kind for kind in ALL}
# Those about a game, which have a twin over HTTP; the others are about none, or a connection's.
TWINS = {
    name: kind for name, kind in BY_TYPE.items() if kind not in (New, Ping, Leave, Watch, Unwatch)
}


def given(value: T | UnsetType) -> T | None:
    """A field's value; None where the client left it out."""
    return None if value is UNSET else cast(T, value)


def ply_of(ply: int | str | None) -> int | None:
    """A ply as a number; None is the last one."""
    return ply if isinstance(ply, int) else None


def type_of(request: Request | type[Request]) -> str:
    """The ``type`` of a message."""
    return str(request.__struct_config__.tag)
