"""A census: which of many candidate positions are reachable, each with a record.

Candidates are taken up to symmetry and colours, put in the order of their
occupied squares, so that neighbours share ancestors, and cut into blocks.  A
block is one job.  What it found is one line of a JSON-lines file, on the disk
before the next is written: whatever stops the census, it goes on from there.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

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
from playproof.proofs.othello.retrograde.forward import FIRST, MOST, ForwardTable, forward_table
from playproof.proofs.othello.retrograde.path import play_along
from playproof.proofs.othello.retrograde.search import Memory, Search, check_position
from playproof.rules import othello as rules

BLOCK = 64  # candidates in a job: some seconds, at most some minutes
_KIND = "playproof othello census 1"

Progress = Callable[["Census"], None]


@dataclass(frozen=True)
class ReachablePosition:
    """A candidate that play reaches, and a game that leads there."""

    position: str
    """The position at the end of the record: an image of the candidate."""
    record: str


@dataclass(frozen=True)
class Census:
    """How far a census has come, and what it has found."""

    total: int
    """Candidates up to symmetry and colours."""
    done: int
    reachable: tuple[ReachablePosition, ...]
    unknown: int
    """Candidates given up at the limit of nodes."""
    nodes: int
    """Positions taken back."""
    seconds: float
    """Of searching, all workers together, earlier runs included."""

    @property
    def finished(self) -> bool:
        return self.done == self.total


def census(
    starts: Words | Iterable[tuple[int, int]],
    *,
    size: int = 8,
    forward: int = MOST,
    workers: int | None = 1,
    store: str | Path | None = None,
    megabytes: float = 1024,
    nodes: int | None = None,
    seconds: float | None = None,
    stop: StopFlag | None = None,
    progress: Progress | None = None,
) -> Census:
    """Decide for each of ``starts``, rows (own, opponent), whether it is reachable.

    ``forward`` is the number of stones to which the forward table goes.
    ``store`` is the file of what is done; a census over the same candidates
    goes on from it.  Each worker remembers dead positions in ``megabytes``.
    ``nodes`` limits the search of one candidate, ``seconds`` and ``stop`` the
    whole: it then returns unfinished.
    """
    candidates = _candidates(starts, size)
    blocks = [candidates[i : i + BLOCK] for i in range(0, len(candidates), BLOCK)]
    ends = time.monotonic() + (float("inf") if seconds is None else seconds)
    with _Store(store, _header(candidates, size, nodes)) as kept:
        count = Count(len(candidates), kept.lines)
        left = [i for i in range(len(blocks)) if i not in kept.lines]
        if left:
            forward_table(forward, size)  # once, before every worker would make its own
        jobs = ((i, blocks[i].tolist(), size, forward, megabytes, nodes) for i in left)
        for line in _run(jobs, workers, lambda: time.monotonic() > ends or _raised(stop), stop):
            kept.add(line)
            if progress:
                progress(count.census())
        return count.census()


def _raised(stop: StopFlag | None) -> bool:
    return stop is not None and bool(stop[0])


class Count:
    """The sum of the lines so far."""

    def __init__(self, total: int, lines: dict[int, dict[str, Any]]) -> None:
        self.total, self.lines = total, lines

    def census(self) -> Census:
        lines = [self.lines[i] for i in sorted(self.lines)]
        return Census(
            total=self.total,
            done=sum(line["starts"] for line in lines),
            reachable=tuple(
                ReachablePosition(p, r) for line in lines for p, r in line["reachable"]
            ),
            unknown=sum(line["unknown"] for line in lines),
            nodes=sum(line["nodes"] for line in lines),
            seconds=sum(line["seconds"] for line in lines),
        )


def _candidates(starts: Words | Iterable[tuple[int, int]], size: int) -> Words:
    """The distinct least images, in the order of their occupied squares."""
    images = set()
    for own, opponent in starts:
        check_position(int(own), int(opponent), size)
        if (int(own) | int(opponent)).bit_count() <= FIRST:
            raise UsageError(f"a candidate of a census has more than {FIRST} stones")
        a, b, _ = canonical(np.uint64(own), np.uint64(opponent), 0, size)
        images.add((int(a), int(b)))
    ordered = sorted(images, key=lambda image: (image[0] | image[1], image))
    return np.array(ordered, np.uint64).reshape(-1, 2)


def _run(
    jobs: Iterable[tuple[Any, ...]],
    workers: int | None,
    over: Callable[[], bool],
    stop: StopFlag | None,
) -> Iterator[dict[str, Any]]:
    """The lines of the jobs as they come, until ``over``; ``stop`` ends a block of this process
    in its middle, and then there is no line of it."""
    with executor(workers) as pool:
        if isinstance(pool, SerialExecutor):
            for job in jobs:
                if over():
                    return
                line = pool.submit(search_block, *job, stop).result()
                if _raised(stop):
                    return
                yield line
            return
        waiting: list[Future[dict[str, Any]]] = [pool.submit(search_block, *job) for job in jobs]
        for future in as_completed(waiting):
            yield future.result()
            if over():
                for other in waiting:
                    other.cancel()
                return


# In a worker

_own_memory: dict[tuple[int, float], Memory] = {}


def _memory(size: int, megabytes: float) -> Memory:
    """This process's memory of dead positions."""
    key = size, megabytes
    if key not in _own_memory:
        _own_memory.clear()
        _own_memory[key] = Memory(megabytes)
    return _own_memory[key]


_own_table: dict[tuple[int, int], ForwardTable] = {}


def _table(stones: int, size: int) -> ForwardTable:
    key = stones, size
    if key not in _own_table:
        _own_table.clear()
        _own_table[key] = forward_table(stones, size, check=False)
    return _own_table[key]


def search_block(
    number: int,
    block: list[tuple[int, int]],
    size: int,
    forward: int,
    megabytes: float,
    nodes: int | None,
    stop: StopFlag | None = None,
) -> dict[str, Any]:
    """Decide one block; its line for the file."""
    # Once for all of them: Ctrl-C, where it reaches this process, ends the block.
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
) -> dict[str, Any]:
    began = time.perf_counter()
    game = make("othello", size=size)
    assert isinstance(game, Othello)
    table, memory = _table(forward, size), _memory(size, megabytes)
    reachable, unknown, explored = [], 0, 0
    for own, opponent in block:
        search = Search(table, memory, exact=False)
        found, way = search.run(own, opponent, 0, nodes=nodes, stop=flag)
        explored += int(search.statistics[kernels.NODES])
        if found == kernels.STOPPED:
            unknown += 1
        elif found == kernels.FOUND:
            state: State = play_along(game, way, exact=False)
            record = game.join_moves([state.name(action) for action in state.actions])
            reachable.append([state.position, record])
    return {
        "block": number,
        "starts": len(block),
        "reachable": reachable,
        "unknown": unknown,
        "nodes": explored,
        "seconds": round(time.perf_counter() - began, 3),
    }


# The file


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


class _Store:
    """Finished blocks, in memory and in a file if one is wanted."""

    def __init__(self, path: str | Path | None, header: dict[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.header = header
        self.lines: dict[int, dict[str, Any]] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> _Store:
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
        # A line that was cut short by a sudden end is not there.
        whole = text[: text.rfind(b"\n") + 1]
        lines = whole.splitlines()
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
        file.truncate(len(whole))  # only now: the file is ours
        if not lines:
            self._append(self.header)

    def add(self, line: dict[str, Any]) -> None:
        self._append(line)
        self.lines[line["block"]] = line

    def _append(self, line: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
