"""Reads the folder of a run: its settings, metrics and times, without needing the learner.

The run may be in progress while it is read, or may have been killed in the middle of writing a
line, so an incomplete last line is ignored.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError

SETTINGS, METRICS, TIMES, CHECKPOINT = (
    "settings.json", "metrics.jsonl", "times.jsonl", "checkpoint.safetensors",
)  # fmt: skip
FORMAT = "playproof-run"  # in the settings of a run, and in the metadata of its checkpoints
DEPTH = 3  # levels of folders below a given one that are searched for runs
_RECENT = 8  # the checkpoints by which the present speed of a run is measured

Metrics = dict[str, float]


@dataclass(frozen=True)
class RunLog:
    """A run as recorded in its folder."""

    folder: Path
    algorithm: str = ""
    preset: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    metrics: tuple[Metrics, ...] = ()  # in the order of iterations; numbers only
    times: tuple[Metrics, ...] = ()  # as written, one for each checkpoint
    fault: str = ""  # one line about what is damaged, if anything is

    @property
    def game(self) -> str:
        return str(self.settings.get("game", ""))

    @property
    def seed(self) -> int | None:
        seed = self.settings.get("seed")
        return seed if isinstance(seed, int) else None

    @property
    def iterations(self) -> int:
        """The number of iterations that the run is to have."""
        number = self.settings.get("iterations", 0)
        return number if isinstance(number, int) else 0

    @property
    def done(self) -> int:
        """The last iteration with metrics."""
        return int(self.metrics[-1]["iteration"]) if self.metrics else 0

    @property
    def state(self) -> str:
        """``done``, ``unfinished`` (stopped or in progress) or ``damaged``."""
        if self.fault:
            return "damaged"
        return "done" if 0 < self.iterations <= self.done else "unfinished"

    @property
    def same_but_seed(self) -> str:
        """A key that is the same for runs that differ only in their seeds."""
        rest = {name: value for name, value in self.settings.items() if name != "seed"}
        return json.dumps([self.algorithm, self.preset, rest], sort_keys=True)

    @property
    def seconds_spent(self) -> float | None:
        """Seconds of training in total; None if no times were recorded."""
        return sum(line["seconds"] for line in self.times) if self.times else None

    def seconds_at(self, iteration: int) -> float | None:
        """Seconds of training up to the end of an iteration; None if no times reach it.

        Between two checkpoints every iteration is taken to last as long as the others."""
        seconds = before = 0.0
        for line in self.times:
            if iteration <= line["iteration"]:
                part = line["iteration"] - before
                share = (iteration - before) / part if part > 0 else 1.0
                return seconds + max(0.0, share) * line["seconds"]
            seconds, before = seconds + line["seconds"], max(before, line["iteration"])
        return None

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at the speed of the last checkpoints; None if that is unknown."""
        if self.state == "done":
            return 0.0
        recent: list[tuple[float, float]] = []  # iterations, seconds
        before = 0.0
        for line in self.times:
            if line["iteration"] > before:  # iterations that a kill made the run repeat count once
                recent.append((line["iteration"] - before, line["seconds"]))
                before = line["iteration"]
        iterations, seconds = (
            float(sum(column)) for column in zip((0, 0), *recent[-_RECENT:], strict=True)
        )
        if not iterations or self.fault:
            return None
        return seconds / iterations * (self.iterations - self.done)


def read(folder: Path) -> RunLog:
    """Read the run in a folder; a DataError if there is none, or if it is damaged."""
    log = inspect(folder)
    if log.fault:
        raise DataError(log.fault)
    return log


def inspect(folder: Path) -> RunLog:
    """Read the run in a folder, damaged or not; ``RunLog.fault`` says what is damaged."""
    file = folder / SETTINGS
    try:
        data = json.loads(file.read_bytes())
        if data["format"] != FORMAT or not isinstance(data["settings"], dict):
            raise ValueError
        log = RunLog(folder, str(data["algorithm"]), str(data["preset"]), data["settings"])
    except OSError as error:
        return RunLog(folder, fault=f"{folder} holds no run: {error.strerror or error}")
    except (ValueError, KeyError, TypeError, RecursionError):
        return RunLog(folder, fault=f"{file} is not the settings of a run")
    parts: dict[str, Any] = {}
    try:
        by_iteration = {line["iteration"]: line for line in _lines(folder / METRICS, "iteration")}
        parts["metrics"] = tuple(by_iteration[number] for number in sorted(by_iteration))
        parts["times"] = tuple(_lines(folder / TIMES, "iteration", "seconds"))
        _check_checkpoint(folder / CHECKPOINT)
    except DataError as error:
        parts["fault"] = str(error)
    return RunLog(folder, log.algorithm, log.preset, log.settings, **parts)


def _lines(file: Path, *needed: str) -> Iterator[Metrics]:
    """The numbers in each line of a file, without a last line that is incomplete."""
    try:
        lines = file.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            numbers = {name: float(value) for name, value in data.items() if _is_number(value)}
            if not all(math.isfinite(numbers[name]) for name in needed):
                raise ValueError
        except (ValueError, KeyError, AttributeError, OverflowError, RecursionError):
            if number == len(lines):  # without a line end: it was being written
                return
            keys = " and ".join(needed)
            raise DataError(f"{file}: line {number} is damaged: want JSON with {keys}") from None
        yield numbers


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_checkpoint(file: Path) -> None:
    """Raise a DataError unless a safetensors file is as long as its header says.

    Only the header is read."""
    try:
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            size = os.fstat(opened.fileno()).st_size
            header = json.loads(opened.read(length)) if length < size else {}
        ends = [entry["data_offsets"][1] for name, entry in header.items() if name[0] != "_"]
        sound = bool(ends) and 8 + length + max(ends) == size
    except FileNotFoundError:
        return  # before the first checkpoint
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        sound = False
    if not sound:
        raise DataError(f"{file} is damaged: delete it to start over")


# Finding runs


def find(folders: Iterable[Path], depth: int = DEPTH) -> list[Path]:
    """The folders of runs in some folders and up to ``depth`` levels below, each once.

    They are in natural order, seed-2 before seed-10.  A DataError if a folder does not exist."""
    runs: dict[Path, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise DataError(f"there is no folder {folder}")
        for run in _below(folder, depth):
            runs.setdefault(run.resolve(), run)
    return list(runs.values())


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if is_run(folder):
        yield folder
    if depth == 0:
        return
    try:
        inner = [entry for entry in folder.iterdir() if entry.is_dir()]
    except OSError:  # no permission to read it
        return
    for entry in sorted(inner, key=lambda entry: _natural_key(entry.name)):
        if not entry.name.startswith("."):
            yield from _below(entry, depth - 1)


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run, if perhaps one whose settings are damaged."""
    file = folder / SETTINGS
    if not file.is_file():
        return False
    try:
        data = json.loads(file.read_bytes())
        return isinstance(data, dict) and data.get("format") == FORMAT
    except (OSError, ValueError, RecursionError):
        return (folder / METRICS).exists() or (folder / CHECKPOINT).exists()


def find_abandoned(folder: Path, depth: int = DEPTH) -> list[Path]:
    """Folders up to ``depth`` levels below one, made for runs that were never created."""
    try:
        inner = [entry for entry in folder.iterdir() if not entry.name.startswith(".")]
    except OSError:
        return []
    folders: list[Path] = []
    for entry in inner:
        if not entry.is_dir() or entry.is_symlink() or is_run(entry):
            continue
        if is_abandoned(entry):
            folders.append(entry)
        elif depth > 1:
            folders += find_abandoned(entry, depth - 1)
    return folders


def is_abandoned(folder: Path) -> bool:
    """Whether a folder is empty, or holds only the unfinished settings of a killed writer."""
    try:
        return all(entry.name == f"{SETTINGS}.new" for entry in folder.iterdir())
    except OSError:
        return False


def _natural_key(name: str) -> list[tuple[int, str]]:
    """A key that sorts numbers within names by value."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]
