"""Jobs that version 0.1 left on disk are listed, shown, and gone on with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli.running import Answer
from tests.support.compatibility.made import json_of, lines_of, names, rows

Playproof = Callable[..., Answer]
Copy = Callable[[str], Path]


@pytest.fixture
def data(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of the old version."""
    folder = copy("lab") / "data"
    monkeypatch.setenv("PLAYPROOF_DATA", str(folder))
    (folder.parent / "work").mkdir()
    return folder


def by_kind(jobs: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(job["kind"], job["state"], job["by"]) for job in reversed(jobs)]


def test_they_are_listed_as_they_were(playproof: Playproof, data: Path) -> None:
    jobs = playproof("jobs", "list", "--json").json()["jobs"]
    assert by_kind(jobs) == [
        ("tournament", "done", "page"),
        ("prove", "done", "page"),
        ("tournament", "cancelled", "page"),
        ("tournament", "interrupted", "page"),
        ("train", "interrupted", "command line"),
    ]
    found = {job["id"]: job for job in jobs}
    for old in json_of(data.parent / "answers.json")["jobs"]["jobs"]:
        assert names(old) <= names(found[old["id"]])
        same = ("title", "command", "label", "done", "total", "facts", "error", "link", "began")
        assert [found[old["id"]][key] for key in same] == [old[key] for key in same]
        assert found[old["id"]]["can"] == {**old["can"], "delete": True}
        assert found[old["id"]]["seconds"] == pytest.approx(old["seconds"], abs=1)


def test_they_are_shown_with_steps_and_log(playproof: Playproof, data: Path) -> None:
    ids = json_of(data.parent / "known.json")["ids"]
    shown = playproof("jobs", "show", ids["proof"], "--json").json()
    steps = lines_of(data / "jobs" / ids["proof"] / "steps.jsonl")
    assert steps
    assert [(step["text"], step["facts"]) for step in shown["steps"]] == [
        (step["text"], step["facts"]) for step in steps
    ]
    assert (shown["facts"]["variables"], shown["facts"]["clauses"]) == (188, 491)
    assert "UNSAT  there is no such thing: an Othello position on 4x4" in shown["log"]
    text = playproof("jobs", "show", ids["tournament"]).out
    assert "Othello: 2 players, 4 games in a pairing: done, 100%" in text
    assert "  1   greedy   +74" in text


def test_a_training_that_was_killed_goes_on(playproof: Playproof, data: Path) -> None:
    (job,) = (f for f in (data / "jobs").iterdir() if json_of(f / "job.json")["kind"] == "train")
    run = data / "runs" / "small"
    record, metrics = json_of(job / "job.json"), lines_of(run / "metrics.jsonl")
    assert (len(metrics), (job / "end.json").exists()) == (4, False)
    answer = playproof("jobs", "resume", job.name)
    assert answer.code == 0, answer.err
    assert "5 of 5 iterations" in answer.err
    again = lines_of(run / "metrics.jsonl")
    assert [line["iteration"] for line in again] == [1, 2, 3, 4, 5]
    assert again[:3] == metrics[:3]
    shown = playproof("jobs", "show", job.name, "--json").json()
    assert (shown["state"], shown["done"], shown["total"]) == ("done", 5, 5)
    assert shown["seconds"] > 2.0  # what the old version took is counted
    assert names(json_of(job / "job.json")) == names(record) | {"again"}
    (end,) = (data / "jobs").glob(f"{json_of(data.parent / 'known.json')['ids']['proof']}/end.json")
    assert names(json_of(job / "end.json")) == names(json_of(end))


def test_a_tournament_that_was_stopped_goes_on(playproof: Playproof, data: Path) -> None:
    ids = json_of(data.parent / "known.json")["ids"]
    id, arena = ids["interrupted"], data / "arena.sqlite"
    count = "SELECT count(*) FROM games JOIN events e ON event = e.id WHERE e.seed = 13"
    assert rows(arena, count) == [(4,)]
    answer = playproof("jobs", "resume", id)
    assert answer.code == 0, answer.err
    assert "4 of 12 games" in answer.err
    assert rows(arena, count) == [(12,)]
    assert rows(arena, "SELECT count(*), sum(done) FROM runs") == [(3, 2)]
    shown = playproof("jobs", "show", id, "--json").json()
    assert (shown["state"], shown["done"], shown["facts"]) == ("done", 12, {"tournament": 3})
    refused = playproof("jobs", "resume", ids["tournament"])
    assert (refused.code, "done" in refused.err) == (2, True)


def test_a_job_of_today_has_the_same_files_and_fields(playproof: Playproof, data: Path) -> None:
    from playproof.core.jobs.index import JobIndex
    from playproof.core.jobs.recorder import new_record, recording

    ids = json_of(data.parent / "known.json")["ids"]
    old = data / "jobs" / ids["proof"]
    record = new_record("prove", "An example", ["prove"], by="page", cwd=str(data), mine=True)
    entry = JobIndex(data).add(record)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAYPROOF_JOB", str(entry.path))
        with recording(record) as job:
            job.report("solving", done=1, total=2, variables=188)
            job.add_step("A step", name="manifest")
            job.end(0)
    for file in ("job.json", "progress.json", "end.json"):
        new_names, old_names = names(json_of(entry.path / file)), names(json_of(old / file))
        plain = {name for name in old_names if not name.startswith("facts.")}
        assert {name for name in new_names if not name.startswith("facts.")} == plain, file
    new_step, old_step = (lines_of(f / "steps.jsonl")[0] for f in (entry.path, old))
    assert set(new_step) == set(old_step)
