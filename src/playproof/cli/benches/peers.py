"""What the benchmarks share: the peer, one core for all, and the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numba

_ROUNDS = 5


def open_spiel() -> tuple[Any, str | None]:
    """OpenSpiel's module and version, or twice None if it is not installed."""
    try:
        import pyspiel

        return pyspiel, version("open-spiel")
    except (ImportError, PackageNotFoundError):
        return None, None


@contextmanager
def one_core() -> Iterator[None]:
    """Compiled loops keep to one core."""
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(threads)


def best_rate(work: Callable[[], int], seconds: float) -> float:
    """What ``work`` returns, steps or samples, for each CPU second it takes: the best of several
    rounds, which is what the code can do when nothing disturbs it."""
    work()  # warm: compiled, in cache
    best = 0.0
    for _ in range(_ROUNDS):
        done, began = 0, time.process_time()
        while (spent := time.process_time() - began) < seconds / _ROUNDS:
            done += work()
        best = max(best, done / spent)
    return best
