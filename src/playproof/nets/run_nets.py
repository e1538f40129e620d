"""Names of training runs, and the networks of runs by these names rather than by paths.

``run/NAME`` is the latest network of the run NAME, and ``run/NAME/20`` that of its iteration 20, if
it was kept. The name of a run is its folder below ``runs`` in the data folder, with ``~`` between
nested folders (``five~seed-2``). A run elsewhere is named after the job that trains it: ``job-ID``.

A folder whose name has characters other than letters, digits, - _ and . is escaped: a hyphen comes
first, and each byte of other characters becomes .HH. So ``my run`` becomes ``-my.20run``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from playproof.core.errors import DataError, UsageError
from playproof.core.files.folders import data_folder
from playproof.core.jobs.store import RECORD, is_id, read_json

PREFIX = "run/"
RUNS = "runs"
JOB = "job-"
BETWEEN = "~"
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_ESCAPED = re.compile(r"-(?:[A-Za-z0-9_-]|\.[0-9a-f]{2})+")
_UNSAFE_BYTE = re.compile(rb"[^A-Za-z0-9_-]")
_MAX_PARTS = 4
_MAX_LENGTH = 120  # characters of an escaped folder
_NET_SUFFIX = ".safetensors"  # marks the path of a net
_RESERVED = ("compare", "compare.svg")  # have another meaning in the lab's addresses


def is_name(text: str) -> bool:
    """Whether a text is a valid name of a run, which cannot lead out of the folder of runs."""
    parts = text.split(BETWEEN)
    valid = len(parts) <= _MAX_PARTS and all(_unescape(part) is not None for part in parts)
    return valid and not text.endswith(_NET_SUFFIX)


def name_of(folders: Sequence[str], job: str | None = None) -> str:
    """The name of the run in nested folders; the first is below ``runs``, or the job's own."""
    first = [] if job is None else [f"{JOB}{job}"]
    return BETWEEN.join([*first, *map(_escape, folders)])


def title_of(name: str) -> str:
    """A name as people read it, with the unescaped names of its folders."""
    readable = "/".join(_unescape(part) or part for part in name.split(BETWEEN))
    return readable.encode("utf-8", "replace").decode()


def _escape(folder: str) -> str:
    """A folder as it is written in a name."""
    job = folder.startswith(JOB) and is_id(folder.removeprefix(JOB))
    if _PART.fullmatch(folder) and not (job or folder in _RESERVED or folder.endswith(_NET_SUFFIX)):
        return folder
    escaped = _UNSAFE_BYTE.sub(lambda byte: b".%02x" % ord(byte[0]), os.fsencode(folder))
    return "-" + escaped.decode()


def _unescape(part: str) -> str | None:
    """The folder that a part of a name stands for; None if the part is not valid."""
    if _PART.fullmatch(part):
        return part
    if len(part) > _MAX_LENGTH or not _ESCAPED.fullmatch(part):
        return None
    unescaped = re.sub(r"\.(..)", lambda code: chr(int(code[1], 16)), part[1:])
    folder = os.fsdecode(unescaped.encode("latin-1"))
    unsafe = folder.startswith(".") or "/" in folder or "\0" in folder
    # A folder has exactly one name.
    return None if unsafe or _escape(folder) != part else folder


def folder_of(name: str, data: Path | None = None) -> Path:
    """The folder that a run's name stands for, whether it exists or not."""
    if not is_name(name):
        raise UsageError(f"{name[:80]!r} names no run: want letters, digits, - _ . alone")
    data = data_folder() if data is None else data
    first, *inner = name.split(BETWEEN)
    inside = [_unescape(part) or part for part in inner]
    if first.startswith(JOB) and is_id(first.removeprefix(JOB)):
        card = read_json(data / "jobs" / first.removeprefix(JOB) / RECORD)
        folder = (card or {}).get("folder")
        if (card or {}).get("kind") != "train" or not folder:
            raise DataError(f"there is no run {name}: no job has trained it")
        return Path(str(folder)).joinpath(*inside)
    return data.joinpath(RUNS, _unescape(first) or first, *inside)


def file_of(text: str, data: Path | None = None) -> Path:
    """The network file of ``run/NAME`` or ``run/NAME/ITERATION``."""
    name, slash, iteration = text.removeprefix(PREFIX).partition("/")
    folder = folder_of(name, data)
    if not slash:
        file = folder / "net.safetensors"
    elif iteration.isascii() and iteration.isdecimal() and len(iteration) < 10:
        file = folder / "nets" / f"{int(iteration)}.safetensors"
    else:
        raise UsageError(f"{text[:100]!r}: want run/NAME or run/NAME/ITERATION")
    if file.is_file():
        return file
    if slash:
        raise DataError(f"the net of iteration {iteration} of the run {name} was not kept")
    raise DataError(f"there is no net of the run {name}: it has not come so far yet")
