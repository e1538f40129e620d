"""View, version 1: a position described for drawing, whatever the game.

A game fills a View; the terminal, the SVG and the page draw it.  ``to_json``
gives the exact message of the page's contract; field names there are short
because every move sends them, and are spelled out here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from playproof.core.errors import one_of

VERSION = 1
NO_ACTION = -1  # of a move whose action the game's view leaves out

# What pieces may be coloured: the letter that a View and texts of positions use, and its name.
# "b" is drawn blue where pieces are pegs; "n" is for pieces of neither side.
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
    """The ground: columns left to right, rows top to bottom as drawn."""

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
    """``kind``: disc, stone, peg, or a chess letter; ``weight`` < 1 is a
    probability (superposition), ``text`` a pair number."""

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
    a: str
    b: str
    colour: str
    number: str

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "c": self.colour, "n": self.number}


@dataclass(frozen=True)
class Mark:
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
    a: str
    b: str
    share: float
    best: bool = False
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "p": self.share, "best": self.best, "t": self.text}


@dataclass(frozen=True)
class Hand:
    colour: str
    count: int
    of: int

    def to_json(self) -> dict[str, Any]:
        return {"c": self.colour, "n": self.count, "of": self.of}


@dataclass(frozen=True)
class Flag:
    colour: str
    text: str

    def to_json(self) -> dict[str, Any]:
        return {"c": self.colour, "t": self.text}


@dataclass(frozen=True)
class Turn:
    """``colour`` is a piece colour, or "" when chance moves or the game is over."""

    colour: str
    name: str
    who: Literal["you", "agent", "other"] = "you"

    def to_json(self) -> dict[str, Any]:
        return {"c": self.colour, "name": self.name, "who": self.who}


@dataclass(frozen=True)
class LegalMove:
    """A move as the clicks that make it: ``clicks`` are tokens, ``kinds`` what
    each click means (src, to, rm), ``gone`` the pieces it takes off.

    ``action`` is the move's number.  A game may leave it out; ``State.view`` then finds it by
    the name, once.
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
    lazy: bool = False  # the list was too long to send: ask for each prefix
    actions: tuple[Button, ...] = ()
    steps: tuple[str, ...] = ()
    events: tuple[dict[str, Any], ...] = ()
    formula: str | None = None
    # The players' piece colours and names, the first player first; ``State.view`` fills it in
    # from the game where the game does not.
    sides: dict[str, str] = field(default_factory=dict)

    def action_of(self, clicks: tuple[str, ...]) -> int | None:
        """The action that clicks, or the id of a button, mean; None if they are no whole move."""
        for move in self.legal:
            if move.clicks == clicks:
                return move.action
        buttons = (button.action for button in self.actions if (button.id,) == clicks)
        return next(buttons, None)

    def to_json(self) -> dict[str, Any]:
        """The message of the page's contract, ready for ``json.dumps``."""
        data: dict[str, Any] = {
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
        return data


def colour_problem(colours: Iterable[str]) -> str | None:
    """What is wrong with piece colours, in a line; None if all can be drawn."""
    unknown = sorted(set(colours) - COLOURS.keys())
    if not unknown:
        return None
    known = one_of([f"{letter} ({name.lower()})" for letter, name in COLOURS.items()])
    return f"no piece is coloured {unknown[0]!r}: want {known}"


def piece_colours(view: View) -> set[str]:
    """Every colour that something of a View is drawn in."""
    pieces, links = {p.colour for p in view.pieces}, {link.colour for link in view.links}
    return pieces | links | {hand.colour for hand in view.hands} | view.sides.keys()
