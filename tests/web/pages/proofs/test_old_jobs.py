"""Jobs that an older version stored are drawn as it drew them.

``old_jobs.json`` was written by the version before proofs had typed events: the files of a
dozen jobs of ``prove`` and ``check``, and what its page made of each.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from playproof.core.jobs.index import JobEntry, JobIndex
from playproof.proofs.event_json import from_json, to_json
from playproof.web.pages.proofs.progress import all_levels, fingerprint, proof_state, summary
from playproof.web.protocol.codec import build
from playproof.web.protocol.replies import proofs as replies

OLD = json.loads((Path(__file__).parent / "old_jobs.json").read_text("utf-8"))
TITLES = [old["summary"]["title"] for old in OLD["jobs"]]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> JobIndex:
    data = tmp_path_factory.mktemp("old")
    for old in OLD["jobs"]:
        job = data / "jobs" / old["summary"]["id"]
        job.mkdir(parents=True)
        for name, text in old["files"].items():
            (job / name).write_text(text, "utf-8")
    for name, file in (("no-9", "manifest.json"), ("no-8", "index.json"), ("same", "index.json")):
        (data / "certificates" / name).mkdir(parents=True)
        (data / "certificates" / name / file).write_text("{}")
    return JobIndex(data)


def entry_of(book: JobIndex, title: str) -> tuple[JobEntry, dict[str, Any]]:
    (old,) = [old for old in OLD["jobs"] if old["summary"]["title"] == title]
    return book.entry(old["summary"]["id"]), old


@pytest.mark.parametrize("title", TITLES)
def test_an_old_job_is_drawn_as_before(book: JobIndex, title: str) -> None:
    entry, old = entry_of(book, title)
    drawn = proof_state(entry, book.folder.parent / "certificates", owner=True)
    fingerprint(drawn)
    assert msgspec.to_builtins(build(replies.ProofState, drawn)) == drawn
    del drawn["job"]
    if drawn["witness"]:
        drawn["witness"]["view"] = bool(drawn["witness"]["view"])
    assert drawn == old["story"]
    line = summary(entry, owner=True)
    assert line == old["summary"]
    assert msgspec.to_builtins(build(replies.ProofSummary, line)) == line


@pytest.mark.parametrize("title", TITLES)
def test_every_step_is_stored_again_as_it_was(book: JobIndex, title: str) -> None:
    entry, _ = entry_of(book, title)
    for step in entry.steps():
        event = from_json(step)
        assert event is not None, step
        assert to_json(event) == {"text": step["text"], "facts": step["facts"]}


def test_the_levels_of_the_paper_are_found_among_old_jobs(book: JobIndex) -> None:
    found = {"found": all_levels(book.entries())}
    assert found == {"found": OLD["levels"]}
    assert msgspec.to_builtins(build(replies.ProvedLevels, found)) == found


def test_guests_see_the_same_without_paths(book: JobIndex) -> None:
    entry, old = entry_of(book, "unreachable, certified")
    drawn = proof_state(entry, book.folder.parent / "certificates", owner=False)
    assert drawn["parts"] == old["story"]["parts"]
    assert drawn["verdict"] == old["story"]["verdict"]


def test_damaged_and_unknown_steps_are_passed_over(book: JobIndex, tmp_path: Path) -> None:
    entry, old = entry_of(book, "refuted and checked")
    lines = old["files"]["steps.jsonl"].splitlines()
    rubbish = [
        '{"at": 1, "text": "later", "facts": {"what": "a kind of next year", "x": 1}}',
        '{"at": 1, "text": "later", "facts": {"what": "formula", "variables": "many"}}',
        '{"at": 1, "text": "later", "facts": {"what": "witness", "game": "othello"}}',
        '{"at": 1, "text": "later", "facts": {"what": ["answer"], "status": "unsat"}}',
        '{"at": 1, "text": "later", "facts": {"what": "answer", "status": "perhaps"}}',
        '{"at": 1, "text": "later", "facts": {"what": "levels", "counts": [1, null]}}',
        '{"at": 1, "text": "later", "facts": {}}',
        '{"at": 1, "text":',
    ]
    mixed = [line for pair in zip(lines, rubbish * 9, strict=False) for line in pair]
    job = tmp_path / "jobs" / entry.id
    job.mkdir(parents=True)
    for name, text in old["files"].items():
        steps = "\n".join(mixed) + "\n"
        (job / name).write_text(steps if name == "steps.jsonl" else text, "utf-8")
    drawn = proof_state(
        JobIndex(tmp_path).entry(entry.id), book.folder.parent / "certificates", owner=True
    )
    del drawn["job"]
    assert drawn == old["story"]


def test_a_witness_that_no_game_can_read_is_not_drawn(book: JobIndex, tmp_path: Path) -> None:
    entry, old = entry_of(book, "a witness")
    job = tmp_path / "jobs" / entry.id
    job.mkdir(parents=True)
    for name, text in old["files"].items():
        (job / name).write_text(text.replace('"position": "-X', '"position": "?X'), "utf-8")
    drawn = proof_state(JobIndex(tmp_path).entry(entry.id), tmp_path, owner=True)
    assert drawn["witness"]["moves"] == 8
    assert drawn["witness"]["view"] is None
