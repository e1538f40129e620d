"""Messages of a client, over the WebSocket or as ``POST /api/games/ID/TYPE``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar, cast

from msgspec import UNSET, Meta, Struct, UnsetType

from playproof.web.protocol.refusal import LARGEST

MOST_CLICKS = 16  # of one move
MOST_LINES = 20  # best moves in a report
MOST_VERSIONS = 2**53  # integers up to this are exact in JavaScript

T = TypeVar("T")


def wants(text: str, **more: Any) -> Meta:
    """A field's description in error lines, where its type alone would not say enough."""
    return Meta(extra={"wants": text}, **more)


# Fields

Version = Annotated[
    int,
    Meta(
        ge=0,
        le=MOST_VERSIONS,
        description="The version that the message is based on; an old one is refused as stale.",
    ),
]
Seed = Annotated[int, Meta(ge=0, le=2**53)]
LineId = Annotated[int, Meta(ge=0, le=100_000, description="A line of the game.")]
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
        description="Those of an entry of view.legal, or the id of one of view.actions.",
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
        description="The id of a variant in the catalog, or options.",
    ),
]
GameName = Annotated[
    str, Meta(max_length=32, description='A game of the catalog; with text also "auto".')
]
SeatSpec = Annotated[str, Meta(min_length=1, max_length=200)]
Seats = Annotated[
    tuple[SeatSpec, SeatSpec],
    wants(
        'two of "human", "open" and agents, such as ["human", "greedy"]',
        description='Each is "human" (you), "open" (whoever joins first) or an agent\'s spec.',
    ),
]
AgentSpec = Annotated[
    str, Meta(max_length=200, examples=["alphabeta:time=2", "mcts:simulations=800"])
]
Topic = Annotated[str, Meta(max_length=160, examples=["jobs", "run:choko"])]


class Clock(Struct, frozen=True, forbid_unknown_fields=True):
    """The time that each side has for the game, and what each move adds to it."""

    seconds: Annotated[float, Meta(ge=1, le=86_400)]
    increment: Annotated[float, Meta(ge=0, le=3_600)] = 0.0


Seconds = Annotated[float, Meta(ge=0.05, le=30)]


class Budget(Struct, frozen=True, forbid_unknown_fields=True):
    """The time for one analysis."""

    seconds: Seconds


# Messages


class Request(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag=str.lower
):
    """Fields that every message may have: its game, and an id which the reply repeats."""

    id: Annotated[str, Meta(max_length=64)] | UnsetType = UNSET
    rid: (
        Annotated[
            Annotated[str, Meta(max_length=64)] | int | None,
            wants("a text of at most 64 characters"),
        ]
        | UnsetType
    ) = UNSET


class New(Request, frozen=True):
    """Start a game and enter it."""

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
                description="A record, transcript, PGN, SGF, FEN or board to start from.",
            ),
        ]
        | UnsetType
    ) = UNSET
    analysis: (
        Annotated[bool, Meta(description="A free board on which moves may branch.")] | UnsetType
    ) = UNSET


class Join(Request, frozen=True):
    """Enter a game to watch it; with `seat`, take that seat if it is open."""

    seat: Annotated[int, Meta(ge=0, le=1)] | None = None
    ply: Ply = None


class Leave(Request, frozen=True):
    """Leave the game."""


class Move(Request, frozen=True):
    """Play a move, given by its clicks or by its number as reported by an analysis."""

    ver: Version
    c: Clicks | UnsetType = UNSET
    action: Annotated[int, Meta(ge=0, le=2**31, description="Instead of clicks.")] | UnsetType = (
        UNSET
    )
    line: LineId | UnsetType = UNSET
    ply: Ply = None


class Next(Request, frozen=True):
    """Get the clicks that may follow a prefix, if view.lazy says that the list is too long."""

    ver: Version
    prefix: Prefix
    line: LineId | UnsetType = UNSET
    ply: Ply = None


class Undo(Request, frozen=True):
    """Take moves back to your own previous decision."""

    ver: Version


class Redo(Request, frozen=True):
    """Play again what undo took back."""

    ver: Version


class Resign(Request, frozen=True):
    """Resign the game."""

    ver: Version


class Goto(Request, frozen=True):
    """View an earlier position, on this connection only; "last" follows the game again."""

    ply: Ply


class Line(Request, frozen=True):
    """View a line of an analysis."""

    line: LineId
    ply: Ply = None


class Think(Request, frozen=True):
    """Analyse a position with an agent. The WebSocket sends reports, HTTP only the last one."""

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
            Meta(ge=1, le=MOST_LINES, description="Best moves to report with their continuation."),
        ]
        | UnsetType
    ) = UNSET
    ver: Version | UnsetType = UNSET
    line: LineId | UnsetType = UNSET
    ply: Ply = None


class Hint(Request, frozen=True):
    """Analyse a position with a good agent for about a second."""

    ver: Version | UnsetType = UNSET
    line: LineId | UnsetType = UNSET
    ply: Ply = None


class Stop(Request, frozen=True):
    """End your analysis with what it has found; over HTTP, all your analyses in this game."""


class Share(Request, frozen=True):
    """Show the game to everyone in the lab, or hide it again."""

    on: bool


class Delete(Request, frozen=True):
    """Delete the game."""


class Ping(Request, frozen=True):
    """Do nothing but answer."""


class Watch(Request, frozen=True):
    """Subscribe to the changes of a topic."""

    topic: Topic


class Unwatch(Request, frozen=True):
    """End the subscription to a topic."""

    topic: Topic


ALL: tuple[type[Request], ...] = (
    New, Join, Leave, Move, Next, Undo, Redo, Resign, Goto, Line, Think, Hint, Stop, Share,
    Delete, Ping, Watch, Unwatch,
)  # fmt: skip
BY_TYPE: dict[str, type[Request]] = {kind.__name__.lower(): kind for kind in ALL}
# Messages about a game have a twin over HTTP. The others concern no game, or only a connection.
TWINS = {
    name: kind for name, kind in BY_TYPE.items() if kind not in (New, Ping, Leave, Watch, Unwatch)
}


def value_or_none(value: T | UnsetType) -> T | None:
    """A field's value; None if the client left it out."""
    return None if value is UNSET else cast(T, value)


def ply_of(ply: int | str | None) -> int | None:
    """A ply as a number; None means the last one."""
    return ply if isinstance(ply, int) else None


def type_of(request: Request | type[Request]) -> str:
    """The ``type`` of a message."""
    return str(request.__struct_config__.tag)
