"""All jobs of a data folder, whoever started them: read, listed, deleted and tidied."""

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
from typing import Any, cast

from playproof.core.errors import DataError, UsageError
from playproof.core.jobs.store import (
    END,
    LOG,
    NEW,
    PROGRESS,
    RECORD,
    STEPS,
    JobRecord,
    check_id,
    create_folder,
    is_id,
    read_json,
    to_plain_json,
)
from playproof.core.parallel import processes

MOST_FINISHED = 200  # finished jobs that are kept; the oldest are forgotten
MOST_STEPS = 400  # steps of one job that are shown, the last ones
_STALE = 3600.0  # seconds after which a half-created folder is removed
_TICK = 1.0  # seconds: more than the resolution of any file system's clock
_CHUNK = 64 * 1024  # bytes of a log at once

OVER = ("done", "failed", "cancelled", "interrupted")
ENDS = ("done", "failed", "cancelled")  # what end.json may say

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")  # a run's name in a URL
# The page that shows the results of a kind of job, where it is always the same.
_PAGES = {"census": "proofs", "table": "truth", "paper": "papers"}


@dataclass
class JobEntry:
    """A job as read from its files.  ``read_error``: why they cannot be read, in one line."""

    id: str
    path: Path
    record: JobRecord = field(default_factory=lambda: cast(JobRecord, {}))
    progress: dict[str, Any] = field(default_factory=dict)
    end: dict[str, Any] | None = None
    read_error: str = ""

    @property
    def state(self) -> str:
        """waiting, running, done, failed, cancelled or interrupted (its process has vanished)."""
        if self.read_error:
            return "failed"
        if self.end is not None:
            return str(self.end["state"])
        if self.record["pid"] is None or self.record["birth"] is None:
            return "waiting"
        running = processes.is_running(self.record["pid"], self.record["birth"])
        return "running" if running else "interrupted"

    @property
    def resume(self) -> list[str] | None:
        """The arguments of ``playproof`` that resume it."""
        return None if self.read_error else self.record["resume"]

    @property
    def can_resume(self) -> bool:
        """Whether it was stopped and what it needs to continue is still there."""
        state = self.state
        has_input = state == "interrupted" or not self.record.get("once")
        return state in OVER and state != "done" and self.resume is not None and has_input

    def seconds(self, state: str, now: float) -> float:
        """Seconds of running time, all runs of the job together."""
        if self.read_error or state == "waiting":
            return 0.0
        if self.end is not None:
            return float(self.end.get("seconds") or 0.0)
        started = self.record["started"] or 0.0
        until = now if state == "running" else self.progress.get("updated") or started
        return float(self.record["spent"] + max(0.0, until - started))

    def to_json(self) -> dict[str, Any]:
        """The job as commands and pages get it."""
        state, record, progress = self.state, self.record, self.progress
        error = self.read_error or str((self.end or {}).get("error") or "")
        if state == "interrupted":
            error = "It ended without a word: its process was killed, or the machine was."
        return {
            "id": self.id,
            "kind": record.get("kind", "unknown"),
            "title": record.get("title", f"Job {self.id}"),
            "command": "playproof " + shlex.join(record["argv"]) if record else "",
            "by": record.get("by", "command line"),
            "state": state,
            "began": record.get("began", 0.0),
            "seconds": round(self.seconds(state, time.time()), 1),
            "label": str(progress.get("label") or ""),
            "done": _number(progress.get("done")),
            "total": _number(progress.get("total")),
            "facts": progress.get("facts") or {},
            "error": error,
            "can": {
                "cancel": state in ("waiting", "running"),
                "resume": self.can_resume,
                "delete": state in OVER,
            },
            "folder": record.get("folder"),
            "link": self._link(),
        }

    def _link(self) -> str:
        """The page's route that shows what this job is about."""
        link, kind = self.record.get("link"), self.record.get("kind", "")
        if link and link.startswith("#/"):
            return str(link)
        if kind in ("prove", "check"):
            return f"#/proofs/{self.id}"
        if kind == "train":
            return "#/train/" + self._run_name()
        if kind in ("tournament", "match", "elo"):
            number = self.progress.get("facts", {}).get("tournament")
            return "#/tournaments" + ("" if number is None else f"/{number}")
        return f"#/{_PAGES[kind]}" if kind in _PAGES else f"#/jobs/{self.id}"

    def _run_name(self) -> str:
        """The name of a training run: its folder's in the data folder, else its job's."""
        folder, runs = Path(self.record.get("folder") or ""), self.path.parent.parent / "runs"
        is_in_runs = folder.parent == runs and _PLAIN.fullmatch(folder.name)
        return folder.name if is_in_runs else f"job-{self.id}"

    def steps(self) -> list[dict[str, Any]]:
        """The last steps: {"at": seconds, "text", "facts"}."""
        lines: deque[bytes] = deque(maxlen=MOST_STEPS)
        with suppress(OSError), (self.path / STEPS).open("rb") as file:
            lines.extend(file)
        steps = []
        for line in lines:
            with suppress(ValueError, RecursionError, KeyError, TypeError):
                step = to_plain_json(json.loads(line))
                at, figures = float(step["at"] or 0.0), dict(step.get("facts") or {})
                steps.append({"at": at, "text": str(step["text"]), "facts": figures})
        return steps

    def log(self, after: int = 0) -> tuple[str, int]:
        """At most 64 KiB of the log from byte ``after`` on, and the byte to continue from.

        A negative ``after`` counts from the end, and then begins with a whole line.
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


class JobIndex:
    """The jobs of one data folder.  May be used from several threads."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "jobs"
        # By id: the entry, and the modification time of its folder when it was read.
        self._cache: dict[str, tuple[int, JobEntry]] = {}

    def add(self, record: JobRecord) -> JobEntry:
        """Add a new job; an OSError if it cannot be written."""
        create_folder(self.folder, record)
        return self.entry(record["id"])

    def entry(self, id: str) -> JobEntry:
        """The job with this id; a UsageError if there is none."""
        path = self.folder / check_id(id)
        if path.is_symlink() or not path.is_dir():
            raise UsageError(f"there is no job {id}: playproof jobs lists them")
        return _read(path)

    def entries(self) -> list[JobEntry]:
        """All jobs, the newest first, including those whose files cannot be read."""
        try:
            paths = [path for path in self.folder.iterdir() if is_id(path.name)]
        except OSError:
            return []
        candidates = [self._entry(path) for path in sorted(paths, reverse=True)]
        entries = [entry for entry in candidates if entry is not None]
        # Ids of the same second are in random order; otherwise the stable sort changes nothing.
        entries.sort(key=lambda e: (e.id[:15], e.record.get("began", 0.0)), reverse=True)
        ids = {entry.id for entry in entries}
        for id in [id for id in list(self._cache) if id not in ids]:
            self._cache.pop(id, None)
        return entries

    def _entry(self, path: Path) -> JobEntry | None:
        """A job, read again only if one of its files was replaced: lists are asked for often."""
        try:
            stat = path.lstat()
        except OSError:
            return None
        if not S_ISDIR(stat.st_mode):
            return None
        stamp, entry = self._cache.get(path.name, (0, None))
        if entry is None or stamp != stat.st_mtime_ns:
            entry = _read(path)
            # Another change within the same tick of the clock would leave the time as it is.
            if time.time() - stat.st_mtime > _TICK:
                self._cache[path.name] = stat.st_mtime_ns, entry
        return entry

    def delete(self, id: str) -> None:
        """Forget a job that is over.  Its results, which lie elsewhere, stay."""
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
        """Forget the oldest finished jobs if there are too many, and half-created folders."""
        over = [entry for entry in self.entries() if entry.state in OVER]
        for entry in over[MOST_FINISHED:]:
            shutil.rmtree(entry.path, ignore_errors=True)
        with suppress(OSError):
            for path in self.folder.glob(f"{NEW}*"):
                if path.stat().st_mtime < time.time() - _STALE:
                    shutil.rmtree(path, ignore_errors=True)


def _read(path: Path) -> JobEntry:
    entry = JobEntry(path.name, path)
    try:
        record = read_json(path / RECORD)
        if record is None:
            raise DataError("job.json is missing")
        _check_record(record, path.name)
        end = read_json(path / END)
        seconds = (end or {}).get("seconds", 0.0)
        if end is not None and (end.get("state") not in ENDS or _number(seconds) is None):
            raise DataError("end.json is damaged")
        entry.record, entry.end = cast(JobRecord, record), end
    except DataError as error:
        entry.read_error = f"This job cannot be read: {error}."
        return entry
    with suppress(DataError):  # progress may be missing or damaged: the job is still readable
        entry.progress = read_json(path / PROGRESS) or {}
    for name, kind in (("updated", int | float), ("facts", dict)):
        if not isinstance(entry.progress.get(name), kind):
            entry.progress.pop(name, None)
    return entry


_FIELD_TYPES: dict[str, Any] = {
    "kind": str, "title": str, "argv": list, "resume": list | None, "folder": str | None,
    "cwd": str, "link": str | None, "by": str, "began": int | float, "spent": int | float,
    "started": int | float | None, "pid": int | None, "birth": str | None,
}  # fmt: skip


def _check_record(record: dict[str, Any], id: str) -> None:
    well_typed = record.get("id") == id and all(
        name in record and isinstance(record[name], kind) and not isinstance(record[name], bool)
        for name, kind in _FIELD_TYPES.items()
    )
    words = (record.get("argv") or []) + (record.get("resume") or []) if well_typed else []
    # Either all three are there, or the job waits and none is.
    missing = {record.get(name) is None for name in ("pid", "birth", "started")}
    if not well_typed or len(missing) != 1 or not all(isinstance(word, str) for word in words):
        raise DataError("job.json is damaged")


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole_characters(data: bytes) -> bytes:
    """``data`` without a last UTF-8 character that is cut off."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if length > back else data
    return data
