"""An object in a process of its own, which may hang or die there without taking us along.

Code that may not come back (an agent somebody is working on, an engine) is called through here.
Every call has a time limit, and a call that fails says how.
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
from playproof.core.parallel.executor import init_worker

_START_SECONDS = 120.0  # for imports, beside the limit of the first call


class CallFailure(Exception):
    """The call returned nothing; the message says why, without a subject."""


class CallRaised(CallFailure):
    """The object raised an error, and lives on."""


class CallTimedOut(CallFailure):
    """No answer in time; the process was killed."""


class ProcessDied(CallFailure):
    """The process ended."""


class IsolatedProcess:
    """``factory(*arguments)`` in another process; ``call`` calls its methods.

    The process starts with the first call, and again after it was lost, so the object must not
    depend on earlier calls.  ``factory`` is a module-level function or class.
    """

    def __init__(self, factory: Callable[..., Any], *arguments: Any, threads: int = 1) -> None:
        self._factory, self._arguments, self._threads = factory, arguments, threads
        self._process: Any = None
        self._pipe: Any = None

    @property
    def is_running(self) -> bool:
        """Whether the process runs, and the object in it still has its state."""
        return self._process is not None and self._process.is_alive()

    def call(self, method: str, *arguments: Any, limit: float) -> Any:
        """What the method returns within ``limit`` seconds; a CallFailure otherwise.

        A PlayproofError of ``factory`` itself, such as a wrong option, is raised as it is.  A
        process that cannot even be started is a PlayproofError too, for that is not the object's
        fault.
        """
        if not self.is_running:
            self._start()
        try:
            self._pipe.send((method, arguments))
        except (BrokenPipeError, ConnectionError):
            raise self._reap() from None
        if not connection.wait([self._pipe, self._process.sentinel], limit):
            self.close()
            raise CallTimedOut(f"gave no answer within {limit:g} s")
        try:
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            raise self._reap() from None
        except Exception as error:  # unpickling failed
            self.close()
            raise ProcessDied(f"sent an answer that cannot be read ({one_line(error)})") from None
        if kind == "answer":
            return value
        if kind == "refused":
            raise value
        raise CallRaised(value)

    def close(self) -> None:
        """Kill the process, whatever it is doing."""
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
            # Pickled: unpickling may import Numba, which reads the number of threads then.
            args=(theirs, pickle.dumps((self._factory, self._arguments)), self._threads),
            daemon=True,
        )
        # Ctrl-C is ours to handle, so the process inherits a mask that blocks it.  The resource
        # tracker, which Python starts with its first process, would unblock it: start it before.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        self._process = process
        # Slow imports are not the object's fault: they have a limit of their own.
        if not connection.wait([self._pipe, process.sentinel], _START_SECONDS):
            self.close()
            raise PlayproofError(f"a process did not start within {_START_SECONDS:g} s")
        try:
            self._pipe.recv()
        except (EOFError, OSError):
            raise PlayproofError(
                f"a process could not be started, it {self._reap()}: a script that needs processes "
                "asks for them under if __name__ == '__main__':"
            ) from None

    def _reap(self) -> ProcessDied:
        """Clean up after a process that has ended; the error that says how it did."""
        self._process.join(5.0)
        code = self._process.exitcode
        self.close()
        if code is not None and code < 0:
            return ProcessDied(f"ended its process by {signal.Signals(-code).name}")
        return ProcessDied(f"ended its process with exit code {code}")

    def __enter__(self) -> IsolatedProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _serve(pipe: Any, pickled: bytes, threads: int) -> None:
    """In the other process: answer calls until the pipe closes."""
    init_worker(threads)
    # What the object prints must not mix with results on our stdout.
    sys.stdout.flush()
    os.dup2(2, 1)
    factory, factory_arguments = pickle.loads(pickled)
    pipe.send("ready")
    instance: Any = None
    while True:
        try:
            method, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        answer: tuple[str, Any]
        try:
            if instance is None:
                instance = factory(*factory_arguments)
            answer = "answer", getattr(instance, method)(*arguments)
        except Exception as error:
            if instance is None and isinstance(error, PlayproofError):
                answer = "refused", type(error)(str(error))
            else:
                answer = "raised", f"raised {type(error).__name__}: {one_line(error)}"
        try:
            pipe.send(answer)
        except (BrokenPipeError, ConnectionError):
            return
        except Exception as error:  # the answer cannot be pickled
            pipe.send(("raised", f"gave an answer that cannot be sent ({one_line(error)})"))
