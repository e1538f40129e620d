"""The files of a job: where they are, and how they are written so that a reader never
sees half of one.

``jobs/ID/`` in the data folder holds job.json (what it is), progress.json (how far it
is), steps.jsonl (what it has done), log.txt (what it printed) and, once it has ended,
end.json.
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
from typing import Any

from playproof.core.errors import DataError, UsageError
from playproof.core.files import locks

CARD, PROGRESS, STEPS, LOG, END = (
    "job.json", "progress.json", "steps.jsonl", "log.txt", "end.json",
)  # fmt: skip
LOCK = "lock"
NEW = ".new-"  # folders that are being made
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[a-z0-9]{4}")
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def new_id(now: float | None = None) -> str:
    """A new job's name: sorted by name jobs are sorted by age."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    return stamp + "-" + "".join(secrets.choice(_LETTERS) for _ in range(4))


def is_id(text: str) -> bool:
    """Whether this can be the name of a job, and so of a folder of ours."""
    return _ID.fullmatch(text) is not None


def checked_id(text: str) -> str:
    if not is_id(text):
        raise UsageError(f"{text[:60]!r} names no job: playproof jobs lists them")
    return text


def read_json(file: Path) -> dict[str, Any] | None:
    """The object in a file; None if there is no such file."""
    try:
        found = json.loads(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DataError(f"{file.name} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{file.name} is damaged") from None
    if not isinstance(found, dict):
        raise DataError(f"{file.name} is damaged")
    return dict(plain(found))


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers of NumPy are numbers, what is not finite is nothing."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def write_json(file: Path, data: dict[str, Any]) -> None:
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


def append_step(folder: Path, at: float, text: str, facts: dict[str, Any] | None = None) -> None:
    """A line of the job's story; ``at`` is in seconds of its running."""
    line = {"at": round(at, 2), "text": text, "facts": facts or {}}
    append(folder / STEPS, json.dumps(line, ensure_ascii=False) + "\n")


def make_folder(jobs: Path, card: dict[str, Any]) -> Path:
    """The folder of a new job: it appears with its card in it."""
    id = str(card["id"])
    new, folder = jobs / (NEW + id), jobs / id
    for private in (jobs.parent, jobs, new):  # what was typed and printed is nobody else's business
        private.mkdir(mode=0o700, parents=True, exist_ok=private is not new)
    write_json(new / CARD, card)
    new.rename(folder)
    return folder


def locked(folder: Path) -> AbstractContextManager[bool]:
    """One at a time begins a job, or changes what its card says."""
    return locks.locked(folder / LOCK)


def change_card(folder: Path, /, **changes: Any) -> None:
    """New values in a card; who reads and writes at the same time waits."""
    with locked(folder):
        card = read_json(folder / CARD)
        if card is not None:
            write_json(folder / CARD, {**card, **changes})
