"""The thinkers: a few warm, polite processes in which agents think, so that the page
stays live.  A thinker that hangs or dies is replaced, and only its own job knows."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from playproof.core.parallel.executor import cores
from playproof.web.engines.fair_queue import Asker, FairQueue, Load
from playproof.web.protocol.refusal import Refusal

_STARTING = 300.0  # seconds to import, and to compile what was never compiled before
_GRACE = 10.0  # seconds beyond its limit before a thinker counts as hung
_MOST_WAITING = 256  # thinkings of guests
_MOST_FROM_ONE = 64  # of the guests at one address: a class with a game each
_MOST_MOVES = 8  # of one guest's games, which a page shows one at a time
_MOST_OF_ONE = 3  # thinkings for a page that one person waits for
_MAKING_WAY = 1.0  # seconds in which a search that was told to decide does so
_LINE = 1 << 22  # bytes of a report

Report = dict[str, Any]


class Failed(Exception):
    """A thinking gave no answer; the message says why."""


class Ended(Failed):
    """Its process is no more."""


class Job:
    """One thinking.  ``urgent`` ones, the moves of seats, go before those for a page.

    One that is no longer ``wanted`` when its turn comes is dropped.
    """

    def __init__(
        self,
        task: dict[str, Any],
        told: Callable[[Report], None] | None,
        *,
        urgent: bool,
        asker: Asker,
        wanted: Callable[[], bool] | None = None,
    ) -> None:
        self.task, self.told, self.urgent, self.asker = task, told, urgent, asker
        self.answer: asyncio.Future[Report] = asyncio.get_running_loop().create_future()
        self.began = self.stopped = False
        self.makes_way = False  # for the owner
        self.last: Report = {}  # what was reported last
        self.worker: _Worker | None = None
        self._wanted = wanted

    @property
    def is_wanted(self) -> bool:
        return not self.answer.done() and (self._wanted is None or self._wanted())

    @property
    def rank(self) -> int:
        """The owner's before guests', moves before thoughts for a page."""
        return 2 * (not self.asker.owner) + (not self.urgent)

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
    """At most ``workers`` processes.  One of them is kept free for the moves of seats, and
    one for whoever started the lab: guests share the others, address by address."""

    def __init__(
        self,
        workers: int | None = None,
        prepare: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
    ) -> None:
        self._prepare = prepare  # what a task needs before a process is started for it
        self.workers = workers or max(2, min(4, cores()))
        self._numbers = itertools.count(1)
        self._waiting = tuple(FairQueue[Job]() for _ in range(4))  # by rank
        self._running: set[Job] = set()
        self._load = Load()  # of what runs
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def warm(self) -> None:
        """Start a thinker before it is needed."""
        job = self._job({"do": "warm", "seconds": _STARTING}, None, urgent=True, asker=_OURS)
        job.answer.add_done_callback(_forget)

    def submit(
        self,
        task: dict[str, Any],
        told: Callable[[Report], None] | None = None,
        *,
        urgent: bool = False,
        asker: Asker | None = None,
        wanted: Callable[[], bool] | None = None,
    ) -> Job:
        """Queue a thinking that ``asker`` wants; their second waits for others' first.

        A move in a game of the owner's is never refused: there is one at most a room.
        """
        asker = asker or _OURS
        self._forget_unwanted()
        if self._closed:
            raise Refusal("limit", "too many thinkings are waiting: try again in a moment")
        if not urgent and asker.person and self._thoughts_of(asker) >= _MOST_OF_ONE:
            raise Refusal("limit", f"{_MOST_OF_ONE} thinkings at a time are enough: stop one")
        if not asker.owner:
            self._check_room(asker)
        return self._job(task, told, urgent=urgent, asker=asker, wanted=wanted)

    def _check_room(self, asker: Asker) -> None:
        """What waits for guests is bounded: of one, of one address, of all."""
        queues = self._waiting[2:]
        if sum(queue.waiting_of(asker) for queue in queues) >= _MOST_MOVES:
            raise Refusal("limit", f"{_MOST_MOVES} thinkings of yours wait: try again in a moment")
        from_here = sum(queue.waiting_at(asker.address) for queue in queues)
        if from_here >= _MOST_FROM_ONE or sum(map(len, queues)) >= _MOST_WAITING:
            raise Refusal("limit", "too many thinkings are waiting: try again in a moment")

    def _thoughts_of(self, asker: Asker) -> int:
        jobs = [*self._running, *self._waiting[1].entries(), *self._waiting[3].entries()]
        own = [job for job in jobs if job.asker.person == asker.person and not job.urgent]
        return sum(not job.answer.done() for job in own)

    def _forget_unwanted(self) -> None:
        for queue in self._waiting:
            for job in queue.entries():
                if not job.is_wanted:
                    queue.remove(job.asker, job)
                    job.answer.cancel()

    def _job(
        self,
        task: dict[str, Any],
        told: Callable[[Report], None] | None,
        *,
        urgent: bool,
        asker: Asker,
        wanted: Callable[[], bool] | None = None,
    ) -> Job:
        named = {**task, "job": next(self._numbers)}
        job = Job(named, told, urgent=urgent, asker=asker, wanted=wanted)
        self._waiting[job.rank].push(asker, job)
        self._next()
        return job

    def _next(self) -> None:
        """Give waiting jobs to thinkers."""
        while len(self._running) < self.workers and not self._closed:
            job = self._pick()
            if job is None:
                break
            self._running.add(job)
            self._load.add(job.asker)
            task = asyncio.get_running_loop().create_task(self._run(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._make_way()

    @property
    def _shared(self) -> int:
        """How many thinkers thoughts for a page may take together, and guests together."""
        return max(1, self.workers - 1)

    def _pick(self) -> Job | None:
        calm = sum(not job.urgent for job in self._running)
        guests = sum(not job.asker.owner for job in self._running)
        for rank, queue in enumerate(self._waiting):
            if (rank % 2 and calm >= self._shared) or (rank >= 2 and guests >= self._shared):
                continue
            # Where there are several for guests, one address leaves one to the others.
            most = max(1, self._shared - 1) if rank >= 2 else self.workers
            while (job := queue.pop(self._load, of_address=most)) is not None:
                if job.is_wanted:
                    return job
                job.answer.cancel()
        return None

    def _make_way(self) -> None:
        """Guests' searches decide at once when the owner waits and no thinker is free."""
        if len(self._running) < self.workers:
            return
        needed = len(self._waiting[0]) - sum(job.makes_way for job in self._running)
        guests = [job for job in self._running if not (job.asker.owner or job.makes_way)]
        for job in sorted(guests, key=lambda job: -job.rank)[: max(0, needed)]:
            job.makes_way = True
            job.stop()
            asyncio.get_running_loop().call_later(_MAKING_WAY, self._end, job)

    def _end(self, job: Job) -> None:
        """One that did not listen; it begins again later."""
        if job in self._running and job.worker is not None:
            job.worker.kill()

    async def _run(self, job: Job) -> None:
        try:
            await self._prepared(job)
        except BaseException:
            self._running.discard(job)
            self._load.remove(job.asker)
            raise
        worker = self._idle.pop() if self._idle else _Worker()
        self._all.add(worker)
        few = len(self._all) < self.workers and len(self._running) < self.workers
        if few and not job.asker.owner and not self._idle:
            self.warm()  # to start one takes seconds, in which the owner would wait
        try:
            if not job.answer.done():
                answer = await worker.ask(job)
                if not job.answer.done():
                    job.answer.set_result(answer)
        except Failed as error:
            if job.makes_way and not job.answer.done():
                job.makes_way = job.stopped = job.began = False
                self._waiting[job.rank].push(job.asker, job)
            elif not job.answer.done():
                job.answer.set_exception(error)
        except asyncio.CancelledError:
            worker.kill()
            raise
        finally:
            job.worker = None
            self._running.discard(job)
            self._load.remove(job.asker)
            kept = worker.is_alive and not self._closed
            if kept:
                self._idle.append(worker)
            else:
                worker.kill()
            self._next()
            if not kept:
                await worker.gone()
                self._all.discard(worker)

    async def _prepared(self, job: Job) -> None:
        """Wait until a job can begin, or until nobody waits for it any more."""
        if self._prepare is None:
            return
        preparing = asyncio.ensure_future(self._prepare(job.task))
        try:
            either: set[asyncio.Future[Any]] = {preparing, job.answer}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            preparing.cancel()

    async def close(self) -> None:
        self._closed = True
        for queue in self._waiting:
            for job in queue.entries():
                job.answer.cancel()
        for task in list(self._tasks):
            task.cancel()
        for worker in list(self._all):
            worker.kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for worker in list(self._all):
            await worker.gone()


_OURS = Asker(owner=True)


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
                *(sys.executable, "-P", "-m", "playproof.web.engines.worker"),
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
