"""Networks of training runs by name, never by path.

``run/NAME`` is the latest network of the run NAME, ``run/NAME/20`` that of its
iteration 20, if it was kept.  A run is called by its folder below ``runs`` in the
data folder, ``~`` standing between folders (``five~seed-2``); one that lies
elsewhere by the job that trains it: ``job-ID``.

A folder whose name has other signs in it than letters, digits, - _ and . is called by a
hyphen and its bytes, those of other signs as .HH: ``my run`` is ``-my.20run``.
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
_ODD = re.compile(r"-(?:[A-Za-z0-9_-]|\.[0-9a-f]{2})+")
_OTHER = re.compile(rb"[^A-Za-z0-9_-]")
_MOST_PARTS = 4
_LONGEST = 120  # characters of a name with other signs
_FILE = ".safetensors"  # what ends so is the path of a net
_TAKEN = ("compare", "compare.svg")  # mean something else in addresses


def is_name(text: str) -> bool:
    """Whether this can be the name of a run, and so lead to no other folder."""
    parts = text.split(BETWEEN)
    known = len(parts) <= _MOST_PARTS and all(_folder(part) is not None for part in parts)
    return known and not text.endswith(_FILE)


def name_of(folders: Sequence[str], job: str | None = None) -> str:
    """The name of the run in these folders, one within the other; the first is in that of
    the runs, or in that where a job trains."""
    first = [] if job is None else [f"{JOB}{job}"]
    return BETWEEN.join([*first, *map(_written, folders)])


def title_of(name: str) -> str:
    """A name as people read it: the folders as they are called."""
    shown = "/".join(_folder(part) or part for part in name.split(BETWEEN))
    return shown.encode("utf-8", "replace").decode()


def _written(folder: str) -> str:
    """A folder as it stands in a name."""
    job = folder.startswith(JOB) and is_id(folder.removeprefix(JOB))
    if _PART.fullmatch(folder) and not (job or folder in _TAKEN or folder.endswith(_FILE)):
        return folder
    signs = _OTHER.sub(lambda sign: b".%02x" % ord(sign[0]), os.fsencode(folder))
    return "-" + signs.decode()


def _folder(part: str) -> str | None:
    """The folder that a part of a name means; None if there can be no such."""
    if _PART.fullmatch(part):
        return part
    if len(part) > _LONGEST or not _ODD.fullmatch(part):
        return None
    signs = re.sub(r"\.(..)", lambda sign: chr(int(sign[1], 16)), part[1:])
    folder = os.fsdecode(signs.encode("latin-1"))
    leads_away = folder.startswith(".") or "/" in folder or "\0" in folder
    # One folder, one name: else it could be watched under many.
    return None if leads_away or _written(folder) != part else folder


def folder_of(name: str, data: Path | None = None) -> Path:
    """The folder that a run's name means, whether it is there or not."""
    if not is_name(name):
        raise UsageError(f"{name[:80]!r} names no run: want letters, digits, - _ . alone")
    data = data_folder() if data is None else data
    first, *inner = name.split(BETWEEN)
    inside = [_folder(part) or part for part in inner]
    if first.startswith(JOB) and is_id(first.removeprefix(JOB)):
        card = read_json(data / "jobs" / first.removeprefix(JOB) / RECORD)
        folder = (card or {}).get("folder")
        if (card or {}).get("kind") != "train" or not folder:
            raise DataError(f"there is no run {name}: no job has trained it")
        return Path(str(folder)).joinpath(*inside)
    return data.joinpath(RUNS, _folder(first) or first, *inside)


def file_of(text: str, data: Path | None = None) -> Path:
    """The file of ``run/NAME`` or ``run/NAME/ITERATION``."""
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
