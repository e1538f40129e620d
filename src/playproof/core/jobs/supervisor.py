"""A job's keeper: runs one command and sees to it that nothing of it is left behind.

    python keeper.py COMMAND ...

The keeper's standard input is a pipe that whoever started it holds open.  When it is
closed, because they have ended in whatever way, all that the command started is killed.
SIGINT or SIGTERM to the keeper stops the command as Ctrl-C would, and kills it after
five seconds.  The exit code is the command's, 128 + n if signal n ended it, and 130 if
it was asked to stop and did not end well by itself.

Start it within ``deferred()``: what is asked before it can hear is heard then.  The
command in its turn begins with SIGINT waiting, and hears it when it is ready (``Job.hear``):
being stopped in its first second is no accident.

It runs as a file, by itself, and imports nothing but the standard library: it is there
as long as its job is, and should cost nothing.
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

PATIENCE = 5.0  # seconds that a command has to stop
_NICE = 10
_PDEATHSIG, _CHILD_SUBREAPER = 1, 36  # of prctl, on Linux

_ASKED = (signal.SIGINT, signal.SIGTERM)

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """A process that is started here has signals wait until it is ready for them.

    Await nothing in here: the mask is the thread's.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ASKED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _with_keeper() -> None:
    """In the command's process: it does not outlive its keeper."""
    if _libc is not None:
        _libc.prctl(_PDEATHSIG, signal.SIGKILL)


def _children() -> list[int]:
    """Processes whose parent is this one; orphans of the command among them."""
    found = []
    own = str(os.getpid())
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, IndexError), open(f"/proc/{name}/stat") as file:
                    if file.read().rpartition(")")[2].split()[1] == own:
                        found.append(int(name))
    return found


def _kill_all(group: int) -> None:
    """Kill the command's group, then whatever of its offspring comes up as an orphan."""
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


def keep(command: list[str]) -> int:
    """Run ``command`` to its end; its exit code."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    # Python's own handlers, so that the command begins with the system's.
    for number in (*_ASKED, signal.SIGCHLD):
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
        preexec_fn=_with_keeper,
    )
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    code = _watch(process, woken)
    _kill_all(process.pid)
    return code if code >= 0 else 128 - code


def _watch(process: subprocess.Popen[bytes], woken: int) -> int:
    """Wait for the end, whoever brings it."""
    killed_at: float | None = None
    ears = [0, woken]
    while True:
        code = process.poll()
        if code is not None:
            return code if killed_at is None or code == 0 else -signal.SIGINT
        wait = None if killed_at is None else max(0.0, killed_at - time.monotonic())
        heard = select.select(ears, [], [], wait)[0]
        if woken in heard:
            asked = set(os.read(woken, 256))
            if asked & set(_ASKED) and killed_at is None:
                killed_at = time.monotonic() + PATIENCE
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGINT)
        closed = 0 in heard and not os.read(0, 4096)
        late = killed_at is not None and time.monotonic() >= killed_at
        if closed or late:
            process.kill()
            process.wait()
            return -signal.SIGINT if late else -signal.SIGKILL


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
