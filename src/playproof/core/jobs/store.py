"""The files of a job, and how they are written so that no reader ever sees half of one.

``jobs/ID/`` in the data folder holds job.json (what the job is), progress.json (how far it is),
steps.jsonl (what it has done), log.txt (what it has printed) and, once it has ended, end.json.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from playproof.core.errors import DataError, UsageError
from playproof.core.files import locks

RECORD, PROGRESS, STEPS, LOG, END = (
    "job.json", "progress.json", "steps.jsonl", "log.txt", "end.json",
)  # fmt: skip
LOCK = "lock"
NEW = ".new-"  # prefix of folders that are still being created
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[a-z0-9]{4}")
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class JobRecord(TypedDict):
    """What job.json says of a job."""

    id: str
    kind: str
    title: str
    argv: list[str]  # what follows ``playproof``
    resume: list[str] | None  # the same for resuming; None if the job cannot be resumed
    folder: str | None  # where its results go
    cwd: str
    link: str | None  # the page's route that shows its results
    by: str  # "page" or "command line"
    began: float  # when it was created, in seconds since 1970
    spent: float  # seconds that it ran before it was resumed
    started: float | None  # when the process started; None while it waits
    pid: int | None
    birth: str | None  # tells the process from others with the same number
    once: NotRequired[bool]  # it can be resumed only if it was interrupted
    again: NotRequired[bool]  # it was resumed


def new_id(now: float | None = None) -> str:
    """A new job's id.  Ids sort by age."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    return stamp + "-" + "".join(secrets.choice(_LETTERS) for _ in range(4))


def is_id(text: str) -> bool:
    """Whether ``text`` can be the id of a job, and so the name of its folder."""
    return _ID.fullmatch(text) is not None


def check_id(text: str) -> str:
    """``text`` itself; a UsageError if it is not an id."""
    if not is_id(text):
        raise UsageError(f"{text[:60]!r} is not the id of a job: playproof jobs lists the ids")
    return text


def read_json(file: Path) -> dict[str, Any] | None:
    """The object in a file; None if there is no such file."""
    try:
        data = json.loads(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DataError(f"{file.name} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{file.name} is damaged") from None
    if not isinstance(data, dict):
        raise DataError(f"{file.name} is damaged")
    return dict(to_plain_json(data))


def to_plain_json(value: Any) -> Any:
    """A value as JSON can hold it: NumPy numbers become numbers, infinities and NaN None."""
    if isinstance(value, dict):
        return {str(name): to_plain_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_json(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def write_json(file: Path, data: Any) -> None:
    """Write a file whole or not at all."""
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        new.write_text(json.dumps(data, ensure_ascii=False, default=str), encoding="utf-8")
        os.replace(new, file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def append(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8", errors="replace") as out:
        out.write(text)


def append_step(folder: Path, at: float, text: str, figures: dict[str, Any] | None = None) -> None:
    """Add a step to steps.jsonl; ``at`` is in seconds of running time."""
    line = {"at": round(at, 2), "text": text, "facts": figures or {}}
    append(folder / STEPS, json.dumps(line, ensure_ascii=False) + "\n")


def create_folder(jobs: Path, record: JobRecord) -> Path:
    """Create a new job's folder; it appears with its record already in it."""
    new, folder = jobs / (NEW + record["id"]), jobs / record["id"]
    for private in (jobs.parent, jobs, new):  # commands and logs are nobody else's business
        private.mkdir(mode=0o700, parents=True, exist_ok=private is not new)
    write_json(new / RECORD, record)
    new.rename(folder)
    return folder


def locked(folder: Path) -> AbstractContextManager[bool]:
    """The lock under which a job is started and its record is changed."""
    return locks.locked(folder / LOCK)


def update_record(folder: Path, /, **changes: Any) -> None:
    """Change fields of a job's record, under its lock."""
    with locked(folder):
        record = read_json(folder / RECORD)
        if record is not None:
            write_json(folder / RECORD, {**record, **changes})
