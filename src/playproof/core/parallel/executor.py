"""Jobs: the same work on one core, on all of them, or (when asked) on a cluster.

Whatever runs in parallel processes goes through here, as a
``concurrent.futures.Executor``.  A job is a module-level function and its
arguments; its randomness comes from ``derive_seed(seed, index)``, so neither
the order nor the place of jobs changes a result.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from playproof.core.errors import UsageError

T = TypeVar("T")

# Looked up here: between fork and exec there is no time for imports.
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


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


class _Processes(ProcessPoolExecutor):
    """Worker processes that Ctrl-C does not reach and that do not outlive us."""

    def __init__(self, workers: int) -> None:
        # Spawned, not forked: GNU OpenMP, which kernels use, does not survive a fork.
        spawn = multiprocessing.get_context("spawn")
        super().__init__(workers, mp_context=spawn, initializer=begin_worker)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        # Workers start here and inherit the mask: Ctrl-C is the parent's to handle,
        # even while they are still importing.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def kill(self) -> None:
        """End the workers at once, whatever they are doing."""
        for worker in list((self._processes or {}).values()):
            worker.kill()
        self.shutdown(cancel_futures=True)


@contextmanager
def executor(workers: int | None = None) -> Iterator[Executor]:
    """An Executor over ``workers`` local processes; all cores if not given.

    Each worker keeps to one thread of its own.  An error, or Ctrl-C, ends them.
    """
    workers = cores() if workers is None else workers
    if workers < 1:
        raise UsageError(f"{workers} workers cannot work: want 1 or more")
    if workers == 1:
        yield SerialExecutor()
        return
    pool = _Processes(workers)
    try:
        yield pool
    except BaseException:
        pool.kill()
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
    results: list[T] = []
    with executor(workers) as pool:
        # One worker takes a job only when it has finished the one before.
        serial = isinstance(pool, SerialExecutor)
        waiting: Iterable[Future[T]] = (pool.submit(function, *job) for job in jobs)
        for done, future in enumerate(waiting if serial else list(waiting), 1):
            results.append(future.result())
            if progress:
                progress(done)
    return results


def begin_worker(threads: int = 1) -> None:
    """In a new worker: so many threads, and no life without the parent."""
    if "numba" in sys.modules:  # a script that asks for jobs is imported here before us
        import numba

        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    else:
        os.environ["NUMBA_NUM_THREADS"] = str(threads)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def die_with_parent() -> None:
    """For ``preexec_fn`` of a program that would otherwise outlive us when we are killed.

    Linux alone can promise it; the promise is to the thread that starts the program.
    """
    if _libc is not None:
        _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
