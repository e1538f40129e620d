"""Secrets of the lab: who may read its files, and from when on."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playproof.core.errors import UsageError
from playproof.core.jobs.store import create_folder
from playproof.web.database import LabDatabase
from tests.support.web import owner
from tests.support.web.another_user import NOBODY, as_nobody, can_read, open_place
from tests.support.web.browser import Server

BASE = ("lab.sqlite", "lab.sqlite-wal", "lab.sqlite-shm")


@pytest.fixture
def place() -> Iterator[Path]:
    with open_place() as found:
        yield found


def modes(folder: Path) -> dict[str, int]:
    files = sorted(folder.iterdir())
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in (folder, *files)}


def test_another_user_reads_no_secret(place: Path) -> None:
    folder = place / "lab"
    database = LabDatabase(folder)
    try:
        database.setting("secret")
        (place / "control").write_text("for everyone")
        assert as_nobody(lambda: can_read(place, ["control"])) == [
            "control", "listed control", "listed lab",
        ]  # fmt: skip
        assert set(BASE) <= {file.name for file in folder.iterdir()}
        assert as_nobody(lambda: can_read(folder, [*BASE, "lab.lock"])) == []
        assert set(modes(folder).values()) == {0o600, 0o700}
        # Each file is closed by itself as well, wherever it stands.
        folder.chmod(0o755)
        names = [f"listed {name}" for name in sorted(os.listdir(folder))]
        assert as_nobody(lambda: can_read(folder, [*BASE, "lab.lock"])) == names
    finally:
        database.close()


def test_the_first_byte_is_written_to_a_closed_file(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, int]] = []
    connect = sqlite3.connect

    def watched(path: Any, *given: Any, **named: Any) -> sqlite3.Connection:
        seen.append(modes(Path(path).parent))
        return connect(path, *given, **named)

    monkeypatch.setattr(sqlite3, "connect", watched)
    LabDatabase(place / "lab").close()
    assert seen == [{"lab": 0o700, "lab.lock": 0o600, "lab.sqlite": 0o600}]


def test_a_folder_of_an_earlier_version_is_closed(place: Path) -> None:
    folder = place / "lab"
    killed = LabDatabase(folder)
    folder.chmod(0o755)
    for name in (*BASE, "lab.lock"):
        (folder / name).chmod(0o644)
    again = LabDatabase(folder)  # the log of a killed one is still there
    assert set(modes(folder).values()) == {0o600, 0o700}
    again.close()
    killed.close()


def test_a_folder_with_other_things_keeps_its_mode(place: Path) -> None:
    (place / "homework.txt").write_text("mine")
    LabDatabase(place).close()
    found = modes(place)
    assert (found[place.name], found["homework.txt"], found["lab.sqlite"]) == (0o755, 0o644, 0o600)


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda folder: folder.symlink_to(folder.parent), "is a link: name the folder"),
        (lambda folder: (folder.mkdir(), os.chown(folder, NOBODY, NOBODY)), "another user"),
        (lambda folder: (folder.mkdir(), folder.chmod(0o777)), "everyone may write in"),
        (lambda folder: folder.write_text(""), "there is a file of that name"),
        (
            lambda folder: (folder.mkdir(), (folder / "lab.sqlite").symlink_to("/etc/passwd")),
            "lab.sqlite is not a plain file",
        ),
    ],
)
def test_a_folder_that_is_not_ours_alone(place: Path, prepare: Any, message: str) -> None:
    if "another" in message and os.geteuid() != 0:
        pytest.skip("ONLY ROOT CAN GIVE A FOLDER AWAY")
    folder = place / "lab"
    prepare(folder)
    with pytest.raises(UsageError, match=message) as refused:
        LabDatabase(folder)
    assert "\n" not in str(refused.value)
    assert not (folder.parent / "lab.lock").exists()


def test_another_user_can_start_and_delete_nothing(lab: Server) -> None:
    """Over the port of a lab that is on this computer alone."""
    with owner.client(lab.url) as client:
        game = client.post("/api/games", json={"game": "othello"}).json()["id"]
        jobs = {job["id"] for job in client.get("/api/jobs").json()["jobs"]}  # of other tests

    def ask(path: str, body: dict[str, Any] | None = None) -> int:
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(f"{lab.url}/api/{path}", data, timeout=60) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def try_all() -> list[int]:
        seen = [ask(path) for path in ("catalog", "games", f"games/{game}", "jobs", "runs")]
        start = {"statement": "othello-34"}
        done = [
            ask("games", {"game": "othello"}),
            ask(f"games/{game}/delete", {}),
            ask("proofs/run", start),
            ask("jobs/20200101-000000-abcd/delete", {}),
            ask("enter", {"key": "guess"}),
        ]
        return seen + done

    assert as_nobody(try_all) == [403] * 10
    assert as_nobody(lambda: can_read(lab.folder, ["lab.key"])) == []
    with owner.client(lab.url) as client:
        assert {job["id"] for job in client.get("/api/jobs").json()["jobs"]} == jobs


def test_what_a_job_was_told_is_nobody_elses_business(place: Path) -> None:
    job = create_folder(place / "data" / "jobs", {"id": "one"})
    assert as_nobody(lambda: can_read(job, ["job.json"])) == []
    assert {stat.S_IMODE(p.stat().st_mode) for p in (job, job.parent, place / "data")} == {0o700}
