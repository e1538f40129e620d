"""A long command that records itself: what it is, how far it is and how it ended.

The code inside asks ``current()`` for its job and reports progress to it::

    job = current()
    if job is not None:
        job.report(label="levels", done=3, total=40, positions=120_000)
        job.add_step("Level 3: 120,000 positions")

A job of the command line gets its folder only after two seconds, so that quick commands leave
nothing behind.  A job that the lab started has its folder already, and finds it in
``PLAYPROOF_JOB``.  Reporting is cheap and never fails: a thread writes at most five times a
second, and a full disk costs the record, not the work.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from playproof.core.errors import DataError
from playproof.core.files.folders import data_folder
from playproof.core.jobs.store import (
    END,
    LOG,
    PROGRESS,
    RECORD,
    STEPS,
    JobRecord,
    append,
    create_folder,
    new_id,
    read_json,
    to_plain_json,
    update_record,
    write_json,
)
from playproof.core.parallel import processes

__all__ = ["JobRecorder", "current", "data_folder", "new_record", "recording", "update_record"]

QUICK = 2.0  # seconds: a command that ends sooner leaves nothing behind
_PAUSE = 0.2  # seconds between two writes

_current: JobRecorder | None = None


def current() -> JobRecorder | None:
    """The job that this process runs, if any."""
    return _current


def new_record(
    kind: str,
    title: str,
    argv: Sequence[str],
    *,
    by: str,
    resume: Sequence[str] | None = None,
    folder: Path | None = None,
    cwd: str = "",
    link: str | None = None,
    mine: bool = False,
    once: bool = False,
) -> JobRecord:
    """The record of a job that waits to be started or, if ``mine``, runs in this process.

    ``argv`` and ``resume`` are what follows ``playproof``; ``folder`` is where its results go.
    ``once``: its input is deleted when it ends, so it can be resumed only if it was interrupted.
    """
    now = time.time()
    record: JobRecord = {
        "id": new_id(now),
        "kind": kind,
        "title": title,
        "argv": list(argv),
        "resume": None if resume is None else list(resume),
        "folder": None if folder is None else str(folder),
        "cwd": cwd,
        "link": link,
        "by": by,
        "began": now,
        "started": now if mine else None,
        "spent": 0.0,
        "pid": os.getpid() if mine else None,
        "birth": processes.birth(os.getpid()) if mine else None,
    }
    if once:
        record["once"] = True
    return record


class JobRecorder:
    """This process as a job.  All methods may be called from any thread."""

    def __init__(self, record: JobRecord, folder: Path | None = None) -> None:
        self.record, self.folder = record, folder
        self.error = ""  # the line that says why it failed
        self._started = time.monotonic()
        self._earlier_seconds = float(record.get("spent") or 0.0)
        self._progress: dict[str, Any] = {"label": "", "done": None, "total": None, "facts": {}}
        self._lines: dict[str, list[str]] = {STEPS: [], LOG: []}  # not yet written
        self._progress_changed = False
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._ended = False
        self._disabled = False  # the folder cannot be written
        self._writer = threading.Thread(target=self._write_loop, daemon=True)
        self._writer.start()

    @property
    def id(self) -> str:
        return self.record["id"]

    @property
    def seconds(self) -> float:
        """Seconds of running time, earlier runs of the same job included."""
        return self._earlier_seconds + time.monotonic() - self._started

    def report(
        self,
        label: str | None = None,
        done: float | None = None,
        total: float | None = None,
        **figures: Any,
    ) -> None:
        """Report progress.  What is left out stays as it was; ``figures`` are shown by name."""
        with self._lock:
            for name, value in (("label", label), ("done", done), ("total", total)):
                if value is not None:
                    self._progress[name] = value
            self._progress["facts"] |= to_plain_json(figures)
            self._progress_changed = True
        self._wake.set()

    def start_part(self, label: str) -> None:
        """Start another part of the work, which is counted from 0."""
        with self._lock:
            self._progress |= {"label": label, "done": None, "total": None}
            self._progress_changed = True
        self._wake.set()

    def add_step(self, text: str, **figures: Any) -> None:
        """Record a finished step, which the job's page lists."""
        line = {"at": round(self.seconds, 2), "text": text, "facts": to_plain_json(figures)}
        with self._lock:
            self._lines[STEPS].append(json.dumps(line, ensure_ascii=False) + "\n")
        self._wake.set()

    def log(self, text: str) -> None:
        """Add a line to the log, unless all that the process prints goes there anyway."""
        if self.record["by"] == "page":
            return
        with self._lock:
            self._lines[LOG].append(text.rstrip("\n") + "\n")
        self._wake.set()

    def set_resume(self, argv: Sequence[str] | None) -> None:
        """Set the command that resumes this work after it was stopped."""
        self._change(resume=None if argv is None else list(argv))

    def set_folder(self, folder: Path) -> None:
        """Set the folder of the results."""
        self._change(folder=str(folder.resolve()))

    def _change(self, **changes: Any) -> None:
        with self._lock:
            self.record = cast(JobRecord, {**self.record, **changes})
            if self.folder is not None:
                with suppress(OSError, DataError):
                    update_record(self.folder, **changes)

    def allow_interrupt(self) -> None:
        """Let Ctrl-C through from now on.  In a job that the lab starts it is held back so far."""
        if self.record["by"] == "page":
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def fail(self, line: str) -> None:
        """Set the line that says why it failed."""
        self.error = line

    # Writing

    def open(self) -> None:
        """Create the folder, unless it is there."""
        with self._lock:
            if self.folder is None and not self._disabled:
                try:
                    self.folder = create_folder(data_folder() / "jobs", self.record)
                except (OSError, DataError):
                    self._disabled = True

    def _write_loop(self) -> None:
        if self.folder is None:
            end = self._started + QUICK
            while not self._ended and (left := end - time.monotonic()) > 0:
                self._wake.wait(left)
                if not self._ended:
                    self._wake.clear()
                    time.sleep(min(_PAUSE, max(0.0, left)))
            if self._ended:
                return
            self.open()
        while not self._ended:
            self._wake.clear()
            self.flush()
            time.sleep(_PAUSE)
            self._wake.wait()

    def flush(self) -> None:
        """Write what has not been written yet."""
        with self._lock:
            if self.folder is None:
                return
            with suppress(OSError):
                # Progress first: whoever reads a step then knows how far it got.
                if self._progress_changed:
                    write_json(self.folder / PROGRESS, {**self._progress, "updated": time.time()})
                    self._progress_changed = False
                for name, lines in self._lines.items():
                    if lines:
                        append(self.folder / name, "".join(lines))
                        lines.clear()

    def end(self, code: int) -> None:
        """Record the end: exit code 0 is done, 130 was cancelled, any other has failed."""
        with self._lock:
            self._ended = True
            self._wake.set()
            if self.folder is None:
                return
            self.flush()
            state = {0: "done", 130: "cancelled"}.get(code, "failed")
            error = (self.error or f"exit code {code}") if state == "failed" else ""
            with suppress(OSError):
                write_end(self.folder, state, code=code, error=error, seconds=self.seconds)


def write_end(
    folder: Path, state: str, *, code: int | None, error: str = "", seconds: float
) -> None:
    """Write end.json: how a job ended, and after how many seconds of running."""
    end = {"state": state, "error": error, "code": code, "seconds": round(seconds, 3)}
    write_json(folder / END, {**end, "ended": time.time()})


@contextmanager
def recording(record: JobRecord) -> Iterator[JobRecorder]:
    """Make this process a job: the one in ``PLAYPROOF_JOB``, or a new one with this record.

    The caller ends it with ``end``.  A job started inside a job is part of the outer one.
    """
    global _current
    if _current is not None:
        yield _current
        return
    folder = os.environ.pop("PLAYPROOF_JOB", "")  # programs that we start are not the job
    job = _recorder_in(Path(folder)) if folder else None
    _current = job or JobRecorder(record)
    try:
        yield _current
    finally:
        _current = None


def _recorder_in(folder: Path) -> JobRecorder | None:
    """The recorder of a job that has its folder; None if its record cannot be read."""
    try:
        record = read_json(folder / RECORD)
    except DataError:
        return None
    return None if record is None else JobRecorder(cast(JobRecord, record), folder)
