"""Jobs as files: written by the one who works, read by everyone else."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof.core import job_book, job_control, job_list, processes
from playproof.core.errors import DataError, UsageError
from playproof.core.job_book import Job, current, data_folder, new_card, opened
from playproof.core.job_files import END, change_card, is_id, locked, new_id, read_json, write_json
from playproof.core.job_list import MOST_FINISHED, MOST_STEPS, OVER, Book, Entry


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def book(data: Path) -> Book:
    return Book(data)


def card(**fields: Any) -> dict[str, Any]:
    given = {"by": "command line", "resume": ["match"], "mine": True, **fields}
    return new_card("match", "Match", ["match", "a b", "c"], **given)


@contextmanager
def at_work(**fields: Any) -> Iterator[Job]:
    """A job that is this process, and long enough to have a folder."""
    with opened(card(**fields)) as job:
        job.open()
        yield job


def only(book: Book) -> Entry:
    (entry,) = book.entries()
    return entry


# Where


def test_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_DATA", "~/here")
    assert data_folder() == Path.home() / "here"
    monkeypatch.delenv("PLAYPROOF_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert data_folder() == Path("/data/playproof")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert data_folder().parts[-3:] == (".local", "share", "playproof")


def test_names_are_by_age() -> None:
    names = [new_id(now) for now in (0.0, 1.0, 61.0, 1e9)]
    assert names == sorted(names)
    assert all(is_id(name) for name in names)
    assert names[0].startswith("19700101-000000-")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../jobs", "19700101-000000-abcd/..", "19700101-000000-abcd\n", "*"]
)
def test_what_is_no_name_names_nothing(book: Book, name: str) -> None:
    with pytest.raises(UsageError, match=r"\Athere is no job|\A.* names no job: "):
        book.entry(name)


# Telling


def test_a_job_tells_how_far_it_is(book: Book) -> None:
    with at_work(folder=Path("/x")) as job:
        job.tell("level", 3, 40, positions=np.int64(7), rate=np.float32(0.5), bad=math.nan)
        job.tell(done=4)
        job.step("Level 3", count=9, where=("a1", 2))
        job.log("a line")
        job.flush()
        told = only(book).to_json()
        assert told["state"] == "running"
        assert (told["label"], told["done"], told["total"]) == ("level", 4, 40)
        assert told["facts"] == {"positions": 7, "rate": 0.5, "bad": None}
        assert told["command"] == "playproof match 'a b' c"
        assert told["can"] == {"cancel": True, "resume": False, "delete": False}
        assert told["folder"] == "/x"
        assert 0.0 <= told["seconds"] < 60.0
        job.begin_part("next")
        job.end(0)
    entry = only(book)
    assert (entry.state, entry.to_json()["label"], entry.to_json()["done"]) == (
        "done", "next", None,
    )  # fmt: skip
    assert [(step["text"], step["facts"]) for step in entry.steps()] == [
        ("Level 3", {"count": 9, "where": ["a1", 2]})
    ]
    assert entry.log() == ("a line\n", 7)
    assert current() is None


@pytest.mark.parametrize(
    ("code", "state", "error"),
    [(0, "done", ""), (130, "cancelled", ""), (3, "failed", "no such file"), (1, "failed", "")],
)
def test_how_it_ended(book: Book, code: int, state: str, error: str) -> None:
    with at_work() as job:
        job.fail(error)
        job.end(code)
    told = only(book).to_json()
    assert (told["state"], told["error"]) == (state, error or ("exit code 1" if code == 1 else ""))
    assert told["can"] == {"cancel": False, "resume": state != "done", "delete": True}


def test_a_quick_command_leaves_nothing(book: Book) -> None:
    with opened(card()) as job:
        job.tell("quick", 1, 2)
        job.step("one")
        job.end(0)
    time.sleep(0.1)
    assert not book.folder.exists()


def test_a_longer_one_appears_by_itself(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_book, "QUICK", 0.2)
    with opened(card()) as job:
        job.step("before it had a folder")
        job.resumes_with(["match", "--again"])
        end = time.monotonic() + 5
        while not book.entries() and time.monotonic() < end:
            job.tell(done=1)
            time.sleep(0.05)
        job.results_in(book.folder)
        entry = only(book)
        assert (entry.state, entry.resume) == ("running", ["match", "--again"])
        assert entry.card["folder"] == str(book.folder.resolve())
        while not (entry.steps() and _read(book)) and time.monotonic() < end:
            time.sleep(0.05)  # the writer's own
        assert entry.steps()[0]["text"] == "before it had a folder"
        job.end(0)


def _read(book: Book) -> dict[str, Any]:
    return only(book).progress


def test_telling_is_cheap_and_written_seldom(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def count(file: Path, content: dict[str, Any]) -> None:
        written.append(file.name)
        write_json(file, content)

    monkeypatch.setattr(job_book, "write_json", count)
    with at_work() as job:
        began = time.monotonic()
        for n in range(20_000):
            job.tell(done=n, total=20_000)
        took = time.monotonic() - began
        job.end(0)
    assert written.count("progress.json") <= 5 * took + 2
    assert only(book).to_json()["done"] == 19_999


def test_a_job_inside_a_job_is_part_of_it(book: Book) -> None:
    with at_work() as outer, opened(card()) as inner:
        assert inner is outer is current()
    assert current() is None


def test_a_job_of_the_page_finds_its_folder(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = book.add(card(by="page", mine=False))
    assert entry.state == "waiting"
    monkeypatch.setenv("PLAYPROOF_JOB", str(entry.path))
    with opened(card()) as job:
        assert job.id == entry.id
        assert "PLAYPROOF_JOB" not in os.environ  # programs that it starts are not the job
        job.log("it prints to its log anyway")
        job.end(0)
    assert only(book).state == "done"
    assert only(book).log() == ("", 0)


def test_a_full_disk_costs_the_book_and_not_the_work(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with at_work() as job:
        for name in ("append", "write_json", "change_card"):
            monkeypatch.setattr(job_book, name, full)
        job.tell("on", 1, 2)
        job.step("on")
        job.resumes_with(None)
        job.flush()
        job.end(0)
    assert only(book).to_json()["label"] == ""
    monkeypatch.setattr(job_book, "make_folder", full)
    with opened(card()) as job:
        job.open()
        job.tell("on")
        job.end(1)
    assert len(book.entries()) == 1


def test_threads_may_tell(book: Book) -> None:
    with at_work() as job:
        threads = [
            threading.Thread(target=lambda n=n: [job.step(f"{n} {i}") for i in range(50)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        job.end(0)
    assert len(only(book).steps()) == 200


# Reading


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


# Going on


def test_it_goes_on_as_the_same_job(book: Book) -> None:
    with at_work() as job:
        job.step("first")
        job.end(130)
    entry = only(book)
    write_json(entry.path / END, {"state": "cancelled", "seconds": 100.0, "error": ""})
    entry = only(book)
    with locked(entry.path):
        job_control.renew(entry, by="page")
    entry = only(book)
    assert entry.state == "waiting"
    assert entry.to_json()["seconds"] == 0.0
    assert job_control.command(entry) == ["match"]
    change_card(entry.path, **job_control.begun_by_me())
    entry = only(book)
    assert entry.state == "running"
    assert 100.0 <= entry.to_json()["seconds"] < 110.0
    assert [step["text"] for step in entry.steps()] == ["first", "Goes on after it was stopped."]


def test_what_made_nothing_yet_begins_anew(book: Book, tmp_path: Path) -> None:
    made = tmp_path / "run"
    entry = book.add(card(folder=made))
    assert job_control.command(entry)[1:] == ["a b", "c"]
    change_card(entry.path, again=True)
    assert job_control.command(only(book))[1:] == ["a b", "c"]
    made.mkdir()
    assert job_control.command(only(book)) == ["match"]


def test_one_at_a_time_changes_a_card(book: Book) -> None:
    entry = book.add(card())
    order = []

    def change() -> None:
        change_card(entry.path, title="new")
        order.append("changed")

    with locked(entry.path):
        thread = threading.Thread(target=change)
        thread.start()
        time.sleep(0.1)
        order.append("unlocked")
    thread.join()
    assert order == ["unlocked", "changed"]
    assert only(book).card["title"] == "new"


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "job.json"
    write_json(file, {"a": 1})
    loop: dict[str, Any] = {}
    loop["loop"] = loop
    with pytest.raises(ValueError, match="Circular"):
        write_json(file, loop)
    assert read_json(file) == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["job.json"]
    shutil.rmtree(tmp_path)
    assert read_json(file) is None
    file.mkdir(parents=True)
    with pytest.raises(DataError, match="cannot be read"):
        read_json(file)


def test_all_states_are_told() -> None:
    assert set(OVER) == {"done", "failed", "cancelled", "interrupted"}
