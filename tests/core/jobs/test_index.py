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
from playproof.core.jobs import index as job_index
from playproof.core.jobs.index import MOST_FINISHED, MOST_STEPS, JobEntry, JobIndex
from playproof.core.jobs.store import END, new_id, update_record, write_json
from playproof.core.parallel import processes
from tests.support.core.jobs_at_work import at_work, match_record, only


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


def test_a_job_whose_process_is_gone_is_interrupted(index: JobIndex) -> None:
    with at_work() as job:
        job.report("on", 1, 2)
        job.flush()
        folder = index.folder / job.id
        assert only(index).state == "running"
        # Its number is somebody else's by now.
        update_record(folder, birth="another-1")
    job_json = only(index).to_json()
    assert job_json["state"] == "interrupted"
    assert "without a word" in job_json["error"]
    assert job_json["can"] == {"cancel": False, "resume": True, "delete": True}


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
    index: JobIndex, file: str, content: str | bytes | None
) -> None:
    with at_work() as job:
        job.end(0)
    path = index.folder / job.id / file
    path.unlink()
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    job_json = only(index).to_json()
    assert job_json["state"] == "failed"
    assert job_json["error"].startswith(f"This job cannot be read: {file} is ")
    assert job_json["can"] == {"cancel": False, "resume": False, "delete": True}
    assert (only(index).steps(), only(index).log()) == ([], ("", 0))
    index.delete(job.id)
    assert index.entries() == []


@pytest.mark.parametrize("change", [{"pid": "1"}, {"argv": [1]}, {"pid": None}, {"began": "now"}])
def test_a_card_of_the_wrong_kind_is_damaged(index: JobIndex, change: dict[str, Any]) -> None:
    with at_work() as job:
        update_record(index.folder / job.id, **change)
    assert only(index).read_error == "This job cannot be read: job.json is damaged."


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"facts": 3, "updated": "x", "done": "y"}', '{"facts": {"a": 1e999}}']
)
def test_progress_that_is_damaged_is_none(index: JobIndex, text: str) -> None:
    with at_work() as job:
        (index.folder / job.id / "progress.json").write_text(text)
        job_json = only(index).to_json()
        assert (job_json["state"], job_json["done"]) == ("running", None)
        json.dumps(job_json, allow_nan=False)


def test_steps_and_logs_are_read_in_part(index: JobIndex) -> None:
    with at_work() as job:
        for n in range(MOST_STEPS + 10):
            job.add_step(str(n))
        job.log("ä" * 50_000)
        job.end(0)
    path = index.folder / job.id
    with (path / "steps.jsonl").open("a") as file:
        file.write('{"at": "x"}\nnonsense\n{"at": 1}\n{"half')
    entry = only(index)
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
    index: JobIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = index.add(match_record())
    write_json(old.path / END, {"state": "done", "seconds": 1.0})
    os.utime(old.path, (1e9, 1e9))
    read: list[str] = []

    def counted(path: Path) -> JobEntry:
        read.append(path.name)
        return _one(path)

    _one = job_index._read
    monkeypatch.setattr(job_index, "_read", counted)
    for _ in range(3):
        assert [entry.state for entry in index.entries()] == ["done"]
    assert read == [old.id]
    write_json(old.path / END, {"state": "failed", "seconds": 1.0})
    for _ in range(3):  # it has just changed, and may once more
        assert [entry.state for entry in index.entries()] == ["failed"]
    assert len(read) == 4
    shutil.rmtree(old.path)
    assert index.entries() == []
    assert index._cache == {}


def test_folders_that_are_no_jobs_are_left_alone(index: JobIndex) -> None:
    index.folder.mkdir(parents=True)
    (index.folder / "notes").mkdir()
    (index.folder / new_id()).write_text("a file")
    (index.folder / new_id(1.0)).symlink_to(index.folder / "notes")
    assert index.entries() == []
    with pytest.raises(UsageError, match="there is no job"):
        index.delete(new_id(1.0))
    assert JobIndex(index.folder / "nowhere").entries() == []


def test_the_oldest_of_too_many_are_forgotten(index: JobIndex) -> None:
    over = []
    for n in range(MOST_FINISHED + 3):
        entry = index.add({**match_record(), "id": new_id(n + 1.0)})
        write_json(entry.path / END, {"state": "done", "seconds": 1.0})
        over.append(entry.id)
    waiting = index.add({**match_record(mine=False), "id": new_id(0.5)})
    stale = index.folder / ".new-x"
    stale.mkdir()
    os.utime(stale, (1.0, 1.0))
    (index.folder / ".new-y").mkdir()
    index.tidy()
    assert {entry.id for entry in index.entries()} == {waiting.id, *over[3:]}
    assert not stale.exists()
    assert (index.folder / ".new-y").exists()  # somebody is just making it


def test_only_what_is_over_is_deleted(index: JobIndex) -> None:
    with at_work() as job:
        with pytest.raises(UsageError, match="is not over: cancel it first"):
            index.delete(job.id)
        job.end(0)
    index.delete(job.id)
    with pytest.raises(UsageError, match="there is no job"):
        index.delete(job.id)
