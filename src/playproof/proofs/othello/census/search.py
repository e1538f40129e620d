"""A census of reachable positions: which of many candidates are reachable, each with a record.

Candidates are reduced by symmetry and colours, sorted by their occupied squares,
so that neighbours share ancestors, and split into blocks.  A block is one job.
Its result is one line of a JSON-lines file, which is on disk before the next
line is written, so the census can be resumed after any interruption.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypedDict

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.core.kernels import Words
from playproof.core.parallel.executor import SerialExecutor, executor
from playproof.core.registry import make
from playproof.core.state import State
from playproof.core.stopping import StopFlag, interruptible
from playproof.games.othello.game import Othello
from playproof.proofs.othello.retrograde import depth_first_kernels as kernels
from playproof.proofs.othello.retrograde.canonical import canonical
from playproof.proofs.othello.retrograde.forward import (
    MAX_STONES,
    START_STONES,
    ForwardTable,
    forward_table,
)
from playproof.proofs.othello.retrograde.path import play_along
from playproof.proofs.othello.retrograde.search import BackwardSearch, DeadPositions, check_position
from playproof.rules import othello as rules

BLOCK = 64  # candidates in a job: it takes seconds, at most a few minutes
_KIND = "playproof othello census 1"

OnCensusProgress = Callable[["Census"], None]


@dataclass(frozen=True)
class ReachablePosition:
    """A candidate that is reachable, with a game that leads there."""

    position: str
    """The position at the end of the record: an image of the candidate."""
    record: str


@dataclass(frozen=True)
class Census:
    """The state of a census: its progress and its results so far."""

    total: int
    """Candidates, up to symmetry and colours."""
    done: int
    reachable: tuple[ReachablePosition, ...]
    unknown: int
    """Candidates abandoned at the limit of nodes."""
    nodes: int
    """Positions expanded backwards."""
    seconds: float
    """Time spent searching, summed over workers and over earlier runs."""

    @property
    def finished(self) -> bool:
        return self.done == self.total


def census(
    candidates: Words | Iterable[tuple[int, int]],
    *,
    size: int = 8,
    forward: int = MAX_STONES,
    workers: int | None = 1,
    file: str | Path | None = None,
    megabytes: float = 1024,
    nodes: int | None = None,
    seconds: float | None = None,
    stop: StopFlag | None = None,
    on_progress: OnCensusProgress | None = None,
) -> Census:
    """Decide for each of ``candidates``, rows (own, opponent), whether it is reachable.

    ``forward`` is the largest number of stones in the forward table.  ``file``
    stores the results; a census of the same candidates resumes from it.  Each
    worker stores dead positions in ``megabytes`` of memory.  ``nodes`` limits the
    search of one candidate.  ``seconds`` and ``stop`` end the whole census early;
    it then returns unfinished.
    """
    canonical_candidates = _canonical(candidates, size)
    blocks = [
        canonical_candidates[i : i + BLOCK] for i in range(0, len(canonical_candidates), BLOCK)
    ]
    ends = time.monotonic() + (float("inf") if seconds is None else seconds)
    with _CensusFile(file, _header(canonical_candidates, size, nodes)) as results:
        remaining = [i for i in range(len(blocks)) if i not in results.lines]
        if remaining:
            forward_table(forward, size)  # once, so that the workers do not each build it
        jobs = ((i, blocks[i].tolist(), size, forward, megabytes, nodes) for i in remaining)
        for line in _run(jobs, workers, lambda: time.monotonic() > ends or _is_set(stop), stop):
            results.add(line)
            if on_progress is not None:
                on_progress(_summary(len(canonical_candidates), results.lines))
        return _summary(len(canonical_candidates), results.lines)


def _is_set(stop: StopFlag | None) -> bool:
    return stop is not None and bool(stop[0])


def _summary(total: int, lines_by_block: dict[int, BlockLine]) -> Census:
    lines = [lines_by_block[i] for i in sorted(lines_by_block)]
    return Census(
        total=total,
        done=sum(line["starts"] for line in lines),
        reachable=tuple(ReachablePosition(p, r) for line in lines for p, r in line["reachable"]),
        unknown=sum(line["unknown"] for line in lines),
        nodes=sum(line["nodes"] for line in lines),
        seconds=sum(line["seconds"] for line in lines),
    )


def _canonical(candidates: Words | Iterable[tuple[int, int]], size: int) -> Words:
    """The distinct least images, sorted by their occupied squares."""
    images = set()
    for own, opponent in candidates:
        check_position(int(own), int(opponent), size)
        if (int(own) | int(opponent)).bit_count() <= START_STONES:
            raise UsageError(f"a candidate of a census must have more than {START_STONES} stones")
        a, b, _ = canonical(np.uint64(own), np.uint64(opponent), 0, size)
        images.add((int(a), int(b)))
    ordered = sorted(images, key=lambda image: (image[0] | image[1], image))
    return np.array(ordered, np.uint64).reshape(-1, 2)


def _run(
    jobs: Iterable[tuple[Any, ...]],
    workers: int | None,
    over: Callable[[], bool],
    stop: StopFlag | None,
) -> Iterator[BlockLine]:
    """Yield the lines of the jobs as they finish, until ``over()``.

    In this process ``stop`` interrupts the current block, which then has no line.
    """
    with executor(workers) as pool:
        if isinstance(pool, SerialExecutor):
            for job in jobs:
                if over():
                    return
                line = pool.submit(search_block, *job, stop).result()
                if _is_set(stop):
                    return
                yield line
            return
        futures: list[Future[BlockLine]] = [pool.submit(search_block, *job) for job in jobs]
        for future in as_completed(futures):
            yield future.result()
            if over():
                for other in futures:
                    other.cancel()
                return


# In a worker

_dead_cache: dict[tuple[int, float], DeadPositions] = {}


def _dead_positions(size: int, megabytes: float) -> DeadPositions:
    """The dead positions that this process has found so far."""
    key = size, megabytes
    if key not in _dead_cache:
        _dead_cache.clear()
        _dead_cache[key] = DeadPositions(megabytes)
    return _dead_cache[key]


_table_cache: dict[tuple[int, int], ForwardTable] = {}


def _table(stones: int, size: int) -> ForwardTable:
    key = stones, size
    if key not in _table_cache:
        _table_cache.clear()
        _table_cache[key] = forward_table(stones, size, check=False)
    return _table_cache[key]


def search_block(
    number: int,
    block: list[tuple[int, int]],
    size: int,
    forward: int,
    megabytes: float,
    nodes: int | None,
    stop: StopFlag | None = None,
) -> BlockLine:
    """Decide the candidates of one block; returns its line for the file."""
    # Around the whole block: Ctrl-C, if this process gets it, ends the block.
    return interruptible(
        lambda flag: _search_block(number, block, size, forward, megabytes, nodes, flag), stop
    )


def _search_block(
    number: int,
    block: list[tuple[int, int]],
    size: int,
    forward: int,
    megabytes: float,
    nodes: int | None,
    flag: StopFlag,
) -> BlockLine:
    start = time.perf_counter()
    game = make("othello", size=size)
    assert isinstance(game, Othello)
    table, dead = _table(forward, size), _dead_positions(size, megabytes)
    reachable, unknown, explored = list[tuple[str, str]](), 0, 0
    for own, opponent in block:
        search = BackwardSearch(table, dead, exact=False)
        outcome, path = search.run(own, opponent, 0, nodes=nodes, stop=flag)
        explored += int(search.statistics[kernels.NODES])
        if outcome == kernels.STOPPED:
            unknown += 1
        elif outcome == kernels.FOUND:
            state: State = play_along(game, path, exact=False)
            record = game.join_moves([state.name(action) for action in state.actions])
            reachable.append((state.position, record))
    return {
        "block": number,
        "starts": len(block),
        "reachable": reachable,
        "unknown": unknown,
        "nodes": explored,
        "seconds": round(time.perf_counter() - start, 3),
    }


# The file


class BlockLine(TypedDict):
    """A line of the file: the results of one block."""

    block: int
    starts: int
    """Candidates in the block."""
    reachable: list[tuple[str, str]]
    """Positions and records."""
    unknown: int
    nodes: int
    seconds: float


def _header(candidates: Words, size: int, nodes: int | None) -> dict[str, Any]:
    rules_text = Path(str(rules.__file__)).read_bytes()
    return {
        "kind": _KIND,
        "size": size,
        "block": BLOCK,
        "nodes": nodes,
        "candidates": len(candidates),
        "digest": hashlib.sha256(candidates.tobytes() + rules_text).hexdigest(),
    }


class _CensusFile:
    """The lines of finished blocks, in memory and, if there is a path, in a file."""

    def __init__(self, path: str | Path | None, header: dict[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.header = header
        self.lines: dict[int, BlockLine] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> _CensusFile:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "a+b")
            self._read(self._file)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def _read(self, file: IO[bytes]) -> None:
        file.seek(0)
        text = file.read()
        # A last line without its end was cut short by a crash, and is dropped.
        complete = text[: text.rfind(b"\n") + 1]
        lines = complete.splitlines()
        first = json.dumps(self.header).encode()
        if not lines and not first.startswith(text):
            raise DataError(f"{self.path} is not a file of a census: choose another")
        try:
            header, *rest = [json.loads(line) for line in lines] or [self.header]
        except ValueError:
            raise DataError(f"{self.path} is not a file of a census: choose another") from None
        if header != self.header:
            raise DataError(f"{self.path} is of another census: want a new file, or its own")
        self.lines = {line["block"]: line for line in rest}
        file.truncate(len(complete))  # only now that it is known to be a file of this census
        if not lines:
            self._append(self.header)

    def add(self, line: BlockLine) -> None:
        self._append(line)
        self.lines[line["block"]] = line

    def _append(self, line: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
