"""Files as streams of bytes, packed or not: ``.gz .bz2 .xz .zst .zip`` by their names."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from playproof.core.errors import DataError, one_line

PACKED = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".zip")


def plain_name(path: str | Path) -> str:
    """The name in small letters without what tells how it is packed: ``games.pgn``."""
    name = Path(path).name.lower()
    suffix = Path(name).suffix
    return name[: -len(suffix)] if suffix in PACKED else name


def _zstd(path: Path) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise DataError(
            f"{path} is packed by zstd: unpack it first, or pip install 'playproof[interop]'"
        ) from None
    return cast(IO[bytes], _Frames(path, zstandard.ZstdDecompressor()))


class _Frames:
    """A file of one or many frames of zstd, as those of Lichess are; whole, or an error."""

    def __init__(self, path: Path, decompressor: Any) -> None:
        self._decompressor = decompressor
        self._file = path.open("rb")
        self._frame: Any = None  # the one that is being read
        self._rest = b""  # read and not yet unpacked

    def read(self, size: int) -> bytes:
        """Something, or nothing at the end; not more than a piece of the file unpacked."""
        while True:
            data = self._rest or self._file.read(1 << 17)
            self._rest = b""
            if not data:
                if self._frame is not None:
                    raise EOFError("it ends within a frame")
                return b""
            if self._frame is None:
                self._frame = self._decompressor.decompressobj()
            out: bytes = self._frame.decompress(data)
            if self._frame.eof:
                self._rest, self._frame = self._frame.unused_data, None
            if out:
                return out

    def close(self) -> None:
        self._file.close()


def _zip(path: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(path)
    names = [info for info in archive.infolist() if not info.is_dir()]
    if len(names) != 1:
        archive.close()
        raise DataError(f"{path} holds {len(names)} files: want a .zip with one")
    return archive.open(names[0])


_OPENERS: dict[str, Any] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".lzma": lzma.open,
    ".zst": _zstd,
    ".zip": _zip,
}


def _broken() -> tuple[type[Exception], ...]:
    """What readers of packed files raise when these are not what they should be."""
    known: list[type[Exception]] = [
        OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, ValueError,
        RuntimeError,
    ]  # fmt: skip
    try:
        import zstandard
    except ImportError:
        return tuple(known)
    return (*known, zstandard.ZstdError)


class Stream:
    """The content of a file, unpacked as it is read; a DataError says why it cannot be."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._broken = _broken()
        opener = _OPENERS.get(self.path.suffix.lower(), lambda path: path.open("rb"))
        self._file: IO[bytes] = self._try(opener, self.path)
        self._more = b""  # unpacked, but not asked for yet

    def read(self, size: int = -1) -> bytes:
        """The next ``size`` bytes, all if negative; fewer only at the end."""
        parts, have = [self._more], len(self._more)
        while size < 0 or have < size:
            part: bytes = self._try(self._file.read, 1 << 20)
            if not part:
                break
            parts.append(part)
            have += len(part)
        whole = b"".join(parts)
        if size < 0:
            size = have
        self._more = whole[size:]
        return whole[:size]

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _try(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except DataError:
            raise
        except self._broken as error:
            why = getattr(error, "strerror", None) or one_line(error)
            raise DataError(f"{self.path} cannot be read: {why}") from None


def read_all(path: str | Path) -> bytes:
    """The whole content of a file, unpacked."""
    with Stream(path) as stream:
        return stream.read()
