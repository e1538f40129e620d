"""Certificates as zip files: packing, and unpacking of untrusted archives.

A certificate has few files with fixed names, so only these are unpacked, each to the
place that its name says.  Sizes are counted while files are unpacked; the sizes in
the archive are not trusted.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from playproof.core.errors import DataError
from playproof.proofs.certificates.files import open_regular

MOST_PACKED = 64 * 2**20  # bytes of an upload
MOST_UNPACKED = 512 * 2**20  # bytes of all files together
MOST_FILES = 2_000
_LONGEST_LIST = 2**20  # bytes of an archive's central directory
_CHUNK = 2**18

_FILES = ("statement.json", "formula.cnf", "proof.drat", "manifest.json")
_CERTIFICATE_FILE = re.compile(
    rf"(?:\d{{3,6}}/)?(?:{'|'.join(map(re.escape, _FILES))})|index\.json"
)
# Files that file managers add to archives.
_IGNORED = re.compile(r"(?:^|/)(?:__MACOSX(?:/|$)|\.DS_Store$|\._|Thumbs\.db$|desktop\.ini$)")
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"


def pack(folder: Path, out: IO[bytes]) -> None:
    """Write a certificate as a zip file with a folder of the certificate's name.

    The same certificate gives the same bytes.
    """
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if _CERTIFICATE_FILE.fullmatch(name):
                entry = zipfile.ZipInfo(f"{folder.name}/{name}")
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with open_regular(path) as file, archive.open(entry, "w") as packed:
                    while chunk := file.read(_CHUNK):
                        packed.write(chunk)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a certificate into the new ``folder``; raises a DataError if it is not one."""
    try:
        with archive.open("rb") as file:
            _check_directory(file)
            with zipfile.ZipFile(file) as opened:
                _unpack(opened, folder)
    except DataError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error):
        raise DataError("the zip file is damaged") from None
    except (RuntimeError, ValueError, OverflowError, LookupError) as error:
        raise DataError(f"the zip file cannot be read: {error}") from None


def _check_directory(file: IO[bytes]) -> None:
    """Reject a central directory so large that reading it would fill the memory."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 66_000))  # a comment may follow the end record
    tail = file.read()
    file.seek(0)
    plain = tail[-22:-18] == _END and tail[-2:] == b"\0\0"
    at = len(tail) - 22 if plain else tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        raise DataError("this is no zip file: want a certificate as one .zip, or its files")
    entries, listed = struct.unpack("<HI", tail[at + 10 : at + 16])
    if tail[max(0, at - 20) : at].startswith(_END_64) or listed > _LONGEST_LIST:
        raise DataError(f"the zip file lists too many files: want {MOST_FILES} at most")
    if entries > MOST_FILES:
        raise DataError(f"the zip file holds {entries} files: want {MOST_FILES} at most")


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    entries = dict(_entries(archive))
    if not entries:
        raise DataError(f"the zip file holds no certificate: want {', '.join(_FILES)}")
    remaining = MOST_UNPACKED
    folder.mkdir(parents=True)
    for name, entry in entries.items():
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        with archive.open(entry) as packed, target.open("xb") as out:
            while chunk := packed.read(_CHUNK):
                remaining -= len(chunk)
                if remaining < 0:
                    raise DataError(
                        f"the zip file unpacks to more than {MOST_UNPACKED // 2**20} MB: "
                        "want a smaller certificate"
                    )
                out.write(chunk)


def _entries(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """The files of the certificate with their names in it, without an outer folder."""
    entries = []
    for entry in archive.infolist():
        name = entry.filename
        if _IGNORED.search(name):
            continue
        _check_name(name)
        if entry.is_dir():
            continue
        if entry.header_offset < 0:  # the directory places it before the start of the file
            raise DataError("the zip file is damaged")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise DataError(f"{name[:80]!r} in the zip file is not a plain file")
        if entry.flag_bits & 1:
            raise DataError("the zip file is encrypted: want one without a password")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DataError(f"{name[:80]!r} is packed by an unknown method: want deflate")
        entries.append(entry)
    outer = _outer([entry.filename for entry in entries])
    seen = set()
    for entry in entries:
        name = entry.filename.removeprefix(outer)
        if not _CERTIFICATE_FILE.fullmatch(name):
            raise DataError(f"{name[:80]!r} is no certificate file: want {', '.join(_FILES)}")
        if name in seen:
            raise DataError(f"{name!r} is in the zip file twice")
        seen.add(name)
        yield name, entry


def _check_name(name: str) -> None:
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or "\\" in name or ":" in name or "\0" in name:
        raise DataError(f"{name[:80]!r} in the zip file leads out of its folder")


def _outer(names: list[str]) -> str:
    """The folder that holds all files, as "name/"; "" if they are at the top."""
    tops = {name.partition("/")[0] for name in names}
    one = len(tops) == 1 and all("/" in name for name in names)
    return f"{tops.pop()}/" if one else ""
