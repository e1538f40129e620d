"""Commands that write themselves down, and ``playproof jobs``."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.cli import output
from playproof.cli.long_commands import kind_of, resume_of, title_of
from playproof.core.jobs import recorder as job_book
from playproof.core.jobs.index import JobEntry, JobIndex
from playproof.core.jobs.recorder import new_record, recording
from playproof.core.jobs.store import END, new_id, update_record, write_json
from playproof.core.parallel import processes
from tests.support.arena.players_here import players_here
from tests.support.cli.running import Answer, command, environment

MATCH = ("match", "othello", "random", "random", "--games", "4", "--workers", "1")


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JobIndex:
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path / "data"))
    return JobIndex(tmp_path / "data")


def add(book: JobIndex, *argv: str, state: str = "", **fields: Any) -> JobEntry:
    """A job of this process, or one that ended."""
    card = new_record("match", "Match", argv, by="command line", mine=True)
    entry = book.add({**card, **fields})
    if state:
        write_json(entry.path / END, {"state": state, "error": "", "seconds": 9.0})
    return book.entry(entry.id)


# Which commands are jobs


@pytest.mark.parametrize(
    ("words", "kind", "resume"),
    [
        ("train choko-dql --out x", "train", "train --resume --out x"),
        ("train choko-dql --out=x --seed 3", "train", "train --resume --out x"),
        ("train choko-dql", "train", None),
        ("tournament othello a b", "tournament", "tournament othello a b"),
        ("prove othello-mobility 35", "prove", "prove othello-mobility 35"),
        ("table build", "table", "table build"),
        ("table verify", "table", None),
        ("check bundle", "check", None),
        ("table stats", None, None),
        ("train --help", None, None),
        ("show othello", None, None),
        ("", None, None),
    ],
)
def test_which_commands_are_jobs(words: str, kind: str | None, resume: str | None) -> None:
    argv = words.split()
    assert kind_of(argv) == kind
    if kind is not None:
        assert resume_of(kind, argv) == (None if resume is None else resume.split())


def test_titles() -> None:
    assert title_of(["train", "choko-dql", "--out", "x"]) == "Train choko-dql"
    assert len(title_of(["tournament", *["alphabeta:time=1"] * 9])) == 60


# A command as a job


def test_a_command_tells_its_job(
    book: JobIndex, playproof: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = add(book, *MATCH)
    monkeypatch.setenv("PLAYPROOF_JOB", str(entry.path))
    assert playproof(*MATCH).code == 0
    job = book.entry(entry.id).to_json()
    assert (job["state"], job["done"], job["total"]) == ("done", 4, 4)
    assert "games in " in book.entry(entry.id).log()[0]


def test_its_error_is_the_jobs(
    book: JobIndex, playproof: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = add(book, "match", "othello", "random", "nobody")
    monkeypatch.setenv("PLAYPROOF_JOB", str(entry.path))
    answer = playproof("match", "othello", "random", "nobody")
    job = book.entry(entry.id).to_json()
    assert job["state"] == "failed"
    assert answer.err == f"error: {job['error']}\n"


def test_quick_commands_leave_nothing(book: JobIndex, playproof: Callable[..., Answer]) -> None:
    assert playproof("show", "othello").code == 0
    assert playproof("match", "othello", "random", "nobody").code == 2
    assert not book.folder.exists()


def test_bars_and_signs_tell_the_job_too(book: JobIndex) -> None:
    with recording(new_record("match", "x", ["match"], by="command line", mine=True)) as job:
        job.open()

        def told() -> tuple[Any, ...]:
            job.flush()
            (entry,) = book.entries()
            return tuple(entry.to_json()[name] for name in ("label", "done", "total"))

        with output.progress("levels") as update:
            assert told() == ("levels", None, None)
            update(3, 7)
            assert told() == ("levels", 3, 7)
        with output.working("solving") as say:
            assert told() == ("solving", None, None)
            say("9 conflicts")
            assert told() == ("solving  9 conflicts", None, None)
        output.note("a word")
        job.end(0)
    assert book.entries()[0].log()[0] == "a word\n"


@pytest.mark.slow
def test_a_killed_command_is_interrupted_and_goes_on(
    book: JobIndex, tmp_path: Path, playproof: Callable[..., Answer]
) -> None:
    """The whole way, in a real process: two seconds, kill -9, resume."""
    own = environment(PLAYPROOF_DATA=str(tmp_path / "data"))
    many = ("match", "othello", "random", "random", "--games", "20000", "--workers", "1")
    running = subprocess.Popen(
        command(*many), env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    )  # fmt: skip
    try:
        end = time.monotonic() + 60
        while not (found := book.entries()):
            assert time.monotonic() < end
            time.sleep(0.1)
        (entry,) = found
        assert entry.state == "running"
        assert entry.id in playproof("jobs").out
        children = processes.descendants(running.pid)
    finally:
        running.kill()
        running.wait()
    (entry,) = book.entries()
    assert entry.state == "interrupted"
    # With fewer games still to come it would take long: those that are kept are enough here.
    update_record(entry.path, resume=["match", *many[1:4], "--games", "2", "--workers", "1"])
    with players_here():
        done = playproof("jobs", "resume", entry.id)
    assert done.code == 0, done.err
    (entry,) = book.entries()
    job = entry.to_json()
    assert (job["state"], job["by"]) == ("done", "command line")
    assert "Resumed after it was stopped." in [step["text"] for step in entry.steps()]
    assert not any(processes.birth(pid) for pid in children)


# playproof jobs


def test_the_list(book: JobIndex, playproof: Callable[..., Answer]) -> None:
    assert playproof("jobs").out == ""
    assert playproof("jobs", "list", "--json").json() == {"jobs": []}
    old = add(book, *MATCH, state="done", id=new_id(0.0))
    (book.folder / new_id(1.0)).mkdir()
    new = add(book, *MATCH)
    listed = playproof("jobs", "--json").json()["jobs"]
    assert [job["state"] for job in listed] == ["running", "failed", "done"]
    assert playproof("jobs", "list", "--json").json()["jobs"][2] == listed[2]
    out = playproof("jobs").out
    for words in (old.id, new.id, "running", "0:00:09", "command line"):
        assert words in out


def test_one_job(book: JobIndex, playproof: Callable[..., Answer]) -> None:
    entry = add(book, *MATCH, folder="/results")
    with _working_on(entry) as job:
        job.report("games", 1, 4, best_so_far="a")
        job.add_step("began")
        job.log("hello")
        job.fail("no more")
        job.end(1)
    out = playproof("jobs", "show", entry.id).out
    for words in ("Match: failed, 25%", "playproof match othello", "/results", "no more",
                  "best so far: a", "began", "hello"):  # fmt: skip
        assert words in out
    told = playproof("jobs", "show", entry.id, "--json").json()
    assert (told["log"], told["steps"][0]["text"]) == ("hello\n", "began")


def _working_on(entry: JobEntry) -> Any:
    os.environ["PLAYPROOF_JOB"] = str(entry.path)
    return recording({})


@pytest.mark.parametrize("deed", ["show", "cancel", "resume"])
@pytest.mark.parametrize("id", ["x", "../..", "20200101-000000-abcd", ""])
def test_jobs_that_are_none(
    book: JobIndex, playproof: Callable[..., Answer], deed: str, id: str
) -> None:
    answer = playproof("jobs", deed, id)
    assert answer.code == 2
    assert answer.err.startswith("error: ")
    assert answer.err.count("\n") == 1


def test_what_cannot_be_done(book: JobIndex, playproof: Callable[..., Answer]) -> None:
    done = add(book, *MATCH, state="done", id=new_id(0.0))
    going = add(book, *MATCH, id=new_id(1.0))
    lost = add(book, *MATCH, birth="earlier-1", id=new_id(2.0))
    says = {
        ("cancel", done.id): "is not running: it is done",
        ("cancel", lost.id): "is not running: it is interrupted",
        ("resume", done.id): "is done: want one that was stopped or has failed",
        ("resume", going.id): "is running: want one that was stopped or has failed",
        ("resume", lost.id): "cannot be resumed: start it again with playproof match othello",
    }
    for words, text in says.items():
        answer = playproof("jobs", *words)
        assert (answer.code, text in answer.err) == (2, True), answer.err
    assert playproof("jobs", "--json", "show", done.id).code == 2


@pytest.mark.parametrize("deaf", [False, True])
def test_cancelling(
    book: JobIndex, playproof: Callable[..., Answer], deaf: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playproof.core.jobs.control.STOP_SECONDS", 0.2)
    monkeypatch.setattr("playproof.core.jobs.control.KILL_SECONDS", 0.2)
    ignore = "signal.signal(2, signal.SIG_IGN); " if deaf else ""
    script = f"import signal, time; {ignore}print(flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    entry = add(book, *MATCH, pid=process.pid, birth=processes.birth(process.pid))
    answer = playproof("jobs", "cancel", entry.id, "--json").json()
    assert answer["state"] == "cancelled"
    assert process.wait(10) in ((-9,) if deaf else (-2, 130, 1))
    process.stdout.close()


def test_waiting_jobs_are_cancelled_by_a_word(
    book: JobIndex, playproof: Callable[..., Answer]
) -> None:
    entry = add(book, *MATCH, pid=None, birth=None, started=None)
    assert playproof("jobs", "cancel", entry.id).out == "Match: cancelled\n"


@pytest.mark.slow
def test_resume_here(
    book: JobIndex,
    playproof: Callable[..., Answer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = add(book, *MATCH, state="cancelled", resume=list(MATCH), cwd=str(tmp_path))
    answer = playproof("jobs", "resume", entry.id)
    assert answer.code == 0
    assert "random against random" in answer.out
    assert book.entry(entry.id).state == "done"
    assert job_book.current() is None


def test_a_folder_that_is_gone_is_told(book: JobIndex, playproof: Callable[..., Answer]) -> None:
    entry = add(book, *MATCH, state="failed", resume=list(MATCH), cwd="/nowhere/at/all")
    answer = playproof("jobs", "resume", entry.id)
    says = "error: /nowhere/at/all cannot be used: No such file or directory\n"
    assert (answer.code, answer.err) == (3, says)
    assert book.entry(entry.id).state == "failed"
