"""The HTTP side, described for programs (OpenAPI 3.1): from routes, and from the structs that
each of them takes and gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.routing import Route

from playproof import __version__
from playproof.web.http.operations import JSON, Operation, operation_of
from playproof.web.protocol import requests
from playproof.web.protocol.refusal import STATUS
from playproof.web.protocol.replies.base import Deleted
from playproof.web.protocol.replies.games import Error, NextClicks, State, Thought

Schema = dict[str, Any]

_REF = "#/components/schemas/{name}"
TWIN = "/api/games/{id}/{kind}"  # one path for each message about a game
# What each message is answered with over HTTP; the others with the state.
TWIN_REPLIES: dict[str, type[msgspec.Struct]] = {
    "next": NextClicks,
    "think": Thought,
    "hint": Thought,
    "delete": Deleted,
}


def describe(routes: Sequence[Route]) -> Schema:
    """The whole description, as ``/api/openapi.json`` gives it."""
    endpoints = [one for route in routes for one in _expanded(route)]
    kinds: dict[type[msgspec.Struct], None] = {Error: None}
    for _, _, operation, _ in endpoints:
        kinds.update(dict.fromkeys(k for k in (*operation.replies, operation.body) if k))
    known, schemas = _components(list(kinds))
    paths: Schema = {}
    for path, method, operation, about in endpoints:
        entry = paths.setdefault(path, _parameters(path))
        name = re.sub(r"\W+", "-", path.removeprefix("/api/")).strip("-")
        entry[method] = {
            "operationId": f"{method}-{name}",
            "summary": about,
            **_taken(operation, known, post=method == "post"),
            "responses": _responses(operation, known),
        }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Playproof's lab",
            "version": __version__,
            "description": "HTTP twins of the lab's messages, for scripts. Keep the cookie.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _expanded(route: Route) -> list[tuple[str, str, Operation, str]]:
    """The operations of a route: (path, method, what it takes and gives, a line about it)."""
    path = re.sub(r"{(\w+):\w+}", r"{\1}", route.path)
    if path == TWIN:
        return [
            (
                path.replace("{kind}", name),
                "post",
                Operation(TWIN_REPLIES.get(name, State), kind),
                first_line(kind),
            )
            for name, kind in requests.TWINS.items()
        ]
    methods = sorted((route.methods or set()) - {"HEAD"})
    operation, about = operation_of(route.endpoint), first_line(route.endpoint)
    return [(path, method.lower(), operation, about) for method in methods]


def first_line(documented: Any) -> str:
    """The first line of what something says of itself."""
    return (documented.__doc__ or "").strip().partition("\n")[0]


def _components(kinds: list[type[msgspec.Struct]]) -> tuple[dict[type, Schema], Schema]:
    """How to refer to each struct, and the schemas of all of them and of their parts."""
    refs, schemas = msgspec.json.schema_components(kinds, ref_template=_REF)
    return dict(zip(kinds, refs, strict=True)), {
        name: _as_sent(schema) for name, schema in sorted(schemas.items())
    }


def _as_sent(schema: Schema) -> Schema:
    """Over HTTP the path tells a message's type, its game and whose answer it is."""
    if not schema.get("properties", {}).keys() >= {"type", "id", "rid"}:
        return schema
    if "ver" in schema["required"] and "view" in schema["properties"]:  # a state is sent as it is
        return schema
    hidden = ("type", "id", "rid")
    properties = {k: v for k, v in schema["properties"].items() if k not in hidden}
    found = {**schema, "properties": properties}
    found["required"] = [name for name in schema["required"] if name not in hidden]
    # They may be there all the same, and are not looked at.
    return {k: v for k, v in found.items() if k != "additionalProperties"}


def _parameters(path: str) -> Schema:
    named = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", path)
    ]
    return {"parameters": named} if named else {}


def _taken(operation: Operation, known: dict[type, Schema], *, post: bool) -> Schema:
    found: Schema = {}
    if operation.query:
        found["parameters"] = [
            {"name": name, "in": "query", "schema": {"type": "string"}} for name in operation.query
        ]
    if operation.body is not None:
        found["requestBody"] = {"content": {JSON: {"schema": known[operation.body]}}}
    elif operation.upload:
        found["requestBody"] = {"content": {operation.upload: {"schema": {"type": "string"}}}}
    elif post:
        found["requestBody"] = {"content": {JSON: {"schema": {"type": "object"}}}}
    return found


def _responses(operation: Operation, known: dict[type, Schema]) -> Schema:
    good: Schema = {"type": "string"} if operation.media != JSON else {"type": "object"}
    about = "A file." if operation.media != JSON else "An object."
    replies = operation.replies
    if replies:
        either = [known[reply] for reply in replies]
        good = either[0] if len(either) == 1 else {"anyOf": either}
        about = " Or: ".join(map(first_line, replies))
    wrong = {"content": {JSON: {"schema": known[Error]}}}
    found: Schema = {"200": {"description": about, "content": {operation.media: {"schema": good}}}}
    for status in sorted(set(STATUS.values())):
        codes = sorted({code for code, number in STATUS.items() if number == status} - {"large"})
        found[str(status)] = {"description": ", ".join(codes) or "too large", **wrong}
    return found
