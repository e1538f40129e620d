"""Jobs: the same work on one core, on all of them, or (when asked) on a cluster.

Whatever runs in parallel processes goes through here, as a
``concurrent.futures.Executor``.  A job is a module-level function and its
arguments; its randomness comes from ``derive_seed(seed, index)``, so neither
the order nor the place of jobs changes a result.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from playproof.core.errors import UsageError

T = TypeVar("T")


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class SerialExecutor(Executor):
    """Runs each job at once in this process: for one worker, and for debugging."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def executor(workers: int | None = None) -> Iterator[Executor]:
    """An Executor over ``workers`` local processes; all cores if not given.

    Processes are spawned, not forked: GNU OpenMP, which compiled kernels use,
    does not survive a fork.  Each keeps to one thread of its own.
    """
    workers = cores() if workers is None else workers
    if workers < 1:
        raise UsageError(f"{workers} workers cannot work: want 1 or more")
    if workers == 1:
        yield SerialExecutor()
        return
    pool = ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=_begin
    )
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def run(
    function: Callable[..., T],
    jobs: Iterable[tuple[Any, ...]],
    *,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[T]:
    """``function(*job)`` for every job, in the order of the jobs.

    ``progress(done)`` is called after each finished job.  The first error
    cancels what has not begun and is raised.
    """
    with executor(workers) as pool:
        futures = [pool.submit(function, *job) for job in jobs]
        results = []
        for done, future in enumerate(futures, 1):
            results.append(future.result())
            if progress:
                progress(done)
        return results


def _begin() -> None:
    # Ctrl-C is the parent's to handle; it cancels and ends the pool.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["NUMBA_NUM_THREADS"] = "1"
