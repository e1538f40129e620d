"""View, version 1: a description of a position for drawing, for any game.

A game fills in a View; the terminal, the SVG and the lab's page draw it.  ``to_json`` gives the
message that the page expects.  Its field names are short because every move sends them, and are
spelled out here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from playproof.core.errors import one_of

VERSION = 1
NO_ACTION = -1  # stands for an action that the game's view leaves out

# The colours of pieces: the letter in a View and in texts of positions, and the colour's name.  "b"
# is drawn blue where pieces are pegs; "n" is for pieces of neither side.
COLOURS = {
    "b": "Black",
    "w": "White",
    "r": "Red",
    "y": "Yellow",
    "g": "Green",
    "u": "Blue",
    "o": "Orange",
    "p": "Purple",
    "n": "Grey",
}
NEUTRAL = "n"

BoardKind = Literal["cells", "points", "pits", "graph"]
BoardStyle = Literal["felt", "check", "wood", "sand"]
MarkKind = Literal["dot", "num", "cross", "ring"]


@dataclass(frozen=True)
class Board:
    """The empty board: columns from left to right, rows from top to bottom as drawn."""

    kind: BoardKind
    style: BoardStyle
    columns: str
    rows: tuple[str, ...]
    stars: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "style": self.style,
            "cols": self.columns,
            "rows": list(self.rows),
            "stars": list(self.stars),
        }


@dataclass(frozen=True)
class Piece:
    """A piece.  ``kind``: disc, stone, peg, or a letter for a chess piece.

    ``weight`` < 1 is a probability (superposition), ``text`` the number of its pair.
    """

    id: str
    at: str
    kind: str
    colour: str
    weight: float = 1.0
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"id": self.id, "at": self.at, "k": self.kind, "c": self.colour}
        if self.weight < 1.0:
            data["w"] = self.weight
        if self.text:
            data["t"] = self.text
        return data


@dataclass(frozen=True)
class Link:
    """A line between the two pieces of an entangled pair."""

    a: str
    b: str
    colour: str
    number: str

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "c": self.colour, "n": self.number}


@dataclass(frozen=True)
class Mark:
    """A small sign on a point."""

    at: str
    kind: MarkKind
    text: int | str | None = None

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"at": self.at, "k": self.kind}
        if self.text is not None:
            data["t"] = self.text
        return data


@dataclass(frozen=True)
class Arrow:
    """A move as an arrow; ``share`` (0 to 1) sets its weight."""

    a: str
    b: str
    share: float
    best: bool = False
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "p": self.share, "best": self.best, "t": self.text}


@dataclass(frozen=True)
class Hand:
    """Pieces in hand: ``count`` of originally ``of``."""

    colour: str
    count: int
    of: int

    def to_json(self) -> dict[str, Any]:
        return {"c": self.colour, "n": self.count, "of": self.of}


@dataclass(frozen=True)
class Flag:
    """A short notice beside a side's name."""

    colour: str
    text: str

    def to_json(self) -> dict[str, Any]:
        return {"c": self.colour, "t": self.text}


@dataclass(frozen=True)
class Turn:
    """Whose turn it is; ``colour`` is "" when chance moves or the game is over."""

    colour: str
    name: str
    who: Literal["you", "agent", "other"] = "you"

    def to_json(self) -> dict[str, Any]:
        return {"c": self.colour, "name": self.name, "who": self.who}


@dataclass(frozen=True)
class LegalMove:
    """A move as the clicks that make it.

    ``clicks`` are points or other tokens, ``kinds`` the meaning of each click (src, to, rm), and
    ``gone`` the points whose pieces it removes.  ``action`` is the move's number.  A game may leave
    it out; ``State.view`` then finds it by the name.
    """

    clicks: tuple[str, ...]
    name: str
    kinds: tuple[str, ...]
    gone: tuple[str, ...] = ()
    action: int = NO_ACTION

    def to_json(self) -> dict[str, Any]:
        return {
            "c": list(self.clicks),
            "x": list(self.gone),
            "n": self.name,
            "kinds": list(self.kinds),
        }


@dataclass(frozen=True)
class Button:
    """A move without a place on the board, such as a pass; ``action`` as in LegalMove."""

    id: str
    label: str
    action: int = NO_ACTION

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "label": self.label}


@dataclass(frozen=True)
class View:
    """A position for drawing.  Lists are empty for what a game does not have."""

    game: str
    title: str
    board: Board
    pieces: tuple[Piece, ...]
    turn: Turn
    say: str  # one sentence: aria-live, terminal, alt text
    links: tuple[Link, ...] = ()
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    heat: dict[str, float] = field(default_factory=dict)
    last: tuple[str, ...] = ()
    hands: tuple[Hand, ...] = ()
    flag: Flag | None = None
    score: dict[str, int | float] = field(default_factory=dict)
    over: str | None = None  # how the game ended, as a sentence
    legal: tuple[LegalMove, ...] = ()
    lazy: bool = False  # the list is too long to send: the page asks for the moves after each click
    actions: tuple[Button, ...] = ()
    steps: tuple[str, ...] = ()
    events: tuple[dict[str, Any], ...] = ()
    formula: str | None = None
    # The players' piece colours and names, the first player first.  ``State.view`` fills it in if
    # the game does not.
    sides: dict[str, str] = field(default_factory=dict)

    def action_of(self, clicks: tuple[str, ...]) -> int | None:
        """The action of a sequence of clicks or of a button's id; None if it is no move."""
        for move in self.legal:
            if move.clicks == clicks:
                return move.action
        buttons = (button.action for button in self.actions if (button.id,) == clicks)
        return next(buttons, None)

    def to_json(self) -> dict[str, Any]:
        """The message for the page, ready for ``json.dumps``."""
        return {
            "v": VERSION,
            "game": self.game,
            "title": self.title,
            "board": self.board.to_json(),
            "pieces": [p.to_json() for p in self.pieces],
            "links": [x.to_json() for x in self.links],
            "marks": [m.to_json() for m in self.marks],
            "arrows": [a.to_json() for a in self.arrows],
            "heat": dict(self.heat),
            "last": list(self.last),
            "hands": [h.to_json() for h in self.hands],
            "flag": self.flag.to_json() if self.flag else None,
            "turn": self.turn.to_json(),
            "sides": dict(self.sides),
            "score": dict(self.score),
            "over": self.over,
            "legal": [m.to_json() for m in self.legal],
            "lazy": self.lazy,
            "actions": [a.to_json() for a in self.actions],
            "steps": list(self.steps),
            "events": [dict(e) for e in self.events],
            "formula": self.formula,
            "say": self.say,
        }


def colour_problem(colours: Iterable[str]) -> str | None:
    """What is wrong with piece colours, in a line; None if all of them can be drawn."""
    unknown = sorted(set(colours) - COLOURS.keys())
    if not unknown:
        return None
    choices = one_of([f"{letter} ({name.lower()})" for letter, name in COLOURS.items()])
    return f"no piece is coloured {unknown[0]!r}: want {choices}"


def piece_colours(view: View) -> set[str]:
    """Every colour that a View uses."""
    pieces, links = {p.colour for p in view.pieces}, {link.colour for link in view.links}
    return pieces | links | {hand.colour for hand in view.hands} | view.sides.keys()
