"""Turns PGN files into a folder of positions: resumable, in parallel, and reproducible.

The files are read as a stream and cut into blocks of whole games, which processes turn into parts.
When all parts exist, they are joined in order, games are dealt to folds, and boards that occur in
two folds are marked.  The result is the same to the byte, however often the build was killed and
whatever the number of processes.
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
from playproof.learning.datasets.plan import ensure_plan
from playproof.learning.datasets.positions import GAME, GAMES, METADATA, POSITIONS, VERSION

_PARTS, _PLAN, _REJECTED = "parts", "plan.json", "rejected.txt"
_AHEAD = 2  # blocks queued for each process
_LISTED = 20  # rejected games listed in the metadata

OnProgress = Callable[[int, int], None]  # games read, and 0, since their total is not known


@dataclass(frozen=True)
class BuildConfig:
    """What to build: PGN files, the share of positions to sample, and the folds."""

    files: tuple[Path, ...]
    share: float = 0.2  # of the positions
    seed: int = 0
    folds: int = 5
    block: int = BLOCK  # bytes of text in a block

    def check(self) -> None:
        if not self.files:
            raise UsageError("no files: want one or more files of games in PGN")
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
        """Everything that the result depends on except the contents of the files, as JSON."""
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
class _PositionCounts:
    positions: npt.NDArray[np.int64]  # (256,) by fold
    shared: npt.NDArray[np.int64]  # (256,) positions whose boards occur in another fold, by fold
    distinct: int  # distinct boards


def build(
    config: BuildConfig,
    out: Path,
    *,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Make the folder ``out``, or finish it; returns its metadata, as in ``data.json``."""
    config.check()
    parts_folder = out / _PARTS
    ensure_plan(out / _PLAN, config.plan(), "a build", (POSITIONS, METADATA))
    if (out / METADATA).exists():
        metadata: dict[str, Any] = json.loads((out / METADATA).read_text(encoding="utf-8"))
        shutil.rmtree(parts_folder, ignore_errors=True)
        return metadata
    paths = _make_parts(config, parts_folder, workers, on_progress)
    metadata = _join(config, out, parts_folder, paths)
    shutil.rmtree(parts_folder, ignore_errors=True)
    return metadata


def _make_parts(
    config: BuildConfig, parts_folder: Path, workers: int | None, on_progress: OnProgress | None
) -> list[list[Path]]:
    """Write the parts that do not exist yet; returns the paths of all parts by file."""
    paths: list[list[Path]] = []
    games = 0
    with jobs.executor(workers) as pool:
        room = _AHEAD * (workers or jobs.cores())
        running: set[Future[None]] = set()
        for source, file in enumerate(config.files):
            paths.append([])
            for number, block in enumerate(blocks(file, size=config.block)):
                path = parts_folder / f"{source:05}-{number:07}.npz"
                paths[-1].append(path)
                games += len(block.games)
                if not parts.is_written(path, block):
                    job = (path, block, config.share, config.seed, source)
                    running.add(pool.submit(parts.write_part, *job))
                while len(running) >= room:
                    running = _finish(running, FIRST_COMPLETED)
                if on_progress:
                    on_progress(games, 0)
        _finish(running, "ALL_COMPLETED")
    return paths


def _finish(running: set[Future[None]], until: str) -> set[Future[None]]:
    done, left = wait(running, return_when=until)
    for future in done:
        future.result()
    return left


def _all_parts(paths: list[list[Path]]) -> Iterator[tuple[int, parts.BlockPart]]:
    for source, paths_of_file in enumerate(paths):
        for path in paths_of_file:
            yield source, parts.load_part(path)


def _join(
    config: BuildConfig, out: Path, parts_folder: Path, paths: list[list[Path]]
) -> dict[str, Any]:
    games, rejected, read = _table(paths)
    games["fold"] = deal(games["result"].astype(np.int64), config.folds, config.seed)
    folds = np.repeat(games["fold"], games["drawn"])
    try:
        parts_folder.mkdir(parents=True, exist_ok=True)
        counts = _write_positions(out / POSITIONS, parts_folder / "keys.bin", folds, paths)
    except OSError as error:
        raise DataError(f"{out / POSITIONS} cannot be written: {error.strerror}") from None
    table = io.BytesIO()
    np.save(table, games)
    write_atomically(out / GAMES, table.getvalue())
    names = [file.name for file in config.files]
    lines = [f"{names[source]}, {fault}" for source, fault in rejected]
    write_atomically(out / _REJECTED, "".join(f"{line}\n" for line in lines).encode())
    metadata = _metadata(config, games, rejected, lines, read, counts)
    write_atomically(out / METADATA, json.dumps(metadata, indent=1, ensure_ascii=False).encode())
    return metadata


def _write_positions(
    path: Path, keys: Path, folds: npt.NDArray[np.uint8], paths: list[list[Path]]
) -> _PositionCounts:
    """Join the parts, and count their positions."""
    with keys.open("wb") as file:
        for _, part in _all_parts(paths):
            words = np.empty(len(part.positions), np.uint64)
            board_keys(part.positions, words)
            file.write(words.astype("<u8").tobytes())
    both, distinct = shared(keys, folds)
    counts = _PositionCounts(np.zeros(256, np.int64), np.zeros(256, np.int64), distinct)
    start, aside = 0, path.with_name(f"{path.name}.new")
    with aside.open("wb") as file:
        for _, part in _all_parts(paths):
            end = start + len(part.positions)
            mark = folds[start:end].astype(np.uint64) << np.uint64(FOLD)
            mark |= both[start:end].astype(np.uint64) * np.uint64(IS_SHARED << FLAGS)
            part.positions[:, 4] |= mark
            counts.positions += np.bincount(folds[start:end], minlength=256)
            counts.shared += np.bincount(folds[start:end][both[start:end]], minlength=256)
            file.write(part.positions.astype("<u8").tobytes())
            start = end
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
    return counts


def _table(
    paths: list[list[Path]],
) -> tuple[npt.NDArray[Any], list[tuple[int, Fault]], list[int]]:
    """(a row for each accepted game, the faults of the others, games read from each file)."""
    tables: list[npt.NDArray[Any]] = [np.zeros(0, GAME)]
    rejected: list[tuple[int, Fault]] = []
    read = [0] * len(paths)
    for source, part in _all_parts(paths):
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


def _metadata(
    config: BuildConfig,
    games: npt.NDArray[Any],
    rejected: list[tuple[int, Fault]],
    lines: list[str],
    read: list[int],
    counts: _PositionCounts,
) -> dict[str, Any]:
    results = Counter(games["result"].tolist())
    by_fold = [
        {
            "games": int((games["fold"] == fold).sum()),
            "white": int(((games["fold"] == fold) & (games["result"] == 1)).sum()),
            "drawn": int(((games["fold"] == fold) & (games["result"] == 0)).sum()),
            "black": int(((games["fold"] == fold) & (games["result"] == -1)).sum()),
            "positions": int(counts.positions[fold]),
            "test": int(counts.positions[fold] - counts.shared[fold]),
        }
        for fold in range(config.folds)
    ]
    return {
        **config.plan(),
        "layout": [[name, LAYOUT.fields[name][1]] for name in LAYOUT.names or ()],  # type: ignore[index]
        "bytes_each": LAYOUT.itemsize,
        "games_read": read,
        "games": len(games),
        "white": results[1],
        "drawn": results[0],
        "black": results[-1],
        "plies": int(games["plies"].sum()),
        "positions": int(counts.positions.sum()),
        "distinct_boards": counts.distinct,
        "shared": int(counts.shared.sum()),
        "rejected": len(rejected),
        "reasons": dict(sorted(Counter(fault.kind for _, fault in rejected).items())),
        "first_rejected": lines[:_LISTED],
        "by_fold": by_fold,
    }
