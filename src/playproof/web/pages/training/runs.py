"""Finds the training runs that the page shows, and reads them.

A run in the data folder is named after its folder. A run that a job has made elsewhere is named
after the job (``nets/run_nets.py``). Logs are cached until their files change.
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
_CACHED = 64  # runs whose logs are cached
_DEPTH = 2  # how many levels below its job's folder a run may be

Signature = tuple[Any, ...]


@dataclass(frozen=True)
class NamedRun:
    """A run with its name and the latest job that has trained it, if there is one."""

    id: str
    folder: Path
    job: JobEntry | None = None

    @property
    def name(self) -> str:
        """The name shown: the id with the names of its folders unescaped."""
        return run_nets.title_of(self.id)

    @property
    def job_state(self) -> str | None:
        """``running`` or ``waiting`` while a job trains it; else None."""
        state = self.job.state if self.job else None
        return state if state in ("running", "waiting") else None


class Runs:
    """The runs of a data folder; safe to use from several threads."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._jobs = JobsOfKind(data, "train")
        self._lock = threading.Lock()
        self._logs: OrderedDict[Path, tuple[Signature, RunLog]] = OrderedDict()

    # Finding

    def all(self) -> list[NamedRun]:
        """Every run, the most recently changed one first."""
        jobs = self._jobs.entries()
        runs: dict[Path, NamedRun] = {}
        home = self.data / run_nets.RUNS
        for folder in [*_below(home, run_logs.DEPTH), *run_logs.find_abandoned(home)]:
            name = run_nets.name_of(folder.relative_to(home).parts)
            if run_nets.is_name(name):
                runs[folder] = NamedRun(name, folder, _job_of(folder, jobs))
        for entry in reversed(jobs):  # the first job of a folder names its run
            top = _folder(entry)
            for folder in _below(top, _DEPTH) if top is not None else ():
                name = run_nets.name_of(folder.relative_to(top or folder).parts, entry.id)
                if folder not in runs and run_nets.is_name(name):
                    runs[folder] = NamedRun(name, folder, _job_of(folder, jobs))
        newest = sorted(runs.values(), key=lambda run: _changed_at(run.folder), reverse=True)
        return newest[:MOST_LISTED]

    def find(self, id: str) -> NamedRun:
        """The run with an id; a Refusal if there is none."""
        try:
            folder = run_nets.folder_of(id, self.data)
        except PlayproofError as error:
            raise Refusal("gone", str(error)) from None
        if not (run_logs.is_run(folder) or run_logs.is_abandoned(folder)):
            raise Refusal("gone", f"there is no run {id} here: it may have been deleted")
        return NamedRun(id, folder, _job_of(folder, self._jobs.entries()))

    # Reading

    def signature(self, run: NamedRun) -> Signature:
        """A value that changes whenever the run or its job does."""
        job = run.job.id if run.job else None
        return *_signature(run.folder), job, run.job_state

    def log(self, run: NamedRun) -> RunLog:
        """The log of a run, read again only if a file has changed."""
        folder, signature = run.folder, _signature(run.folder)
        with self._lock:
            cached = self._logs.get(folder)
        if cached is not None and cached[0] == signature:
            return cached[1]
        log = run_logs.inspect(folder)
        with self._lock:
            self._logs[folder] = signature, log
            self._logs.move_to_end(folder)
            while len(self._logs) > _CACHED:
                self._logs.popitem(last=False)
        return log


def state_of(run: NamedRun, log: RunLog) -> str:
    """The state of a run: running, waiting, done, stopped or damaged."""
    if log.fault:
        return "damaged"
    if log.state == "done":
        return "done"
    return run.job_state or "stopped"


def kept_nets(folder: Path) -> list[int]:
    """The iterations whose nets are kept besides the latest."""
    with suppress(OSError):
        stems = [file.stem for file in (folder / "nets").glob("*.safetensors")]
        return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdecimal())
    return []


def _below(folder: Path, depth: int) -> list[Path]:
    try:
        return run_logs.find([folder], depth)
    except PlayproofError:  # there is no such folder, or no longer
        return []


def _folder(entry: JobEntry) -> Path | None:
    """The folder of a job's run, if the job has one."""
    folder = entry.record.get("folder")
    return Path(str(folder)) if folder else None


def _job_of(folder: Path, jobs: list[JobEntry]) -> JobEntry | None:
    """The latest job that trains in a folder, or in one around it for several seeds."""
    return next((entry for entry in jobs if _holds(_folder(entry), folder)), None)


def _holds(outer: Path | None, folder: Path) -> bool:
    return outer is not None and folder.is_relative_to(outer)


def _changed_at(folder: Path) -> float:
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
