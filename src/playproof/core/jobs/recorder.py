"""A long command that writes itself down: what it is, how far it is, how it ended.

The code inside asks ``current()`` for its job and tells it how far it is::

    job = current()
    if job is not None:
        job.tell(label="levels", done=3, total=40, positions=120_000)
        job.step("Level 3: 120,000 positions")

A job of the command line gets its folder only after two seconds, so that quick
commands leave nothing; one that the lab has started has it already, and finds it
in ``PLAYPROOF_JOB``.  Telling is cheap and never fails: a thread writes, at most
five times a second, and a full disk costs the book, not the work.
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
from typing import Any

from playproof.core.errors import DataError
from playproof.core.files.folders import data_folder
from playproof.core.jobs.store import (
    CARD,
    END,
    LOG,
    PROGRESS,
    STEPS,
    append,
    change_card,
    make_folder,
    new_id,
    plain,
    read_json,
    write_json,
)
from playproof.core.parallel import processes

__all__ = ["Job", "change_card", "current", "data_folder", "new_card", "opened"]

QUICK = 2.0  # seconds: a command that ends sooner leaves nothing
_PAUSE = 0.2  # seconds between two writings

_current: Job | None = None


def current() -> Job | None:
    """The job that this process is, if it is one."""
    return _current


def new_card(
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
) -> dict[str, Any]:
    """What job.json says of a job that has not begun, or that this process is (``mine``).

    ``argv`` and ``resume`` are what follows ``playproof``; ``folder`` is where its results go.
    ``once``: what it works on is gone when it is over, so that it cannot go on then.
    """
    now = time.time()
    return {
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
        **({"once": True} if once else {}),
    }


class Job:
    """This process as a job.  All methods may be called from any thread."""

    def __init__(self, card: dict[str, Any], folder: Path | None = None) -> None:
        self.card, self.folder = card, folder
        self.error = ""  # the line that it failed with
        self._began = time.monotonic()
        self._before = float(card.get("spent") or 0.0)
        self._progress: dict[str, Any] = {"label": "", "done": None, "total": None, "facts": {}}
        self._lines: dict[str, list[str]] = {STEPS: [], LOG: []}  # not yet written
        self._fresh = False
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._ended = False
        self._silent = False  # the folder cannot be written
        self._writer = threading.Thread(target=self._write_on, daemon=True)
        self._writer.start()

    @property
    def id(self) -> str:
        return str(self.card["id"])

    @property
    def seconds(self) -> float:
        """So long it has run, earlier goes with it."""
        return self._before + time.monotonic() - self._began

    def tell(
        self,
        label: str | None = None,
        done: float | None = None,
        total: float | None = None,
        **facts: Any,
    ) -> None:
        """How far it is.  What is not given stays as it was; ``facts`` are shown by name."""
        with self._lock:
            for name, value in (("label", label), ("done", done), ("total", total)):
                if value is not None:
                    self._progress[name] = value
            self._progress["facts"] |= plain(facts)
            self._fresh = True
        self._wake.set()

    def begin_part(self, label: str) -> None:
        """Another part of the work: its count begins anew."""
        with self._lock:
            self._progress |= {"label": label, "done": None, "total": None}
            self._fresh = True
        self._wake.set()

    def step(self, text: str, **facts: Any) -> None:
        """A step that is finished: a line in the job's story."""
        line = {"at": round(self.seconds, 2), "text": text, "facts": plain(facts)}
        with self._lock:
            self._lines[STEPS].append(json.dumps(line, ensure_ascii=False) + "\n")
        self._wake.set()

    def log(self, text: str) -> None:
        """A line for the log, where the log is not what the process prints anyway."""
        if self.card["by"] == "page":
            return
        with self._lock:
            self._lines[LOG].append(text.rstrip("\n") + "\n")
        self._wake.set()

    def resumes_with(self, argv: Sequence[str] | None) -> None:
        """The command that goes on with this work, should it be stopped."""
        self._change(resume=None if argv is None else list(argv))

    def results_in(self, folder: Path) -> None:
        """Where the results of this work are."""
        self._change(folder=str(folder.resolve()))

    def _change(self, **changes: Any) -> None:
        with self._lock:
            self.card |= changes
            if self.folder is not None:
                with suppress(OSError, DataError):
                    change_card(self.folder, **changes)

    def hear(self) -> None:
        """Ctrl-C may come from now on; it waits until then in a job that the lab starts."""
        if self.card["by"] == "page":
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def fail(self, line: str) -> None:
        """The line that says why it ended."""
        self.error = line

    # Writing

    def open(self) -> None:
        """Make the folder, unless it is there."""
        with self._lock:
            if self.folder is None and not self._silent:
                try:
                    self.folder = make_folder(data_folder() / "jobs", self.card)
                except (OSError, DataError):
                    self._silent = True

    def _write_on(self) -> None:
        if self.folder is None:
            end = self._began + QUICK
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
        """Write what has not been written."""
        with self._lock:
            if self.folder is None:
                return
            with suppress(OSError):
                if self._fresh:  # first: who reads of a step knows how far that is
                    write_json(self.folder / PROGRESS, {**self._progress, "updated": time.time()})
                    self._fresh = False
                for name, lines in self._lines.items():
                    if lines:
                        append(self.folder / name, "".join(lines))
                        lines.clear()

    def end(self, code: int) -> None:
        """The last word: exit code 0 is done, 130 was stopped, all else has failed."""
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
    """How a job ended."""
    end = {"state": state, "error": error, "code": code, "seconds": round(seconds, 3)}
    write_json(folder / END, {**end, "ended": time.time()})


@contextmanager
def opened(card: dict[str, Any]) -> Iterator[Job]:
    """This process is a job from here on: that of ``PLAYPROOF_JOB``, or a new one.

    Whoever opens it calls ``end`` on it; a job inside a job is part of the outer one.
    """
    global _current
    if _current is not None:
        yield _current
        return
    folder = os.environ.pop("PLAYPROOF_JOB", "")  # ours, not that of programs we start
    job = _from(Path(folder)) if folder else None
    _current = job or Job(card)
    try:
        yield _current
    finally:
        _current = None


def _from(folder: Path) -> Job | None:
    try:
        card = read_json(folder / CARD)
    except DataError:
        return None
    return None if card is None else Job(card, folder)
