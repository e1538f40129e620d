"""The OpenAPI 3.1 description of the HTTP side, made from the routes and from the structs that
their endpoints take and return."""

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
TWIN = "/api/games/{id}/{kind}"  # one route for all messages about a game
# The replies to messages over HTTP; all other messages are answered with the state.
TWIN_REPLIES: dict[str, type[msgspec.Struct]] = {
    "next": NextClicks,
    "think": Thought,
    "hint": Thought,
    "delete": Deleted,
}


def describe(routes: Sequence[Route]) -> Schema:
    """The document that ``/api/openapi.json`` returns."""
    endpoints = [one for route in routes for one in _expanded(route)]
    kinds: dict[type[msgspec.Struct], None] = {Error: None}
    for _, _, operation, _ in endpoints:
        kinds.update(dict.fromkeys(k for k in (*operation.replies, operation.body) if k))
    refs, schemas = _components(list(kinds))
    paths: Schema = {}
    for path, method, operation, summary in endpoints:
        entry = paths.setdefault(path, _parameters(path))
        name = re.sub(r"\W+", "-", path.removeprefix("/api/")).strip("-")
        entry[method] = {
            "operationId": f"{method}-{name}",
            "summary": summary,
            **_inputs(operation, refs, post=method == "post"),
            "responses": _responses(operation, refs),
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
    """The operations of a route: (path, method, operation, summary)."""
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
    operation, summary = operation_of(route.endpoint), first_line(route.endpoint)
    return [(path, method.lower(), operation, summary) for method in methods]


def first_line(documented: Any) -> str:
    """The first line of an object's docstring."""
    return (documented.__doc__ or "").strip().partition("\n")[0]


def _components(kinds: list[type[msgspec.Struct]]) -> tuple[dict[type, Schema], Schema]:
    """A reference to each struct, and the schemas of all of them and of their parts."""
    refs, schemas = msgspec.json.schema_components(kinds, ref_template=_REF)
    return dict(zip(kinds, refs, strict=True)), {
        name: _as_sent(schema) for name, schema in sorted(schemas.items())
    }


def _as_sent(schema: Schema) -> Schema:
    """The schema of a struct over HTTP, where the path already has a message's type and game."""
    if not schema.get("properties", {}).keys() >= {"type", "id", "rid"}:
        return schema
    is_state = "ver" in schema["required"] and "view" in schema["properties"]
    if is_state:  # sent as it is
        return schema
    omitted = ("type", "id", "rid")
    properties = {k: v for k, v in schema["properties"].items() if k not in omitted}
    sent = {**schema, "properties": properties}
    sent["required"] = [name for name in schema["required"] if name not in omitted]
    # A client may send them all the same; they are ignored.
    return {k: v for k, v in sent.items() if k != "additionalProperties"}


def _parameters(path: str) -> Schema:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", path)
    ]
    return {"parameters": parameters} if parameters else {}


def _inputs(operation: Operation, refs: dict[type, Schema], *, post: bool) -> Schema:
    inputs: Schema = {}
    if operation.query:
        inputs["parameters"] = [
            {"name": name, "in": "query", "schema": {"type": "string"}} for name in operation.query
        ]
    if operation.body is not None:
        inputs["requestBody"] = {"content": {JSON: {"schema": refs[operation.body]}}}
    elif operation.upload:
        inputs["requestBody"] = {"content": {operation.upload: {"schema": {"type": "string"}}}}
    elif post:
        inputs["requestBody"] = {"content": {JSON: {"schema": {"type": "object"}}}}
    return inputs


def _responses(operation: Operation, refs: dict[type, Schema]) -> Schema:
    schema: Schema = {"type": "string"} if operation.media != JSON else {"type": "object"}
    about = "A file." if operation.media != JSON else "An object."
    replies = operation.replies
    if replies:
        alternatives = [refs[reply] for reply in replies]
        schema = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
        about = " Or: ".join(map(first_line, replies))
    error = {"content": {JSON: {"schema": refs[Error]}}}
    success = {"description": about, "content": {operation.media: {"schema": schema}}}
    responses: Schema = {"200": success}
    for status in sorted(set(STATUS.values())):
        codes = sorted({code for code, number in STATUS.items() if number == status} - {"large"})
        responses[str(status)] = {"description": ", ".join(codes) or "too large", **error}
    return responses
