"""Jobs of this process, for tests of jobs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playproof.core.jobs.index import JobEntry, JobIndex
from playproof.core.jobs.recorder import JobRecorder, new_record, recording
from playproof.core.jobs.store import JobRecord


def match_record(**fields: Any) -> JobRecord:
    """The record of a job; by default one of this process."""
    settings = {"by": "command line", "resume": ["match"], "mine": True, **fields}
    return new_record("match", "Match", ["match", "a b", "c"], **settings)


@contextmanager
def at_work(**fields: Any) -> Iterator[JobRecorder]:
    """Make this process a job that has its folder already."""
    with recording(match_record(**fields)) as job:
        job.open()
        yield job


def only(index: JobIndex) -> JobEntry:
    """The one job of an index."""
    (entry,) = index.entries()
    return entry
