"""Folders and files that no other user of this computer may read, from their first byte on."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from playproof.core.errors import UsageError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# A folder with one of these in it is a data folder.  Any other is somebody's own, whose mode we
# leave alone.
_DATA_FILES = ("lab.sqlite", "lab.lock", "jobs", "arena.sqlite")


def private_folder(path: Path) -> None:
    """Create ``path``, or close it to other users if it exists; a UsageError if that fails.

    The mode of a folder that holds other things as well stays as it is.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        status = path.lstat()
    except OSError as error:
        raise UsageError(f"{path} cannot be made: {error.strerror or error}") from None
    if stat.S_ISLNK(status.st_mode):
        raise UsageError(f"{path} is a link: name the folder that it leads to")
    if not stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{path} cannot be made: there is a file of that name")
    if status.st_uid != os.geteuid():
        raise UsageError(f"{path} belongs to another user: choose a folder of your own")
    if status.st_mode & stat.S_IWOTH:
        raise UsageError(f"everyone may write in {path}: choose a folder of your own")
    if status.st_mode & _OTHERS and _is_data_folder(path):
        path.chmod(0o700)


def _is_data_folder(path: Path) -> bool:
    return not any(path.iterdir()) or any((path / name).exists() for name in _DATA_FILES)


def private_file(path: Path) -> None:
    """Create ``path`` empty with mode 0600, or close it to other users if it exists."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        close_to_others(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


def close_to_others(path: Path) -> None:
    """Give a file mode 0600, if it exists.

    It is not opened: closing it again would release the locks that SQLite may hold.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path} is not a plain file: move or delete it")
    if status.st_uid != os.geteuid():
        raise UsageError(f"{path} belongs to another user: move it away")
    if status.st_mode & _OTHERS:
        path.chmod(0o600)


def write_private(path: Path, text: str) -> None:
    """Write a text that only we may read, whole or not at all.

    Whoever has the old file open continues to read the old text.
    """
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    new.unlink(missing_ok=True)
    try:
        with open(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(text)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
