"""A time limit that holds for any work, compiled or in Python, however long one step of it takes.

The work runs in a thread of its own while the caller's thread watches the clock, so that Ctrl-C is
handled at once too.  Compiled code looks at a flag now and then.  Python code gets an exception.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from playproof.core.stopping import StopFlag, stop_flag

T = TypeVar("T")

_POLL_SECONDS = 0.05  # between two looks at the clock
_GRACE_SECONDS = 1.0  # for work that was ended to notice it; a daemon thread may outlast that


class TimeLimit(Exception):
    """The work took longer than its limit."""


class _Ended(BaseException):
    """Raised inside work that is no longer wanted."""


def limited(
    work: Callable[[StopFlag], T],
    seconds: float | None = None,
    *,
    on_wait: Callable[[], object] = lambda: None,
) -> T:
    """The result of ``work(flag)``; raises TimeLimit after ``seconds``.

    ``on_wait()`` is called now and then in the caller's thread.  Whatever it raises, as Ctrl-C
    does, ends the work.  Work that is ended finds its flag set, and what it was computing is lost,
    so it must not write anything that others read.
    """
    end = None if seconds is None else time.perf_counter() + seconds
    worker = _Worker(work)
    worker.start()
    try:
        while True:
            on_wait()
            left = _POLL_SECONDS if end is None else end - time.perf_counter()
            if left <= 0:
                raise TimeLimit
            worker.thread.join(min(left, _POLL_SECONDS))
            if not worker.thread.is_alive():
                break
    except BaseException:
        worker.end()
        raise
    return worker.result()


class _Worker:
    """The thread that does the work, and its outcome."""

    def __init__(self, work: Callable[[StopFlag], T]) -> None:
        self.flag = stop_flag()
        self.thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._results: list[object] = []
        self._error: BaseException | None = None

    def start(self) -> None:
        try:
            self.thread.start()
        except RuntimeError as error:  # there is no room for its stack
            raise MemoryError(str(error)) from None

    def _run(self, work: Callable[[StopFlag], object]) -> None:
        try:
            self._results.append(work(self.flag))
        except BaseException as error:
            self._error = error

    def result(self) -> T:  # type: ignore[type-var]
        if self._error is not None:
            raise self._error
        return self._results[0]  # type: ignore[return-value]

    def end(self) -> None:
        """End the work, in compiled code by the flag and in Python by an exception."""
        self.flag[0] = 1
        if self.thread.ident is not None and self.thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self.thread.ident), ctypes.py_object(_Ended)
            )
            self.thread.join(_GRACE_SECONDS)
