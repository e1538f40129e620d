"""Values of every message's own schema, sent to a lab that runs."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from starlette.testclient import TestClient

from playproof.web.http.access import RateLimits
from playproof.web.protocol import replies, requests
from playproof.web.protocol.replies.base import Message
from playproof.web.server import make_app
from tests.support.web.people import ADDRESS, Talker
from tests.support.web.protocol.values import Values

OF_EACH = 15  # messages


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with TestClient(make_app(Path(tmp_path_factory.mktemp("lab"))), base_url=ADDRESS) as found:
        lab = found.app.state.lab  # type: ignore[attr-defined]
        lab.request_limits = lab.new_game_limits = RateLimits(10**9, 1e9)
        found.get("/api/catalog")
        yield found


def judges() -> dict[str, Any]:
    """Who knows whether a message of the lab is sound, by its type."""
    for module in pkgutil.iter_modules(replies.__path__, f"{replies.__name__}."):
        importlib.import_module(module.name)
    found: dict[str, list[Any]] = {}
    waiting: list[Any] = [Message]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        tag = kind.__struct_config__.tag
        if tag is not None:
            found.setdefault(str(tag), []).append(kind)
    return {
        tag: [jsonschema.Draft202012Validator(msgspec.json.schema(kind)) for kind in kinds]
        for tag, kinds in found.items()
    }


def test_over_the_websocket(client: TestClient) -> None:
    known, values = judges(), Values(7)
    for kind in requests.ALL:
        with Talker(client) as talker:  # one each, for forty messages a second are the limit
            talker.new("othello")
            for n in range(OF_EACH):
                fields = values.bent(kind) if n % 2 else values.good(kind)
                if n % 3 == 0 and "ver" in fields:
                    fields["ver"] = talker.state.get("ver", 0)
                rid = f"fuzz{n}"
                text = json.dumps({**fields, "type": requests.type_of(kind), "rid": rid})
                talker.send_text(text)
                answer = talker.until(lambda m, rid=rid: m.get("rid") == rid)
                assert answer["type"] in known, (text, answer)
            for message in talker.heard:
                judges_of = known[message["type"]]
                assert any(judge.is_valid(message) for judge in judges_of), message


@pytest.mark.parametrize("kind", requests.TWINS)
def test_over_http(client: TestClient, kind: str) -> None:
    """Answers are held against the description by every client of these tests."""
    values = Values(8)
    id = client.post("/api/games", json={"game": "othello"}).json()["id"]
    for n in range(OF_EACH):
        fields = values.bent(requests.TWINS[kind]) if n % 2 else values.good(requests.TWINS[kind])
        fields.pop("id", None)
        client.post(f"/api/games/{id}/{kind}", json=fields)


def test_bodies_of_other_routes(client: TestClient) -> None:
    document, values = client.app.state.lab.openapi, Values(9)  # type: ignore[attr-defined]
    components, tried = document["components"], 0
    for path, told in document["paths"].items():
        schema = (
            told.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        )
        if schema is None or path.startswith("/api/games"):
            continue
        judge = jsonschema.Draft202012Validator({**schema["schema"], "components": components})
        for _ in range(OF_EACH):
            value = {name: values.wild() for name in ("key", "go", "recipe", "pieces", "run")}
            if judge.is_valid(value):
                continue  # a good one may start real work: the pages' own tests send those
            answer = client.post(path.replace("{id}", "x").replace("{name}", "x"), json=value)
            assert answer.status_code in (400, 403, 404, 409), (path, value, answer.text)
            tried += 1
    assert tried
