"""The lab's jobs: long commands that pages start, two at a time, each under a supervisor process.

All methods are called in the lab's own thread. The state of a job is in its folder
(``core/jobs/index.py``), so a reloaded page, a lab started later and ``playproof jobs`` all see
the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.jobs import control
from playproof.core.jobs import supervisor as supervisor
from playproof.core.jobs.index import OVER, JobEntry, JobIndex
from playproof.core.jobs.recorder import new_record
from playproof.core.jobs.store import END, LOG, RECORD, locked, write_json
from playproof.core.parallel import processes
from playproof.web.protocol.refusal import Refusal

_SCRATCH = "tmp"  # the folder for a job's temporary files
AT_ONCE = 2  # jobs that run
MOST_WAITING = 50
_POLL = 0.1  # seconds between two checks of a job that should end
_OLD_JOBS_EXIT = 20.0  # seconds that the jobs of a killed lab may take to exit

Process = subprocess.Popen[bytes]

# -P: nothing is imported from the current folder.
PLAYPROOF = (sys.executable, "-P", "-m", "playproof.cli.main")


class JobRunner:
    """The jobs of the data folder ``data``; those that this lab starts end with it."""

    def __init__(self, data: Path) -> None:
        self.data = data.resolve()
        self.book = JobIndex(self.data)
        self.program: Sequence[str] = PLAYPROOF  # the program that runs a job's arguments
        self._queue: list[str] = []  # ids, the next one first
        self._reserved = 0  # places in the queue for jobs that are being prepared
        self._running: dict[str, asyncio.Task[None]] = {}
        self._supervisors: dict[str, Process] = {}
        self._cancelling: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    # Start and end of the lab

    def resume_previous(self) -> None:
        """Continue the jobs of the lab before this one; called once when the server runs."""
        self._spawn(self._resume_previous())

    async def _resume_previous(self) -> None:
        self.book.tidy()
        old = [e for e in reversed(self.book.entries()) if e.record.get("by") == "page"]
        for entry in old:
            if entry.state == "waiting":
                self._enqueue(entry.id)
        old = [entry for entry in old if entry.state in ("running", "interrupted")]
        end = time.monotonic() + _OLD_JOBS_EXIT
        while old and time.monotonic() < end:
            stopped = [entry for entry in old if entry.state != "running"]
            for entry in stopped:
                old.remove(entry)
                await asyncio.to_thread(shutil.rmtree, entry.path / _SCRATCH, ignore_errors=True)
                with contextlib.suppress(Refusal, PlayproofError):
                    self.resume(entry.id)  # refused for those that cannot be resumed
            if old:  # the supervisors of a killed lab need a moment to end their jobs
                await asyncio.sleep(_POLL)

    async def close(self) -> None:
        """Stop all jobs of this lab; they are interrupted, and resumed by the next lab."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        for process in self._supervisors.values():
            _signal(process, signal.SIGTERM)
        await self._wait(control.STOP_SECONDS + control.KILL_SECONDS)
        for process in self._supervisors.values():
            if process.stdin is not None:
                process.stdin.close()  # the supervisor then kills its job
        await self._wait(control.KILL_SECONDS)
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._tasks, *self._running.values(), return_exceptions=True)

    async def _wait(self, seconds: float) -> None:
        if self._running:
            await asyncio.wait(self._running.values(), timeout=seconds)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Used by pages

    def start(
        self,
        kind: str,
        title: str,
        argv: list[str],
        *,
        resume: list[str] | None = None,
        folder: Path | None = None,
        link: str | None = None,
        once: bool = False,
        reserved: bool = False,
    ) -> dict[str, Any]:
        """Start ``playproof ARGV``, or queue it; returns the job as JSON.

        ``resume`` is the command that continues it after a stop, ``folder`` holds its results,
        and ``link`` is the page that shows them. ``once``: its input is thrown away when it is
        over, so only an interrupted job can be resumed. ``reserved``: a place in the queue was
        reserved for it.
        """
        if not reserved:
            self._check_room()
        card = new_record(
            kind, title, argv,
            by="page", resume=resume, folder=folder, link=link, cwd=str(self.data), once=once,
        )  # fmt: skip
        with _refusing_write_errors():
            entry = self.book.add(card)
        self._enqueue(entry.id)
        return self.find(entry.id)

    @contextlib.contextmanager
    def reserve(self) -> Iterator[None]:
        """Reserve a place in the queue for a job that needs files written first.

        If there is no place, this raises a Refusal before anything is written.
        """
        self._check_room()
        self._reserved += 1
        try:
            yield
        finally:
            self._reserved -= 1

    def find(self, id: str) -> dict[str, Any]:
        """A job as JSON; a Refusal if there is none."""
        return self.entry(id).to_json()

    def list(self) -> list[dict[str, Any]]:
        """All jobs, the newest first."""
        return [entry.to_json() for entry in self.book.entries()]

    def entry(self, id: str) -> JobEntry:
        try:
            return self.book.entry(id)
        except UsageError as error:
            raise Refusal("gone", str(error).partition(":")[0]) from None

    def cancel(self, id: str) -> dict[str, Any]:
        """Stop a job as Ctrl-C would; after five seconds it is killed."""
        entry = self.entry(id)
        state = entry.state
        if state not in ("waiting", "running"):
            raise Refusal("turn", f"this job is not running: it is {state}")
        if id in self._queue:
            self._queue.remove(id)
            control.ensure_end(entry, "cancelled")
        elif id in self._running:
            self._cancelling.add(id)
            if id in self._supervisors:
                _signal(self._supervisors[id], signal.SIGINT)
        elif state == "waiting":
            control.ensure_end(entry, "cancelled")
        else:
            control.interrupt(entry)
            self._spawn(_finish_stopping(entry))
        return self.find(id)

    def resume(self, id: str) -> dict[str, Any]:
        """Resume a job that was stopped; it keeps its id and continues where it was."""
        entry = self.entry(id)
        state = entry.state
        if state not in OVER or state == "done":
            raise Refusal("turn", f"this job cannot be resumed: it is {state}")
        if not entry.can_resume:
            raise Refusal("bad", "this job cannot be resumed: start a new one")
        self._check_room()
        with _refusing_write_errors(), locked(entry.path):
            entry = self.entry(id)
            if entry.state not in OVER:
                raise Refusal("turn", f"this job was resumed already: it is {entry.state}")
            control.prepare_resume(entry, by="page")
        self._enqueue(id)
        return self.find(id)

    def delete(self, id: str) -> None:
        """Delete a finished job; its results are kept."""
        if self.entry(id).state not in OVER:
            raise Refusal("turn", "this job is not over: cancel it first")
        self.book.delete(id)

    def _check_room(self) -> None:
        if self._closed:
            raise Refusal("limit", "the lab is stopping: start it again first")
        if len(self._queue) + self._reserved >= MOST_WAITING:
            raise Refusal("limit", f"{MOST_WAITING} jobs are waiting: wait until some have ended")

    # Running

    def _enqueue(self, id: str) -> None:
        self._queue.append(id)
        self._next()

    def _next(self) -> None:
        while self._queue and len(self._running) < AT_ONCE and not self._closed:
            # A job resumed right after it reported its stop may still be exiting.
            id = next((id for id in self._queue if id not in self._running), None)
            if id is None:
                return
            self._queue.remove(id)
            self._running[id] = asyncio.get_running_loop().create_task(self._run(id))

    async def _run(self, id: str) -> None:
        """Run one job to its end."""
        try:
            process = await self._supervise(id)
            with contextlib.suppress(Refusal):
                self._record_end(self.entry(id), process)
        except Refusal:
            pass  # it was deleted, cancelled or started by somebody else by now
        except (OSError, ValueError, DataError) as error:
            line = f"it could not be started: {getattr(error, 'strerror', None) or error}"
            with contextlib.suppress(Refusal):
                control.ensure_end(self.entry(id), "failed", error=line)
        finally:
            self._running.pop(id, None)
            self._supervisors.pop(id, None)
            self._cancelling.discard(id)
            if not self._closed:
                self.book.tidy()
                self._next()

    async def _supervise(self, id: str) -> Process:
        """Start a job's supervisor and wait until it exits."""
        entry = self.entry(id)
        with locked(entry.path):  # so that nobody else starts it
            entry = self.entry(id)
            if entry.state != "waiting" or self._closed:
                raise Refusal("turn", "it was started by somebody else, or the lab is stopping")
            if id in self._cancelling:
                control.ensure_end(entry, "cancelled")
                raise Refusal("turn", "it was cancelled before it started")
            process = self._supervisors[id] = self._start_supervisor(entry)
            birth = processes.birth(process.pid) or "gone"
            started = {"pid": process.pid, "birth": birth, "started": time.time()}
            # If this cannot be written, nobody would see the job run: end its supervisor.
            try:
                write_json(entry.path / RECORD, {**entry.record, **started})
            except OSError:
                await _wait_for_exit(process)
                raise
        try:
            while process.poll() is None:
                await asyncio.sleep(_POLL)
        finally:
            await _wait_for_exit(process)
            await asyncio.to_thread(shutil.rmtree, entry.path / _SCRATCH, ignore_errors=True)
        return process

    def _start_supervisor(self, entry: JobEntry) -> Process:
        """Start a job's supervisor. Nothing is awaited here, since signals are deferred."""
        supervised = (sys.executable, "-I", "-S", supervisor.__file__)
        shutil.rmtree(entry.path / _SCRATCH, ignore_errors=True)
        (entry.path / _SCRATCH).mkdir()
        with (entry.path / LOG).open("ab") as log, supervisor.deferred_signals():
            return subprocess.Popen(
                [*supervised, *self.program, *control.command(entry)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=entry.record["cwd"] if os.path.isdir(entry.record["cwd"]) else self.data,
                env=self._environment(entry),
                start_new_session=True,  # the lab handles Ctrl-C
            )

    def _environment(self, entry: JobEntry) -> dict[str, str]:
        return {
            **os.environ,
            "PLAYPROOF_DATA": str(self.data),
            "PLAYPROOF_JOB": str(entry.path),
            "TMPDIR": str(entry.path / _SCRATCH),  # cleaned up even if the job is killed
            "PYTHONUNBUFFERED": "1",
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "100",
            "NO_COLOR": "1",
        }

    def _record_end(self, entry: JobEntry, process: Process) -> None:
        """Make sure that a job that has ended has a recorded end."""
        if entry.record.get("pid") != process.pid:
            return  # it has been resumed already
        code = process.returncode or 0
        code = code if code >= 0 else 128 - code  # the supervisor was killed by a signal
        if self._closed and entry.id not in self._cancelling:
            # The next lab resumes it, even if it recorded itself as cancelled.
            if (entry.end or {}).get("state") == "cancelled":
                with contextlib.suppress(OSError):
                    (entry.path / END).unlink(missing_ok=True)
        elif code == 128 + signal.SIGINT:
            control.ensure_end(entry, "cancelled", code=code)
        else:
            number = code - 128
            reason = signal.strsignal(number) if 0 < number < 65 else None
            error = f"it was ended by: {reason or code}"
            control.ensure_end(entry, "failed", code=code, error=error)


async def _finish_stopping(entry: JobEntry) -> None:
    """Wait until a job of another process has stopped; kill it if it does not."""
    end = time.monotonic() + control.STOP_SECONDS
    while not control.has_exited(entry) and time.monotonic() < end:
        await asyncio.sleep(_POLL)
    control.kill(entry)
    control.ensure_end(entry, "cancelled", code=128 + signal.SIGINT)


async def _wait_for_exit(process: Process) -> None:
    """Close a supervisor's pipe, which makes it and its job end, and wait for that."""
    if process.stdin is not None:
        process.stdin.close()
    end = time.monotonic() + control.KILL_SECONDS
    while process.poll() is None and time.monotonic() < end:
        await asyncio.sleep(_POLL)


def _signal(process: Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)


@contextlib.contextmanager
def _refusing_write_errors() -> Iterator[None]:
    """Turn errors of writing a job's files into a Refusal."""
    try:
        yield
    except (OSError, DataError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Refusal("limit", f"the job cannot be saved: {reason}") from None
