"""Processes by number and birth: a number alone may belong to another process by now."""

from __future__ import annotations

import os
import signal
import sys
from functools import cache
from pathlib import Path

# Places in /proc/PID/stat, counted after the program's name.
_STATE, _START_TIME = 0, 19


def birth(pid: int) -> str | None:
    """When a process started, as a word that no other process with its number will have.

    None if there is no such process, or only a zombie.  The word is kept in files, so it must not
    change when the clock is set, as the creation time of psutil does.
    """
    if sys.platform != "linux":
        return _birth_by_ps(pid)
    fields = _stat(pid)
    if fields is None or fields[_STATE] in "ZX":
        return None
    return f"{_boot_id()}-{fields[_START_TIME]}"


def is_running(pid: int, born: str) -> bool:
    """Whether the process of that number and birth is still running."""
    return birth(pid) == born


def descendants(pid: int) -> list[int]:
    """The children of a process, their children and so on."""
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []


def send_signal(pid: int, number: signal.Signals) -> bool:
    """Send a signal; return whether there was a process to receive it."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the program's name, which may contain anything."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


@cache
def _boot_id() -> str:
    """The current boot of the machine: start times of processes count from it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
    except OSError:
        return "boot"


def _birth_by_ps(pid: int) -> str | None:
    import subprocess

    result = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return " ".join(result.stdout.split()) or None
