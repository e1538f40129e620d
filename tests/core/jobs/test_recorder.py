"""Jobs as the working process records them, and how they are resumed."""

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
from playproof.core.jobs import control, recorder
from playproof.core.jobs.index import OVER, JobIndex
from playproof.core.jobs.recorder import current, data_folder, recording
from playproof.core.jobs.store import (
    END,
    is_id,
    locked,
    new_id,
    read_json,
    update_record,
    write_json,
)
from tests.support.core.jobs_at_work import at_work, match_record, only

# Where


def test_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_DATA", "~/here")
    assert data_folder() == Path.home() / "here"
    monkeypatch.delenv("PLAYPROOF_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert data_folder() == Path("/data/playproof")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert data_folder().parts[-3:] == (".local", "share", "playproof")


def test_ids_sort_by_age() -> None:
    names = [new_id(now) for now in (0.0, 1.0, 61.0, 1e9)]
    assert names == sorted(names)
    assert all(is_id(name) for name in names)
    assert names[0].startswith("19700101-000000-")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../jobs", "19700101-000000-abcd/..", "19700101-000000-abcd\n", "*"]
)
def test_what_is_no_id_is_refused(index: JobIndex, name: str) -> None:
    with pytest.raises(UsageError, match=r"\Athere is no job|\A.* is not the id of a job: "):
        index.entry(name)


# Progress


def test_a_job_reports_its_progress(index: JobIndex) -> None:
    with at_work(folder=Path("/x")) as job:
        job.report("level", 3, 40, positions=np.int64(7), rate=np.float32(0.5), bad=math.nan)
        job.report(done=4)
        job.add_step("Level 3", count=9, where=("a1", 2))
        job.log("a line")
        job.flush()
        job_json = only(index).to_json()
        assert job_json["state"] == "running"
        assert (job_json["label"], job_json["done"], job_json["total"]) == ("level", 4, 40)
        assert job_json["facts"] == {"positions": 7, "rate": 0.5, "bad": None}
        assert job_json["command"] == "playproof match 'a b' c"
        assert job_json["can"] == {"cancel": True, "resume": False, "delete": False}
        assert job_json["folder"] == "/x"
        assert 0.0 <= job_json["seconds"] < 60.0
        job.start_part("next")
        job.end(0)
    entry = only(index)
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
def test_how_it_ended(index: JobIndex, code: int, state: str, error: str) -> None:
    with at_work() as job:
        job.fail(error)
        job.end(code)
    job_json = only(index).to_json()
    assert (job_json["state"], job_json["error"]) == (
        state,
        error or ("exit code 1" if code == 1 else ""),
    )
    assert job_json["can"] == {"cancel": False, "resume": state != "done", "delete": True}


def test_a_quick_command_leaves_nothing(index: JobIndex) -> None:
    with recording(match_record()) as job:
        job.report("quick", 1, 2)
        job.add_step("one")
        job.end(0)
    time.sleep(0.1)
    assert not index.folder.exists()


def test_a_longer_one_appears_by_itself(index: JobIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "QUICK", 0.2)
    with recording(match_record()) as job:
        job.add_step("before it had a folder")
        job.set_resume(["match", "--again"])
        end = time.monotonic() + 5
        while not index.entries() and time.monotonic() < end:
            job.report(done=1)
            time.sleep(0.05)
        job.set_folder(index.folder)
        entry = only(index)
        assert (entry.state, entry.resume) == ("running", ["match", "--again"])
        assert entry.record["folder"] == str(index.folder.resolve())
        while not (entry.steps() and _read(index)) and time.monotonic() < end:
            time.sleep(0.05)  # the writer's own
        assert entry.steps()[0]["text"] == "before it had a folder"
        job.end(0)


def _read(index: JobIndex) -> dict[str, Any]:
    return only(index).progress


def test_reporting_is_cheap_and_written_seldom(
    index: JobIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def count(file: Path, content: dict[str, Any]) -> None:
        written.append(file.name)
        write_json(file, content)

    monkeypatch.setattr(recorder, "write_json", count)
    with at_work() as job:
        began = time.monotonic()
        for n in range(20_000):
            job.report(done=n, total=20_000)
        took = time.monotonic() - began
        job.end(0)
    assert written.count("progress.json") <= 5 * took + 2
    assert only(index).to_json()["done"] == 19_999


def test_a_job_inside_a_job_is_part_of_it(index: JobIndex) -> None:
    with at_work() as outer, recording(match_record()) as inner:
        assert inner is outer is current()
    assert current() is None


def test_a_job_of_the_page_finds_its_folder(
    index: JobIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = index.add(match_record(by="page", mine=False))
    assert entry.state == "waiting"
    monkeypatch.setenv("PLAYPROOF_JOB", str(entry.path))
    with recording(match_record()) as job:
        assert job.id == entry.id
        assert "PLAYPROOF_JOB" not in os.environ  # programs that it starts are not the job
        job.log("it prints to its log anyway")
        job.end(0)
    assert only(index).state == "done"
    assert only(index).log() == ("", 0)


def test_a_full_disk_costs_the_record_and_not_the_work(
    index: JobIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with at_work() as job:
        for name in ("append", "write_json", "update_record"):
            monkeypatch.setattr(recorder, name, full)
        job.report("on", 1, 2)
        job.add_step("on")
        job.set_resume(None)
        job.flush()
        job.end(0)
    assert only(index).to_json()["label"] == ""
    monkeypatch.setattr(recorder, "create_folder", full)
    with recording(match_record()) as job:
        job.open()
        job.report("on")
        job.end(1)
    assert len(index.entries()) == 1


def test_threads_may_report(index: JobIndex) -> None:
    with at_work() as job:
        threads = [
            threading.Thread(target=lambda n=n: [job.add_step(f"{n} {i}") for i in range(50)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        job.end(0)
    assert len(only(index).steps()) == 200


# Resuming


def test_it_is_resumed_as_the_same_job(index: JobIndex) -> None:
    with at_work() as job:
        job.add_step("first")
        job.end(130)
    entry = only(index)
    write_json(entry.path / END, {"state": "cancelled", "seconds": 100.0, "error": ""})
    entry = only(index)
    with locked(entry.path):
        control.prepare_resume(entry, by="page")
    entry = only(index)
    assert entry.state == "waiting"
    assert entry.to_json()["seconds"] == 0.0
    assert control.command(entry) == ["match"]
    update_record(entry.path, **control.this_process())
    entry = only(index)
    assert entry.state == "running"
    assert 100.0 <= entry.to_json()["seconds"] < 110.0
    assert [step["text"] for step in entry.steps()] == ["first", "Resumed after it was stopped."]


def test_a_job_without_results_starts_from_scratch(index: JobIndex, tmp_path: Path) -> None:
    made = tmp_path / "run"
    entry = index.add(match_record(folder=made))
    assert control.command(entry)[1:] == ["a b", "c"]
    update_record(entry.path, again=True)
    assert control.command(only(index))[1:] == ["a b", "c"]
    made.mkdir()
    assert control.command(only(index)) == ["match"]


def test_one_at_a_time_changes_a_record(index: JobIndex) -> None:
    entry = index.add(match_record())
    order = []

    def change() -> None:
        update_record(entry.path, title="new")
        order.append("changed")

    with locked(entry.path):
        thread = threading.Thread(target=change)
        thread.start()
        time.sleep(0.1)
        order.append("unlocked")
    thread.join()
    assert order == ["unlocked", "changed"]
    assert only(index).record["title"] == "new"


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


def test_the_states_of_jobs_that_are_over() -> None:
    assert set(OVER) == {"done", "failed", "cancelled", "interrupted"}
