"""The forward table: all reachable positions with few stones, where the backward search ends.

Positions are counted up to symmetry and colours, without those in which the side to
move must pass or the game is over.  With 15 stones there are 19,785,690 (as in
Takizawa 2023).  Each is stored with the set of its variants, so that the table also
answers questions about concrete positions.

Parents are not stored.  A position has few predecessors, and one of them is in the
level below, and so on down to the start; that gives a record.

A large table is stored in the cache folder.  Its file name holds a digest of the code
that built it, and its content is checked when it is read.
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
from playproof.proofs.othello.retrograde import canonical, forward_kernels, levels
from playproof.proofs.othello.retrograde.levels import ForwardLevel, LevelBuilder
from playproof.rules import othello as rules

START_STONES = 4  # stones before the first move
MAX_STONES = 15  # the next level would take a gigabyte or two
UNCACHED_STONES = 10  # up to here a table is built faster than it is read
_CHUNK = 1 << 18  # children generated before they are inserted
_MAGIC = "playproof othello forward table"
_HEADER = 4096  # bytes; the arrays follow
_DTYPES: tuple[Any, ...] = (np.uint64, np.uint8, np.uint32)  # of a level's arrays

OnLevelBuilt = Callable[[int, int], None]  # stones, positions


@dataclass(frozen=True)
class ForwardTable:
    """All nodes with 4 ... ``stones`` stones on a board of ``size``."""

    size: int
    stones: int
    levels: tuple[ForwardLevel, ...]  # the first has four stones

    def level(self, stones: int) -> ForwardLevel:
        """The level of the positions with so many stones."""
        return self.levels[stones - START_STONES]

    @property
    def counts(self) -> list[int]:
        """The number of positions for each number of stones, from four on."""
        return [len(level.rows) for level in self.levels]


def forward_table(
    stones: int = MAX_STONES,
    size: int = 8,
    *,
    on_progress: OnLevelBuilt | None = None,
    check: bool = True,
) -> ForwardTable:
    """The forward table up to ``stones`` stones, read from the cache folder or built and stored.

    ``on_progress(stones, positions)`` is called after each level that is built.  With
    ``check=False`` the file's digest is not checked, for workers of a process that did.
    """
    _check_arguments(stones, size)
    if stones <= UNCACHED_STONES:
        return _small(stones, size)
    path = table_path(stones, size)
    try:
        return read(path, check=check)
    except (OSError, DataError):
        table = build(stones, size, on_progress=on_progress)
    with suppress(OSError):  # if the cache is read-only, it is built again next time
        write(table, path)
        for old in path.parent.glob(path.name.replace(_code_digest(), "*")):  # by other code
            if old != path:
                old.unlink()
    return table


@functools.cache
def _small(stones: int, size: int) -> ForwardTable:
    return build(stones, size)


def table_path(stones: int, size: int) -> Path:
    """The file of the table in the cache folder."""
    return cache_folder() / "othello" / f"forward-{size}x{size}-{stones}-{_code_digest()}.table"


@functools.cache
def _code_digest() -> str:
    """A digest of the code that builds a table."""
    digest = hashlib.sha256()
    for module in (rules, canonical, forward_kernels, levels):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:12]


def build(stones: int, size: int = 8, *, on_progress: OnLevelBuilt | None = None) -> ForwardTable:
    """Build the table in memory."""
    _check_arguments(stones, size)
    black, white = rules.start(size)
    own, opponent, variant = canonical.canonical(np.uint64(black), np.uint64(white), 0, size)
    builder = LevelBuilder()
    row, mask = np.array([[own, opponent]], np.uint64), np.array([1 << int(variant)], np.uint8)
    builder.insert(row, mask, 1)
    built = [builder.finish()]
    for number in range(START_STONES + 1, stones + 1):
        built.append(_next_level(built[-1], size))
        if on_progress is not None:
            on_progress(number, len(built[-1].rows))
    return ForwardTable(size, stones, tuple(built))


def _next_level(level: ForwardLevel, size: int) -> ForwardLevel:
    squares = np.uint64(rules.board(size))
    most = int(forward_kernels.count_children(level.rows, squares))
    builder = LevelBuilder(max(1, most))
    rows, masks = np.empty((_CHUNK, 2), np.uint64), np.empty(_CHUNK, np.uint8)
    parent = 0
    while parent < len(level.rows):
        n, parent = forward_kernels.expand(
            level.rows, level.masks, parent, squares, size, rows, masks
        )
        builder.insert(rows, masks, n)
    return builder.finish()


def _check_arguments(stones: int, size: int) -> None:
    if size not in rules.SIZES:
        raise UsageError(f"there is no Othello board of size {size}: want 4, 6 or 8")
    if not START_STONES <= stones <= MAX_STONES:
        raise UsageError(f"a forward table to {stones} stones: want {START_STONES} to {MAX_STONES}")


# Files


def write(table: ForwardTable, path: Path) -> None:
    """Write a table to a file atomically: a reader sees the old file or the new one."""
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
    """Read a table from a file.  It is memory-mapped, so several processes share its memory."""
    with open(path, "rb") as file:
        header = _header(file.read(_HEADER), path)
        # Copy on write, because kernels expect writable arrays, though they do not write.
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    at = _HEADER
    read_levels = []
    for lengths in header["lengths"]:
        arrays = []
        for length, dtype, width in zip(lengths, _DTYPES, (2, 1, 1), strict=True):
            size = length * width * np.dtype(dtype).itemsize
            if at + size > len(mapped):
                raise DataError(f"{path}: cut short: want a complete table")
            array = np.frombuffer(mapped, dtype, length * width, at)
            arrays.append(array.reshape(length, 2) if width == 2 else array)
            at += _aligned(size)
        read_levels.append(ForwardLevel(*arrays))
    if check and _digest([array for level in read_levels for array in level]) != header["digest"]:
        raise DataError(f"{path}: its content has changed since it was written: delete it")
    return ForwardTable(header["size"], header["stones"], tuple(read_levels))


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
