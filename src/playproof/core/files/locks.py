"""Locks between processes, on a file or a folder.  The system drops them when their process ends,
in whatever way.

By hand: it is one call of the system.  The library filelock would add a tenth of a second to
every start (it brings asyncio), and knows no locks of folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of a file, made if it is not there, or of a folder; whether it is held.

    Without ``wait`` it is not where another process has it.  Nor is it where there are no locks:
    what must not be done twice then has to be refused, what may be is done.
    """
    try:
        flags = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT
        descriptor = os.open(path, flags, 0o666)
    except OSError:
        yield False
        return
    try:
        yield _hold(descriptor, wait)
    finally:
        os.close(descriptor)


def _hold(descriptor: int, wait: bool) -> bool:
    if fcntl is None:
        return False
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return True
    return False
