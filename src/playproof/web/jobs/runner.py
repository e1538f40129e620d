"""The lab's jobs: long commands that the page starts, two at a time, each with a keeper.

All methods are called in the lab's own thread.  What a job is stands in its folder
(``core/jobs/index.py``), so a page that is loaded again, the lab of another day, and
``playproof jobs`` see the same.
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
from playproof.core.jobs import supervisor as keeper
from playproof.core.jobs.index import OVER, Book, Entry
from playproof.core.jobs.recorder import new_card
from playproof.core.jobs.store import CARD, END, LOG, locked, write_json
from playproof.core.parallel import processes
from playproof.web.protocol.refusal import Refusal

_SCRATCH = "tmp"  # a job's folder for files of a moment
AT_ONCE = 2  # jobs that run
MOST_WAITING = 50
_AGAIN = 0.1  # seconds between two looks at a job that should end
_DYING = 20.0  # seconds that those of a killed lab may take to be gone

Process = subprocess.Popen[bytes]

# -P: nothing is imported from the folder we happen to be in.
PLAYPROOF = (sys.executable, "-P", "-m", "playproof.cli.main")


class Jobs:
    """The jobs of the data folder ``data``; those that this lab starts end with it."""

    def __init__(self, data: Path) -> None:
        self.data = data.resolve()
        self.book = Book(self.data)
        self.program: Sequence[str] = PLAYPROOF  # what a job's words are given to
        self._queue: list[str] = []  # ids, the first to come first
        self._places = 0  # in the queue, for jobs that are being prepared
        self._running: dict[str, asyncio.Task[None]] = {}
        self._keepers: dict[str, Process] = {}
        self._asked: set[str] = set()  # to be cancelled
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    # The life of the lab

    def begin(self) -> None:
        """Once the server runs: jobs of the lab before us wait again, or go on."""
        self._spawn(self._take_over())

    async def _take_over(self) -> None:
        self.book.tidy()
        old = [e for e in reversed(self.book.entries()) if e.card.get("by") == "page"]
        for entry in old:
            if entry.state == "waiting":
                self._line_up(entry.id)
        old = [entry for entry in old if entry.state in ("running", "interrupted")]
        end = time.monotonic() + _DYING
        while old and time.monotonic() < end:
            gone = [entry for entry in old if entry.state != "running"]
            for entry in gone:
                old.remove(entry)
                await asyncio.to_thread(shutil.rmtree, entry.path / _SCRATCH, ignore_errors=True)
                with contextlib.suppress(Refusal, PlayproofError):
                    self.resume(entry.id)  # refused to those that cannot
            if old:  # the keepers of a killed lab need a moment to end theirs
                await asyncio.sleep(_AGAIN)

    async def close(self) -> None:
        """End all jobs of ours; they are interrupted, and go on with the next lab."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        for process in self._keepers.values():
            _signal(process, signal.SIGTERM)
        await self._wait(control.PATIENCE + control.KILLED)
        for process in self._keepers.values():
            if process.stdin is not None:
                process.stdin.close()  # then its keeper kills it
        await self._wait(control.KILLED)
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

    # What pages ask for

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
        placed: bool = False,
    ) -> dict[str, Any]:
        """Start ``playproof ARGV``, or let it wait for its turn; the job as JSON.

        ``resume`` goes on with it after it was stopped, ``folder`` is where its results
        are, ``link`` the page's route that shows them.  ``once``: what it works on is thrown
        away when it is over, so that it goes on only if it was interrupted.  ``placed``:
        a place was taken for it.
        """
        if not placed:
            self._check_room()
        card = new_card(
            kind, title, argv,
            by="page", resume=resume, folder=folder, link=link, cwd=str(self.data), once=once,
        )  # fmt: skip
        with _written_down():
            entry = self.book.add(card)
        self._line_up(entry.id)
        return self.find(entry.id)

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """A place in the queue for a job for which something is to be written first; a
        Refusal, before it is written, if there is none."""
        self._check_room()
        self._places += 1
        try:
            yield
        finally:
            self._places -= 1

    def find(self, id: str) -> dict[str, Any]:
        """A job as JSON; a Refusal if there is none."""
        return self.entry(id).to_json()

    def list(self) -> list[dict[str, Any]]:
        """All jobs, the newest first."""
        return [entry.to_json() for entry in self.book.entries()]

    def entry(self, id: str) -> Entry:
        try:
            return self.book.entry(id)
        except UsageError as error:
            raise Refusal("gone", str(error).partition(":")[0]) from None

    def cancel(self, id: str) -> dict[str, Any]:
        """Stop a job as Ctrl-C would; five seconds later it is killed."""
        entry = self.entry(id)
        state = entry.state
        if state not in ("waiting", "running"):
            raise Refusal("turn", f"this job is not running: it is {state}")
        if id in self._queue:
            self._queue.remove(id)
            control.told_end(entry, "cancelled")
        elif id in self._running:
            self._asked.add(id)
            if id in self._keepers:
                _signal(self._keepers[id], signal.SIGINT)
        elif state == "waiting":
            control.told_end(entry, "cancelled")
        else:
            control.ask_to_stop(entry)
            self._spawn(_see_off(entry))
        return self.find(id)

    def resume(self, id: str) -> dict[str, Any]:
        """Go on with a job that was stopped; it is the same job, from where it was."""
        entry = self.entry(id)
        state = entry.state
        if state not in OVER or state == "done":
            raise Refusal("turn", f"this job needs no help: it is {state}")
        if not entry.can_go_on:
            raise Refusal("bad", "this job cannot go on: start it anew")
        self._check_room()
        with _written_down(), locked(entry.path):
            entry = self.entry(id)
            if entry.state not in OVER:
                raise Refusal("turn", f"this job goes on already: it is {entry.state}")
            control.renew(entry, by="page")
        self._line_up(id)
        return self.find(id)

    def delete(self, id: str) -> None:
        """Forget a job that is over; its results stay."""
        if self.entry(id).state not in OVER:
            raise Refusal("turn", "this job is not over: cancel it first")
        self.book.delete(id)

    def _check_room(self) -> None:
        if self._closed:
            raise Refusal("limit", "the lab is being ended: start it again first")
        if len(self._queue) + self._places >= MOST_WAITING:
            raise Refusal("limit", f"{MOST_WAITING} jobs are waiting: let some of them end first")

    # Running

    def _line_up(self, id: str) -> None:
        self._queue.append(id)
        self._next()

    def _next(self) -> None:
        while self._queue and len(self._running) < AT_ONCE and not self._closed:
            # One that goes on as soon as it said it was stopped may not be gone yet.
            id = next((id for id in self._queue if id not in self._running), None)
            if id is None:
                return
            self._queue.remove(id)
            self._running[id] = asyncio.get_running_loop().create_task(self._run(id))

    async def _run(self, id: str) -> None:
        """One job from its turn to its end."""
        try:
            process = await self._keep(id)
            with contextlib.suppress(Refusal):
                self._ended(self.entry(id), process)
        except Refusal:
            pass  # it is deleted, cancelled, or somebody else's by now
        except (OSError, ValueError, DataError) as error:
            line = f"it could not be started: {getattr(error, 'strerror', None) or error}"
            with contextlib.suppress(Refusal):
                control.told_end(self.entry(id), "failed", error=line)
        finally:
            for where in (self._running, self._keepers):
                where.pop(id, None)  # type: ignore[attr-defined]
            self._asked.discard(id)
            if not self._closed:
                self.book.tidy()
                self._next()

    async def _keep(self, id: str) -> Process:
        """Start a job's keeper and wait for it."""
        entry = self.entry(id)
        with locked(entry.path):  # nobody else begins it
            entry = self.entry(id)
            if entry.state != "waiting" or self._closed:
                raise Refusal("turn", "somebody else has begun it, or it is too late")
            if id in self._asked:
                control.told_end(entry, "cancelled")
                raise Refusal("turn", "it was cancelled before it began")
            process = self._keepers[id] = self._begin(entry)
            born = processes.birth(process.pid) or "gone"
            begun = {"pid": process.pid, "birth": born, "started": time.time()}
            # Were it not written the job would go on unseen: its keeper ends it then.
            try:
                write_json(entry.path / CARD, {**entry.card, **begun})
            except OSError:
                await _end(process)
                raise
        try:
            while process.poll() is None:
                await asyncio.sleep(_AGAIN)
        finally:
            await _end(process)
            await asyncio.to_thread(shutil.rmtree, entry.path / _SCRATCH, ignore_errors=True)
        return process

    def _begin(self, entry: Entry) -> Process:
        """Start a job's keeper; nothing is awaited, for signals have to wait meanwhile."""
        keeping = (sys.executable, "-I", "-S", keeper.__file__)
        shutil.rmtree(entry.path / _SCRATCH, ignore_errors=True)
        (entry.path / _SCRATCH).mkdir()
        with (entry.path / LOG).open("ab") as log, keeper.deferred():
            return subprocess.Popen(
                [*keeping, *self.program, *control.command(entry)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=entry.card["cwd"] if os.path.isdir(entry.card["cwd"]) else self.data,
                env=self._environment(entry),
                start_new_session=True,  # Ctrl-C is the lab's to handle
            )

    def _environment(self, entry: Entry) -> dict[str, str]:
        return {
            **os.environ,
            "PLAYPROOF_DATA": str(self.data),
            "PLAYPROOF_JOB": str(entry.path),
            "TMPDIR": str(entry.path / _SCRATCH),  # what a kill leaves there goes with it
            "PYTHONUNBUFFERED": "1",
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "100",
            "NO_COLOR": "1",
        }

    def _ended(self, entry: Entry, process: Process) -> None:
        """See that a job that has ended says how."""
        if entry.card.get("pid") != process.pid:
            return  # it is about to go on already
        code = process.returncode or 0
        code = code if code >= 0 else 128 - code  # of a keeper that was killed
        if self._closed and entry.id not in self._asked:
            # It goes on with the next lab, whatever it says of being stopped.
            if (entry.end or {}).get("state") == "cancelled":
                with contextlib.suppress(OSError):
                    (entry.path / END).unlink(missing_ok=True)
        elif code == 128 + signal.SIGINT:
            control.told_end(entry, "cancelled", code=code)
        else:
            number = code - 128
            why = signal.strsignal(number) if 0 < number < 65 else None
            control.told_end(entry, "failed", code=code, error=f"it was ended by: {why or code}")


async def _see_off(entry: Entry) -> None:
    """Wait until a job that is not ours has stopped; kill it if it does not."""
    end = time.monotonic() + control.PATIENCE
    while not control.is_gone(entry) and time.monotonic() < end:
        await asyncio.sleep(_AGAIN)
    control.kill(entry)
    control.told_end(entry, "cancelled", code=128 + signal.SIGINT)


async def _end(process: Process) -> None:
    """Let a keeper go: without its pipe it ends, and all that it keeps."""
    if process.stdin is not None:
        process.stdin.close()
    end = time.monotonic() + control.KILLED
    while process.poll() is None and time.monotonic() < end:
        await asyncio.sleep(_AGAIN)


def _signal(process: Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)


@contextlib.contextmanager
def _written_down() -> Iterator[None]:
    try:
        yield
    except (OSError, DataError) as error:
        why = getattr(error, "strerror", None) or error
        raise Refusal("limit", f"the job cannot be written down: {why}") from None
