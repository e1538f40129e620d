"""The forward table: all reachable positions with few stones, where the backward search ends.

A level holds the positions with one number of stones.  Positions that differ only by a
symmetry of the board or by an exchange of the colours are stored once.  Positions where
the side to move must pass or the game is over are left out.  The level with 15 stones
has 19,785,690 positions (as in Takizawa, 2023).  Each position is stored with the set of
its reachable variants (its images under symmetries and colours), so the table also tells
which concrete positions are reachable.

Parents are not stored.  A position has few predecessors, and one of them is in the level
below.  Repeated down to the start, this gives a game that reaches the position.

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
UNCACHED_STONES = 10  # a table up to this level is built faster than it is read
_CHUNK = 1 << 18  # children generated between two insertions
_MAGIC = "playproof othello forward table"
_HEADER_SIZE = 4096  # bytes; the arrays follow
_ALIGNMENT = 64  # bytes; every array starts at a multiple
# The dtype and the columns of a level's arrays: rows, masks, offsets.
_ARRAYS: tuple[tuple[Any, int], ...] = ((np.uint64, 2), (np.uint8, 1), (np.uint32, 1))

OnLevelBuilt = Callable[[int, int], None]  # stones, positions


@dataclass(frozen=True)
class ForwardTable:
    """All reachable positions with 4 to ``stones`` stones on a board of ``size`` x ``size``."""

    size: int
    stones: int
    levels: tuple[ForwardLevel, ...]  # the first has four stones

    def level(self, stones: int) -> ForwardLevel:
        """The level of the positions with ``stones`` stones."""
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

    ``on_progress(stones, positions)`` is called after each level that is built.
    ``check=False`` skips the file's digest.  Worker processes use it after their parent has
    checked the file.
    """
    _check_arguments(stones, size)
    if stones <= UNCACHED_STONES:
        return _small_table(stones, size)
    path = table_path(stones, size)
    try:
        return read(path, check=check)
    except (OSError, DataError):
        table = build(stones, size, on_progress=on_progress)
    with suppress(OSError):  # if the cache is read-only, the table is built again next time
        write(table, path)
        # Delete the tables that earlier versions of the code built.
        for old in path.parent.glob(path.name.replace(_code_digest(), "*")):
            if old != path:
                old.unlink()
    return table


@functools.cache
def _small_table(stones: int, size: int) -> ForwardTable:
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
    """Build the table in memory; ``on_progress(stones, positions)`` is called after each level."""
    _check_arguments(stones, size)
    black, white = rules.start(size)
    own, opponent, variant = canonical.canonical(np.uint64(black), np.uint64(white), 0, size)
    builder = LevelBuilder()
    row, mask = np.array([[own, opponent]], np.uint64), np.array([1 << int(variant)], np.uint8)
    builder.insert(row, mask, 1)
    level_list = [builder.finish()]
    for level_stones in range(START_STONES + 1, stones + 1):
        level_list.append(_next_level(level_list[-1], size))
        if on_progress is not None:
            on_progress(level_stones, len(level_list[-1].rows))
    return ForwardTable(size, stones, tuple(level_list))


def _next_level(level: ForwardLevel, size: int) -> ForwardLevel:
    """The level with one stone more, generated and inserted in chunks."""
    squares = np.uint64(rules.board(size))
    max_positions = int(forward_kernels.count_children(level.rows, squares))
    builder = LevelBuilder(max(1, max_positions))
    rows, masks = np.empty((_CHUNK, 2), np.uint64), np.empty(_CHUNK, np.uint8)
    next_parent = 0
    while next_parent < len(level.rows):
        count, next_parent = forward_kernels.expand(
            level.rows, level.masks, next_parent, squares, size, rows, masks
        )
        builder.insert(rows, masks, count)
    return builder.finish()


def _check_arguments(stones: int, size: int) -> None:
    if size not in rules.SIZES:
        raise UsageError(f"there is no Othello board of size {size}: want 4, 6 or 8")
    if not START_STONES <= stones <= MAX_STONES:
        raise UsageError(
            f"no forward table goes up to {stones} stones: want {START_STONES} to {MAX_STONES}"
        )


# Files


def write(table: ForwardTable, path: Path) -> None:
    """Write a table to a file atomically: a reader sees the old file or the new one, never a part.

    The file is a JSON header, padded to ``_HEADER_SIZE`` bytes, and the arrays of all levels, each
    padded to a multiple of ``_ALIGNMENT`` bytes.
    """
    arrays = [array for level in table.levels for array in level]
    header = {
        "magic": _MAGIC,
        "size": table.size,
        "stones": table.stones,
        "lengths": [[len(array) for array in level] for level in table.levels],
        "digest": _content_digest(arrays),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(header).encode().ljust(_HEADER_SIZE))
            for array in arrays:
                file.write(array.tobytes().ljust(_aligned(array.nbytes), b"\0"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def read(path: Path, *, check: bool = True) -> ForwardTable:
    """Read a table from a file; a DataError says what is wrong with it.

    The file is memory-mapped, so all processes that read it share one copy in memory.
    """
    with open(path, "rb") as file:
        header = _parse_header(file.read(_HEADER_SIZE), path)
        # Copy on write, because kernels expect writable arrays, though they do not write.
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    offset = _HEADER_SIZE
    level_list = []
    for lengths in header["lengths"]:
        arrays = []
        for length, (dtype, columns) in zip(lengths, _ARRAYS, strict=True):
            size = length * columns * np.dtype(dtype).itemsize
            if offset + size > len(mapped):
                raise DataError(f"{path} is cut short: delete it")
            array = np.frombuffer(mapped, dtype, length * columns, offset)
            arrays.append(array.reshape(length, columns) if columns > 1 else array)
            offset += _aligned(size)
        level_list.append(ForwardLevel(*arrays))
    arrays = [array for level in level_list for array in level]
    if check and _content_digest(arrays) != header["digest"]:
        raise DataError(f"{path} has changed since it was written: delete it")
    return ForwardTable(header["size"], header["stones"], tuple(level_list))


def _parse_header(text: bytes, path: Path) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("magic") != _MAGIC:
        raise DataError(f"{path} is not a forward table of Othello")
    return header


def _content_digest(arrays: list[Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(memoryview(array).cast("B"))
    return digest.hexdigest()


def _aligned(size: int) -> int:
    """A number of bytes, rounded up to a multiple of the alignment."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT
