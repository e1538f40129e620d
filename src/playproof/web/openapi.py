"""The HTTP side, described for programs (OpenAPI 3.1)."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

from starlette.routing import Route

from playproof import __version__
from playproof.web.messages import FIELDS, MOST_CLICKS, MOST_LINES, REQUIRED, STATUS
from playproof.web.offers import GAMES

Schema = dict[str, Any]

_ABOUT = {
    "join": "Look at a game, or take an open seat.",
    "move": "Play a move: its clicks as in view.legal, the id of one of view.actions, or its "
    "action as a thinking tells it.",
    "next": "The clicks that may follow a prefix, where view.lazy says the list is too long.",
    "undo": "Take back to one's own previous decision.",
    "redo": "Play again what undo took back.",
    "resign": "Give the game up.",
    "goto": "The state at an earlier ply, or the last.",
    "think": "What an agent thinks of a position; answers when it is done.",
    "hint": "The same, by a good agent with about a second.",
    "stop": "End one's thinkings in this game with what they have.",
    "line": "The state at the end of a line of an analysis.",
    "share": "Let everyone in the lab see the game, or no longer.",
    "delete": "Delete the game.",
}
_ANSWERS = {"next": "Next", "think": "Think", "hint": "Think", "delete": "Done"}


def _text(**more: Any) -> Schema:
    return {"type": "string", **more}


def _whole(least: int = 0, **more: Any) -> Schema:
    return {"type": "integer", "minimum": least, **more}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _object(properties: Schema, required: tuple[str, ...] | list[str] = ()) -> Schema:
    found: Schema = {"type": "object", "properties": properties}
    return {**found, "required": list(required)} if required else found


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_FIELD: Schema = {
    "ver": _whole(description="The version that the message was made on; 409 if it is old."),
    "c": _list(_text(maxLength=16), minItems=1, maxItems=MOST_CLICKS),
    "action": _whole(description="The number of a move, instead of its clicks."),
    "prefix": _list(_text(maxLength=16), maxItems=MOST_CLICKS),
    "ply": {"anyOf": [_whole(), {"const": "last"}, {"type": "null"}]},
    "line": _whole(),
    "seat": {"enum": [0, 1, None]},
    "agent": _text(maxLength=200, examples=["alphabeta:time=2", "mcts:simulations=800"]),
    "budget": {
        "anyOf": [
            {"type": "number", "minimum": 0.05, "maximum": 30},
            _object({"seconds": {"type": "number", "minimum": 0.05, "maximum": 30}}, ["seconds"]),
        ],
        "description": "Seconds.",
    },
    "lines": _whole(
        1, maximum=MOST_LINES, description="Best moves to tell of with their continuation."
    ),
    "on": {"type": "boolean"},
    "game": _text(description="A game of the catalog; with a text also auto.", examples=[*GAMES]),
    "variant": {"anyOf": [_text(description="A variant's id."), {"type": "object"}]},
    "seats": _list(_text(description="human, open, or an agent's spec"), minItems=2, maxItems=2),
    "seed": _whole(),
    "clock": _or_null(
        _object({"seconds": {"type": "number"}, "increment": {"type": "number"}}, ["seconds"])
    ),
    "text": _text(description="A record, transcript, PGN, SGF, FEN or board to begin from."),
    "analysis": {"type": "boolean"},
}


def _body(kind: str) -> Schema:
    properties = {name: _FIELD[name] for name in FIELDS[kind]}
    return _object(properties, REQUIRED.get(kind, ()))


def _schemas() -> Schema:
    names, actions = _list(_text()), _list(_whole())
    number, share = _or_null({"type": "number"}), _or_null({"type": "number"})
    seat = _object(
        {
            "kind": {"enum": ["human", "open", "agent"]},
            "name": _text(),
            "spec": _text(),
            "you": {"type": "boolean"},
            "here": {"type": "boolean"},
        },
        ["kind", "name", "you"],
    )
    state = {
        "type": {"const": "state"},
        "id": _text(),
        "ver": _whole(),
        "game": _text(examples=[*GAMES]),
        "title": _text(),
        "variant": _text(),
        "options": {"type": "object"},
        "seed": _whole(),
        "players": names,
        "ply": _whole(),
        "of": _whole(),
        "line": _whole(),
        "view": {"type": "object", "description": "A View, version 1."},
        "moves": names,
        "seats": _list(seat, minItems=2, maxItems=2),
        "clock": _or_null(
            _object(
                {
                    "left": _list({"type": "number"}),
                    "running": {"enum": [0, 1, None]},
                    "seconds": {"type": "number"},
                    "increment": {"type": "number"},
                },
                ["left", "running"],
            )
        ),
        "result": {"enum": ["*", "1-0", "0-1", "1/2-1/2"]},
        "reason": _or_null(_text()),
        "thinking": {"type": "boolean"},
        "can": _object({name: {"type": "boolean"} for name in ("move", "undo", "redo", "resign")}),
        "analysis": {"type": "boolean"},
        "source": {"type": ["object", "null"]},
        "lines": _list({"type": "object"}),
        "shared": {"type": "boolean"},
        "yours": {"type": "boolean"},
        "formats": names,
    }
    think = {
        "type": {"const": "think"},
        "ver": _whole(),
        "ply": _whole(),
        "line": _whole(),
        "agent": _text(),
        "sims": {"type": "number"},
        "of": {"type": "number"},
        "nodes": {"type": "number"},
        "seconds": {"type": "number"},
        "value": number,
        "unit": {"enum": ["points", "result"]},
        "words": _text(),
        "share": share,
        "proven": {"type": "boolean"},
        "heat": {"type": "object", "additionalProperties": {"type": "number"}},
        "pv": names,
        "actions": actions,
        "top": _list(
            _object(
                {
                    "c": names,
                    "n": _text(),
                    "visits": number,
                    "prior": number,
                    "value": number,
                    "words": _text(),
                    "share": share,
                    "action": _whole(),
                    "line": names,
                    "actions": actions,
                },
                ["c", "n"],
            )
        ),
        "done": {"type": "boolean"},
    }
    token = _object({"t": _text(), "kind": _text(), "ends": {"type": "boolean"}, "n": _text()})
    error = {
        "type": {"const": "error"},
        "code": {"enum": ["stale", "illegal", "turn", "busy", "gone", "bad", "limit", "access"]},
        "msg": _text(),
    }
    join = {
        "needs_code": {"type": "boolean"},
        "needs_key": {"type": "boolean"},
        "entered": {"type": "boolean"},
        "owner": {"type": "boolean"},
        "url": _text(),
        "code": _text(),
        "link": _text(),
        "go": _text(),
    }
    return {
        "State": _object(state, list(state)),
        "Think": _object({**think, "truth": _text()}, list(think)),
        "Next": _object({"type": {"const": "next"}, "tokens": _list(token)}, ["type", "tokens"]),
        "Error": _object({**error, "state": {"$ref": "#/components/schemas/State"}}, list(error)),
        "Done": _object({"type": _text()}, ["type"]),
        "Answer": _object({}),
        "Ready": _object(
            {"ready": {"type": "boolean"}, "text": _text(), "left": _whole()},
            ["ready", "text", "left"],
        ),
        "Catalog": _object({"version": _text(), "games": _list({"type": "object"})}, ["games"]),
        "Games": _object({"games": _list({"type": "object"})}, ["games"]),
        "Join": _object(join, ["needs_code", "needs_key", "entered", "owner", "url"]),
    }


def _responses(name: str, media: str = "application/json") -> Schema:
    good: Schema = {"type": "string"} if media != "application/json" else _ref(name)
    wrong = {"content": {"application/json": {"schema": _ref("Error")}}}
    found: Schema = {"200": {"description": name, "content": {media: {"schema": good}}}}
    for status in sorted(set(STATUS.values())):
        codes = sorted({code for code, number in STATUS.items() if number == status} - {"large"})
        found[str(status)] = {"description": ", ".join(codes) or "too large", **wrong}
    return found


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _get(
    id: str, summary: str, name: str, *queries: str, media: str = "application/json"
) -> Schema:
    operation: Schema = {
        "operationId": id,
        "summary": summary,
        "responses": _responses(name, media),
    }
    if queries:
        operation["parameters"] = [
            {"name": query, "in": "query", "schema": _text()} for query in queries
        ]
    return {"get": operation}


def _post(id: str, summary: str, name: str, body: Schema) -> Schema:
    content = {"application/json": {"schema": body}}
    return {
        "post": {
            "operationId": id,
            "summary": summary,
            "requestBody": {"content": content},
            "responses": _responses(name),
        }
    }


def _of_a_game(path: Schema, *more: str) -> Schema:
    named = [
        {"name": name, "in": "path", "required": True, "schema": _text()} for name in ("id", *more)
    ]
    return {**path, "parameters": named}


def _part(route: Route) -> Schema:
    """A route of one of the lab's parts, by what it says of itself."""
    path: Schema = {}
    name = re.sub(r"\W+", "-", route.path.removeprefix("/api/")).strip("-")
    about = (route.endpoint.__doc__ or "").strip().partition("\n")[0]
    for method in sorted((route.methods or set()) - {"HEAD"}):
        operation = {
            "operationId": f"{method.lower()}-{name}",
            "summary": about,
            "responses": _responses("Answer"),
        }
        if method == "POST":
            operation["requestBody"] = {"content": {"application/json": {"schema": _object({})}}}
        path[method.lower()] = operation
    named = [
        {"name": name, "in": "path", "required": True, "schema": _text()}
        for name in route.param_convertors
    ]
    return {**path, "parameters": named} if named else path


def describe(parts: Sequence[Route] = ()) -> Schema:
    """The whole description, as ``/api/openapi.json`` gives it, with the routes of parts."""
    whole = _describe()
    paths = dict(whole["paths"])
    for route in parts:
        name = re.sub(r"{(\w+):\w+}", r"{\1}", route.path)
        paths[name] = {**paths.get(name, {}), **_part(route)}
    return {**whole, "paths": paths}


@functools.cache
def _describe() -> Schema:
    """The description of the door and of games."""
    enter = _object({"code": _text(), "key": _text()})
    paths: Schema = {
        "/api/ready": _get("ready", "What is being compiled that somebody waits for.", "Ready"),
        "/api/catalog": _get("catalog", "Games, variants, opponents, analysts.", "Catalog"),
        "/api/join": _get("door", "Whether code or key is needed, and who one is.", "Join"),
        "/api/join/renew": _post(
            "renew_code", "Another join code; for the owner. Those who are in stay.", "Join",
            _object({}),
        ),
        "/api/join/turn-out": _post(
            "turn_guests_out", "Another join code, and all guests are out; for the owner.", "Join",
            _object({}),
        ),
        "/api/join.svg": _get(
            "qr", "A QR code of the join link; for who started the lab.", "QR", "game", "page",
            media="image/svg+xml",
        ),
        "/api/enter": _post("enter", "Come in with code or key; sets a cookie.", "Done", enter),
        "/api/invitation": _post(
            "invite", "Where those go who come with the code alone; the owner says.", "Done",
            _object({"go": _text()}, ["go"]),
        ),
        "/api/openapi.json": _get("describe", "This description.", "Done"),
        "/api/games": {
            **_get("games", "The games one may see, the newest first.", "Games"),
            **_post("new", "Begin a game.", "State", _body("new")),
        },
        "/api/games/{id}": _of_a_game(
            _get("state", "The state at a ply, the last if not told.", "State", "ply", "line")
        ),
        "/api/games/{id}.svg": _of_a_game(
            _get(
                "picture", "The position as a picture.", "Picture", "ply", "line", "theme",
                media="image/svg+xml",
            )
        ),
        "/api/games/{id}.{kind}": _of_a_game(
            _get("record", "The game as jsonl, txt, sgf or pgn.", "Record", "line",
                 media="text/plain"),
            "kind",
        ),
    }  # fmt: skip
    for kind, about in _ABOUT.items():
        post = _post(kind, about, _ANSWERS.get(kind, "State"), _body(kind))
        paths[f"/api/games/{{id}}/{kind}"] = _of_a_game(post)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Playproof's lab",
            "version": __version__,
            "description": "HTTP twins of the lab's messages, for scripts. Keep the cookie.",
        },
        "paths": paths,
        "components": {"schemas": _schemas()},
    }
