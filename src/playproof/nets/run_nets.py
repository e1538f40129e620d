"""Networks of training runs by name, never by path.

``run/NAME`` is the latest network of the run NAME, ``run/NAME/20`` that of its
iteration 20, if it was kept.  A run is called by its folder below ``runs`` in the
data folder, ``~`` standing between folders (``five~seed-2``); one that lies
elsewhere by the job that trains it: ``job-ID``.
"""

from __future__ import annotations

import re
from pathlib import Path

from playproof.core.errors import DataError, UsageError
from playproof.core.job_files import CARD, data_folder, is_id, read_json

PREFIX = "run/"
RUNS = "runs"
JOB = "job-"
BETWEEN = "~"
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_MOST_PARTS = 4


def is_name(text: str) -> bool:
    """Whether this can be the name of a run, and so lead to no other folder.

    What ends as the file of a net does is the path of one."""
    parts = text.split(BETWEEN)
    plain = len(parts) <= _MOST_PARTS and all(_PART.fullmatch(part) for part in parts)
    return plain and not text.endswith(".safetensors")


def folder_of(name: str, data: Path | None = None) -> Path:
    """The folder that a run's name means, whether it is there or not."""
    if not is_name(name):
        raise UsageError(f"{name[:80]!r} names no run: want letters, digits, - _ . alone")
    data = data_folder() if data is None else data
    first, *inner = name.split(BETWEEN)
    if first.startswith(JOB) and is_id(first.removeprefix(JOB)):
        card = read_json(data / "jobs" / first.removeprefix(JOB) / CARD)
        folder = (card or {}).get("folder")
        if (card or {}).get("kind") != "train" or not folder:
            raise DataError(f"there is no run {name}: no job has trained it")
        return Path(str(folder)).joinpath(*inner)
    return data.joinpath(RUNS, first, *inner)


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
