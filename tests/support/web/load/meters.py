"""What a process uses, read from /proc: memory, open files, sockets, and who it has started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playproof.core.parallel.processes import descendants

_MB = 1024.0  # kilobytes


@dataclass(frozen=True)
class Reading:
    at: float  # seconds, monotonic
    memory: float  # megabytes of the process alone that are in memory
    files: int  # open ones, sockets among them
    sockets: int
    processes: int  # it has started, and they
    threads: int
    all_memory: float  # megabytes, with those it has started


def read(pid: int) -> Reading:
    """What a process uses at this moment."""
    folder = Path(f"/proc/{pid}/fd")
    links = []
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):  # closed meanwhile
            links.append(os.readlink(folder / name))
    status = _status(pid)
    below = descendants(pid)
    return Reading(
        at=time.monotonic(),
        memory=status.get("VmRSS", 0) / _MB,
        files=len(links),
        sockets=sum(link.startswith("socket:") for link in links),
        processes=len(below),
        threads=status.get("Threads", 0),
        all_memory=sum(_status(one).get("VmRSS", 0) for one in (pid, *below)) / _MB,
    )


async def once(pid: int, good: Callable[[Reading], bool], seconds: float = 20.0) -> Reading:
    """The first reading that is ``good``, or what there is after some seconds."""
    end = time.monotonic() + seconds
    while not good(now := read(pid)) and time.monotonic() < end:
        await asyncio.sleep(0.05)
    return now


def _status(pid: int) -> dict[str, int]:
    """The numbers of /proc/PID/status; sizes are kilobytes."""
    found = {}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            first = value.split()[:1]
            if first and first[0].isdigit():
                found[name] = int(first[0])
    return found


def typical(readings: list[Reading], name: str) -> float:
    """The middle one of a value's readings."""
    return statistics.median(getattr(one, name) for one in readings)


def marked(mark: str) -> list[int]:
    """All processes whose environment has the text ``mark``, by number; not ourselves."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark.encode() in Path(f"/proc/{name}/environ").read_bytes():
                    found.append(int(name))
    return found
