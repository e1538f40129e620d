"""Who does the jobs of a tournament: processes here, a cluster, or the thread that asks."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from playproof.arena.referee import close_player_processes
from playproof.core.parallel import executor as jobs


@contextmanager
def workers(
    count: int | None, cluster: str | None, *, local: bool
) -> Iterator[tuple[Executor, int]]:
    """An Executor and how many jobs it does at once; ``local``: players of this process play."""
    if cluster is not None:
        from playproof.core.parallel.cluster import cluster as reach

        with reach(cluster, cores=count) as far:
            yield far, count or far.workers
        return
    slots = 1 if local else count or jobs.cores()
    # Threads: each only watches over a process of its own, in which the agents are.
    near = _Here() if local else ThreadPoolExecutor(slots, thread_name_prefix="referee")
    try:
        yield near, slots
    finally:
        near.shutdown(wait=False, cancel_futures=True)
        close_player_processes()


class _Here(Executor):
    """Does a job at once, in the thread that asks for it: players may be interrupted there, and
    looked at with a debugger."""

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **named))
        return future
