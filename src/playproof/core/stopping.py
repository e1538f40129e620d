"""Long compiled work that Ctrl-C, or another thread, can stop.

Python handles a signal only between two of its own instructions, so a long
call into compiled code would make it wait.  Here the call runs in a thread of
its own while the main thread stays awake; it looks at a flag now and then.
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
    return np.zeros(1, np.uint8)


@contextmanager
def deadline(seconds: float | None, late: Callable[[], object]) -> Iterator[None]:
    """Call ``late`` if what is done inside takes longer; None is for ever, 0 at once."""
    if seconds is None:
        yield
        return
    if seconds <= 0:
        late()
    timer = threading.Timer(max(seconds, 0.0), late)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def interruptible(work: Callable[[StopFlag], T], flag: StopFlag | None = None) -> T:
    """``work(flag)``; a KeyboardInterrupt raises the flag, waits, and goes on.

    Give a flag of your own to stop the work from another thread too.
    """
    flag = stop_flag() if flag is None else flag
    if threading.current_thread() is not threading.main_thread():
        return work(flag)  # signals come to the main thread alone
    results: list[T] = []
    errors: list[BaseException] = []
    threads = numba.get_num_threads()

    def run() -> None:
        numba.set_num_threads(threads)  # the number of cores is each thread's own
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
