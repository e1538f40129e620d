"""Jobs as files, by the one who works: what is told, and going on."""

from __future__ import annotations

import math
import os
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof.core.errors import DataError, UsageError
from playproof.core.jobs import control as job_control
from playproof.core.jobs import recorder as job_book
from playproof.core.jobs.index import OVER, Book
from playproof.core.jobs.recorder import current, data_folder, opened
from playproof.core.jobs.store import END, change_card, is_id, locked, new_id, read_json, write_json
from tests.support.core.jobs_at_work import at_work, card, only

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
