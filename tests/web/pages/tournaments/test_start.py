"""Starting a tournament: what was asked for is checked, written down, and played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.cli.main import main
from playproof.nets.files import save
from playproof.web.server import make_app
from tests.support.nets.made_nets import random_net
from tests.support.web.jobs.plain_job import job_told
from tests.support.web.people import ADDRESS
from tests.support.web.tournaments.played import play

GOOD = {
    "game": "othello",
    "variant": "4x4",
    "players": ["random", "greedy"],
    "games": 4,
    "plies": 2,
    "seed": 5,
    "workers": 1,
}


@pytest.fixture
def started(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    found: list[list[str]] = []

    def start(kind: str, title: str, argv: list[str], **more: Any) -> dict[str, Any]:
        assert (kind, more["resume"]) == ("tournament", argv)
        found.append(argv)
        return job_told("1", kind=kind, title=title, link=more["link"])

    monkeypatch.setattr(client.app.state.lab.jobs, "start", start)  # type: ignore[attr-defined]
    return found


def test_what_is_started_is_what_is_played(client: TestClient, started: list[list[str]]) -> None:
    answer = client.post("/api/tournaments", json=GOOD).json()
    assert answer["tournament"] == 1
    assert answer["job"]["link"] == "#/tournaments/1"
    table = client.get("/api/tournaments/1").json()
    assert (table["played"], table["games"], table["state"]) == (0, 4, "stopped")
    assert main(started[0]) == 0
    table = client.get("/api/tournaments/1").json()
    assert (table["played"], table["state"]) == (4, "done")
    # It is one and the same: the command has found what the page wrote down.
    assert len(client.get("/api/tournaments").json()["tournaments"]) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"game": "ludo"},
        {"variant": "20x20"},
        {"players": ["random"]},
        {"players": ["random"] * 7},
        {"players": "random"},
        {"players": ["random", 3]},
        {"players": ["random", " "]},
        {"players": ["random", "greedy:depth=3"]},
        {"players": ["random", "human"]},
        {"players": ["random", "gtp:gnugo"]},
        {"players": ["random", "uci:/bin/sh"]},
        {"players": ["random", "net:/etc/passwd"]},
        {"players": ["random", "net:run/../../x"]},
        {"players": ["random", "mcts:simulations=1000000000"]},
        {"games": 3},
        {"games": 0},
        {"games": 10**6},
        {"plies": -1},
        {"plies": 1000},
        {"seed": -1},
        {"seed": "1"},
        {"workers": 0},
        {"workers": 10_000},
        {"openings": "/etc/passwd"},
    ],
)
def test_what_cannot_be_is_refused_in_a_line(
    client: TestClient, data: Path, started: list[list[str]], change: dict[str, Any]
) -> None:
    answer = client.post("/api/tournaments", json={**GOOD, **change})
    assert answer.status_code in (400, 429), answer.text
    assert answer.json()["msg"] == " ".join(answer.json()["msg"].split())
    assert started == []
    assert not (data / "arena.sqlite").exists()


def test_a_full_queue_leaves_nothing_in_the_book(
    client: TestClient, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playproof.web.jobs.runner.MOST_WAITING", 0)
    assert client.post("/api/tournaments", json=GOOD).status_code == 429
    assert not (data / "arena.sqlite").exists()
    assert client.get("/api/tournaments").json()["tournaments"] == []


def test_guests_may_look_but_not_start(data: Path, tmp_path: Path) -> None:
    private = tmp_path / "home" / "my.safetensors"
    save(random_net("othello:size=4", "planes", (4,)), private)
    app = make_app(data, code="ABC234", owner_key="k" * 20)
    with TestClient(app, base_url=ADDRESS) as guest:
        guest.post("/api/enter", json={"code": "ABC234"})
        assert guest.get("/api/tournaments").status_code == 200
        play(data / "arena.sqlite", players=("random", f"net:{private}"), pairs=1)
        for path in ("", "/1", "/1/games?one=0&two=1", "/games/1", "/1/table.svg", "/1/all/jsonl",
                     "/games/1/jsonl"):  # fmt: skip
            answer = guest.get(f"/api/tournaments{path}")
            assert answer.status_code == 200, answer.text
            assert "/home" not in answer.text, path
            assert str(tmp_path) not in answer.text, path
            assert "my.safetensors" in answer.text, path
        assert guest.post("/api/tournaments", json=GOOD).status_code == 403
