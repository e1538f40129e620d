"""Reads files that may be compressed; the suffix says how: ``.gz .bz2 .xz .zst .zip``."""

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

SUFFIXES = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".zip")


def uncompressed_name(path: str | Path) -> str:
    """The file's name in lowercase without the suffix of its compression: ``games.pgn``."""
    name = Path(path).name.lower()
    suffix = Path(name).suffix
    return name[: -len(suffix)] if suffix in SUFFIXES else name


def _zstd(path: Path) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise DataError(
            f"{path} is compressed with zstd: unpack it first, or pip install 'playproof[interop]'"
        ) from None
    return cast(IO[bytes], _ZstdFile(path, zstandard.ZstdDecompressor()))


class _ZstdFile:
    """A zstd file of one or more frames, such as those of Lichess.

    A file that ends within a frame is an error."""

    def __init__(self, path: Path, decompressor: Any) -> None:
        self._decompressor = decompressor
        self._file = path.open("rb")
        self._frame: Any = None  # the frame that is being read
        self._compressed = b""  # read from the file and not yet decompressed

    def read(self, size: int) -> bytes:
        """Some more bytes, whatever the ``size``; none at the end of the file."""
        while True:
            data = self._compressed or self._file.read(1 << 17)
            self._compressed = b""
            if not data:
                if self._frame is not None:
                    raise EOFError("it ends within a frame")
                return b""
            if self._frame is None:
                self._frame = self._decompressor.decompressobj()
            out: bytes = self._frame.decompress(data)
            if self._frame.eof:
                self._compressed, self._frame = self._frame.unused_data, None
            if out:
                return out

    def close(self) -> None:
        self._file.close()


def _zip(path: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(path)
    files = [info for info in archive.infolist() if not info.is_dir()]
    if len(files) != 1:
        archive.close()
        raise DataError(f"{path} holds {len(files)} files: want a .zip with one")
    return archive.open(files[0])


_OPENERS: dict[str, Any] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".lzma": lzma.open,
    ".zst": _zstd,
    ".zip": _zip,
}


def _read_errors() -> tuple[type[Exception], ...]:
    """The exceptions that the readers raise when a file is damaged or of another kind."""
    errors: list[type[Exception]] = [
        OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, ValueError,
        RuntimeError,
    ]  # fmt: skip
    try:
        import zstandard
    except ImportError:
        return tuple(errors)
    return (*errors, zstandard.ZstdError)


class Stream:
    """The content of a file, decompressed as it is read; a file that cannot be read is a
    DataError."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._read_errors = _read_errors()
        opener = _OPENERS.get(self.path.suffix.lower(), lambda path: path.open("rb"))
        self._file: IO[bytes] = self._try(opener, self.path)
        self._unread = b""  # decompressed beyond what was asked for

    def read(self, size: int = -1) -> bytes:
        """The next ``size`` bytes, or all if it is negative; fewer only at the end."""
        parts, have = [self._unread], len(self._unread)
        while size < 0 or have < size:
            part: bytes = self._try(self._file.read, 1 << 20)
            if not part:
                break
            parts.append(part)
            have += len(part)
        whole = b"".join(parts)
        if size < 0:
            size = have
        self._unread = whole[size:]
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
        except self._read_errors as error:
            why = getattr(error, "strerror", None) or one_line(error)
            raise DataError(f"{self.path} cannot be read: {why}") from None


def read_all(path: str | Path) -> bytes:
    """The whole content of a file, decompressed."""
    with Stream(path) as stream:
        return stream.read()
