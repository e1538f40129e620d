"""The files of a certificate: their names, drafts of them, and how they are read.

Anyone who can write to a certificate's folder can swap a file between two reads.
So a check opens each file once (``PartFiles``), and hashes, compares and checks
those bytes.  A certificate is written in a draft folder, on which its process holds
a lock.  An abandoned draft is recognised by its free lock and not by its age.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from playproof.core import memory
from playproof.core.errors import DataError, UsageError
from playproof.core.files.locks import locked

STATEMENT, FORMULA, PROOF = "statement.json", "formula.cnf", "proof.drat"
MANIFEST, INDEX = "manifest.json", "index.json"
HASHED = (STATEMENT, FORMULA, PROOF)  # the files whose digests are in the manifest
FORMAT = 1  # of manifests and indices
DRAFT = ".unfinished"  # the ending of the name of a folder that is being written

_LOCK_GRACE = 60.0  # seconds between the creation of a draft and its lock, at most
# A link could lead to somebody else's file, and opening a pipe would block.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; links, pipes and devices raise an OSError."""
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
    """All bytes of a certificate's file; a DataError says why it cannot be read."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > memory.total():  # a file with holes takes no room on the disk
                raise DataError(f"{path.name} is larger than this machine's memory")
            data = file.read(size + 1)
    except FileNotFoundError:
        raise DataError(f"{path.name} is missing") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        why = getattr(error, "strerror", None) or error
        raise DataError(f"{path.name} cannot be read: {why}") from None
    if len(data) != size:
        raise DataError(f"{path.name} changed while it was being read: check it again")
    return data


def list_folder(folder: Path) -> list[str]:
    """The names in a certificate's folder, sorted."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}") from None


def require_folder(folder: Path) -> None:
    """Reject a part of a certificate that is a link, or no folder at all."""
    if folder.is_symlink():
        raise DataError(f"{folder.name} is a link: want the folder itself")
    if not folder.is_dir():
        raise DataError(f"{folder.name} is not a folder: want the certificate of a part")


class PartFiles:
    """The files of a bundle, each opened and read once.

    ``files[FORMULA]`` always returns the same bytes, whatever happens to the folder
    later; it raises a DataError if the file could not be read.
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
    """Turn an OSError raised inside into a DataError of one line that names ``path``."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None


def check_empty(folder: Path) -> None:
    """Reject a folder that is not empty, before a long search rather than after it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already: want a new or empty folder")


@contextmanager
def draft_folder(folder: Path) -> Iterator[Path]:
    """A draft folder beside ``folder``.

    On exit it is renamed to ``folder`` if the certificate in it is complete, and removed
    otherwise.
    """
    check_empty(folder)
    draft = folder  # if it exists it is empty, and may be the current directory
    if not folder.exists():
        draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{DRAFT}")
        draft.mkdir(parents=True)
    complete = False
    with contextlib.ExitStack() as locks:
        try:
            if draft != folder:
                locks.enter_context(locked(draft, wait=False))
            yield draft
            if (draft / MANIFEST).exists() or (draft / INDEX).exists():
                if draft != folder:
                    draft.rename(folder)
                complete = True
        finally:
            if not complete:
                shutil.rmtree(draft, ignore_errors=True)


@dataclass
class FileDraft:
    """A file that is being written; it stays only if it is complete."""

    file: BinaryIO
    is_complete: bool = False


@contextmanager
def new_file(path: Path) -> Iterator[FileDraft]:
    """A draft beside ``path``: renamed on exit if it is complete, and removed otherwise."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}{DRAFT}")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = draft.open("x+b")
    try:
        with file:
            written = FileDraft(file)
            yield written
        if written.is_complete:
            if os.path.lexists(path):
                raise UsageError(f"{path} is there already: want another folder")
            with writing(path):
                draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)


def remove_abandoned_drafts(folder: Path) -> None:
    """Remove the drafts in ``folder`` whose process has ended.

    A running process holds the lock of its draft, however long it takes.  If the lock
    cannot be tested, nothing is removed.
    """
    for draft in folder.glob(f".*{DRAFT}"):
        try:
            new = time.time() - draft.stat().st_mtime < _LOCK_GRACE
        except OSError:  # another process removed it, or it has just become a certificate
            continue
        if new:
            continue
        with locked(draft, wait=False) as abandoned:
            if abandoned:
                shutil.rmtree(draft, ignore_errors=True)


def part_name(part: int) -> str:
    """The name of the folder of a part: ``001`` for part 0."""
    return f"{part + 1:03}"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
