"""The supervisor of a job: runs one command and makes sure that nothing of it is left running.

    python supervisor.py COMMAND ...

Its standard input is a pipe that the process which started it holds open.  When the pipe closes,
because that process has ended in whatever way, everything that the command started is killed.
SIGINT or SIGTERM to the supervisor stops the command as Ctrl-C would, and kills it after five
seconds.  The exit code is the command's, 128 + n if signal n ended it, and 130 if it was told to
stop and did not exit with 0.

Start it within ``deferred_signals()``: signals that arrive before it can handle them then wait.
The command in turn starts with SIGINT blocked, and unblocks it once it is ready
(``JobRecorder.allow_interrupt``), so that being stopped in its first second is not a crash.

This file runs by itself and imports only the standard library: it lives as long as its job, and
should cost nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

STOP_SECONDS = 5.0  # that a command has to stop
_NICE = 10
_PDEATHSIG, _CHILD_SUBREAPER = 1, 36  # of prctl, on Linux

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@contextlib.contextmanager
def deferred_signals() -> Iterator[None]:
    """Block stop signals in processes started in here, until they unblock them themselves.

    Do not await in here: the mask belongs to the thread.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _die_with_supervisor() -> None:
    """In the command's process: do not outlive the supervisor."""
    if _libc is not None:
        _libc.prctl(_PDEATHSIG, signal.SIGKILL)


def _children() -> list[int]:
    """Our child processes, orphans of the command among them."""
    children = []
    own = str(os.getpid())
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, IndexError), open(f"/proc/{name}/stat") as file:
                    if file.read().rpartition(")")[2].split()[1] == own:
                        children.append(int(name))
    return children


def _kill_all(group: int) -> None:
    """Kill the command's group, then every descendant that turns up as an orphan."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    while True:
        for child in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def supervise(command: list[str]) -> int:
    """Run ``command`` to its end; return its exit code."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    # Handlers of Python's own, so that the command starts with the system's.
    for number in (*_STOP_SIGNALS, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    if _libc is not None:
        _libc.prctl(_CHILD_SUBREAPER, 1)
    with contextlib.suppress(OSError):
        os.nice(_NICE)
    signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGINT})
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        process_group=0,
        preexec_fn=_die_with_supervisor,
    )
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    code = _wait(process, woken)
    _kill_all(process.pid)
    return code if code >= 0 else 128 - code


def _wait(process: subprocess.Popen[bytes], woken: int) -> int:
    """Wait until the command ends, or end it: its return code, negative for a signal."""
    kill_at: float | None = None
    while True:
        code = process.poll()
        if code is not None:
            return code if kill_at is None or code == 0 else -signal.SIGINT
        timeout = None if kill_at is None else max(0.0, kill_at - time.monotonic())
        readable = select.select([0, woken], [], [], timeout)[0]
        if woken in readable:
            signals = set(os.read(woken, 256))
            if signals & set(_STOP_SIGNALS) and kill_at is None:
                kill_at = time.monotonic() + STOP_SECONDS
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGINT)
        closed = 0 in readable and not os.read(0, 4096)
        late = kill_at is not None and time.monotonic() >= kill_at
        if closed or late:
            process.kill()
            process.wait()
            return -signal.SIGINT if late else -signal.SIGKILL


if __name__ == "__main__":
    sys.exit(supervise(sys.argv[1:]))
