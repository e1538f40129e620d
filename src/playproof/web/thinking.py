"""The thinkers: a few warm, polite processes in which agents think, so that the page
stays live.  A thinker that hangs or dies is replaced, and only its own job knows."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from playproof.core.jobs import cores
from playproof.web.messages import Refusal

_STARTING = 300.0  # seconds to import, and to compile what was never compiled before
_GRACE = 10.0  # seconds beyond its limit before a thinker counts as hung
_MOST_WAITING = 64
_MOST_OF_ONE = 3  # thinkings that one person waits for
_AFTER = 10**6  # turns: whatever is not urgent comes after all that is
_LINE = 1 << 22  # bytes of a report

Report = dict[str, Any]


class Failed(Exception):
    """A thinking gave no answer; the message says why."""


class Ended(Failed):
    """Its process is no more."""


class Job:
    """One thinking.  ``urgent`` ones, the moves of seats, go before those for a page."""

    def __init__(
        self,
        task: dict[str, Any],
        told: Callable[[Report], None] | None,
        *,
        urgent: bool,
        owner: str = "",
    ) -> None:
        self.task, self.told, self.urgent, self.owner = task, told, urgent, owner
        self.answer: asyncio.Future[Report] = asyncio.get_running_loop().create_future()
        self.began = self.stopped = False
        self.last: Report = {}  # what was reported last
        self.worker: _Worker | None = None

    def stop(self) -> None:
        """Ask it to decide at once with what it has."""
        self.stopped = True
        if self.worker is not None:
            self.worker.say({"do": "stop", "job": self.task["job"]})

    def drop(self) -> None:
        """Nobody wants the answer any more."""
        self.told = None
        self.answer.cancel()
        self.stop()


class Thinkers:
    """At most ``workers`` processes; one of them is kept free for the moves of seats."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or max(2, min(4, cores()))
        self._numbers = itertools.count(1)
        self._waiting: list[tuple[int, int, Job]] = []
        self._running: set[Job] = set()
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def warm(self) -> None:
        """Start a thinker before it is needed."""
        job = self._job({"do": "warm", "seconds": _STARTING}, None, urgent=True)
        job.answer.add_done_callback(_forget)

    def submit(
        self,
        task: dict[str, Any],
        told: Callable[[Report], None] | None = None,
        *,
        urgent: bool = False,
        owner: str = "",
    ) -> Job:
        """Queue a thinking that ``owner`` asks for; their second waits for others' first.

        An agent's move, which is urgent, is never refused: there is one at most a room.
        """
        self._waiting = [entry for entry in self._waiting if not entry[2].answer.done()]
        heapq.heapify(self._waiting)
        calm = sum(not job.urgent for _, _, job in self._waiting)
        if self._closed or (not urgent and calm >= _MOST_WAITING):
            raise Refusal("limit", "too many thinkings are waiting: try again in a moment")
        if owner and not urgent and self._of(owner, urgent=False) >= _MOST_OF_ONE:
            raise Refusal("limit", f"{_MOST_OF_ONE} thinkings at a time are enough: stop one")
        return self._job(task, told, urgent=urgent, owner=owner)

    def _of(self, owner: str, *, urgent: bool) -> int:
        jobs = [*self._running, *(job for _, _, job in self._waiting)]
        return sum((j.owner, j.urgent) == (owner, urgent) and not j.answer.done() for j in jobs)

    def _job(
        self,
        task: dict[str, Any],
        told: Callable[[Report], None] | None,
        *,
        urgent: bool,
        owner: str = "",
    ) -> Job:
        number = next(self._numbers)
        job = Job({**task, "job": number}, told, urgent=urgent, owner=owner)
        turn = self._of(owner, urgent=urgent) + (0 if urgent else _AFTER)
        heapq.heappush(self._waiting, (turn, number, job))
        self._next()
        return job

    def _next(self) -> None:
        """Give waiting jobs to thinkers."""
        while self._waiting and len(self._running) < self.workers and not self._closed:
            calm = sum(not job.urgent for job in self._running)
            if not self._waiting[0][2].urgent and calm >= max(1, self.workers - 1):
                return
            job = heapq.heappop(self._waiting)[2]
            if job.answer.cancelled():
                continue
            self._running.add(job)
            task = asyncio.get_running_loop().create_task(self._run(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run(self, job: Job) -> None:
        worker = self._idle.pop() if self._idle else _Worker()
        self._all.add(worker)
        try:
            answer = await worker.ask(job)
            if not job.answer.done():
                job.answer.set_result(answer)
        except Failed as error:
            if not job.answer.done():
                job.answer.set_exception(error)
        except asyncio.CancelledError:
            worker.kill()
            raise
        finally:
            job.worker = None
            self._running.discard(job)
            kept = worker.is_alive and not self._closed
            if kept:
                self._idle.append(worker)
            else:
                worker.kill()
            self._next()
            if not kept:
                await worker.gone()
                self._all.discard(worker)

    async def close(self) -> None:
        self._closed = True
        for _, _, job in self._waiting:
            job.answer.cancel()
        for task in list(self._tasks):
            task.cancel()
        for worker in list(self._all):
            worker.kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for worker in list(self._all):
            await worker.gone()


def _forget(answer: asyncio.Future[Report]) -> None:
    if not answer.cancelled():
        answer.exception()  # a warming that failed shows again with the first real job


class _Worker:
    """One thinker process, started with its first job."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._killed = False  # it may take a moment to be gone

    @property
    def is_alive(self) -> bool:
        running = self._process is not None and self._process.returncode is None
        return running and not self._killed

    def say(self, message: dict[str, Any]) -> None:
        process = self._process
        if process is not None and process.stdin is not None and process.returncode is None:
            with contextlib.suppress(OSError, RuntimeError):
                process.stdin.write(json.dumps(message).encode() + b"\n")

    async def ask(self, job: Job) -> Report:
        """The answer to a job; reports are handed on as they come."""
        fresh = not self.is_alive
        if fresh:
            await self._start()
        try:
            return await self._talk(job)
        except Ended:
            if fresh or job.began or self._killed:
                raise
        # It had died while it had nothing to do: that is not the job's fault.
        await self.gone()
        await self._start()
        return await self._talk(job)

    async def _talk(self, job: Job) -> Report:
        job.worker = self
        self.say(job.task)
        if job.stopped:
            self.say({"do": "stop", "job": job.task["job"]})
        limit = _STARTING
        while True:
            message = await self._hear(limit)
            if message.get("job") != job.task["job"]:
                continue
            if "began" in message:
                job.began = True
                limit = job.task["seconds"] + _GRACE
            elif "report" in message:
                job.last = message["report"]
                if job.told is not None:
                    job.told(message["report"])
            elif "failed" in message:
                raise Failed(f"failed: {message['failed']}")
            else:
                answer: Report = message["answer"]
                return answer

    async def _start(self) -> None:
        try:
            # -P: nothing is imported from the folder we happen to be in.
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "playproof.web.thinker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LINE,
                # Ctrl-C is the lab's to handle.
                start_new_session=True,
                env={**os.environ, "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            )
        except OSError as error:
            raise Failed(f"could not be started: {error.strerror or error}") from None
        await self._hear(_STARTING)

    async def _hear(self, limit: float) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), limit)
        except (TimeoutError, ValueError):
            self.kill()
            raise Failed(f"gave no answer within {limit:g} s") from None
        if not line:
            code = await self._process.wait()
            raise Ended(f"ended its process with exit code {code}")
        message: dict[str, Any] = json.loads(line)
        return message

    def kill(self) -> None:
        self._killed = True
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def gone(self) -> None:
        """Wait until the process has ended, and let its pipes go."""
        if self._process is not None:
            await self._process.wait()
            # There is no public way; left to the collector they outlive the loop they need.
            self._process._transport.close()  # type: ignore[attr-defined]
