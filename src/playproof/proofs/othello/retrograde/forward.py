"""All positions with few stones, found forward from the start, to meet backward search.

Up to symmetry and colours, passes stepped over, finished games left out: with 15
stones there are 19,785,690 (Takizawa 2023, and ours).  Each comes with the set
of its variants, so that the table answers for concrete positions too.

No parent is stored.  The nodes before a position are a few; one of them is in
the level before, and so on down to the start: that is the record.

A large table is kept in the cache folder.  Its name holds a digest of the rules
that made it, and its content is checked when it is read.
"""

from __future__ import annotations

import functools
import hashlib
import json
import mmap
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.core.files.folders import cache_folder
from playproof.proofs.othello.retrograde import canonical as othello_canonical
from playproof.proofs.othello.retrograde import forward_kernels as othello_forward_kernels
from playproof.proofs.othello.retrograde import levels as othello_levels
from playproof.proofs.othello.retrograde.levels import Gathering, Level
from playproof.rules import othello as rules

FIRST = 4  # stones before the first move
MOST = 15  # the next level would take a gigabyte or two
SMALL = 10  # up to here a table is made faster than it is read
_CHUNK = 1 << 18  # children made before they are entered
_MAGIC = "playproof othello forward table"
_HEADER = 4096  # bytes; the arrays follow
_DTYPES: tuple[Any, ...] = (np.uint64, np.uint8, np.uint32)  # of a level's arrays

Progress = Callable[[int, int], None]  # stones, positions


@dataclass(frozen=True)
class ForwardTable:
    """All nodes with 4 ... ``stones`` stones on a board of ``size``."""

    size: int
    stones: int
    levels: tuple[Level, ...]  # the first has four stones

    def level(self, stones: int) -> Level:
        return self.levels[stones - FIRST]

    @property
    def counts(self) -> list[int]:
        """Positions by stones, from four on."""
        return [len(level.rows) for level in self.levels]


def forward_table(
    stones: int = MOST, size: int = 8, *, progress: Progress | None = None, check: bool = True
) -> ForwardTable:
    """The table: from the cache folder, or made and put there.

    ``progress(stones, positions)`` is called after each level that is made.
    ``check=False`` trusts the file, where it has just been read by another.
    """
    _check_arguments(stones, size)
    if stones <= SMALL:
        return _small(stones, size)
    path = table_path(stones, size)
    try:
        return read(path, check=check)
    except (OSError, DataError):
        table = build(stones, size, progress=progress)
    with suppress(OSError):  # a read-only home: the next one makes it again
        write(table, path)
        for old in path.parent.glob(path.name.replace(_origin(), "*")):  # by other rules
            if old != path:
                old.unlink()
    return table


@functools.cache
def _small(stones: int, size: int) -> ForwardTable:
    return build(stones, size)


def table_path(stones: int, size: int) -> Path:
    """Where the table lies in the cache folder."""
    return cache_folder() / "othello" / f"forward-{size}x{size}-{stones}-{_origin()}.table"


@functools.cache
def _origin() -> str:
    """A digest of the code that a table follows from."""
    digest = hashlib.sha256()
    for module in (rules, othello_canonical, othello_forward_kernels, othello_levels):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:12]


def build(stones: int, size: int = 8, *, progress: Progress | None = None) -> ForwardTable:
    """The table, made anew, in memory."""
    _check_arguments(stones, size)
    black, white = rules.start(size)
    own, opponent, variant = othello_canonical.canonical(
        np.uint64(black), np.uint64(white), 0, size
    )
    first = Gathering()
    first.enter(np.array([[own, opponent]], np.uint64), np.array([1 << int(variant)], np.uint8), 1)
    levels = [first.finish()]
    for number in range(FIRST + 1, stones + 1):
        levels.append(_next_level(levels[-1], size))
        if progress:
            progress(number, len(levels[-1].rows))
    return ForwardTable(size, stones, tuple(levels))


def _next_level(level: Level, size: int) -> Level:
    squares = np.uint64(rules.board(size))
    most = int(othello_forward_kernels.count_children(level.rows, squares))
    gathering = Gathering(max(1, most))
    rows, masks = np.empty((_CHUNK, 2), np.uint64), np.empty(_CHUNK, np.uint8)
    begin = 0
    while begin < len(level.rows):
        n, begin = othello_forward_kernels.expand(
            level.rows, level.masks, begin, squares, size, rows, masks
        )
        gathering.enter(rows, masks, n)
    return gathering.finish()


def _check_arguments(stones: int, size: int) -> None:
    if size not in rules.SIZES:
        raise UsageError(f"there is no Othello board of size {size}: want 4, 6 or 8")
    if not FIRST <= stones <= MOST:
        raise UsageError(f"a forward table to {stones} stones: want {FIRST} to {MOST}")


# Files


def write(table: ForwardTable, path: Path) -> None:
    """Put a table into a file; whoever reads at that moment sees the old or the new one."""
    arrays = [array for level in table.levels for array in level]
    header = {
        "magic": _MAGIC,
        "size": table.size,
        "stones": table.stones,
        "lengths": [[len(array) for array in level] for level in table.levels],
        "digest": _digest(arrays),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(header).encode().ljust(_HEADER))
            for array in arrays:
                file.write(array.tobytes().ljust(_aligned(array.nbytes), b"\0"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def read(path: Path, *, check: bool = True) -> ForwardTable:
    """The table in a file.  It is mapped, so several processes share its memory."""
    with open(path, "rb") as file:
        begun = file.read(_HEADER)
        header = _header(begun, path)
        # Copy on write: kernels want arrays that may be written, and none is.
        whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    at = _HEADER
    levels = []
    for lengths in header["lengths"]:
        arrays = []
        for length, dtype, width in zip(lengths, _DTYPES, (2, 1, 1), strict=True):
            size = length * width * np.dtype(dtype).itemsize
            if at + size > len(whole):
                raise DataError(f"{path}: cut short: want a whole table")
            array = np.frombuffer(whole, dtype, length * width, at)
            arrays.append(array.reshape(length, 2) if width == 2 else array)
            at += _aligned(size)
        levels.append(Level(*arrays))
    if check and _digest([array for level in levels for array in level]) != header["digest"]:
        raise DataError(f"{path}: its content has changed since it was written: delete it")
    return ForwardTable(header["size"], header["stones"], tuple(levels))


def _header(text: bytes, path: Path) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("magic") != _MAGIC:
        raise DataError(f"{path} is not a forward table of Othello")
    return header


def _digest(arrays: list[Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(memoryview(array).cast("B"))
    return digest.hexdigest()


def _aligned(size: int) -> int:
    return -(-size // 64) * 64
