"""Parallel tasks: the same work on one core, on all of them or on a cluster.

Whatever runs in parallel processes goes through a ``concurrent.futures.Executor`` from here.  A
task is a module-level function and its arguments.  Its randomness comes from
``derive_seed(seed, index)``, so results do not depend on where and in which order tasks run.
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

# Loaded here: nothing may be imported between fork and exec.
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class SerialExecutor(Executor):
    """Runs each task at once in this process: for one worker, and for debugging."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _WorkerPool(ProcessPoolExecutor):
    """Worker processes that ignore Ctrl-C and do not outlive us."""

    def __init__(self, workers: int) -> None:
        # Spawned, not forked: GNU OpenMP, which kernels use, does not survive a fork.
        spawn = multiprocessing.get_context("spawn")
        super().__init__(workers, mp_context=spawn, initializer=init_worker)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        # Workers start here and inherit the mask: Ctrl-C is the parent's to handle, even while
        # they are still importing.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def kill(self) -> None:
        """Kill the workers, whatever they are doing."""
        for worker in list((self._processes or {}).values()):
            worker.kill()
        self.shutdown(cancel_futures=True)


@contextmanager
def executor(workers: int | None = None) -> Iterator[Executor]:
    """An Executor over ``workers`` local processes, by default one for each core.

    Each worker uses one thread.  An error in here, or Ctrl-C, kills them.
    """
    workers = cores() if workers is None else workers
    if workers < 1:
        raise UsageError(f"{workers} workers cannot work: want 1 or more")
    if workers == 1:
        yield SerialExecutor()
        return
    pool = _WorkerPool(workers)
    try:
        yield pool
    except BaseException:
        pool.kill()
        raise
    pool.shutdown()


def run(
    function: Callable[..., T],
    tasks: Iterable[tuple[Any, ...]],
    *,
    workers: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> list[T]:
    """``function(*task)`` for every task, in the order of the tasks.

    ``on_progress(done)`` is called after each finished task.  The first error is raised, and
    cancels the tasks that have not started.
    """
    results: list[T] = []
    with executor(workers) as pool:
        # A serial executor runs a task when it is submitted: submit it only when its turn comes.
        serial = isinstance(pool, SerialExecutor)
        futures: Iterable[Future[T]] = (pool.submit(function, *task) for task in tasks)
        for done, future in enumerate(futures if serial else list(futures), 1):
            results.append(future.result())
            if on_progress:
                on_progress(done)
    return results


def init_worker(threads: int = 1) -> None:
    """Set up a new worker process: its number of threads, and its end with its parent's."""
    if "numba" in sys.modules:  # imported before us, by the script that runs the tasks
        import numba

        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    else:
        os.environ["NUMBA_NUM_THREADS"] = str(threads)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def die_with_parent() -> None:
    """A ``preexec_fn`` for a program that would otherwise outlive us when we are killed.

    It works on Linux only, and ends the program with the thread that started it.
    """
    if _libc is not None:
        _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
