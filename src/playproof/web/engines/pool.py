"""The engine pool: a few processes in which agents run, so that the server stays responsive.

An engine that hangs or dies is replaced, and only its own job is affected.
"""

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
from playproof.web.engines.fair_queue import FairQueue, Load, Requester
from playproof.web.protocol.refusal import Refusal

_STARTING = 300.0  # seconds to import everything and to compile what was never compiled before
_GRACE = 10.0  # seconds beyond its limit before an engine counts as hung
_MOST_WAITING = 256  # jobs of guests
_MOST_FROM_ONE = 64  # jobs of the guests at one address: a class with a game each
_MOST_MOVES = 8  # jobs of one guest, whose page shows one game at a time
_MOST_OF_ONE = 3  # analyses of one person
_PREEMPTION = 1.0  # seconds for a search that is told to stop until its process is killed
_LINE = 1 << 22  # bytes of a report

AnalysisReport = dict[str, Any]


class EngineFailed(Exception):
    """A job that gave no result; the message says why."""


class EngineExited(EngineFailed):
    """The engine's process has ended."""


class EngineJob:
    """A job for an engine: a move (``urgent``) or an analysis.

    Its result is the future ``result``. If it is no longer wanted when its turn comes, it is
    dropped.
    """

    def __init__(
        self,
        task: dict[str, Any],
        on_report: Callable[[AnalysisReport], None] | None,
        *,
        urgent: bool,
        requester: Requester,
        still_wanted: Callable[[], bool] | None = None,
    ) -> None:
        self.task, self.on_report, self.urgent, self.requester = task, on_report, urgent, requester
        self.result: asyncio.Future[AnalysisReport] = asyncio.get_running_loop().create_future()
        self.has_started = self.is_stopped = False
        self.is_preempted = False  # stopped early for the owner
        self.last: AnalysisReport = {}  # the last report
        self.worker: _Worker | None = None
        self._still_wanted = still_wanted

    @property
    def is_wanted(self) -> bool:
        return not self.result.done() and (self._still_wanted is None or self._still_wanted())

    @property
    def rank(self) -> int:
        """Its place among the queues: the owner's before guests', moves before analyses."""
        return 2 * (not self.requester.owner) + (not self.urgent)

    def stop(self) -> None:
        """Tell the engine to decide at once with what it has."""
        self.is_stopped = True
        if self.worker is not None:
            self.worker.send({"do": "stop", "job": self.task["job"]})

    def drop(self) -> None:
        """Cancel the job; nobody wants the result any more."""
        self.on_report = None
        self.result.cancel()
        self.stop()


class EnginePool:
    """At most ``workers`` engine processes.

    Analyses leave one of them free for moves, and guests leave one free for the owner. Guests
    share the others, address by address.
    """

    def __init__(
        self,
        workers: int | None = None,
        prepare: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
    ) -> None:
        self._prepare = prepare  # awaited with a task before a process is started for it
        self.workers = workers or max(2, min(4, cores()))
        self._numbers = itertools.count(1)
        self._waiting = tuple(FairQueue[EngineJob]() for _ in range(4))  # by rank
        self._running: set[EngineJob] = set()
        self._load = Load()  # of running jobs
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def warm(self) -> None:
        """Start an engine before it is needed."""
        task = {"do": "warm", "seconds": _STARTING}
        job = self._queue_job(task, None, urgent=True, requester=_LAB)
        job.result.add_done_callback(_ignore_error)

    def submit(
        self,
        task: dict[str, Any],
        on_report: Callable[[AnalysisReport], None] | None = None,
        *,
        urgent: bool = False,
        requester: Requester | None = None,
        still_wanted: Callable[[], bool] | None = None,
    ) -> EngineJob:
        """Queue a job for a requester; their second job waits behind others' first.

        A move in the owner's game is never refused: a room has one at a time.
        """
        requester = requester or _LAB
        self._discard_unwanted()
        if self._closed:
            raise Refusal("limit", "too many searches are waiting: try again in a moment")
        if not urgent and requester.person and self._analyses_of(requester) >= _MOST_OF_ONE:
            raise Refusal("limit", f"{_MOST_OF_ONE} analyses at a time is the limit: stop one")
        if not requester.owner:
            self._check_room(requester)
        return self._queue_job(
            task, on_report, urgent=urgent, requester=requester, still_wanted=still_wanted
        )

    def _check_room(self, requester: Requester) -> None:
        """A Refusal if too many jobs wait: of one guest, of one address, or of all guests."""
        queues = self._waiting[2:]
        if sum(queue.waiting_of(requester) for queue in queues) >= _MOST_MOVES:
            line = f"you have {_MOST_MOVES} searches waiting: try again in a moment"
            raise Refusal("limit", line)
        from_here = sum(queue.waiting_at(requester.address) for queue in queues)
        if from_here >= _MOST_FROM_ONE or sum(map(len, queues)) >= _MOST_WAITING:
            raise Refusal("limit", "too many searches are waiting: try again in a moment")

    def _analyses_of(self, requester: Requester) -> int:
        jobs = [*self._running, *self._waiting[1].entries(), *self._waiting[3].entries()]
        own = [job for job in jobs if job.requester.person == requester.person and not job.urgent]
        return sum(not job.result.done() for job in own)

    def _discard_unwanted(self) -> None:
        for queue in self._waiting:
            for job in queue.entries():
                if not job.is_wanted:
                    queue.remove(job.requester, job)
                    job.result.cancel()

    def _queue_job(
        self,
        task: dict[str, Any],
        on_report: Callable[[AnalysisReport], None] | None,
        *,
        urgent: bool,
        requester: Requester,
        still_wanted: Callable[[], bool] | None = None,
    ) -> EngineJob:
        numbered = {**task, "job": next(self._numbers)}
        job = EngineJob(
            numbered, on_report, urgent=urgent, requester=requester, still_wanted=still_wanted
        )
        self._waiting[job.rank].push(requester, job)
        self._next()
        return job

    def _next(self) -> None:
        """Give waiting jobs to engines."""
        while len(self._running) < self.workers and not self._closed:
            job = self._pick()
            if job is None:
                break
            self._running.add(job)
            self._load.add(job.requester)
            task = asyncio.get_running_loop().create_task(self._run(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._preempt_guests()

    @property
    def _shareable(self) -> int:
        """How many engines analyses may take together, and guests together."""
        return max(1, self.workers - 1)

    def _pick(self) -> EngineJob | None:
        """The next job to run; None if none may run now."""
        analyses = sum(not job.urgent for job in self._running)
        guests = sum(not job.requester.owner for job in self._running)
        for rank, queue in enumerate(self._waiting):
            is_analysis, is_guest = rank % 2 == 1, rank >= 2
            if is_analysis and analyses >= self._shareable:
                continue
            if is_guest and guests >= self._shareable:
                continue
            # If guests may take several engines, one address leaves one to the others.
            most = max(1, self._shareable - 1) if is_guest else self.workers
            while (job := queue.pop(self._load, of_address=most)) is not None:
                if job.is_wanted:
                    return job
                job.result.cancel()
        return None

    def _preempt_guests(self) -> None:
        """Stop guests' searches if the owner waits for a move and no engine is free."""
        if len(self._running) < self.workers:
            return
        needed = len(self._waiting[0]) - sum(job.is_preempted for job in self._running)
        guests = [job for job in self._running if not (job.requester.owner or job.is_preempted)]
        for job in sorted(guests, key=lambda job: -job.rank)[: max(0, needed)]:
            job.is_preempted = True
            job.stop()
            asyncio.get_running_loop().call_later(_PREEMPTION, self._kill_stubborn, job)

    def _kill_stubborn(self, job: EngineJob) -> None:
        """Kill the engine of a job that did not stop; the job starts again later."""
        if job in self._running and job.worker is not None:
            job.worker.kill()

    async def _run(self, job: EngineJob) -> None:
        """Run one job in an idle or a new engine."""
        try:
            await self._prepare_job(job)
        except BaseException:
            self._running.discard(job)
            self._load.remove(job.requester)
            raise
        worker = self._idle.pop() if self._idle else _Worker()
        self._all.add(worker)
        has_spare = len(self._all) < self.workers and len(self._running) < self.workers
        if has_spare and not job.requester.owner and not self._idle:
            self.warm()  # starting an engine takes seconds, for which the owner should not wait
        try:
            if not job.result.done():
                answer = await worker.run(job)
                if not job.result.done():
                    job.result.set_result(answer)
        except EngineFailed as error:
            if job.is_preempted and not job.result.done():
                job.is_preempted = job.is_stopped = job.has_started = False
                self._waiting[job.rank].push(job.requester, job)
            elif not job.result.done():
                job.result.set_exception(error)
        except asyncio.CancelledError:
            worker.kill()
            raise
        finally:
            job.worker = None
            self._running.discard(job)
            self._load.remove(job.requester)
            is_reusable = worker.is_alive and not self._closed
            if is_reusable:
                self._idle.append(worker)
            else:
                worker.kill()
            self._next()
            if not is_reusable:
                await worker.wait_closed()
                self._all.discard(worker)

    async def _prepare_job(self, job: EngineJob) -> None:
        """Wait until a job can start, or until nobody waits for it any more."""
        if self._prepare is None:
            return
        preparing = asyncio.ensure_future(self._prepare(job.task))
        try:
            futures: set[asyncio.Future[Any]] = {preparing, job.result}
            await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
        finally:
            preparing.cancel()

    async def close(self) -> None:
        self._closed = True
        for queue in self._waiting:
            for job in queue.entries():
                job.result.cancel()
        for task in list(self._tasks):
            task.cancel()
        for worker in list(self._all):
            worker.kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for worker in list(self._all):
            await worker.wait_closed()


_LAB = Requester(owner=True)  # on whose behalf the lab itself starts engines


def _ignore_error(answer: asyncio.Future[AnalysisReport]) -> None:
    if not answer.cancelled():
        answer.exception()  # if warming fails, the first real job shows the error again


class _Worker:
    """One engine process, started with its first job."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._killed = False  # the process may take a moment to end

    @property
    def is_alive(self) -> bool:
        running = self._process is not None and self._process.returncode is None
        return running and not self._killed

    def send(self, message: dict[str, Any]) -> None:
        process = self._process
        if process is not None and process.stdin is not None and process.returncode is None:
            with contextlib.suppress(OSError, RuntimeError):
                process.stdin.write(json.dumps(message).encode() + b"\n")

    async def run(self, job: EngineJob) -> AnalysisReport:
        """The result of a job; reports are passed on as they arrive."""
        is_new = not self.is_alive
        if is_new:
            await self._start()
        try:
            return await self._exchange(job)
        except EngineExited:
            if is_new or job.has_started or self._killed:
                raise
        # It died while it was idle: that is not the job's fault.
        await self.wait_closed()
        await self._start()
        return await self._exchange(job)

    async def _exchange(self, job: EngineJob) -> AnalysisReport:
        job.worker = self
        self.send(job.task)
        if job.is_stopped:
            self.send({"do": "stop", "job": job.task["job"]})
        limit = _STARTING
        while True:
            message = await self._receive(limit)
            if message.get("job") != job.task["job"]:
                continue
            if "began" in message:
                job.has_started = True
                limit = job.task["seconds"] + _GRACE
            elif "report" in message:
                job.last = message["report"]
                if job.on_report is not None:
                    job.on_report(message["report"])
            elif "failed" in message:
                raise EngineFailed(f"failed: {message['failed']}")
            else:
                answer: AnalysisReport = message["answer"]
                return answer

    async def _start(self) -> None:
        try:
            # -P: nothing is imported from the current folder.
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "playproof.web.engines.worker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LINE,
                # The lab handles Ctrl-C.
                start_new_session=True,
                env={**os.environ, "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            )
        except OSError as error:
            raise EngineFailed(f"could not be started: {error.strerror or error}") from None
        await self._receive(_STARTING)

    async def _receive(self, limit: float) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), limit)
        except (TimeoutError, ValueError):
            self.kill()
            raise EngineFailed(f"gave no answer within {limit:g} s") from None
        if not line:
            code = await self._process.wait()
            raise EngineExited(f"ended its process with exit code {code}")
        message: dict[str, Any] = json.loads(line)
        return message

    def kill(self) -> None:
        self._killed = True
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def wait_closed(self) -> None:
        """Wait until the process has ended, and close its pipes."""
        if self._process is not None:
            await self._process.wait()
            # asyncio has no public way to do this. Left to the collector, the transport would
            # outlive its event loop.
            self._process._transport.close()  # type: ignore[attr-defined]
