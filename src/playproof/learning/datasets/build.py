"""PGN files made into a folder of positions: resumable, on several cores, always the same.

The files are read as a stream and cut into blocks of whole games; each block is
made into a part by some process.  When all parts are there they are put together
in order, games are dealt to folds, and boards that occur in two folds are marked.
Neither kills nor the number of processes change a byte of what comes out.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.core.files.atomic_write import write_atomically
from playproof.core.parallel import executor as jobs
from playproof.formats.compressed import SUFFIXES
from playproof.formats.pgn.stream import BLOCK, Fault, blocks
from playproof.learning.datasets import blocks as parts
from playproof.learning.datasets.folds import deal, shared
from playproof.learning.datasets.packed import FLAGS, FOLD, IS_SHARED, LAYOUT, board_keys
from playproof.learning.datasets.plan import settle_plan
from playproof.learning.datasets.positions import FACTS, GAME, GAMES, POSITIONS, VERSION

_PARTS, _PLAN, _REJECTED = "parts", "plan.json", "rejected.txt"
_AHEAD = 2  # blocks that wait for each process
_SHOWN = 20  # rejected games named in the facts

Tell = Callable[[int, int], None]  # games read, positions drawn


@dataclass(frozen=True)
class Wishes:
    files: tuple[Path, ...]
    share: float = 0.2
    seed: int = 0
    folds: int = 5
    block: int = BLOCK  # bytes of text at a time

    def check(self) -> None:
        if not self.files:
            raise UsageError("no files: want one or more of games in PGN")
        if not 0.0 < self.share <= 1.0:
            raise UsageError(f"a sample of {self.share:g}: want a share above 0 and up to 1")
        if not 1 <= self.folds <= 255:
            raise UsageError(f"{self.folds} folds: want 1 to 255")
        if len(self.files) > 65535:
            raise UsageError(f"{len(self.files)} files: want 65535 at most")
        for file in self.files:
            if not file.is_file():
                raise DataError(f"there is no file {file}: want games in PGN, plain or {SUFFIXES}")

    def plan(self) -> dict[str, Any]:
        """What the result depends on, beside what is in the files."""
        return {
            "version": VERSION,
            "files": [file.name for file in self.files],
            "bytes": [file.stat().st_size for file in self.files],
            "sample": self.share,
            "seed": self.seed,
            "folds": self.folds,
            "block": self.block,
        }


@dataclass
class _Counted:
    positions: npt.NDArray[np.int64]  # (256,) by fold
    shared: npt.NDArray[np.int64]  # (256,) those whose boards occur in another fold, by fold
    distinct: int  # boards


def build(
    wishes: Wishes, out: Path, *, workers: int | None = None, tell: Tell | None = None
) -> dict[str, Any]:
    """Make the folder ``out``, or finish it; what is in it, as kept in ``data.json``."""
    wishes.check()
    home = out / _PARTS
    settle_plan(out / _PLAN, wishes.plan(), "a build", (POSITIONS, FACTS))
    if (out / FACTS).exists():
        facts: dict[str, Any] = json.loads((out / FACTS).read_text(encoding="utf-8"))
        shutil.rmtree(home, ignore_errors=True)
        return facts
    made = _make_parts(wishes, home, workers, tell)
    facts = _join(wishes, out, home, made)
    shutil.rmtree(home, ignore_errors=True)
    return facts


def _make_parts(
    wishes: Wishes, home: Path, workers: int | None, tell: Tell | None
) -> list[list[Path]]:
    """Make the parts that are not there; the paths of all, file by file."""
    made: list[list[Path]] = []
    games = 0
    with jobs.executor(workers) as pool:
        room = _AHEAD * (workers or jobs.cores())
        running: set[Future[None]] = set()
        for source, file in enumerate(wishes.files):
            made.append([])
            for number, block in enumerate(blocks(file, size=wishes.block)):
                path = home / f"{source:05}-{number:07}.npz"
                made[-1].append(path)
                games += len(block.games)
                if not parts.is_made(path, block):
                    job = (path, block, wishes.share, wishes.seed, source)
                    running.add(pool.submit(parts.make_part, *job))
                while len(running) >= room:
                    running = _finish(running, FIRST_COMPLETED)
                if tell:
                    tell(games, 0)
        _finish(running, "ALL_COMPLETED")
    return made


def _finish(running: set[Future[None]], until: str) -> set[Future[None]]:
    done, left = wait(running, return_when=until)
    for future in done:
        future.result()
    return left


def _all_parts(made: list[list[Path]]) -> Iterator[tuple[int, parts.Part]]:
    for source, paths in enumerate(made):
        for path in paths:
            yield source, parts.load_part(path)


def _join(wishes: Wishes, out: Path, home: Path, made: list[list[Path]]) -> dict[str, Any]:
    games, rejected, read = _table(made)
    games["fold"] = deal(games["result"].astype(np.int64), wishes.folds, wishes.seed)
    folds = np.repeat(games["fold"], games["drawn"])
    try:
        home.mkdir(parents=True, exist_ok=True)
        counted = _write_positions(out / POSITIONS, home / "keys.bin", folds, made)
    except OSError as error:
        raise DataError(f"{out / POSITIONS} cannot be written: {error.strerror}") from None
    table = io.BytesIO()
    np.save(table, games)
    write_atomically(out / GAMES, table.getvalue())
    names = [file.name for file in wishes.files]
    lines = [f"{names[source]}, {fault}" for source, fault in rejected]
    write_atomically(out / _REJECTED, "".join(f"{line}\n" for line in lines).encode())
    facts = _facts(wishes, games, rejected, lines, read, counted)
    write_atomically(out / FACTS, json.dumps(facts, indent=1, ensure_ascii=False).encode())
    return facts


def _write_positions(
    path: Path, keys: Path, folds: npt.NDArray[np.uint8], made: list[list[Path]]
) -> _Counted:
    """Put the parts together, and count what is in them."""
    with keys.open("wb") as file:
        for _, part in _all_parts(made):
            words = np.empty(len(part.positions), np.uint64)
            board_keys(part.positions, words)
            file.write(words.astype("<u8").tobytes())
    both, distinct = shared(keys, folds)
    counted = _Counted(np.zeros(256, np.int64), np.zeros(256, np.int64), distinct)
    begin, aside = 0, path.with_name(f"{path.name}.new")
    with aside.open("wb") as file:
        for _, part in _all_parts(made):
            end = begin + len(part.positions)
            mark = folds[begin:end].astype(np.uint64) << np.uint64(FOLD)
            mark |= both[begin:end].astype(np.uint64) * np.uint64(IS_SHARED << FLAGS)
            part.positions[:, 4] |= mark
            counted.positions += np.bincount(folds[begin:end], minlength=256)
            counted.shared += np.bincount(folds[begin:end][both[begin:end]], minlength=256)
            file.write(part.positions.astype("<u8").tobytes())
            begin = end
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
    return counted


def _table(
    made: list[list[Path]],
) -> tuple[npt.NDArray[Any], list[tuple[int, Fault]], list[int]]:
    """(a line for each good game, the faults of the others, games read of each file)."""
    tables: list[npt.NDArray[Any]] = [np.zeros(0, GAME)]
    rejected: list[tuple[int, Fault]] = []
    read = [0] * len(made)
    for source, part in _all_parts(made):
        read[source] += part.read
        table = np.zeros(len(part.games), GAME)
        for column, name in enumerate(("game", "line", "result", "plies", "drawn")):
            table[name] = part.games[:, column]
        table["source"] = source
        tables.append(table)
        rejected += [(source, fault) for fault in part.faults]
    games = np.concatenate(tables)
    games["first"] = np.cumsum(games["drawn"].astype(np.int64)) - games["drawn"]
    return games, rejected, read


def _facts(
    wishes: Wishes,
    games: npt.NDArray[Any],
    rejected: list[tuple[int, Fault]],
    lines: list[str],
    read: list[int],
    counted: _Counted,
) -> dict[str, Any]:
    results = Counter(games["result"].tolist())
    by_fold = [
        {
            "games": int((games["fold"] == fold).sum()),
            "white": int(((games["fold"] == fold) & (games["result"] == 1)).sum()),
            "drawn": int(((games["fold"] == fold) & (games["result"] == 0)).sum()),
            "black": int(((games["fold"] == fold) & (games["result"] == -1)).sum()),
            "positions": int(counted.positions[fold]),
            "test": int(counted.positions[fold] - counted.shared[fold]),
        }
        for fold in range(wishes.folds)
    ]
    return {
        **wishes.plan(),
        "layout": [[name, LAYOUT.fields[name][1]] for name in LAYOUT.names or ()],  # type: ignore[index]
        "bytes_each": LAYOUT.itemsize,
        "games_read": read,
        "games": len(games),
        "white": results[1],
        "drawn": results[0],
        "black": results[-1],
        "plies": int(games["plies"].sum()),
        "positions": int(counted.positions.sum()),
        "distinct_boards": counted.distinct,
        "shared": int(counted.shared.sum()),
        "rejected": len(rejected),
        "reasons": dict(sorted(Counter(fault.kind for _, fault in rejected).items())),
        "first_rejected": lines[:_SHOWN],
        "by_fold": by_fold,
    }
