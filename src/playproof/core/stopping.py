"""Long compiled work that Ctrl-C, or another thread, can stop.

Python handles a signal only between two of its own instructions, so a long call into compiled
code would hold it up.  Here the call runs in a thread of its own, and checks a flag now and then,
while the main thread stays free for signals.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numba
import numpy as np
import numpy.typing as npt
from numba import types, uint8

T = TypeVar("T")

StopFlag = npt.NDArray[np.uint8]  # one element, 0 until the work should stop
STOP = types.Array(uint8, 1, "C")


def stop_flag() -> StopFlag:
    """A flag that is not set."""
    return np.zeros(1, np.uint8)


@contextmanager
def deadline(seconds: float | None, on_timeout: Callable[[], object]) -> Iterator[None]:
    """Call ``on_timeout`` if the work in here takes longer than ``seconds``; None is no limit."""
    if seconds is None:
        yield
        return
    if seconds <= 0:
        on_timeout()
    timer = threading.Timer(max(seconds, 0.0), on_timeout)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def interruptible(work: Callable[[StopFlag], T], flag: StopFlag | None = None) -> T:
    """The result of ``work(flag)``; Ctrl-C sets the flag, waits for the work and is raised.

    Pass a flag of your own to stop the work from another thread too.
    """
    flag = stop_flag() if flag is None else flag
    if threading.current_thread() is not threading.main_thread():
        return work(flag)  # only the main thread gets signals
    results: list[T] = []
    errors: list[BaseException] = []
    threads = numba.get_num_threads()

    def run() -> None:
        numba.set_num_threads(threads)  # Numba keeps the number of threads by thread
        try:
            results.append(work(flag))
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.1)
    except KeyboardInterrupt:
        flag[0] = 1
        worker.join()
        raise
    if errors:
        raise errors[0]
    return results[0]
