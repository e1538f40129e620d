"""Folders and files that no other user of this computer may read, from their first byte on."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from playproof.core.errors import UsageError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Where one of these stands the folder is a data folder; anything else is somebody's own,
# whose mode is left alone.
_MARKS = ("lab.sqlite", "lab.lock", "jobs", "arena.sqlite")


def private_folder(path: Path) -> None:
    """Make ``path``, or close it to others if it is there; a UsageError says why not.

    In a folder that holds other things as well only what we add is private.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        found = path.lstat()
    except OSError as error:
        raise UsageError(f"{path} cannot be made: {error.strerror or error}") from None
    if stat.S_ISLNK(found.st_mode):
        raise UsageError(f"{path} is a link: name the folder that it leads to")
    if not stat.S_ISDIR(found.st_mode):
        raise UsageError(f"{path} cannot be made: there is a file of that name")
    if found.st_uid != os.geteuid():
        raise UsageError(f"{path} belongs to another user: choose a folder of your own")
    if found.st_mode & stat.S_IWOTH:
        raise UsageError(f"everyone may write in {path}: choose a folder of your own")
    if found.st_mode & _OTHERS and _is_data_folder(path):
        path.chmod(0o700)


def _is_data_folder(path: Path) -> bool:
    return not any(path.iterdir()) or any((path / name).exists() for name in _MARKS)


def private_file(path: Path) -> None:
    """Make ``path`` empty with mode 0600, or close it to others if it is there."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        close_to_others(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


def close_to_others(path: Path) -> None:
    """Mode 0600 for a file, if it is there.

    It is not opened: closing it again would take away the locks that SQLite may hold.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path} is not a plain file: move it away")
    if found.st_uid != os.geteuid():
        raise UsageError(f"{path} belongs to another user: move it away")
    if found.st_mode & _OTHERS:
        path.chmod(0o600)


def write_private(path: Path, text: str) -> None:
    """A text for ourselves alone, whole or not at all: whoever has the file of before open
    goes on reading that one."""
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    new.unlink(missing_ok=True)
    try:
        with open(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(text)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
