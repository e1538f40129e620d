"""What a View must look like as JSON, version 1: a strict reading of the page's contract.

``check`` raises Broken with the field's name; it knows nothing of any game but its colours.
"""

from __future__ import annotations

import json
from typing import Any

from playproof.core.conformance.laws import Broken
from playproof.core.view import NEUTRAL

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


def require(condition: object, rule: str) -> None:
    """``rule`` is what the contract asks for."""
    if not condition:
        raise Broken(f"the View breaks the contract: {rule}")


def check(view: dict[str, Any], colours: tuple[str, str]) -> None:
    """Hold a View's JSON against the contract."""
    require(json.loads(json.dumps(view, allow_nan=False)) == view, "it survives the wire")
    fields(view, "view", FIELDS)
    require(view["v"] == 1, 'view["v"] == 1')
    require(view["title"], 'view["title"]')
    require(view["say"].strip(), "say must say something")
    require("\n" not in view["say"], '"\\n" not in view["say"]')
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
    wanted: dict[str, Any],
    optional: dict[str, Any] | None = None,
) -> None:
    """``data`` has the wanted fields, perhaps the optional ones, no others, each of its type."""
    optional = optional or {}
    require(isinstance(data, dict), f"{where} is an object")
    require(set(wanted) <= set(data) <= {*wanted, *optional}, f"{where} has fields {sorted(data)}")
    for name, kind in {**wanted, **optional}.items():
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
    """Check the ground; the names of its points."""
    if data.get("kind") == "graph":
        fields(data, "board", {"kind": str, "style": str, "xy": dict, "edges": list})
        points = set(data["xy"])
        require(
            all(len(edge) == 2 and set(edge) <= points for edge in data["edges"]),
            'all(len(edge) == 2 and set(edge) <= points for edge in data["edges"])',
        )
    else:
        fields(data, "board", {"kind": str, "style": str, "cols": str, "rows": list, "stars": list})
        texts(data["rows"], "board.rows")
        points = {column + row for column in data["cols"] for row in data["rows"]}
        require(
            len(points) == len(data["cols"]) * len(data["rows"]), "points have names of their own"
        )
        require(set(data["stars"]) <= points, 'set(data["stars"]) <= points')
    require(
        data["kind"] in {"cells", "points", "pits", "graph"},
        'data["kind"] in {"cells", "points", "pits", "graph"}',
    )
    require(
        data["style"] in {"felt", "check", "wood", "sand"},
        'data["style"] in {"felt", "check", "wood", "sand"}',
    )
    require(points, "points")
    return points


def pieces(data: list[dict[str, Any]], points: set[str], colours: tuple[str, str]) -> None:
    for piece in data:
        kinds = {"id": str, "at": str, "k": str, "c": str}
        fields(piece, "piece", kinds, {"w": float, "t": str})
        require(piece["id"], 'piece["id"]')
        require(piece["at"] in points, f"piece on {piece['at']}, which is not on the board")
        require(piece["k"] in PIECE_KINDS, 'piece["k"] in PIECE_KINDS')
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
        require(mark["at"] in points, 'mark["at"] in points')
        require(
            mark["k"] in {"dot", "num", "cross", "ring"},
            'mark["k"] in {"dot", "num", "cross", "ring"}',
        )
        require(mark["k"] != "num" or "t" in mark, "a number needs its text")
    for link in view["links"]:
        fields(link, "link", {"a": str, "b": str, "c": str, "n": str})
        require({link["a"], link["b"]} <= points, '{link["a"], link["b"]} <= points')
        require(link["c"] in colours, 'link["c"] in colours')
    for arrow in view["arrows"]:
        fields(arrow, "arrow", {"a": str, "b": str, "p": number, "best": bool, "t": str})
        require({arrow["a"], arrow["b"]} <= points, '{arrow["a"], arrow["b"]} <= points')
        require(0 <= arrow["p"] <= 1, '0 <= arrow["p"] <= 1')
    require(set(view["heat"]) <= points, 'set(view["heat"]) <= points')
    require(
        all(isinstance(share, float) and 0 <= share <= 1 for share in view["heat"].values()),
        'all(isinstance(share, float) and 0 <= share <= 1 for share in view["heat"].values())',
    )
    texts(view["last"], "last")
    require(set(view["last"]) <= points, 'set(view["last"]) <= points')
    for hand in view["hands"]:
        fields(hand, "hand", {"c": str, "n": int, "of": int})
        require(hand["c"] in colours, 'hand["c"] in colours')
        require(0 <= hand["n"] <= hand["of"], '0 <= hand["n"] <= hand["of"]')
    require(
        len({hand["c"] for hand in view["hands"]}) == len(view["hands"]),
        'len({hand["c"] for hand in view["hands"]}) == len(view["hands"])',
    )
    if view["flag"] is not None:
        fields(view["flag"], "flag", {"c": str, "t": str})
        require(view["flag"]["c"] in colours, 'view["flag"]["c"] in colours')
        require(view["flag"]["t"], 'view["flag"]["t"]')
    fields(view["score"], "score", {}, dict.fromkeys(colours, number))
    texts(view["steps"], "steps")
    for event in view["events"]:
        require(isinstance(event, dict), "isinstance(event, dict)")
        require(isinstance(event.get("k"), str), f"an event has a kind: {event}")


def turn(view: dict[str, Any], colours: tuple[str, str]) -> None:
    data = view["turn"]
    fields(data, "turn", {"c": str, "name": str, "who": str})
    require(data["name"], 'data["name"]')
    require(data["who"] in {"you", "agent", "other"}, 'data["who"] in {"you", "agent", "other"}')
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
        require(move["n"], 'move["n"]')
        require(move["c"], "a move on the board is at least one click")
        require(len(move["c"]) == len(move["kinds"]), 'len(move["c"]) == len(move["kinds"])')
        require(set(move["kinds"]) <= CLICK_KINDS, 'set(move["kinds"]) <= CLICK_KINDS')
        require(set(move["x"]) <= standing, "only pieces that are there can be taken")
        for token, kind in zip(move["c"], move["kinds"], strict=True):
            require(token in points | hands or token.startswith("opt:"), f"what is {token}?")
            require(kind == "to" or token in standing | hands, f"{kind} {token} is an empty place")
    clicks = {tuple(move["c"]) for move in view["legal"]}
    require(len(clicks) == len(view["legal"]), "clicks tell the moves apart")
    # The page plays a move as soon as its clicks are complete, so none may begin another.
    begun = {move[:n] for move in clicks for n in range(1, len(move))}
    require(not clicks & begun, f"one move is the beginning of another: {clicks & begun}")
    for button in view["actions"]:
        fields(button, "action", {"id": str, "label": str})
        require(button["id"], 'button["id"]')
        require(button["label"], 'button["label"]')
    moves = len(view["legal"]) + len(view["actions"])
    if view["lazy"]:
        require(view["over"] is None, 'view["over"] is None')
    else:
        require((moves == 0) == (view["over"] is not None), "there are moves until the end")
