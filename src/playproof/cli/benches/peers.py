"""Helpers of the benchmarks: OpenSpiel as the peer, a single core, and rates."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numba

_ROUNDS = 5


def open_spiel() -> tuple[Any, str | None]:
    """OpenSpiel's module and version; both None if it is not installed."""
    try:
        import pyspiel

        return pyspiel, version("open-spiel")
    except (ImportError, PackageNotFoundError):
        return None, None


@contextmanager
def one_core() -> Iterator[None]:
    """Restrict compiled loops to one core."""
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(threads)


def best_rate(work: Callable[[], int], seconds: float) -> float:
    """Steps or samples, as ``work`` returns them, per CPU second: the best of several rounds, which
    is least disturbed by other programs."""
    work()  # compiles and fills caches
    best = 0.0
    for _ in range(_ROUNDS):
        done, start = 0, time.process_time()
        while (elapsed := time.process_time() - start) < seconds / _ROUNDS:
            done += work()
        best = max(best, done / elapsed)
    return best
