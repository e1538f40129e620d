"""Which training runs there are, and how each stands.

Runs in the data folder go by the folder's name, those that train jobs have made
elsewhere by the job (``nets/run_nets.py``).  What was read is remembered until the
files change.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.core.jobs.index import JobEntry
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.log import CHECKPOINT, METRICS, SETTINGS, TIMES, RunLog
from playproof.nets import run_nets
from playproof.web.jobs.index import JobsOfKind
from playproof.web.protocol.refusal import Refusal

MOST_LISTED = 200
_KEPT = 64  # runs whose figures are remembered
_DEPTH = 2  # folders below that of a job in which its runs lie

Signature = tuple[Any, ...]


@dataclass(frozen=True)
class Known:
    """A run by its name, with the job that trains it, or has trained it, if one is known."""

    id: str
    folder: Path
    job: JobEntry | None = None

    @property
    def name(self) -> str:
        """What it is called: the id, with folders of odd names as they are."""
        return run_nets.title_of(self.id)

    @property
    def going(self) -> str | None:
        """What its job is at: running, waiting, or nothing."""
        state = self.job.state if self.job else None
        return state if state in ("running", "waiting") else None


class Runs:
    """The runs of a data folder; may be asked from several threads."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._jobs = JobsOfKind(data, "train")
        self._lock = threading.Lock()
        self._logs: OrderedDict[Path, tuple[Signature, RunLog]] = OrderedDict()

    # Finding

    def all(self) -> list[Known]:
        """Every run, the one that was written to last first."""
        jobs = self._jobs.entries()
        found: dict[Path, Known] = {}
        home = self.data / run_nets.RUNS
        for folder in [*_below(home, run_logs.DEPTH), *run_logs.left_empty(home)]:
            name = run_nets.name_of(folder.relative_to(home).parts)
            if run_nets.is_name(name):
                found[folder] = Known(name, folder, _job_of(folder, jobs))
        for entry in reversed(jobs):  # the first job of a folder names its run
            top = _folder(entry)
            for folder in _below(top, _DEPTH) if top is not None else ():
                name = run_nets.name_of(folder.relative_to(top or folder).parts, entry.id)
                if folder not in found and run_nets.is_name(name):
                    found[folder] = Known(name, folder, _job_of(folder, jobs))
        newest = sorted(found.values(), key=lambda known: _touched(known.folder), reverse=True)
        return newest[:MOST_LISTED]

    def find(self, id: str) -> Known:
        try:
            folder = run_nets.folder_of(id, self.data)
        except PlayproofError as error:
            raise Refusal("gone", str(error)) from None
        if not (run_logs.is_run(folder) or run_logs.is_left_empty(folder)):
            raise Refusal("gone", f"there is no run {id} here: it may have been deleted")
        return Known(id, folder, _job_of(folder, self._jobs.entries()))

    # Reading

    def signature(self, known: Known) -> Signature:
        """Something that changes whenever there is something new to tell."""
        job = known.job.id if known.job else None
        return *_signature(known.folder), job, known.going

    def log(self, known: Known) -> RunLog:
        """The run as its folder has it; read again only if something has changed."""
        folder, seen = known.folder, _signature(known.folder)
        with self._lock:
            kept = self._logs.get(folder)
        if kept is not None and kept[0] == seen:
            return kept[1]
        log = run_logs.look(folder)
        with self._lock:
            self._logs[folder] = seen, log
            self._logs.move_to_end(folder)
            while len(self._logs) > _KEPT:
                self._logs.popitem(last=False)
        return log


def state_of(known: Known, log: RunLog) -> str:
    """running, waiting, done, stopped or damaged."""
    if log.fault:
        return "damaged"
    if log.state == "done":
        return "done"
    return known.going or "stopped"


def kept_nets(folder: Path) -> list[int]:
    """The iterations whose nets are there beside the latest."""
    with suppress(OSError):
        stems = [file.stem for file in (folder / "nets").glob("*.safetensors")]
        return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdecimal())
    return []


def _below(folder: Path, depth: int) -> list[Path]:
    try:
        return run_logs.find([folder], depth)
    except PlayproofError:  # there is none yet, or none any more
        return []


def _folder(entry: JobEntry) -> Path | None:
    """Where a job's run lies."""
    folder = entry.record.get("folder")
    return Path(str(folder)) if folder else None


def _job_of(folder: Path, jobs: list[JobEntry]) -> JobEntry | None:
    """The latest job that trains in a folder or, for several seeds, around it."""
    return next((entry for entry in jobs if _holds(_folder(entry), folder)), None)


def _holds(outer: Path | None, folder: Path) -> bool:
    return outer is not None and folder.is_relative_to(outer)


def _touched(folder: Path) -> float:
    stamps = [stat.st_mtime for name in (SETTINGS, METRICS) if (stat := _stat(folder / name))]
    return max(stamps, default=0.0)


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None


def _signature(folder: Path) -> Signature:
    stats = [_stat(folder / name) for name in (SETTINGS, METRICS, TIMES, CHECKPOINT)]
    return tuple((s.st_ino, s.st_mtime_ns, s.st_size) if s else None for s in stats)
