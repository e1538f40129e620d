"""Table files: a readable header, the bytes of the table, and a checksum for every block.

The first 8,192 bytes are one line of JSON, padded with blanks. Then come the bytes of the table, a
CRC-32 for each megabyte of them, and last a CRC-32 of the header and those checksums. A block is
verified when it is first read, so a probe need not read the whole file and still never reads from a
damaged block.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError
from playproof.core.files.atomic_write import write_atomically

FORMAT, VERSION = "playproof-table", 1
_HEADER = 8192
BLOCK = 1 << 20

Bytes = npt.NDArray[np.uint8]


def write(path: Path, header: dict[str, Any], body: Bytes) -> None:
    """Write a table atomically: a process that is killed leaves the whole file or none."""
    line = json.dumps({"format": FORMAT, "version": VERSION, **header, "bytes": len(body)})
    head = line.encode().ljust(_HEADER - 1) + b"\n"
    if len(head) != _HEADER:
        raise DataError(f"the header of {path.name} does not fit into {_HEADER} bytes")
    sums = np.array(
        [zlib.crc32(body[at : at + BLOCK].tobytes()) for at in range(0, len(body), BLOCK)],
        np.uint32,
    )
    tail = sums.tobytes()
    last = np.uint32(zlib.crc32(head + tail)).tobytes()
    write_atomically(path, head, body, tail + last)


class TableFile:
    """A table on disk, with its bytes mapped into memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                head = file.read(_HEADER)
                self.header = self._read_header(head)
                body = int(self.header["bytes"])
                blocks = (body + BLOCK - 1) // BLOCK
                if size != _HEADER + body + 4 * blocks + 4:
                    raise self.damage_error(f"it has {size:,} bytes instead of "
                                       f"{_HEADER + body + 4 * blocks + 4:,}")  # fmt: skip
                file.seek(_HEADER + body)
                tail = file.read()
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
        if zlib.crc32(head + tail[:-4]) != int.from_bytes(tail[-4:], "little"):
            raise self.damage_error("its header and checksums do not fit together")
        self._sums = np.frombuffer(tail[:-4], np.uint32)
        self._verified = np.zeros(blocks, np.bool_)
        # Kernels are compiled for writable arrays, so the mapping is copy-on-write.
        self.body: Bytes = np.memmap(path, np.uint8, "c", _HEADER, (body,))

    def damage_error(self, why: str) -> DataError:
        """The error for a file that does not match its checksums or its size."""
        return DataError(f"{self.path} is damaged: {why}; delete it and build it again")

    def _read_header(self, head: bytes) -> dict[str, Any]:
        try:
            header = json.loads(head)
            version = header["version"]
            if header["format"] != FORMAT or not isinstance(header["bytes"], int):
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise DataError(f"{self.path} is no table of Playproof") from None
        if version != VERSION:
            raise DataError(
                f"{self.path} has version {version} of the format: this Playproof "
                f"reads version {VERSION}; build the table again"
            )
        return dict(header)

    def check(self, blocks: npt.ArrayLike | None = None) -> None:
        """Verify some blocks, or all of them, unless they have been verified before."""
        chosen = np.arange(len(self._verified)) if blocks is None else np.asarray(blocks)
        for block in np.unique(chosen[~self._verified[chosen]]):
            part = self.body[block * BLOCK : (block + 1) * BLOCK]
            if zlib.crc32(part.tobytes()) != self._sums[block]:
                raise self.damage_error(f"the checksum of megabyte {block} is wrong")
            self._verified[block] = True

    def read(self, places: npt.NDArray[np.int64]) -> Bytes:
        """The bytes at some places, verified."""
        self.check(places // BLOCK)
        return np.asarray(self.body[places])

    def read_all(self) -> Bytes:
        """All bytes, verified."""
        self.check()
        return self.body
