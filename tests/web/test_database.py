"""What is kept: games across restarts, and files that are not ours or broken.

Kills are tested in ``tests/web/load``.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.core.errors import DataError, UsageError
from playproof.web.database import LabDatabase
from playproof.web.protocol.refusal import Refusal
from playproof.web.server import make_app
from tests.support.web.people import ADDRESS, Talker


def test_a_restart_loses_nothing(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(TestClient(make_app(tmp_path), base_url=ADDRESS))
        client.get("/api/catalog")
        talk = stack.enter_context(Talker(client))
        talk.new("othello", seed=7, clock={"seconds": 300, "increment": 1})
        talk.move("d3")
        talk.move("c3")
        talk.ask("undo", ver=talk.state["ver"])
        analysis = talk.ask("new", text="f5d6c4", analysis=True)
        talk.ask("goto", ply=1)
        talk.move("f6")
        lines = talk.state["lines"]
        old = client.get("/api/games").json()["games"]
        before = client.get(f"/api/games/{old[-1]['id']}").json()
        cookies = client.cookies
    with TestClient(make_app(tmp_path), base_url=ADDRESS, cookies=cookies) as client:
        assert client.get("/api/games").json()["games"] == [
            {**game, "seats": client.get(f"/api/games/{game['id']}").json()["seats"]}
            for game in old
        ]
        after = client.get(f"/api/games/{before['id']}").json()
        assert after["moves"] == ["d3"]
        assert after["can"] == {"move": True, "undo": True, "redo": True, "resign": True}
        assert after["clock"]["running"] == 1
        for name in ("ver", "seed", "variant", "options", "result", "view"):
            assert after[name] == before[name], name
        again = client.get(f"/api/games/{analysis['id']}").json()
        assert [x["moves"] for x in again["lines"]] == [x["moves"] for x in lines]


@pytest.mark.parametrize("broken", [b"not a database", b"SQLite format 3\0" + b"x" * 5000])
def test_a_broken_file_is_told_in_a_line_and_left_alone(tmp_path: Path, broken: bytes) -> None:
    file = tmp_path / "lab.sqlite"
    file.write_bytes(broken)
    with pytest.raises(DataError, match="cannot be used"):
        make_app(tmp_path)
    assert file.read_bytes() == broken


def test_a_damaged_file_is_not_used(tmp_path: Path) -> None:
    database = LabDatabase(tmp_path)
    for n in range(400):
        database.save(_row(f"game{n}", "x" * 500), {}, awaits_agent=False)
    database.close()
    file = tmp_path / "lab.sqlite"
    whole = bytearray(file.read_bytes())
    whole[8192:40960] = b"\xff" * (40960 - 8192)
    file.write_bytes(whole)
    with pytest.raises(DataError, match="move it away to start with an empty lab"):
        LabDatabase(tmp_path)
    assert file.read_bytes() == bytes(whole)


def _row(id: str, filling: str) -> dict[str, object]:
    return {"id": id, "creator": "me", "seats": [], "shared": False, "updated": 1.0, "x": filling}


def test_another_programs_file_is_left_alone(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "lab.sqlite")
    base.execute("create table recipes (name text)")
    base.commit()
    base.close()
    before = (tmp_path / "lab.sqlite").read_bytes()
    with pytest.raises(DataError, match="of another program"):
        LabDatabase(tmp_path)
    assert (tmp_path / "lab.sqlite").read_bytes() == before


def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    LabDatabase(tmp_path).close()
    base = sqlite3.connect(tmp_path / "lab.sqlite")
    base.execute("pragma user_version = 99")
    base.close()
    with pytest.raises(DataError, match="of a newer Playproof"):
        LabDatabase(tmp_path)


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be made"):
        LabDatabase(tmp_path / "file" / "lab")


def test_facts_are_made_once(tmp_path: Path) -> None:
    database = LabDatabase(tmp_path)
    secret = database.setting("secret")
    assert len(secret) > 30
    assert database.setting("code", "ABC") == "ABC"
    database.close()
    again = LabDatabase(tmp_path)
    assert (again.setting("secret"), again.setting("code", "XYZ")) == (secret, "ABC")
    again.close()
    assert (tmp_path / "lab.sqlite").stat().st_mode & 0o077 == 0


def test_what_cannot_be_saved_did_not_happen(client: TestClient) -> None:
    with Talker(client) as talk:
        talk.new("othello")
        lab = client.app.state.lab  # type: ignore[attr-defined]

        def full(*_: object, **__: object) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        save, lab.database.save = lab.database.save, full
        answer = talk.ask("move", ver=talk.state["ver"], c=["d3"])
        assert (answer["code"], "disk is full" in answer["msg"]) == ("limit", True)
        assert talk.state["moves"] == []
        lab.database.save = save
        assert talk.move("d3")["moves"] == ["d3"]


def test_a_game_of_other_rules_does_not_hide_the_rest(client: TestClient) -> None:
    good = client.post("/api/games", json={"game": "othello"}).json()["id"]
    bad = client.post("/api/games", json={"game": "choko"}).json()["id"]
    lab = client.app.state.lab  # type: ignore[attr-defined]
    data = json.loads(lab.database.text(bad))
    data["lines"][0]["moves"] = ["Z9"]
    lab.database.save(data, lab.lobby.rooms[bad].entry(), awaits_agent=True)
    lab.lobby.rooms.clear()
    assert [game["id"] for game in client.get("/api/games").json()["games"]] == [bad, good]
    answer = client.get(f"/api/games/{bad}")
    assert (answer.status_code, "no longer be read" in answer.json()["msg"]) == (404, True)
    assert (lab.database.games_awaiting_agent(), lab.lobby.load_or_none(bad)) == ([bad], None)
    # It takes no place for ever.
    assert client.post(f"/api/games/{bad}/delete").status_code == 200
    assert [game["id"] for game in client.get("/api/games").json()["games"]] == [good]


def test_a_list_loads_no_game(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for game in ("othello", "choko"):
        client.post("/api/games", json={"game": game})
    lab = client.app.state.lab  # type: ignore[attr-defined]
    lab.lobby.rooms.clear()
    monkeypatch.setattr(lab.database, "text", None)
    listed = client.get("/api/games").json()["games"]
    assert [game["title"] for game in listed] == ["Choko", "Othello"]


_VERSION_1 = """
create table games (
    id text primary key, creator text not null, persons text not null, shared integer not null,
    waits integer not null, updated real not null, data text not null
) without rowid;
create index games_updated on games (updated);
create index games_creator on games (creator);
create table facts (name text primary key, value text not null) without rowid;
pragma application_id = 0x506C6179;
pragma user_version = 1;
"""


def test_a_file_of_the_first_version_goes_on(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path / "new"), base_url=ADDRESS) as client:
        client.get("/api/catalog")
        with Talker(client) as talk:
            talk.new("othello")
            talk.move("d3")
        lab, cookies = client.app.state.lab, client.cookies  # type: ignore[attr-defined]
        rows = [
            json.loads(lab.database.text(talk.state["id"])),
            {**json.loads(lab.database.text(talk.state["id"])), "id": "bad"},
        ]
        rows[1]["lines"] = [{"id": 0, "parent": None, "from": 0, "moves": ["Z9"]}]
        secret = lab.database.setting("secret")
        (listed,) = client.get("/api/games").json()["games"]
    (tmp_path / "old").mkdir()
    base = sqlite3.connect(tmp_path / "old" / "lab.sqlite")
    base.executescript(_VERSION_1)
    me = rows[0]["creator"]
    for row in rows:
        values = (row["id"], me, me, 0, 0, row["updated"], json.dumps(row))
        base.execute("insert into games values (?, ?, ?, ?, ?, ?, ?)", values)
    base.execute("insert into facts values ('secret', ?)", (secret,))
    base.commit()
    base.close()
    for _ in range(2):  # the second time from the entry that the first one made
        app = make_app(tmp_path / "old")
        with TestClient(app, base_url=ADDRESS, cookies=cookies) as client:
            (found,) = client.get("/api/games").json()["games"]
            assert found == {**listed, "seats": found["seats"]}
            assert client.get(f"/api/games/{found['id']}").json()["moves"] == ["d3"]
    with pytest.raises(sqlite3.OperationalError):
        sqlite3.connect(tmp_path / "old" / "lab.sqlite").execute("select persons from games")


def test_there_is_an_end_to_games(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from playproof.web.game import lobby

    monkeypatch.setattr(lobby, "MOST_OF_ONE", 2)
    statuses = [client.post("/api/games", json={"game": "go"}).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    monkeypatch.setattr(lobby, "MOST_OF_ONE", 50)
    monkeypatch.setattr(lobby, "MOST_GAMES", 2)
    assert client.post("/api/games", json={"game": "go"}).status_code == 429
    monkeypatch.setattr(lobby, "MOST_GAMES", 50)
    monkeypatch.setattr(lobby, "_IN_MEMORY", 1)
    ids = [client.post("/api/games", json={"game": "go"}).json()["id"] for _ in range(3)]
    assert len(client.app.state.lab.lobby.rooms) <= 2  # type: ignore[attr-defined]
    assert all(client.get(f"/api/games/{id}").status_code == 200 for id in ids)
    statuses = [client.post("/api/games", json={"game": "go"}).status_code for _ in range(60)]
    assert 429 in statuses


def test_a_refusal_has_a_status() -> None:
    with pytest.raises(KeyError):
        _ = Refusal("nonsense", "").status


def test_a_move_is_acknowledged_when_the_disk_has_it(
    talk: Talker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut loses what was written but is still in the system's memory."""
    talk.new("othello")
    database = talk.client.app.state.lab.database  # type: ignore[attr-defined]
    log = os.stat(f"{database.path}-wal")
    flushed: list[tuple[int, int]] = []

    def fsync(file: int) -> None:
        time.sleep(0.05)  # as a slow disk would: others are not kept waiting
        flushed.append((os.fstat(file).st_ino, os.fstat(file).st_size))

    monkeypatch.setattr(os, "fsync", fsync)
    assert talk.move("d3")["moves"] == ["d3"]
    assert flushed[-1][0] == log.st_ino
    assert flushed[-1][1] >= log.st_size
    assert database.is_flushed

    def broken(file: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    assert "could not be saved (Input/output error)" in talk.ask("undo", ver=2)["msg"]
