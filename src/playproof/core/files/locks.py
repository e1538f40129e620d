"""Locks between processes, on a file or a folder.

The system releases them when their process ends, in whatever way.  We call it directly: the
library filelock would add a tenth of a second to every start (it imports asyncio), and cannot
lock folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of a folder, or of a file, which is created if missing; yield whether we do.

    We do not if another process holds it and ``wait`` is off, or if the file system has no locks.
    The caller decides whether to go on without: work that must not be done twice is refused.
    """
    try:
        flags = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT
        descriptor = os.open(path, flags, 0o666)
    except OSError:
        yield False
        return
    try:
        yield _acquire(descriptor, wait)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, wait: bool) -> bool:
    if fcntl is None:
        return False
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        return True
    return False
