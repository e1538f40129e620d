"""Processes by name and birth: a number alone may belong to somebody else by now."""

from __future__ import annotations

import os
import signal
import sys
from functools import cache
from pathlib import Path

_STARTED = 19  # the place of a process's start in /proc/PID/stat, counted after its name
_STATE = 0


def birth(pid: int) -> str | None:
    """When a process began, as a word that no other process with its number will have.

    None if there is no such process, or only what is left of one that has ended.  The word is
    kept in files, so it must not change when the clock is set: psutil's time of creation does.
    """
    if sys.platform != "linux":
        return _birth_by_ps(pid)
    fields = _stat(pid)
    if fields is None or fields[_STATE] in "ZX":
        return None
    return f"{_boot()}-{fields[_STARTED]}"


def is_running(pid: int, born: str) -> bool:
    """Whether the process that began then is still there."""
    return birth(pid) == born


def descendants(pid: int) -> list[int]:
    """Children of a process, their children and so on."""
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []


def send(pid: int, number: signal.Signals) -> bool:
    """Send a signal; whether there was somebody to get it."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the program's name, which may hold anything."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


@cache
def _boot() -> str:
    """This start of the machine: times of processes count from it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
    except OSError:
        return "boot"


def _birth_by_ps(pid: int) -> str | None:
    import subprocess

    asked = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return " ".join(asked.stdout.split()) or None
