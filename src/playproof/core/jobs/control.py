"""Stopping jobs and going on with them, for the lab and the command line alike."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Any

from playproof.core.jobs.index import Entry
from playproof.core.jobs.recorder import write_end
from playproof.core.jobs.store import CARD, END, append_step, write_json
from playproof.core.parallel import processes

PATIENCE = 5.0  # seconds that a job has to stop
KILLED = 2.0  # seconds more until the keeper of a killed job has gone, too


def ask_to_stop(entry: Entry) -> None:
    """Stop a running job as Ctrl-C would.  The process is its own, or its keeper's."""
    processes.send(entry.card["pid"], signal.SIGINT)


def is_gone(entry: Entry) -> bool:
    return not processes.is_running(entry.card["pid"], entry.card["birth"])


def kill(entry: Entry) -> None:
    """End a job that does not listen, with all that it started."""
    pid = entry.card["pid"]
    if not is_gone(entry):
        for one in [pid, *processes.descendants(pid)]:
            processes.send(one, signal.SIGKILL)


def told_end(entry: Entry, state: str, *, code: int | None = None, error: str = "") -> None:
    """Write how a job ended, unless it did so itself."""
    if (entry.path / END).exists():
        return
    seconds = entry.seconds("running", time.time()) if entry.card.get("started") else 0.0
    with contextlib.suppress(OSError):
        write_end(entry.path, state, code=code, error=error, seconds=seconds)


def renew(entry: Entry, **changes: Any) -> None:
    """A job that was stopped is about to go on; called under its lock.

    The time it has run so far is kept, how it ended is not.
    """
    spent = entry.seconds(entry.state, time.time())
    fresh = {"again": True, "spent": spent, "pid": None, "birth": None, "started": None}
    card = {**entry.card, **fresh, **changes}
    write_json(entry.path / CARD, card)
    (entry.path / END).unlink(missing_ok=True)
    append_step(entry.path, spent, "Goes on after it was stopped.")


def begun_by_me() -> dict[str, Any]:
    """What a card says of a job that this process is."""
    pid = os.getpid()
    return {"pid": pid, "birth": processes.birth(pid), "started": time.time()}


def command(entry: Entry) -> list[str]:
    """What follows ``playproof`` to begin the job, or to go on with it.

    One that was stopped before it had made the folder of its results begins anew.
    """
    folder = entry.card["folder"]
    begun = folder is None or Path(folder).exists()
    if entry.card.get("again") and entry.resume is not None and begun:
        return list(entry.resume)
    return list(entry.card["argv"])
