"""Replies about jobs, the long commands that pages start."""

from __future__ import annotations

from typing import Any, Literal

from playproof.web.protocol.replies.base import News, Number, Reply

JobState = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]


class JobRights(Reply):
    """What you may do with a job now."""

    cancel: bool
    resume: bool
    delete: bool


class Job(Reply):
    """A job: what it runs, how far it is (``done`` of ``total``), and where its results are shown.
    ``facts`` are figures by name. Guests see neither commands nor folders."""

    id: str
    kind: str
    title: str
    command: str
    by: str
    state: JobState
    began: float
    seconds: float
    label: str
    done: Number | None
    total: Number | None
    facts: dict[str, Any]
    error: str
    can: JobRights
    folder: str | None
    link: str


class JobStep(Reply):
    """A completed step of a job, ``at`` seconds after its start."""

    at: float
    text: str
    facts: dict[str, Any]


class WholeJob(Job):
    """A job with its latest steps and, for the owner, the end of its log."""

    steps: list[JobStep]
    log: str


class Jobs(Reply):
    """All jobs, the newest first."""

    jobs: list[Job]


class JobLog(Reply):
    """A part of what a job printed, and the byte at which the next part starts."""

    text: str
    next: int


class JobsNews(News, tag_field="type", tag="jobs"):
    """All jobs, sent again when one of them changes."""

    jobs: list[Job]


class JobNews(News, tag_field="type", tag="job"):
    """A job, sent again when it changes."""

    job: WholeJob
