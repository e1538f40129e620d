"""This machine's memory, and a limit to what work may take of it which strangers have sent."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playproof.core.errors import DataError

MEGABYTE = 10**6


@contextmanager
def at_most(megabytes: int | None, what: str) -> Iterator[None]:
    """All that is done in here takes so much at most, or a DataError says that ``what``
    needs more.  What this process has already does not count, so import first what is
    needed; programs that are started in here have the same limit, each of them.

    Linux alone keeps such a limit; elsewhere there is none.
    """
    if megabytes is None or sys.platform != "linux":
        yield
        return
    import resource

    # What may be written, not all addresses: a compiler reserves many more of those.
    kind = resource.RLIMIT_DATA
    soft, hard = resource.getrlimit(kind)
    wanted = megabytes * MEGABYTE + _in_use()
    resource.setrlimit(kind, (wanted if hard < 0 else min(wanted, hard), hard))
    try:
        yield
    except MemoryError:
        most = _words(megabytes)
        raise DataError(f"{what} needs more than {most} of memory: see --memory") from None
    finally:
        resource.setrlimit(kind, (soft, hard))


def total() -> int:
    """Bytes of this machine's memory."""
    import psutil

    return int(psutil.virtual_memory().total)


def available() -> int:
    """Bytes that can be had without swapping: what caches would give back counts."""
    import psutil

    return int(psutil.virtual_memory().available)


def _in_use() -> int:
    """Bytes that this process has, as the limit counts them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return 1024 * int(line.split()[1])
    return 0


def _words(megabytes: int) -> str:
    return f"{megabytes / 1000:g} GB" if megabytes >= 1000 else f"{megabytes} MB"
