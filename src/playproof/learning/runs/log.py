"""What a run has left in its folder, read without touching or needing the learner.

A run may be going on while it is read, or may have been killed in the middle of a
line: what is whole is taken.
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
DEPTH = 3  # how many folders below a named one runs are looked for
_FORMAT = "playproof-run"
_RECENT = 8  # checkpoints that say how fast a run is now

Facts = dict[str, float]


@dataclass(frozen=True)
class RunLog:
    """A run as its folder has it; ``fault`` says in a line what is damaged, if anything is.

    ``metrics`` are by growing iteration, numbers alone; ``times`` as they were written."""

    folder: Path
    algorithm: str = ""
    preset: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    metrics: tuple[Facts, ...] = ()
    times: tuple[Facts, ...] = ()
    fault: str = ""

    @property
    def game(self) -> str:
        return str(self.settings.get("game", ""))

    @property
    def seed(self) -> int | None:
        seed = self.settings.get("seed")
        return seed if isinstance(seed, int) else None

    @property
    def iterations(self) -> int:
        """How many it is to have."""
        number = self.settings.get("iterations", 0)
        return number if isinstance(number, int) else 0

    @property
    def done(self) -> int:
        """Iterations that it has told of."""
        return int(self.metrics[-1]["iteration"]) if self.metrics else 0

    @property
    def state(self) -> str:
        """``done``, ``unfinished`` (stopped, or going on at this moment) or ``damaged``."""
        if self.fault:
            return "damaged"
        return "done" if 0 < self.iterations <= self.done else "unfinished"

    @property
    def same_but_seed(self) -> str:
        """What runs share that differ in their seeds alone."""
        rest = {name: value for name, value in self.settings.items() if name != "seed"}
        return json.dumps([self.algorithm, self.preset, rest], sort_keys=True)

    @property
    def seconds_spent(self) -> float | None:
        """Of training, over all its legs; None where no times were kept."""
        return sum(line["seconds"] for line in self.times) if self.times else None

    @property
    def seconds_left(self) -> float | None:
        """At the speed of the last checkpoints; None where it cannot be told."""
        if self.state == "done":
            return 0.0
        recent: list[tuple[float, float]] = []  # iterations, seconds
        before = 0.0
        for line in self.times:
            if line["iteration"] > before:  # what came twice, after a kill, led nowhere
                recent.append((line["iteration"] - before, line["seconds"]))
                before = line["iteration"]
        iterations, seconds = (
            float(sum(column)) for column in zip((0, 0), *recent[-_RECENT:], strict=True)
        )
        if not iterations or self.fault:
            return None
        return seconds / iterations * (self.iterations - self.done)


def read(folder: Path) -> RunLog:
    """The run in a folder; a DataError if it is none, or damaged."""
    log = look(folder)
    if log.fault:
        raise DataError(log.fault)
    return log


def look(folder: Path) -> RunLog:
    """The run in a folder, damaged or not."""
    file = folder / SETTINGS
    try:
        facts = json.loads(file.read_bytes())
        if facts["format"] != _FORMAT or not isinstance(facts["settings"], dict):
            raise ValueError
        log = RunLog(folder, str(facts["algorithm"]), str(facts["preset"]), facts["settings"])
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


def _lines(file: Path, *needed: str) -> Iterator[Facts]:
    """The numbers of a file's lines; one that a kill has cut short is left out."""
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
            facts = json.loads(line)
            found = {name: float(value) for name, value in facts.items() if _is_number(value)}
            if not all(math.isfinite(found[name]) for name in needed):
                raise ValueError
        except (ValueError, KeyError, AttributeError, OverflowError, RecursionError):
            if number == len(lines):  # without a line end: it was being written
                return
            wanted = " and ".join(needed)
            raise DataError(f"{file}: line {number} is damaged: want JSON with {wanted}") from None
        yield found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_checkpoint(file: Path) -> None:
    """Whether a safetensors file is as long as its header says; no numbers are read."""
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
        raise DataError(f"{file} is damaged: delete it to begin anew")


# Finding runs


def find(folders: Iterable[Path], depth: int = DEPTH) -> list[Path]:
    """The folders of runs in some folders and up to ``depth`` below, each once, seed-2
    before seed-10.  A DataError where a folder is not there."""
    found: dict[Path, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise DataError(f"there is no folder {folder}")
        for run in _below(folder, depth):
            found.setdefault(run.resolve(), run)
    return list(found.values())


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if is_run(folder):
        yield folder
    if depth == 0:
        return
    try:
        inner = [entry for entry in folder.iterdir() if entry.is_dir()]
    except OSError:  # somebody else's folder
        return
    for entry in sorted(inner, key=lambda entry: _by_numbers(entry.name)):
        if not entry.name.startswith("."):
            yield from _below(entry, depth - 1)


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run; settings that cannot be read do not hide one."""
    file = folder / SETTINGS
    if not file.is_file():
        return False
    try:
        facts = json.loads(file.read_bytes())
        return isinstance(facts, dict) and facts.get("format") == _FORMAT
    except (OSError, ValueError, RecursionError):
        return (folder / METRICS).exists() or (folder / CHECKPOINT).exists()


def left_empty(folder: Path, depth: int = DEPTH) -> list[Path]:
    """The folders up to ``depth`` below one that hold nothing, or what a writer has left that
    was killed: of runs that never began."""
    try:
        inner = [entry for entry in folder.iterdir() if not entry.name.startswith(".")]
    except OSError:
        return []
    found: list[Path] = []
    for entry in inner:
        if entry.is_dir() and not entry.is_symlink() and not is_run(entry):
            found += [entry] if is_left_empty(entry) else left_empty(entry, depth - 1) * (depth > 1)
    return found


def is_left_empty(folder: Path) -> bool:
    try:
        return all(entry.name == f"{SETTINGS}.new" for entry in folder.iterdir())
    except OSError:
        return False


def _by_numbers(name: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]
