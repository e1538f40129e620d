"""The classroom over HTTP, with a lab of one game."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from hypothesis import given, settings

from playproof import State
from playproof.web.pages.classroom import routes as classroom
from playproof.web.pages.classroom import tour
from playproof.web.pages.classroom.chsh import demonstration
from playproof.web.pages.classroom.lesson import lesson
from playproof.web.pages.classroom.preview import preview
from playproof.web.protocol.codec import encode
from playproof.web.protocol.refusal import Refusal
from tests.support.web.classroom.positions import positions

pytest.importorskip("starlette")
pytest.importorskip("httpx")


class Room:
    def state_at(self, ply: int | None) -> State:
        end = tour.states()[tour.MIDDLE]
        if ply is not None and ply > end.ply:
            raise Refusal("bad", f"there is no ply {ply}")
        return end if ply is None else end.before(end.ply - ply)


class Lab:
    def find(self, request: Any, id: str) -> Room:
        if id != "k7":
            raise Refusal("gone", "there is no such game")
        return Room()


@pytest.fixture(scope="module")
def client() -> Any:
    from starlette.applications import Starlette

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # starlette would like another httpx
        from starlette.testclient import TestClient

        return TestClient(Starlette(routes=classroom.routes(Lab())))


def test_the_lesson_of_a_game(client: Any) -> None:
    told = client.get("/api/classroom/k7").json()
    assert told["step"]["question"] == "Black keeps one of A5, E6: step 2"
    assert told["preview"]["choices"][0]["name"] == "A5"
    early = client.get("/api/classroom/k7?ply=2").json()
    assert early["ket"]["parts"][-1]["points"] == ["C2", "D3"]


def test_a_choice_is_looked_into(client: Any) -> None:
    told = client.get("/api/classroom/k7?choice=E6").json()["preview"]
    assert told["chosen"] == "E6"
    assert [[d["name"] for d in way["decisions"]] for way in told["ways"]] == [["E6", "E5"]]
    assert told["ways"][0]["probability"] == 1  # once E6 is chosen, there is no choice left


def test_the_tour_and_one_step_of_it(client: Any) -> None:
    whole = client.get("/api/classroom/tour").json()
    assert len(whole["steps"]) == len(tour.STEPS)
    one = client.get(f"/api/classroom/tour?step={whole['middle']}").json()
    assert one["position"] == whole["steps"][whole["middle"]]["position"]


def test_chsh_of_a_game_and_of_the_tour(client: Any) -> None:
    of_game = client.get("/api/classroom/chsh?id=k7").json()
    of_step = client.get(f"/api/classroom/chsh?step={tour.MIDDLE}").json()
    assert of_game == of_step == client.get("/api/classroom/chsh").json()
    assert of_game["S"] == 2
    assert client.get("/api/classroom/chsh?id=k7&ply=0&n=10").json()["experiment"]["n"] == 10


@pytest.mark.parametrize(
    ("path", "status", "line"),
    [
        ("k8", 404, "there is no such game"),
        ("k7?ply=-1", 400, "ply=-1: want a whole number from 0 on"),
        ("k7?ply=99999", 400, "there is no ply 99999"),
        ("k7?ply=" + "9" * 5000, 400, "ply=999999999999: want a whole number from 0 on"),
        ("k7?choice=C3", 400, "C3 cannot be chosen now: want one of the legal moves"),
        ("k7?choice=" + "C" * 99, 400, "choice=CCCCCCCCCCCC...: want the name of a move"),
        ("tour?step=38", 400, "the tour has no step 38: want 0 to 37"),
        ("tour?step=x", 400, "step=x: want a whole number from 0 on"),
        ("chsh?n=1000000", 400, "n=1000000: want a whole number from 1 to 100000"),
        ("chsh?id=k8", 404, "there is no such game"),
        ("chsh?a=A1&a2=A2&b=A2&b2=B1", 400, "A2 for both parties"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(client: Any, path: str, status: int, line: str) -> None:
    answer = client.get(f"/api/classroom/{path}")
    assert answer.status_code == status
    told = answer.json()
    assert told["type"] == "error"
    assert told["msg"].startswith(line)
    assert len(told["msg"]) <= 300


@settings(deadline=None)
@given(positions())
def test_replies_tell_every_position_whole(state: State) -> None:
    assert _plain(classroom.lesson_of(state, {})) == lesson(state) | {"preview": preview(state)}
    few = {"n": "5"}
    assert _plain(classroom.chsh_of(state, few)) == _plain(demonstration(state, few))


def test_replies_tell_the_tour_whole() -> None:
    assert _plain(classroom.tour_or_step({})) == tour.tour()


def _plain(told: Any) -> Any:
    return json.loads(encode(told))


def test_nothing_can_be_changed_here(client: Any) -> None:
    assert client.post("/api/classroom/k7").status_code == 405
