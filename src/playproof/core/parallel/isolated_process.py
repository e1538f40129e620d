"""Watched: an object in a process of its own, which may hang or die there
without taking us along.

Code that we do not trust to come back (an agent somebody is working on, an
engine) is asked through here: every call has a time limit, and a call that
fails says how.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable
from multiprocessing import connection, resource_tracker
from typing import Any

from playproof.core.errors import PlayproofError, one_line
from playproof.core.parallel.executor import begin_worker

_STARTING = 120.0  # seconds for imports, beside the limit of the first call


class Failure(Exception):
    """The call gave no answer; the message says why, without a subject."""


class Raised(Failure):
    """The object raised an error, and lives on."""


class Hung(Failure):
    """No answer in time; the process was killed."""


class Died(Failure):
    """The process ended."""


class Watched:
    """``make(*arguments)`` in another process; ``call`` reaches its methods.

    The process starts with the first call, and again after it was lost: the
    object must not need what it was told before.  ``make`` is a module-level
    function or class.
    """

    def __init__(self, make: Callable[..., Any], *arguments: Any, threads: int = 1) -> None:
        self._make, self._arguments, self._threads = make, arguments, threads
        self._process: Any = None
        self._pipe: Any = None

    @property
    def is_running(self) -> bool:
        """Whether the process is there, with all that the object was told."""
        return self._process is not None and self._process.is_alive()

    def call(self, method: str, *arguments: Any, limit: float) -> Any:
        """What the method returns, or a Failure.

        A PlayproofError of ``make`` itself, such as a wrong option, comes through;
        a process that cannot even be started is one too, and not the object's fault.
        """
        if not self.is_running:
            self._start()
        try:
            self._pipe.send((method, arguments))
        except (BrokenPipeError, ConnectionError):
            raise self._lost() from None
        ready = connection.wait([self._pipe, self._process.sentinel], limit)
        if not ready:
            self.close()
            raise Hung(f"gave no answer within {limit:g} s")
        try:
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            raise self._lost() from None
        except Exception as error:  # an answer that cannot be read
            self.close()
            raise Died(f"sent an answer that cannot be read ({one_line(error)})") from None
        if kind == "answer":
            return value
        if kind == "refused":
            raise value
        raise Raised(value)

    def close(self) -> None:
        """End the process at once, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            self._pipe.close()

    def _start(self) -> None:
        self.close()
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        process = spawn.Process(
            target=_serve,
            # Packed: unpacking may import Numba, which reads the number of threads then.
            args=(theirs, pickle.dumps((self._make, self._arguments)), self._threads),
            daemon=True,
        )
        # Ctrl-C is ours to handle: the process inherits the mask from birth.  The tracker,
        # which Python starts with its first process, would unblock it again: it goes first.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        self._process = process
        # Imports are not the object's fault: they have a limit of their own.
        if not connection.wait([self._pipe, process.sentinel], _STARTING):
            self.close()
            raise PlayproofError(f"a process did not start within {_STARTING:g} s")
        try:
            self._pipe.recv()
        except (EOFError, OSError):
            lost = self._lost()
            raise PlayproofError(
                f"a process could not be started, it {lost}: a script that needs processes "
                "asks for them under if __name__ == '__main__':"
            ) from None

    def _lost(self) -> Died:
        self._process.join(5.0)
        code = self._process.exitcode
        self.close()
        if code is not None and code < 0:
            return Died(f"ended its process by {signal.Signals(-code).name}")
        return Died(f"ended its process with exit code {code}")

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _serve(pipe: Any, packed: bytes, threads: int) -> None:
    """The other side: answer calls until the pipe closes."""
    begin_worker(threads)
    # What the object prints must not mix with a result on our stdout.
    sys.stdout.flush()
    os.dup2(2, 1)
    make, arguments = pickle.loads(packed)
    pipe.send("ready")
    made: Any = None
    while True:
        try:
            method, given = pipe.recv()
        except (EOFError, OSError):
            return
        answer: tuple[str, Any]
        try:
            if made is None:
                made = make(*arguments)
            answer = "answer", getattr(made, method)(*given)
        except Exception as error:
            if made is None and isinstance(error, PlayproofError):
                answer = "refused", type(error)(str(error))
            else:
                answer = "raised", f"raised {type(error).__name__}: {one_line(error)}"
        try:
            pipe.send(answer)
        except (BrokenPipeError, ConnectionError):
            return
        except Exception as error:  # not picklable
            pipe.send(("raised", f"gave an answer that cannot be sent ({one_line(error)})"))
