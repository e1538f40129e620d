"""Where the jobs of a tournament run: in processes here, on a cluster, or in the calling thread."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from playproof.arena.referee import close_player_processes
from playproof.core.parallel import executor as jobs


@contextmanager
def worker_pool(
    count: int | None, cluster: str | None, *, local: bool
) -> Iterator[tuple[Executor, int]]:
    """An Executor, and how many jobs it runs at once.

    ``local`` says that players of this process take part, so that all jobs must run here.
    """
    if cluster is not None:
        from playproof.core.parallel.cluster import cluster as open_cluster

        with open_cluster(cluster, cores=count) as remote:
            yield remote, count or remote.workers
        return
    slots = 1 if local else count or jobs.cores()
    # Threads suffice, since each only watches a process of its own, where the agents run.
    pool: Executor = (
        _SameThread() if local else ThreadPoolExecutor(slots, thread_name_prefix="referee")
    )
    try:
        yield pool, slots
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        close_player_processes()


class _SameThread(Executor):
    """Runs a job at once in the calling thread, where players can be interrupted and debugged."""

    def submit(self, function: Any, /, *arguments: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*arguments, **keywords))
        return future
