"""What a View must look like as JSON, version 1: the page's contract, checked strictly.

``check`` raises LawBroken with the name of the field; of the game it needs only the colours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from playproof.core.conformance.laws import LawBroken
from playproof.core.errors import one_of
from playproof.core.view import NEUTRAL

LIST_LIMIT = 2000  # up to so many legal moves are always sent; more may be fetched lazily

# Every field of a message, with its type.  All of them must be there, and no others.
FIELDS: dict[str, type | tuple[type, ...]] = {
    "v": int,
    "game": str,
    "title": str,
    "board": dict,
    "pieces": list,
    "links": list,
    "marks": list,
    "arrows": list,
    "heat": dict,
    "last": list,
    "hands": list,
    "flag": (dict, type(None)),
    "turn": dict,
    "sides": dict,
    "score": dict,
    "over": (str, type(None)),
    "legal": list,
    "lazy": bool,
    "actions": list,
    "steps": list,
    "events": list,
    "formula": (str, type(None)),
    "say": str,
}
BOARD_KINDS = ("cells", "points", "pits", "graph")
BOARD_STYLES = ("felt", "check", "wood", "sand")
PIECE_KINDS = ("disc", "stone", "peg", "P", "N", "B", "R", "Q", "K")
MARK_KINDS = ("dot", "num", "cross", "ring")
CLICK_KINDS = ("src", "to", "rm")
WHO = ("you", "agent", "other")


def require(condition: object, rule: str) -> None:
    """``rule`` is what the contract asks for."""
    if not condition:
        raise LawBroken(f"the View breaks the contract: {rule}")


def among(value: str, choices: tuple[str, ...], what: str) -> None:
    require(value in choices, f"{what} is {value!r}, which is not {one_of(list(choices))}")


def on_board(places: Iterable[str], points: set[str], what: str) -> None:
    wrong = sorted(set(places) - points)
    require(not wrong, f"{what} on {', '.join(wrong)}, which is not on the board")


def check(view: dict[str, Any], colours: tuple[str, str]) -> None:
    """Check a View's JSON against the contract."""
    require(
        json.loads(json.dumps(view, allow_nan=False)) == view,
        "it is the same after a round trip through JSON",
    )
    fields(view, "view", FIELDS)
    require(view["v"] == 1, f"v is {view['v']}, which is not 1")
    require(view["title"], "title is empty")
    require(view["say"].strip(), "say must say something")
    require("\n" not in view["say"], "say is one line")
    points = board(view["board"])
    pieces(view["pieces"], points, colours)
    marks(view, points, colours)
    turn(view, colours)
    require(tuple(view["sides"]) == colours, "both sides are named")
    texts(list(view["sides"].values()), "sides")
    legal(view, points, colours)


def fields(
    data: dict[str, Any],
    where: str,
    required: dict[str, Any],
    optional: dict[str, Any] | None = None,
) -> None:
    """Require the fields ``required``, allow ``optional`` ones and no others, each of its type."""
    optional = optional or {}
    require(isinstance(data, dict), f"{where} is an object")
    require(
        set(required) <= set(data) <= {*required, *optional}, f"{where} has fields {sorted(data)}"
    )
    for name, kind in {**required, **optional}.items():
        if name in data:
            # A bool is an int to Python, but not to the page.
            right = isinstance(data[name], kind) and (
                kind is bool or not isinstance(data[name], bool)
            )
            require(right, f"{where}.{name} is {data[name]!r}")


def texts(data: Any, where: str) -> None:
    require(isinstance(data, list), f"{where} is a list")
    require(all(isinstance(text, str) and text for text in data), f"{where} holds texts: {data}")


def board(data: dict[str, Any]) -> set[str]:
    """Check the board; return the names of its points."""
    if data.get("kind") == "graph":
        fields(data, "board", {"kind": str, "style": str, "xy": dict, "edges": list})
        points = set(data["xy"])
        require(
            all(len(edge) == 2 and set(edge) <= points for edge in data["edges"]),
            "an edge joins two points of the board",
        )
    else:
        fields(data, "board", {"kind": str, "style": str, "cols": str, "rows": list, "stars": list})
        texts(data["rows"], "board.rows")
        points = {column + row for column in data["cols"] for row in data["rows"]}
        require(
            len(points) == len(data["cols"]) * len(data["rows"]), "points have names of their own"
        )
        on_board(data["stars"], points, "a star")
    among(data["kind"], BOARD_KINDS, "the board's kind")
    among(data["style"], BOARD_STYLES, "the board's style")
    require(points, "a board has points")
    return points


def pieces(data: list[dict[str, Any]], points: set[str], colours: tuple[str, str]) -> None:
    for piece in data:
        kinds = {"id": str, "at": str, "k": str, "c": str}
        fields(piece, "piece", kinds, {"w": float, "t": str})
        require(piece["id"], "a piece has an id")
        on_board([piece["at"]], points, "piece")
        among(piece["k"], PIECE_KINDS, f"the kind of the piece on {piece['at']}")
        require(piece["c"] in {*colours, NEUTRAL}, "a piece is of a side's colour, or neutral")
        require(0.0 < piece.get("w", 0.5) < 1.0, "w is there for pieces in superposition only")
    require(len({piece["id"] for piece in data}) == len(data), "ids are unique")
    require(
        len({piece["at"] for piece in data}) == len(data), "at most one piece stands on a point"
    )


def marks(view: dict[str, Any], points: set[str], colours: tuple[str, str]) -> None:
    """All that is drawn besides the pieces."""
    number = (int, float)
    for mark in view["marks"]:
        fields(mark, "mark", {"at": str, "k": str}, {"t": (int, str)})
        on_board([mark["at"]], points, "mark")
        among(mark["k"], MARK_KINDS, f"the kind of the mark on {mark['at']}")
        require(mark["k"] != "num" or "t" in mark, "a number needs its text")
    for link in view["links"]:
        fields(link, "link", {"a": str, "b": str, "c": str, "n": str})
        on_board([link["a"], link["b"]], points, "link")
        among(link["c"], colours, "a link's colour")
    for arrow in view["arrows"]:
        fields(arrow, "arrow", {"a": str, "b": str, "p": number, "best": bool, "t": str})
        on_board([arrow["a"], arrow["b"]], points, "arrow")
        require(0 <= arrow["p"] <= 1, f"an arrow's share is {arrow['p']}, not from 0 to 1")
    on_board(view["heat"], points, "heat")
    require(
        all(isinstance(share, float) and 0 <= share <= 1 for share in view["heat"].values()),
        "heat is shares, each a float from 0 to 1",
    )
    texts(view["last"], "last")
    on_board(view["last"], points, "the last move")
    for hand in view["hands"]:
        fields(hand, "hand", {"c": str, "n": int, "of": int})
        among(hand["c"], colours, "a hand's colour")
        require(0 <= hand["n"] <= hand["of"], f"a hand holds {hand['n']} of {hand['of']}")
    holders = {hand["c"] for hand in view["hands"]}
    require(len(holders) == len(view["hands"]), "a side has one hand")
    if view["flag"] is not None:
        fields(view["flag"], "flag", {"c": str, "t": str})
        among(view["flag"]["c"], colours, "the flag's colour")
        require(view["flag"]["t"], "a flag has a text")
    fields(view["score"], "score", {}, dict.fromkeys(colours, number))
    texts(view["steps"], "steps")
    for event in view["events"]:
        require(isinstance(event, dict), "an event is an object")
        require(isinstance(event.get("k"), str), f"an event has a kind: {event}")


def turn(view: dict[str, Any], colours: tuple[str, str]) -> None:
    data = view["turn"]
    fields(data, "turn", {"c": str, "name": str, "who": str})
    require(data["name"], "turn has a name")
    among(data["who"], WHO, "turn.who")
    require(data["c"] in {*colours, ""}, "nobody's turn (chance, or the end) has no colour")
    if view["over"] is not None:
        require(view["over"].strip(), "how a game ended is a sentence")
        require(data["c"] == "", "nobody is to move after the end")


def legal(view: dict[str, Any], points: set[str], colours: tuple[str, str]) -> None:
    """Moves as clicks, and moves as buttons."""
    standing = {piece["at"] for piece in view["pieces"]}
    hands = {f"hand:{colour}" for colour in colours}
    for move in view["legal"]:
        fields(move, "legal", {"c": list, "x": list, "n": str, "kinds": list})
        texts(move["c"], "legal.c")
        texts(move["x"], "legal.x")
        require(move["n"], "a move has a name")
        require(move["c"], "a move on the board is at least one click")
        clicks, kinds = len(move["c"]), len(move["kinds"])
        require(clicks == kinds, f"{move['n']} has {clicks} clicks and {kinds} kinds of them")
        for kind in move["kinds"]:
            among(kind, CLICK_KINDS, f"the kind of a click of {move['n']}")
        require(set(move["x"]) <= standing, "only pieces that are there can be taken")
        for token, kind in zip(move["c"], move["kinds"], strict=True):
            require(token in points | hands or token.startswith("opt:"), f"what is {token}?")
            require(kind == "to" or token in standing | hands, f"{kind} {token} is an empty place")
    ways = {tuple(move["c"]) for move in view["legal"]}
    require(len(ways) == len(view["legal"]), "clicks tell the moves apart")
    # The page plays a move as soon as its clicks are complete, so no move may begin another.
    beginnings = {move[:n] for move in ways for n in range(1, len(move))}
    require(not ways & beginnings, f"one move is the beginning of another: {ways & beginnings}")
    for button in view["actions"]:
        fields(button, "action", {"id": str, "label": str})
        require(button["id"], "a button has an id")
        require(button["label"], "a button has a label")
    moves = len(view["legal"]) + len(view["actions"])
    if view["lazy"]:
        require(view["over"] is None, "a game that is over has no moves to ask for")
    else:
        require((moves == 0) == (view["over"] is not None), "there are moves until the end")
