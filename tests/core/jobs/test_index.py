"""Jobs as files, by everyone else: read whatever their state, and tidied up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from playproof.core.errors import UsageError
from playproof.core.jobs import index as job_list
from playproof.core.jobs.index import MOST_FINISHED, MOST_STEPS, Book, Entry
from playproof.core.jobs.store import END, change_card, new_id, write_json
from playproof.core.parallel import processes
from tests.support.core.jobs_at_work import at_work, card, only


def test_a_process_is_known_by_its_birth() -> None:
    own = processes.birth(os.getpid())
    assert own is not None
    assert processes.is_running(os.getpid(), own)
    assert not processes.is_running(os.getpid(), own + "0")
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    born = processes.birth(child.pid)
    assert born != own
    assert child.pid in processes.descendants(os.getpid())
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert processes.birth(child.pid) is None  # what is left of it does not count
    child.wait()
    assert processes.birth(child.pid) is None


def test_a_job_whose_process_is_gone_is_interrupted(book: Book) -> None:
    with at_work() as job:
        job.tell("on", 1, 2)
        job.flush()
        folder = book.folder / job.id
        assert only(book).state == "running"
        # Its number is somebody else's by now.
        change_card(folder, birth="another-1")
    told = only(book).to_json()
    assert told["state"] == "interrupted"
    assert "without a word" in told["error"]
    assert told["can"] == {"cancel": False, "resume": True, "delete": True}


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("job.json", None),
        ("job.json", "{"),
        ("job.json", "[]"),
        ("job.json", "{}"),
        ("job.json", "9" * 5000),
        ("job.json", "[" * 100_000),
        ("job.json", '{"id": "x"}'),
        ("job.json", b"\xff\xfe"),
        ("end.json", "{}"),
        ("end.json", '{"state": "lost"}'),
        ("end.json", '{"state": "done", "seconds": "x"}'),
        ("end.json", ""),
    ],
)
def test_a_damaged_job_is_shown_in_one_line(
    book: Book, file: str, content: str | bytes | None
) -> None:
    with at_work() as job:
        job.end(0)
    path = book.folder / job.id / file
    path.unlink()
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    told = only(book).to_json()
    assert told["state"] == "failed"
    assert told["error"].startswith(f"This job cannot be read: {file} is ")
    assert told["can"] == {"cancel": False, "resume": False, "delete": True}
    assert (only(book).steps(), only(book).log()) == ([], ("", 0))
    book.delete(job.id)
    assert book.entries() == []


@pytest.mark.parametrize("change", [{"pid": "1"}, {"argv": [1]}, {"pid": None}, {"began": "now"}])
def test_a_card_of_the_wrong_kind_is_damaged(book: Book, change: dict[str, Any]) -> None:
    with at_work() as job:
        change_card(book.folder / job.id, **change)
    assert only(book).trouble == "This job cannot be read: job.json is damaged."


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"facts": 3, "updated": "x", "done": "y"}', '{"facts": {"a": 1e999}}']
)
def test_progress_that_is_damaged_is_none(book: Book, text: str) -> None:
    with at_work() as job:
        (book.folder / job.id / "progress.json").write_text(text)
        told = only(book).to_json()
        assert (told["state"], told["done"]) == ("running", None)
        json.dumps(told, allow_nan=False)


def test_steps_and_logs_are_read_in_part(book: Book) -> None:
    with at_work() as job:
        for n in range(MOST_STEPS + 10):
            job.step(str(n))
        job.log("ä" * 50_000)
        job.end(0)
    path = book.folder / job.id
    with (path / "steps.jsonl").open("a") as file:
        file.write('{"at": "x"}\nnonsense\n{"at": 1}\n{"half')
    entry = only(book)
    assert [step["text"] for step in entry.steps()][-1] == str(MOST_STEPS + 9)
    text, then = entry.log()
    assert text == "ä" * 32768
    assert entry.log(then)[0] == "ä" * (50_000 - 32768) + "\n"
    assert entry.log(10**9) == ("", 100_001)
    with (path / "log.txt").open("ab") as log:
        log.write("last ä".encode()[:-1])  # half a letter: its rest is still to come
    assert entry.log(-20) == ("last ", 100_006)
    assert entry.log(-20)[0] == "last "


def test_a_list_is_read_again_only_where_it_changed(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = book.add(card())
    write_json(old.path / END, {"state": "done", "seconds": 1.0})
    os.utime(old.path, (1e9, 1e9))
    read: list[str] = []

    def counted(path: Path) -> Entry:
        read.append(path.name)
        return _one(path)

    _one = job_list._read
    monkeypatch.setattr(job_list, "_read", counted)
    for _ in range(3):
        assert [entry.state for entry in book.entries()] == ["done"]
    assert read == [old.id]
    write_json(old.path / END, {"state": "failed", "seconds": 1.0})
    for _ in range(3):  # it has just changed, and may once more
        assert [entry.state for entry in book.entries()] == ["failed"]
    assert len(read) == 4
    shutil.rmtree(old.path)
    assert book.entries() == []
    assert book._read == {}


def test_folders_that_are_no_jobs_are_left_alone(book: Book) -> None:
    book.folder.mkdir(parents=True)
    (book.folder / "notes").mkdir()
    (book.folder / new_id()).write_text("a file")
    (book.folder / new_id(1.0)).symlink_to(book.folder / "notes")
    assert book.entries() == []
    with pytest.raises(UsageError, match="there is no job"):
        book.delete(new_id(1.0))
    assert Book(book.folder / "nowhere").entries() == []


def test_the_oldest_of_too_many_are_forgotten(book: Book) -> None:
    over = []
    for n in range(MOST_FINISHED + 3):
        entry = book.add({**card(), "id": new_id(n + 1.0)})
        write_json(entry.path / END, {"state": "done", "seconds": 1.0})
        over.append(entry.id)
    waiting = book.add({**card(mine=False), "id": new_id(0.5)})
    stale = book.folder / ".new-x"
    stale.mkdir()
    os.utime(stale, (1.0, 1.0))
    (book.folder / ".new-y").mkdir()
    book.tidy()
    assert {entry.id for entry in book.entries()} == {waiting.id, *over[3:]}
    assert not stale.exists()
    assert (book.folder / ".new-y").exists()  # somebody is just making it


def test_only_what_is_over_is_deleted(book: Book) -> None:
    with at_work() as job:
        with pytest.raises(UsageError, match="is not over: cancel it first"):
            book.delete(job.id)
        job.end(0)
    book.delete(job.id)
    with pytest.raises(UsageError, match="there is no job"):
        book.delete(job.id)
