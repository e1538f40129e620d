"""The HTTP twins: every message for scripts, pictures, downloads, the description."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from playproof.core.registry import make
from playproof.formats import svg
from playproof.formats.any_text import read_game
from playproof.web.catalog import house_games as offers
from playproof.web.http.access import RateLimits
from playproof.web.protocol.refusal import LARGEST
from playproof.web.protocol.requests import TWINS
from playproof.web.server import make_app
from tests.support.web.people import ADDRESS, Message, any_move


def new(client: TestClient, **fields: Any) -> Message:
    response = client.post("/api/games", json=fields)
    assert response.status_code == 200, response.text
    return dict(response.json())


def post(client: TestClient, id: str, kind: str, status: int = 200, **fields: Any) -> Message:
    response = client.post(f"/api/games/{id}/{kind}", json=fields)
    assert response.status_code == status, response.text
    return dict(response.json())


def test_a_script_plays_a_game(client: TestClient) -> None:
    state = new(client, game="othello", seats=["human", "human"], seed=1)
    id, chooser = state["id"], random.Random(1)
    for _ in range(6):
        state = post(client, id, "move", ver=state["ver"], c=any_move(state, chooser))
    assert client.get(f"/api/games/{id}").json() == state
    state = post(client, id, "undo", ver=state["ver"])
    state = post(client, id, "redo", ver=state["ver"])
    assert post(client, id, "goto", ply=2)["ply"] == 2
    assert client.get(f"/api/games/{id}?ply=2").json()["ply"] == 2
    assert post(client, id, "next", ver=state["ver"], prefix=[])["tokens"][0]["ends"] is True
    assert post(client, id, "share", on=True)["shared"] is True
    ver = post(client, id, "join")["ver"]
    assert post(client, id, "line", line=0)["of"] == 6
    assert post(client, id, "stop")["type"] == "state"
    assert post(client, id, "resign", ver=ver)["reason"].endswith("resigned")
    listed = client.get("/api/games").json()["games"]
    assert [(g["id"], g["yours"], g["ply"], g["open"]) for g in listed] == [(id, True, 6, False)]
    assert post(client, id, "delete") == {"type": "deleted"}
    assert client.get("/api/games").json() == {"games": []}
    assert client.get(f"/api/games/{id}").status_code == 404


def test_an_analysis_by_script(client: TestClient) -> None:
    state = new(client, text="f5d6c4", analysis=True)
    id = state["id"]
    state = post(client, id, "move", ver=state["ver"], c=["f6"], line=0, ply=1)
    assert (state["line"], state["moves"]) == (1, ["f5", "f6"])
    assert client.get(f"/api/games/{id}?line=1&ply=1").json()["of"] == 2
    assert client.get(f"/api/games/{id}.txt?line=1").text == "f5f6\n"
    assert client.get(f"/api/games/{id}?line=7").status_code == 400


def test_errors_have_a_status_a_code_and_the_state(client: TestClient, other: TestClient) -> None:
    state = new(client, game="othello", seats=["human", "open"])
    id, ver = state["id"], state["ver"]
    answer = post(client, id, "move", 409, ver=ver + 1, c=["d3"])
    assert (answer["code"], answer["state"]["ver"]) == ("stale", ver)
    assert post(client, id, "move", 409, ver=ver, c=["a1"])["code"] == "illegal"
    assert post(other, id, "move", 409, ver=ver, c=["d3"])["code"] == "turn"
    assert post(other, id, "join", 409, seat=0)["code"] == "busy"
    assert post(other, id, "delete", 403)["code"] == "access"
    assert post(client, id, "move", 400, ver=ver)["code"] == "bad"
    assert post(client, id, "dance", 404)["code"] == "gone"
    assert post(client, "nosuchgame", "join", 404)["code"] == "gone"
    post(client, id, "share", on=False)
    assert other.get(f"/api/games/{id}").status_code == 403
    large = client.post("/api/games", content=b"x" * (LARGEST + 1))
    assert (large.status_code, large.json()["code"]) == (413, "limit")
    assert client.post("/api/games", content=b"[1]").status_code == 400
    assert client.get(f"/api/games/{id}?ply=99").status_code == 400
    assert client.get(f"/api/games/{id}?ply=-1").status_code == 400
    assert client.get("/api/nothing").json()["code"] == "gone"
    assert client.put("/api/games").status_code == 405


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "new needs game"),
        ({"game": "nim"}, "there is no game 'nim' here"),
        ({"game": "othello", "variant": "5x5"}, "has no variant '5x5'"),
        ({"game": "othello", "variant": {"size": 5}}, "size=5 is not"),
        ({"game": "othello", "variant": {"weight": 5}}, "has no option 'weight'"),
        ({"game": "othello", "seats": ["human", "gtp:gnugo"]}, "no agent 'gtp' plays here"),
        ({"game": "othello", "seats": ["human", "uci:/bin/sh"]}, "no agent 'uci' plays here"),
        ({"game": "choko", "seats": ["human", "net:/etc/passwd"]}, "there is no net"),
        ({"game": "choko", "seats": ["human", "alphabeta:tables=/"]}, "tables cannot be set"),
        ({"game": "choko", "seats": ["human", "perfect:choko,tables=/"]}, "tables cannot be set"),
        ({"game": "othello", "seats": ["human", "net:choko-dql"]}, "does not play othello"),
        ({"game": "choko", "seats": ["human", "net"]}, "there is no net"),
        ({"game": "othello", "seats": ["human", "greedy:depth=2"]}, "greedy has no option"),
        ({"game": "othello", "seats": ["human", "pgts:widths=x"]}, "widths is a list"),
    ],
)
def test_what_cannot_be_begun(client: TestClient, fields: dict[str, Any], says: str) -> None:
    response = client.post("/api/games", json=fields)
    assert (response.status_code, response.json()["code"]) == (400, "bad")
    assert says in response.json()["msg"]


@pytest.mark.parametrize(
    "spec",
    ["alphabeta:time=31", "alphabeta:table=9999", "mcts:simulations=1000000", "mcts:time=60",
     "minimax:depth=9", "pgts:widths=100/100/100", "alphabeta:endgame=30"],
)  # fmt: skip
def test_budgets_are_capped(client: TestClient, spec: str) -> None:
    response = client.post("/api/games", json={"game": "othello", "seats": ["human", spec]})
    assert (response.status_code, response.json()["code"]) == (429, "limit")


# The catalog


def test_the_catalog_offers_what_can_be_begun(client: TestClient) -> None:
    games = client.get("/api/catalog").json()["games"]
    games = games[: len(offers.GAMES)]  # other tests of this process may have registered more
    assert [game["name"] for game in games] == list(offers.GAMES)
    choko = games[1]
    assert (choko["players"], choko["colours"]) == (["Blue", "Red"], ["b", "r"])
    for game in games:
        assert game["variants"][0]["id"] == "standard"
        assert game["opponents"][0]["spec"] == "random"
        for opponent in game["opponents"]:
            assert opponent["level"]
            assert opponent["about"]
        for spec in [o["spec"] for o in game["opponents"]] + [a["spec"] for a in game["analysts"]]:
            client.app.state.lab.new_game_limits._buckets.clear()  # type: ignore[attr-defined]
            state = new(client, game=game["name"], seats=["human", spec])
            assert state["seats"][1] | {"kind": "agent", "spec": spec} == state["seats"][1]
            assert state["formats"] == game["formats"]


# Pictures and records


@pytest.mark.parametrize("game", offers.GAMES)
def test_pictures_and_records_of_every_game(client: TestClient, game: str) -> None:
    chooser = random.Random(3)
    state = new(client, game=game)
    id = state["id"]
    for _ in range(9):
        state = post(client, id, "move", ver=state["ver"], c=any_move(state, chooser))
    made = make(game, **state["options"])
    for ply in (0, 4, state["of"]):
        view = made.start().play(state["moves"][:ply]).view()
        for theme in ("light", "dark"):
            picture = client.get(f"/api/games/{id}.svg?ply={ply}&theme={theme}")
            assert picture.headers["content-type"] == "image/svg+xml"
            assert picture.text == svg.render(view, theme=theme)  # type: ignore[arg-type]
    for kind in state["formats"]:
        found = client.get(f"/api/games/{id}.{kind}")
        assert f'filename="{game}-{id}.{kind}"' in found.headers["content-disposition"]
        played, record = read_game(made, found.text)
        assert (
            played.position == make(game, **state["options"]).start().play(state["moves"]).position
        ), kind
        if kind != "txt":
            assert record.players in (("human", "human"), ("?", "?"))
    assert client.get(f"/api/games/{id}.exe").status_code == 404


def test_a_resigned_game_says_so_in_its_record(client: TestClient) -> None:
    state = new(client, game="chess", seats=["human", "human"])
    state = post(client, state["id"], "move", ver=state["ver"], c=["e2", "e4"])
    post(client, state["id"], "resign", ver=state["ver"])
    text = client.get(f"/api/games/{state['id']}.pgn").text
    assert '[Result "1-0"]' in text
    assert '[Termination "Black resigned"]' in text
    record = json.loads(client.get(f"/api/games/{state['id']}.jsonl").text)
    assert (record["result"], record["reason"]) == ("1-0", "Black resigned")


# The description


def test_the_description_names_every_route(client: TestClient) -> None:
    found = client.get("/api/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    told = {
        (path, method)
        for path, operations in found["paths"].items()
        for method in operations
        if method != "parameters"
    }
    twins = {(f"/api/games/{{id}}/{kind}", "post") for kind in TWINS}
    routes = {
        (route.path, method.lower())
        for route in client.app.routes  # type: ignore[attr-defined]
        if isinstance(route, Route) and route.path.startswith("/api/")
        if route.path != "/api/games/{id}/{kind}"  # of which the twins are told
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert told == {(plain(path), method) for path, method in routes} | twins
    summaries = [
        operation["summary"]
        for operations in found["paths"].values()
        for method, operation in operations.items()
        if method != "parameters"
    ]
    assert all(text and text[-1] in ".!?" for text in summaries), summaries


def plain(path: str) -> str:
    """A path without what starlette is told of its parameters."""
    return re.sub(r"{(\w+):\w+}", r"{\1}", path)


def test_the_description_is_sound(client: TestClient) -> None:
    found = client.get("/api/openapi.json").json()
    ids = []
    for path, operations in found["paths"].items():
        named = set(re.findall(r"{(\w+)}", path))
        given = {p["name"] for p in operations.get("parameters", ()) if p["in"] == "path"}
        assert named == given, path
        for method, operation in operations.items():
            if method == "parameters":
                continue
            ids.append(operation["operationId"])
            assert "200" in operation["responses"]
            for response in operation["responses"].values():
                assert response["description"]
                for content in response["content"].values():
                    jsonschema.Draft202012Validator.check_schema(content["schema"])
    assert len(ids) == len(set(ids))
    for name in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(found)):
        assert name in found["components"]["schemas"]
    for schema in found["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


# The page and its rules


def test_the_page_and_what_guards_it(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'" in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert client.get("/static/index.html").status_code == 200
    assert client.get("/static/../server.py").status_code == 404
    assert client.get("/static/%2e%2e/server.py").status_code == 404
    assert client.get("/static/..%2fserver.py").status_code == 404


def test_too_many_requests_are_braked(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path), base_url=ADDRESS) as client:
        client.app.state.lab.request_limits = RateLimits(20, 0.0)  # type: ignore[attr-defined]
        client.get("/api/catalog")
        statuses = [client.get("/api/join").status_code for _ in range(40)]
        assert statuses == [200] * 20 + [429] * 20
        # Somebody else is not.
        client.cookies.clear()
        assert client.get("/api/join").status_code == 200
