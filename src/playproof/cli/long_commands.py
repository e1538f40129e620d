"""Long commands as jobs: which commands are recorded, under which title, and how they resume."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from playproof.core.errors import PlayproofError
from playproof.core.jobs.recorder import JobRecorder, current, data_folder, new_record, recording

# Kinds of jobs by the first words of a command.
_KINDS = {
    ("train",): "train",
    ("tournament",): "tournament",
    ("match",): "match",
    ("elo",): "elo",
    ("prove",): "prove",
    ("check",): "check",
    ("census",): "census",
    ("table", "build"): "table",
    ("table", "verify"): "table",
    ("data", "build"): "data",
    ("data", "label"): "data",
    ("paper",): "paper",
    ("yardstick",): "yardstick",
    ("tactics",): "tactics",
}
# Kinds that are resumed by the same command.
_REPEATABLE = ("tournament", "match", "elo", "prove", "census", "data", "paper")
_TITLE_LENGTH = 60  # characters


def kind_of(argv: Sequence[str]) -> str | None:
    """The kind of job of a command; None if it is not recorded."""
    if any(word in ("-h", "--help", "--settings") for word in argv):
        return None
    for words, kind in _KINDS.items():
        if tuple(argv[: len(words)]) == words:
            return kind
    return None


def title_of(argv: Sequence[str]) -> str:
    """The title of a job: the command's words before its first option."""
    words: list[str] = []
    for word in argv:
        if word.startswith("-"):
            break
        words.append(word)
    title = " ".join(words)
    title = title[:1].upper() + title[1:]
    return title if len(title) <= _TITLE_LENGTH else title[: _TITLE_LENGTH - 3] + "..."


def resume_of(kind: str, argv: Sequence[str]) -> list[str] | None:
    """The command that resumes a stopped one; None if it cannot be resumed."""
    if kind in _REPEATABLE or tuple(argv[:2]) == ("table", "build"):
        return list(argv)
    if kind == "train":
        out = _option(argv, "--out")
        return None if out is None else ["train", "--resume", "--out", out, *_loads(argv)]
    return None


def _loads(argv: Sequence[str]) -> list[str]:
    """The ``--load`` options, which ``main`` puts at the end."""
    return list(argv[argv.index("--load") :]) if "--load" in argv else []


def _option(argv: Sequence[str], name: str) -> str | None:
    for place, word in enumerate(argv):
        if word == name and place + 1 < len(argv):
            return argv[place + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


@contextmanager
def recorded_job(argv: Sequence[str]) -> Iterator[JobRecorder | None]:
    """Record the command as a job, if it is a long one.  The caller records how it ended."""
    kind = kind_of(argv)
    if kind is None or current() is not None:
        yield None
        return
    record = new_record(
        kind, title_of(argv), argv,
        by="command line", resume=resume_of(kind, argv), cwd=_working_folder(), mine=True,
    )  # fmt: skip
    with recording(record) as job:
        yield job
    if job.folder is not None:
        from playproof.core.jobs.index import JobIndex

        with suppress(OSError, PlayproofError):
            JobIndex(data_folder()).tidy()


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was deleted meanwhile
        return ""
