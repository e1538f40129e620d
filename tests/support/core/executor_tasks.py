"""Tasks for other processes, which import them by name."""

from __future__ import annotations

import os
import time
from pathlib import Path

# What needs Numba is imported inside: a worker should start fast.


def slow_square(number: int, seconds: float = 0.0) -> int:
    time.sleep(seconds)
    return number * number


def reciprocal(number: int, trace: Path, seconds: float = 0.0) -> float:
    """Leave a file named after the task, which shows that it ran."""
    (trace / str(number)).touch()
    time.sleep(seconds)
    return 1 / number


def worker(number: int) -> int:
    return os.getpid()


def random_number(seed: int, task: int) -> tuple[int, int]:
    from playproof.core.bits import derive_seed

    return task, derive_seed(seed, task)


def threads() -> int:
    """How many threads compiled code takes here."""
    from numba import get_num_threads

    return int(get_num_threads())
