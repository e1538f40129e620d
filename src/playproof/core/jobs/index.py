"""All jobs of a data folder, whoever started them: read, listed, deleted, tidied."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from playproof.core.errors import DataError, UsageError
from playproof.core.jobs.store import (
    CARD,
    END,
    LOG,
    NEW,
    PROGRESS,
    STEPS,
    checked_id,
    is_id,
    make_folder,
    plain,
    read_json,
)
from playproof.core.parallel import processes

MOST_FINISHED = 200  # jobs that are over; older ones are forgotten
MOST_STEPS = 400  # of one job that are shown, the last ones
_STALE = 3600.0  # seconds after which a folder that was never finished is rubbish
_TICK = 1.0  # seconds: more than the clock of any file system has
_CHUNK = 64 * 1024  # bytes of a log at once

OVER = ("done", "failed", "cancelled", "interrupted")
ENDS = ("done", "failed", "cancelled")  # what end.json may say

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")  # a run's name in an address
# The page that shows the results of a kind of job, where it is always the same.
_PAGES = {"census": "proofs", "table": "truth", "paper": "papers"}


@dataclass
class Entry:
    """A job as its files tell it.  ``trouble``: why they cannot be read, in one line."""

    id: str
    path: Path
    card: dict[str, Any] = field(default_factory=dict)
    progress: dict[str, Any] = field(default_factory=dict)
    end: dict[str, Any] | None = None
    trouble: str = ""

    @property
    def state(self) -> str:
        """waiting, running, done, failed, cancelled or interrupted (gone without a word)."""
        if self.trouble:
            return "failed"
        if self.end is not None:
            return str(self.end["state"])
        if self.card["pid"] is None:
            return "waiting"
        running = processes.is_running(self.card["pid"], self.card["birth"])
        return "running" if running else "interrupted"

    @property
    def resume(self) -> list[str] | None:
        """What follows ``playproof`` to go on with it."""
        return None if self.trouble else self.card["resume"]

    @property
    def can_go_on(self) -> bool:
        """Whether it was stopped, and what it would go on with is still there."""
        state = self.state
        left = state == "interrupted" or not self.card.get("once")
        return state in OVER and state != "done" and self.resume is not None and left

    def seconds(self, state: str, now: float) -> float:
        """So long it has run, all goes together."""
        if self.trouble or state == "waiting":
            return 0.0
        if self.end is not None:
            return float(self.end.get("seconds") or 0.0)
        until = now if state == "running" else self.progress.get("updated") or self.card["started"]
        return float(self.card["spent"] + max(0.0, until - self.card["started"]))

    def to_json(self) -> dict[str, Any]:
        """The job as everyone is told of it."""
        state, card, told = self.state, self.card, self.progress
        error = self.trouble or str((self.end or {}).get("error") or "")
        if state == "interrupted":
            error = "It ended without a word: its process was killed, or the machine was."
        return {
            "id": self.id,
            "kind": card.get("kind", "unknown"),
            "title": card.get("title", f"Job {self.id}"),
            "command": "playproof " + shlex.join(card["argv"]) if card else "",
            "by": card.get("by", "command line"),
            "state": state,
            "began": card.get("began", 0.0),
            "seconds": round(self.seconds(state, time.time()), 1),
            "label": str(told.get("label") or ""),
            "done": _number(told.get("done")),
            "total": _number(told.get("total")),
            "facts": told.get("facts") or {},
            "error": error,
            "can": {
                "cancel": state in ("waiting", "running"),
                "resume": self.can_go_on,
                "delete": state in OVER,
            },
            "folder": card.get("folder"),
            "link": self._link(),
        }

    def _link(self) -> str:
        """The page's route that shows what this job is about."""
        link, kind = self.card.get("link"), self.card.get("kind", "")
        if link and link.startswith("#/"):
            return str(link)
        if kind in ("prove", "check"):
            return f"#/proofs/{self.id}"
        if kind == "train":
            return "#/train/" + self._run()
        if kind in ("tournament", "match", "elo"):
            number = self.progress.get("facts", {}).get("tournament")
            return "#/tournaments" + ("" if number is None else f"/{number}")
        return f"#/{_PAGES[kind]}" if kind in _PAGES else f"#/jobs/{self.id}"

    def _run(self) -> str:
        """A training run by its name in the data folder; elsewhere by its job."""
        folder, runs = Path(self.card.get("folder") or ""), self.path.parent.parent / "runs"
        known = folder.parent == runs and _PLAIN.fullmatch(folder.name)
        return folder.name if known else f"job-{self.id}"

    def steps(self) -> list[dict[str, Any]]:
        """The last steps: {"at": seconds, "text", "facts"}."""
        lines: deque[bytes] = deque(maxlen=MOST_STEPS)
        with suppress(OSError), (self.path / STEPS).open("rb") as file:
            lines.extend(file)
        found = []
        for line in lines:
            with suppress(ValueError, RecursionError, KeyError, TypeError):
                step = plain(json.loads(line))
                at, facts = float(step["at"] or 0.0), dict(step.get("facts") or {})
                found.append({"at": at, "text": str(step["text"]), "facts": facts})
        return found

    def log(self, after: int = 0) -> tuple[str, int]:
        """What was printed from byte ``after`` on, at most 64 KiB, and where to go on.

        Before the start: the last so many bytes, from the beginning of a line.
        """
        try:
            with (self.path / LOG).open("rb") as file:
                size = file.seek(0, 2)
                start = max(0, size + after) if after < 0 else min(after, size)
                file.seek(start)
                data = file.read(_CHUNK)
        except OSError:
            return "", 0
        if after < 0 and start > 0:
            cut = data.find(b"\n") + 1
            data, start = data[cut:], start + cut
        data = _whole_characters(data)
        return data.decode("utf-8", "replace"), start + len(data)


class Book:
    """The jobs of one data folder.  May be asked from several threads."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "jobs"
        self._read: dict[str, tuple[int, Entry]] = {}  # as they were when the folder was of then

    def add(self, card: dict[str, Any]) -> Entry:
        """Write a new job down; an OSError if there is no room."""
        make_folder(self.folder, card)
        return self.entry(card["id"])

    def entry(self, id: str) -> Entry:
        """The job with this id; a UsageError if there is none."""
        path = self.folder / checked_id(id)
        if path.is_symlink() or not path.is_dir():
            raise UsageError(f"there is no job {id}: playproof jobs lists them")
        return _read(path)

    def entries(self) -> list[Entry]:
        """All jobs, the newest first; those that cannot be read by their name."""
        try:
            paths = [path for path in self.folder.iterdir() if is_id(path.name)]
        except OSError:
            return []
        found = [self._entry(path) for path in sorted(paths, reverse=True)]
        entries = [entry for entry in found if entry is not None]
        # Within a second names are by chance; the order of Python's sort is else as it was.
        entries.sort(key=lambda e: (e.id[:15], e.card.get("began", 0.0)), reverse=True)
        there = {entry.id for entry in entries}
        for id in [id for id in list(self._read) if id not in there]:
            self._read.pop(id, None)
        return entries

    def _entry(self, path: Path) -> Entry | None:
        """A job, read again only if a file of its was replaced: lists are asked for often."""
        try:
            stat = path.lstat()
        except OSError:
            return None
        if not S_ISDIR(stat.st_mode):
            return None
        stamp, entry = self._read.get(path.name, (0, None))
        if entry is None or stamp != stat.st_mtime_ns:
            entry = _read(path)
            # Within a tick of the clock it may be changed once more, and look the same.
            if time.time() - stat.st_mtime > _TICK:
                self._read[path.name] = stat.st_mtime_ns, entry
        return entry

    def delete(self, id: str) -> None:
        """Forget a job that is over.  Its results, elsewhere, stay."""
        entry = self.entry(id)
        if entry.state not in OVER:
            raise UsageError(f"job {id} is not over: cancel it first")
        try:
            shutil.rmtree(entry.path)
        except FileNotFoundError:
            pass  # somebody else was faster
        except OSError as error:
            raise DataError(f"job {id} cannot be deleted: {error.strerror or error}") from None

    def tidy(self) -> None:
        """Forget the oldest of too many jobs that are over, and what was never finished."""
        over = [entry for entry in self.entries() if entry.state in OVER]
        for entry in over[MOST_FINISHED:]:
            shutil.rmtree(entry.path, ignore_errors=True)
        with suppress(OSError):
            for path in self.folder.glob(f"{NEW}*"):
                if path.stat().st_mtime < time.time() - _STALE:
                    shutil.rmtree(path, ignore_errors=True)


def _read(path: Path) -> Entry:
    entry = Entry(path.name, path)
    try:
        card = read_json(path / CARD)
        if card is None:
            raise DataError("job.json is missing")
        _check(card, path.name)
        end = read_json(path / END)
        seconds = (end or {}).get("seconds", 0.0)
        if end is not None and (end.get("state") not in ENDS or _number(seconds) is None):
            raise DataError("end.json is damaged")
        entry.card, entry.end = card, end
    except DataError as error:
        entry.trouble = f"This job cannot be read: {error}."
        return entry
    with suppress(DataError):  # how far it is may be missing, or be half of an old disk
        entry.progress = read_json(path / PROGRESS) or {}
    for name, kind in (("updated", int | float), ("facts", dict)):
        if not isinstance(entry.progress.get(name), kind):
            entry.progress.pop(name, None)
    return entry


_CARD: dict[str, Any] = {
    "kind": str, "title": str, "argv": list, "resume": list | None, "folder": str | None,
    "cwd": str, "link": str | None, "by": str, "began": int | float, "spent": int | float,
    "started": int | float | None, "pid": int | None, "birth": str | None,
}  # fmt: skip


def _check(card: dict[str, Any], id: str) -> None:
    right = card.get("id") == id and all(
        name in card and isinstance(card[name], kind) and not isinstance(card[name], bool)
        for name, kind in _CARD.items()
    )
    words = (card.get("argv") or []) + (card.get("resume") or []) if right else []
    begun = {card.get("pid") is None, card.get("birth") is None, card.get("started") is None}
    if not right or len(begun) != 1 or not all(isinstance(word, str) for word in words):
        raise DataError("job.json is damaged")


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole_characters(data: bytes) -> bytes:
    """Without the beginning of a last character whose rest is still to come."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if length > back else data
    return data
