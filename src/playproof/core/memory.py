"""This machine's memory, and a limit on the memory that work on untrusted data may take."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playproof.core.errors import DataError

MEGABYTE = 10**6


@contextmanager
def memory_limit(megabytes: int | None, what: str) -> Iterator[None]:
    """Limit the memory that the work in here may take; a DataError says that ``what`` needs more.

    Memory that this process has already does not count, so import what is needed before.  Each
    program that is started in here has the same limit.  It works on Linux only; on other systems
    there is no limit.
    """
    if megabytes is None or sys.platform != "linux":
        yield
        return
    import resource

    # Writable data, not the address space: a compiler reserves far more addresses than it uses.
    kind = resource.RLIMIT_DATA
    soft, hard = resource.getrlimit(kind)
    limit = megabytes * MEGABYTE + _in_use()
    resource.setrlimit(kind, (limit if hard < 0 else min(limit, hard), hard))
    try:
        yield
    except MemoryError:
        amount = _size_text(megabytes)
        raise DataError(f"{what} needs more than {amount} of memory: see --memory") from None
    finally:
        resource.setrlimit(kind, (soft, hard))


def total() -> int:
    """Bytes of this machine's memory."""
    import psutil

    return int(psutil.virtual_memory().total)


def available() -> int:
    """Bytes available without swapping, memory that caches would give back included."""
    import psutil

    return int(psutil.virtual_memory().available)


def _in_use() -> int:
    """Bytes that this process has, as the limit counts them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return 1024 * int(line.split()[1])
    return 0


def _size_text(megabytes: int) -> str:
    return f"{megabytes / 1000:g} GB" if megabytes >= 1000 else f"{megabytes} MB"
