"""Which commands are jobs: those that may take long write themselves down."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from playproof.core.errors import PlayproofError
from playproof.core.jobs.recorder import JobRecorder, current, data_folder, new_record, recording

# Kinds by the first words of a command; those where the same command goes on with what
# it has left, after it was stopped, are in _AGAIN.
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
_AGAIN = ("tournament", "match", "elo", "prove", "census", "data", "paper")
_LONGEST = 60  # characters of a title


def kind_of(argv: Sequence[str]) -> str | None:
    """The kind of job that a command is; None if it is none."""
    if any(word in ("-h", "--help", "--settings") for word in argv):
        return None
    for words, kind in _KINDS.items():
        if tuple(argv[: len(words)]) == words:
            return kind
    return None


def title_of(argv: Sequence[str]) -> str:
    """The words before the first option, as a title."""
    words: list[str] = []
    for word in argv:
        if word.startswith("-"):
            break
        words.append(word)
    title = " ".join(words)
    title = title[:1].upper() + title[1:]
    return title if len(title) <= _LONGEST else title[: _LONGEST - 3] + "..."


def resume_of(kind: str, argv: Sequence[str]) -> list[str] | None:
    """The command that goes on with one that was stopped."""
    if kind in _AGAIN or tuple(argv[:2]) == ("table", "build"):
        return list(argv)
    if kind == "train":
        out = _option(argv, "--out")
        return None if out is None else ["train", "--resume", "--out", out, *_loads(argv)]
    return None


def _loads(argv: Sequence[str]) -> list[str]:
    """The files that the command loads, which stand at its end."""
    return list(argv[argv.index("--load") :]) if "--load" in argv else []


def _option(argv: Sequence[str], name: str) -> str | None:
    for place, word in enumerate(argv):
        if word == name and place + 1 < len(argv):
            return argv[place + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


@contextmanager
def kept(argv: Sequence[str]) -> Iterator[JobRecorder | None]:
    """The command as a job, if it is one.  Whoever runs it says how it ended."""
    kind = kind_of(argv)
    if kind is None or current() is not None:
        yield None
        return
    card = new_record(
        kind, title_of(argv), argv,
        by="command line", resume=resume_of(kind, argv), cwd=_here(), mine=True,
    )  # fmt: skip
    with recording(card) as job:
        yield job
    if job.folder is not None:
        from playproof.core.jobs.index import JobIndex

        with suppress(OSError, PlayproofError):
            JobIndex(data_folder()).tidy()


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted under us
        return ""
