"""The files of a certificate: how they are called, written aside, and read.

Whoever can write to a certificate's folder can swap a file between two looks at
it.  So a check opens each file once (``PartFiles``), and what it hashes, compares
and checks are these bytes.  A certificate is written in a draft that its process
holds a lock on, so that a draft nobody writes any more is known by its lock and
not by its age.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from playproof.core.errors import DataError, UsageError
from playproof.core.files.locks import locked

STATEMENT, FORMULA, PROOF = "statement.json", "formula.cnf", "proof.drat"
MANIFEST, INDEX = "manifest.json", "index.json"
DRAFT = ".unfinished"  # how the name of a folder ends that is being written

_JUST_BEGUN = 60.0  # seconds that a draft may take from its folder to its lock
# A link could lead to a file of somebody else, and a pipe would be waited for.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_regular(path: Path) -> BinaryIO:
    """A file to read, if it is one: no link, pipe or device; an OSError if it cannot be."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if path.is_symlink():
            raise OSError(error.errno, "it is a link: want the file itself") from None
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "it is no regular file")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_once(path: Path) -> bytes:
    """All bytes of a certificate's file; a DataError says why there are none."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(size + 1)
    except FileNotFoundError:
        raise DataError(f"{path.name} is missing") from None
    except OSError as error:
        raise DataError(f"{path.name} cannot be read: {error.strerror or error}") from None
    if len(data) != size:
        raise DataError(f"{path.name} changed while it was read")
    return data


class PartFiles:
    """The files of a bundle as they were at one moment, each opened and read once.

    ``files[FORMULA]`` gives the same bytes however often it is asked for, whatever
    has become of the folder since; a DataError if the file could not be read.
    """

    def __init__(self, folder: Path) -> None:
        self._contents: dict[str, bytes | DataError] = {}
        for name in (STATEMENT, FORMULA, PROOF, MANIFEST):
            try:
                self._contents[name] = read_once(folder / name)
            except DataError as error:
                self._contents[name] = error

    def readable(self) -> list[str]:
        """The names of the files that could be read."""
        return [name for name, data in self._contents.items() if isinstance(data, bytes)]

    def __getitem__(self, name: str) -> bytes:
        content = self._contents[name]
        if isinstance(content, DataError):
            raise DataError(str(content))
        return content


# Drafts


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """A file or folder that cannot be written in here is the user's: a DataError in one line."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None


def check_free(folder: Path) -> None:
    """Refuse a folder that holds something: before a long search rather than after it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already: want a new or empty folder")


@contextmanager
def draft_of(folder: Path) -> Iterator[Path]:
    """A folder to write in, beside the one that is wanted, which it becomes in the end if
    it is complete; otherwise nothing is left of it."""
    check_free(folder)
    draft = folder  # if it is there it is empty, and perhaps where we stand
    if not folder.exists():
        draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{DRAFT}")
        draft.mkdir(parents=True)
    kept = False
    with contextlib.ExitStack() as held:
        try:
            if draft != folder:
                held.enter_context(locked(draft, wait=False))
            yield draft
            if (draft / MANIFEST).exists() or (draft / INDEX).exists():
                if draft != folder:
                    draft.rename(folder)
                kept = True
        finally:
            if not kept:
                shutil.rmtree(draft, ignore_errors=True)


def sweep_drafts(folder: Path) -> None:
    """Remove the drafts in ``folder`` whose process is no more.

    A living process holds the lock of its draft, however long it takes; where it
    cannot be told, nothing is removed.
    """
    for draft in folder.glob(f".*{DRAFT}"):
        try:
            new = time.time() - draft.stat().st_mtime < _JUST_BEGUN
        except OSError:  # somebody else was faster, or it has just become a certificate
            continue
        if new:
            continue
        with locked(draft, wait=False) as abandoned:
            if abandoned:
                shutil.rmtree(draft, ignore_errors=True)
