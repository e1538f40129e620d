"""Stopping and resuming jobs, for the lab and the command line alike."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Any

from playproof.core.jobs.index import JobEntry
from playproof.core.jobs.recorder import write_end
from playproof.core.jobs.store import END, RECORD, append_step, write_json
from playproof.core.parallel import processes

STOP_SECONDS = 5.0  # that a job has to stop
KILL_SECONDS = 2.0  # that the supervisor of a killed job has to exit as well


def interrupt(entry: JobEntry) -> None:
    """Stop a running job as Ctrl-C would.  The process is the job's own or its supervisor's."""
    if entry.record["pid"] is not None:
        processes.send_signal(entry.record["pid"], signal.SIGINT)


def has_exited(entry: JobEntry) -> bool:
    """Whether the job's process no longer runs."""
    pid, birth = entry.record["pid"], entry.record["birth"]
    return pid is None or birth is None or not processes.is_running(pid, birth)


def kill(entry: JobEntry) -> None:
    """Kill a job that does not stop, with every process it started."""
    pid = entry.record["pid"]
    if pid is not None and not has_exited(entry):
        for process in [pid, *processes.descendants(pid)]:
            processes.send_signal(process, signal.SIGKILL)


def ensure_end(entry: JobEntry, state: str, *, code: int | None = None, error: str = "") -> None:
    """Write how a job ended, unless the job has written it itself."""
    if (entry.path / END).exists():
        return
    seconds = entry.seconds("running", time.time()) if entry.record.get("started") else 0.0
    with contextlib.suppress(OSError):
        write_end(entry.path, state, code=code, error=error, seconds=seconds)


def prepare_resume(entry: JobEntry, **changes: Any) -> None:
    """Make a stopped job ready to run again.  The caller holds the job's lock.

    The time it has run so far is kept; how it ended is not.
    """
    seconds = entry.seconds(entry.state, time.time())
    reset = {"again": True, "spent": seconds, "pid": None, "birth": None, "started": None}
    write_json(entry.path / RECORD, {**entry.record, **reset, **changes})
    (entry.path / END).unlink(missing_ok=True)
    append_step(entry.path, seconds, "Resumed after it was stopped.")


def this_process() -> dict[str, Any]:
    """The fields of a job's record that say that this process runs it."""
    pid = os.getpid()
    return {"pid": pid, "birth": processes.birth(pid), "started": time.time()}


def command(entry: JobEntry) -> list[str]:
    """The arguments of ``playproof`` that start or resume the job.

    A job that was stopped before it had created its results folder starts from scratch.
    """
    folder = entry.record["folder"]
    has_results = folder is None or Path(folder).exists()
    if entry.record.get("again") and entry.resume is not None and has_results:
        return list(entry.resume)
    return list(entry.record["argv"])
