"""What a View must look like as JSON, version 1: a strict reading of the page's contract.

``check`` raises an AssertionError that names the field; it knows nothing of any game but its
colours.
"""

from __future__ import annotations

import json
from typing import Any

NEUTRAL = "n"  # the colour of pieces of neither side
LIST_LIMIT = 2000  # as many legal moves are always sent; more may be asked for lazily

# Every field of a message, with its type.  None of them may be missing, and no others be there.
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
PIECE_KINDS = {"disc", "stone", "peg", "P", "N", "B", "R", "Q", "K"}
CLICK_KINDS = {"src", "to", "rm"}


def check(view: dict[str, Any], colours: tuple[str, str]) -> None:
    """Hold a View's JSON against the contract."""
    assert json.loads(json.dumps(view, allow_nan=False)) == view, "it survives the wire"
    fields(view, "view", FIELDS)
    assert view["v"] == 1
    assert view["title"]
    assert view["say"].strip(), "say must say something"
    assert "\n" not in view["say"]
    points = board(view["board"])
    pieces(view["pieces"], points, colours)
    marks(view, points, colours)
    turn(view, colours)
    assert tuple(view["sides"]) == colours, "both sides are named"
    texts(list(view["sides"].values()), "sides")
    legal(view, points, colours)


def fields(
    data: dict[str, Any],
    where: str,
    wanted: dict[str, Any],
    optional: dict[str, Any] | None = None,
) -> None:
    """``data`` has the wanted fields, perhaps the optional ones, no others, each of its type."""
    optional = optional or {}
    assert isinstance(data, dict), f"{where} is an object"
    assert set(wanted) <= set(data) <= {*wanted, *optional}, f"{where} has fields {sorted(data)}"
    for name, kind in {**wanted, **optional}.items():
        if name in data:
            # A bool is an int to Python, but not to the page.
            right = isinstance(data[name], kind) and (
                kind is bool or not isinstance(data[name], bool)
            )
            assert right, f"{where}.{name} is {data[name]!r}"


def texts(data: Any, where: str) -> None:
    assert isinstance(data, list), f"{where} is a list"
    assert all(isinstance(text, str) and text for text in data), f"{where} holds texts: {data}"


def board(data: dict[str, Any]) -> set[str]:
    """Check the ground; the names of its points."""
    if data.get("kind") == "graph":
        fields(data, "board", {"kind": str, "style": str, "xy": dict, "edges": list})
        points = set(data["xy"])
        assert all(len(edge) == 2 and set(edge) <= points for edge in data["edges"])
    else:
        fields(data, "board", {"kind": str, "style": str, "cols": str, "rows": list, "stars": list})
        texts(data["rows"], "board.rows")
        points = {column + row for column in data["cols"] for row in data["rows"]}
        assert len(points) == len(data["cols"]) * len(data["rows"]), (
            "points have names of their own"
        )
        assert set(data["stars"]) <= points
    assert data["kind"] in {"cells", "points", "pits", "graph"}
    assert data["style"] in {"felt", "check", "wood", "sand"}
    assert points
    return points


def pieces(data: list[dict[str, Any]], points: set[str], colours: tuple[str, str]) -> None:
    for piece in data:
        kinds = {"id": str, "at": str, "k": str, "c": str}
        fields(piece, "piece", kinds, {"w": float, "t": str})
        assert piece["id"]
        assert piece["at"] in points, f"piece on {piece['at']}, which is not on the board"
        assert piece["k"] in PIECE_KINDS
        assert piece["c"] in {*colours, NEUTRAL}
        assert 0.0 < piece.get("w", 0.5) < 1.0, "w is there for pieces in superposition only"
    assert len({piece["id"] for piece in data}) == len(data), "ids are unique"
    assert len({piece["at"] for piece in data}) == len(data), "at most one piece stands on a point"


def marks(view: dict[str, Any], points: set[str], colours: tuple[str, str]) -> None:
    """All that is drawn besides the pieces."""
    number = (int, float)
    for mark in view["marks"]:
        fields(mark, "mark", {"at": str, "k": str}, {"t": (int, str)})
        assert mark["at"] in points
        assert mark["k"] in {"dot", "num", "cross", "ring"}
        assert mark["k"] != "num" or "t" in mark, "a number needs its text"
    for link in view["links"]:
        fields(link, "link", {"a": str, "b": str, "c": str, "n": str})
        assert {link["a"], link["b"]} <= points
        assert link["c"] in colours
    for arrow in view["arrows"]:
        fields(arrow, "arrow", {"a": str, "b": str, "p": number, "best": bool, "t": str})
        assert {arrow["a"], arrow["b"]} <= points
        assert 0 <= arrow["p"] <= 1
    assert set(view["heat"]) <= points
    assert all(isinstance(share, float) and 0 <= share <= 1 for share in view["heat"].values())
    texts(view["last"], "last")
    assert set(view["last"]) <= points
    for hand in view["hands"]:
        fields(hand, "hand", {"c": str, "n": int, "of": int})
        assert hand["c"] in colours
        assert 0 <= hand["n"] <= hand["of"]
    assert len({hand["c"] for hand in view["hands"]}) == len(view["hands"])
    if view["flag"] is not None:
        fields(view["flag"], "flag", {"c": str, "t": str})
        assert view["flag"]["c"] in colours
        assert view["flag"]["t"]
    fields(view["score"], "score", {}, dict.fromkeys(colours, number))
    texts(view["steps"], "steps")
    for event in view["events"]:
        assert isinstance(event, dict)
        assert isinstance(event.get("k"), str), f"an event has a kind: {event}"


def turn(view: dict[str, Any], colours: tuple[str, str]) -> None:
    data = view["turn"]
    fields(data, "turn", {"c": str, "name": str, "who": str})
    assert data["name"]
    assert data["who"] in {"you", "agent", "other"}
    assert data["c"] in {*colours, ""}, "nobody's turn (chance, or the end) has no colour"
    if view["over"] is not None:
        assert view["over"].strip(), "how a game ended is a sentence"
        assert data["c"] == "", "nobody is to move after the end"


def legal(view: dict[str, Any], points: set[str], colours: tuple[str, str]) -> None:
    """Moves as clicks, and moves as buttons."""
    standing = {piece["at"] for piece in view["pieces"]}
    hands = {f"hand:{colour}" for colour in colours}
    for move in view["legal"]:
        fields(move, "legal", {"c": list, "x": list, "n": str, "kinds": list})
        texts(move["c"], "legal.c")
        texts(move["x"], "legal.x")
        assert move["n"]
        assert move["c"], "a move on the board is at least one click"
        assert len(move["c"]) == len(move["kinds"])
        assert set(move["kinds"]) <= CLICK_KINDS
        assert set(move["x"]) <= standing, "only pieces that are there can be taken"
        for token, kind in zip(move["c"], move["kinds"], strict=True):
            assert token in points | hands or token.startswith("opt:"), f"what is {token}?"
            assert kind == "to" or token in standing | hands, f"{kind} {token} is an empty place"
    clicks = {tuple(move["c"]) for move in view["legal"]}
    assert len(clicks) == len(view["legal"]), "clicks tell the moves apart"
    # The page plays a move as soon as its clicks are complete, so none may begin another.
    begun = {move[:n] for move in clicks for n in range(1, len(move))}
    assert not clicks & begun, f"one move is the beginning of another: {clicks & begun}"
    for button in view["actions"]:
        fields(button, "action", {"id": str, "label": str})
        assert button["id"]
        assert button["label"]
    moves = len(view["legal"]) + len(view["actions"])
    if view["lazy"]:
        assert view["over"] is None
    else:
        assert (moves == 0) == (view["over"] is not None), "there are moves until the end"
