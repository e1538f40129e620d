"""The passes over whole slices, on a GPU.

The kernels hold nothing but loops: the law, the index and the passes are the
functions that the CPU runs.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import PlayproofError
from playproof.rules.choko import BOARD
from playproof.tables import choko_index as index
from playproof.tables.choko_check import disagrees_at
from playproof.tables.choko_codes import CANDIDATE, DRAW, UNKNOWN
from playproof.tables.choko_passes import (
    exit_at,
    has,
    mark_at,
    may_be_lost,
    mirrored_at,
    orbit_size,
    reply_at,
    settle_at,
    wins_by_exit,
)
from playproof.tables.choko_slices import Slice
from playproof.tables.choko_solving import Around, Codes, Counts, Flags, Known, Tick, Turn, Ways

os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")  # small slices are small
if not hasattr(np, "row_stack"):  # which numba-cuda 0.30 asks NumPy 2.5 for in vain
    np.row_stack = np.vstack  # type: ignore[attr-defined]

from numba import cuda, int32, int64, uint8

_THREADS = 256
_BLOCKS = 8192  # as many as are there at most; each goes on with what is left
_PORTION = 1 << 25  # words of eight cells that are listed at a time: 1 GiB
_FIRST_LIST = 1  # counters of lists; the one before counts finds


@cuda.jit
def _fill(words, value):
    for word in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        words[word] = value


@cuda.jit
def _fill_replies(atlas, ranks, orbits, reps, shape, out, child_shape, child_codes, mover, cells):
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        out[cell] = uint8(
            reply_at(atlas, ranks, orbits, reps, shape, cell, child_shape, child_codes, mover)
        )


@cuda.jit
def _fill_exits(
    atlas, ranks, orbits, reps, shape, out, mover, jump_shape, jump_codes, by_mover,
    reply_shape, replies, places, lone, wins, cells,
):  # fmt: skip
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        out[cell] = uint8(
            exit_at(
                atlas, ranks, orbits, reps, shape, cell, mover, jump_shape, jump_codes,
                by_mover, reply_shape, replies, places, lone, wins,
            )
        )  # fmt: skip


@cuda.jit
def _fill_mirrored(atlas, ranks, orbits, reps, shape, codes, out, cells):
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        out[cell] = mirrored_at(atlas, ranks, orbits, reps, shape, codes, cell)


# Cells with something to do are few and far between, and a warp waits for its slowest thread.
# So they are listed first, as offsets from the first cell of a portion, and then done side by
# side.  A block reserves room in the list for all its finds at once.


@cuda.jit(device=True)
def _list(found, n, counts, count, turn):
    """Where this thread may write its ``n`` finds."""
    if cuda.threadIdx.x == 0:
        found[turn] = 0
    cuda.syncthreads()
    at = cuda.atomic.add(found, turn, n) if n else 0
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        found[2] = cuda.atomic.add(counts, count, found[turn])
    cuda.syncthreads()
    return found[2] + at


@cuda.jit
def _list_code(words, codes, first, end, code, cells, counts, count):
    """List the cells that hold ``code``, from word ``first`` to ``end``."""
    found = cuda.shared.array(3, int32)
    turn = 0
    for start in range(first + cuda.blockIdx.x * cuda.blockDim.x, end, cuda.gridsize(1)):
        word = start + cuda.threadIdx.x
        n = 0
        if word < end and has(words[word], code):
            for cell in range(8 * word, 8 * word + 8):
                n += int32(codes[cell] == code)
        at = _list(found, n, counts, count, turn)
        if n:
            for cell in range(8 * word, 8 * word + 8):
                if codes[cell] == code:
                    cells[at] = cell - 8 * first
                    at += 1
        turn ^= 1


@cuda.jit
def _list_possible_losses(words, codes, exit_words, exits, first, end, lost, cells, counts, count):
    found = cuda.shared.array(3, int32)
    turn = 0
    for start in range(first + cuda.blockIdx.x * cuda.blockDim.x, end, cuda.gridsize(1)):
        word = start + cuda.threadIdx.x
        n = 0
        if word < end and (has(words[word], CANDIDATE) or has(exit_words[word], lost)):
            for cell in range(8 * word, 8 * word + 8):
                n += int32(may_be_lost(codes, exits, cell, lost))
        at = _list(found, n, counts, count, turn)
        if n:
            for cell in range(8 * word, 8 * word + 8):
                if may_be_lost(codes, exits, cell, lost):
                    cells[at] = cell - 8 * first
                    at += 1
        turn ^= 1


@cuda.jit
def _win_by_exits(words, codes, exit_words, exits, won):
    for word in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        if has(exit_words[word], won):
            for cell in range(8 * word, 8 * word + 8):
                if wins_by_exit(codes, exits, cell, won):
                    codes[cell] = uint8(won)


@cuda.jit
def _mark(
    atlas, ranks, orbits, reps, shape, mover, first, cells, counts, count, mirror_codes,
    mirror_exits, code,
):  # fmt: skip
    for i in range(cuda.grid(1), counts[count], cuda.gridsize(1)):
        cell = 8 * first + int64(cells[i])
        mark_at(atlas, ranks, orbits, reps, shape, mover, cell, mirror_codes, mirror_exits, code)


@cuda.jit
def _settle(
    atlas, ranks, orbits, reps, shape, mover, first, cells, counts, count, codes, exits,
    mirror_codes, lost,
):  # fmt: skip
    n = 0
    for i in range(cuda.grid(1), counts[count], cuda.gridsize(1)):
        cell = 8 * first + int64(cells[i])
        n += int64(
            settle_at(
                atlas, ranks, orbits, reps, shape, mover, cell, codes, exits, mirror_codes, lost
            )
        )
    if n:
        cuda.atomic.add(counts, 0, n)


@cuda.jit
def _finish(words, codes):
    for word in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        for cell in range(8 * word, 8 * word + 8):
            if codes[cell] == UNKNOWN or codes[cell] == CANDIDATE:
                codes[cell] = uint8(DRAW)


@cuda.jit
def _present(codes, cells, out):
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        out[codes[cell]] = uint8(1)


@cuda.jit
def _count(codes, cells, out):
    """How many cells hold each code, counted in a block's shared memory first."""
    here = cuda.shared.array(256, int32)
    for code in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        here[code] = 0
    cuda.syncthreads()
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        cuda.atomic.add(here, codes[cell], 1)
    cuda.syncthreads()
    for code in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        if here[code]:
            cuda.atomic.add(out, code, int64(here[code]))


@cuda.jit
def _count_symmetric(atlas, reps, shape, codes, rows, out):
    """What ``_count``, times eight, counts too much: rows that stand for fewer positions."""
    columns = shape[index.COLUMNS]
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        size = orbit_size(atlas, int64(reps[shape[index.FIRST_REP] + row]))
        if size < 8:
            for column in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
                cuda.atomic.add(out, codes[row * columns + column], int64(8 - size))


@cuda.jit
def _disagreements(
    atlas, ranks, orbits, reps, shape, codes, mover, mirror_codes, even, jump_shape, jump_codes,
    by_mover, child_shape, child_codes, places, lone, wins, cells, found,
):  # fmt: skip
    n = 0
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        if disagrees_at(
            atlas, ranks, orbits, reps, shape, codes, mover, mirror_codes, even, jump_shape,
            jump_codes, by_mover, child_shape, child_codes, places, lone, wins, cell,
        ):  # fmt: skip
            n += 1
    if n:
        cuda.atomic.add(found, 0, n)


@cuda.jit
def _gather(codes, cells, out):
    for i in range(cuda.grid(1), len(cells), cuda.gridsize(1)):
        out[i] = codes[cells[i]]


@cuda.jit
def _find(codes, cells, code, first):
    for cell in range(cuda.grid(1), cells, cuda.gridsize(1)):
        if codes[cell] == code:
            cuda.atomic.min(first, 0, cell)
            return


@cuda.jit
def _pack(codes, out):
    """Two bits a cell: 0 drawn, 1 won, 2 lost; four cells to a byte."""
    for byte in range(cuda.grid(1), len(out), cuda.gridsize(1)):
        packed = 0
        for i in range(4):
            code = codes[4 * byte + i]
            packed |= (int64(code > DRAW) | int64(code < DRAW) << 1) << 2 * i
        out[byte] = uint8(packed)


@cuda.jit
def _unpack(packed, out):
    for byte in range(cuda.grid(1), len(packed), cuda.gridsize(1)):
        for i in range(4):
            value = packed[byte] >> 2 * i & 3
            out[4 * byte + i] = uint8(255 if value == 1 else 1 if value == 2 else DRAW)


class Cuda:
    """Slices in the memory of a GPU."""

    name = "cuda"

    def __init__(self) -> None:
        if not cuda.is_available():
            raise PlayproofError(
                "no GPU can be used here: want a CUDA device and numba-cuda, or --device cpu"
            )
        self._maps = tuple(cuda.to_device(part) for part in index.maps())
        self._shape = functools.cache(lambda one: cuda.to_device(index.shape_of(one)))
        self._cells = cuda.device_array(8 * _PORTION, np.uint32)
        self._counts = cuda.to_device(np.zeros(256, np.int64))
        self._used = _FIRST_LIST

    def memory(self) -> int:
        free, _ = cuda.current_context().get_memory_info()
        return int(min(free, 1 << 62))  # the simulator has no end of it

    def _run(self, loop: Any, size: int, *arguments: Any) -> None:
        blocks = max(1, min(_BLOCKS, (size + _THREADS - 1) // _THREADS))
        loop[blocks, _THREADS](*arguments)

    def _counted(self, loop: Any, size: int, *arguments: Any) -> int:
        self._run(_fill, 1, self._counts, 0)
        self._run(loop, size, *arguments, self._counts)
        return int(self._counts.copy_to_host()[0])

    def _bytes(self, size: int) -> Any:
        # Freed memory is kept for later by default; slices are too large for that.
        waiting = getattr(cuda.current_context(), "deallocations", None)
        if waiting is not None:  # the simulator has none
            waiting.clear()
        try:
            return cuda.device_array(size, np.uint8)
        except Exception as error:  # whatever the driver's own error is called
            if "OUT_OF_MEMORY" not in str(error).upper():
                raise
            raise PlayproofError(
                f"the GPU has no {size / 2**30:.1f} GiB left: want fewer --pieces, or --out "
                "instead of --in-memory"
            ) from None

    def empty(self, cells: int) -> Codes:
        out = self._bytes((cells + 7) // 8 * 8)
        words = out.view(np.uint64)
        self._run(_fill, len(words), words, np.uint64(0))
        if cells % 8:
            out[cells:].copy_to_device(np.full(len(out) - cells, DRAW, np.uint8))
        return out

    def take(self, codes: npt.NDArray[np.uint8]) -> Codes:
        out = self.empty(len(codes))
        out[: len(codes)].copy_to_device(codes)
        return out

    def give(self, codes: Codes, cells: int) -> npt.NDArray[np.uint8]:
        whole: npt.NDArray[np.uint8] = codes.copy_to_host()
        return whole[:cells]

    def replies(self, forced: Slice, child: Slice, codes: Codes, tick: Tick) -> Codes:
        out = self.empty(forced.cells)
        self._run(
            _fill_replies, forced.cells, *self._maps, self._shape(forced), out,
            self._shape(child), codes, forced.mover, forced.cells,
        )  # fmt: skip
        tick(forced.cells)
        return out

    def exits(self, one: Slice, ways: Ways, tick: Tick) -> Codes:
        out = self.empty(one.cells)
        jump, jump_codes = ways.jump or (one, out)
        forced, replies = ways.placed or (one, out)
        self._run(
            _fill_exits, one.cells, *self._maps, self._shape(one), out, one.mover,
            self._shape(jump), jump_codes, ways.by_mover, self._shape(forced), replies,
            ways.placed is not None, BOARD if ways.lone_jump else 0, ways.wins, one.cells,
        )  # fmt: skip
        tick(one.cells)
        return out

    def mirrored(self, one: Slice, codes: Codes) -> Codes:
        out = self.empty(one.cells)
        self._run(_fill_mirrored, one.cells, *self._maps, self._shape(one), codes, out, one.cells)
        return out

    def advance(self, both: tuple[Slice, Slice], known: Known, turn: Turn) -> int:
        self._used = _FIRST_LIST
        self._run(_fill, len(self._counts), self._counts, 0)
        if turn.after_losses:
            for one in both:
                self._mark(one, known, turn.lost_before, turn.won)
        if turn.exits_win:
            for one in both:
                words, codes = _both(known.codes[one])
                exits = _both(known.exits[one])
                self._run(_win_by_exits, len(words), words, codes, *exits, turn.won)
        if turn.after_losses or turn.exits_win:
            for one in both:
                self._mark(one, known, turn.won, CANDIDATE)
        for one in both:
            self._settle(one, known, turn.lost)
        return int(self._counts.copy_to_host()[0])

    def _mark(self, one: Slice, known: Known, code: int, mark: int) -> None:
        """Mark what can step to the cells that hold ``code``."""
        words, codes = _both(known.codes[one])
        for first, end, at in self._portions(len(words)):
            self._run(
                _list_code, end - first, words, codes, first, end, code, self._cells,
                self._counts, at,
            )  # fmt: skip
            self._run(
                _mark, 8 * (end - first), *self._maps, self._shape(one), one.mover, first,
                self._cells, self._counts, at, known.codes[one.mirror], known.exits[one.mirror],
                mark,
            )  # fmt: skip

    def _settle(self, one: Slice, known: Known, lost: int) -> None:
        """Losses among the candidates."""
        words, codes = _both(known.codes[one])
        exit_words, exits = _both(known.exits[one])
        for first, end, at in self._portions(len(words)):
            self._run(
                _list_possible_losses, end - first, words, codes, exit_words, exits, first, end,
                lost, self._cells, self._counts, at,
            )  # fmt: skip
            self._run(
                _settle, 8 * (end - first), *self._maps, self._shape(one), one.mover, first,
                self._cells, self._counts, at, codes, exits, known.codes[one.mirror], lost,
            )  # fmt: skip

    def _portions(self, words: int) -> Iterator[tuple[int, int, int]]:
        """Ranges of words whose cells fit into the list, each with a counter of its own."""
        for first in range(0, words, _PORTION):
            yield first, min(words, first + _PORTION), self._used
            self._used += 1

    def finish(self, codes: Codes) -> None:
        words, _ = _both(codes)
        self._run(_finish, len(words), words, codes)

    def present(self, codes: Codes, cells: int) -> Flags:
        out = cuda.to_device(np.zeros(256, np.uint8))
        self._run(_present, cells, codes, cells, out)
        return np.asarray(out.copy_to_host(), np.bool_)

    def histogram(self, one: Slice, codes: Codes) -> Counts:
        out, less = (cuda.to_device(np.zeros(256, np.int64)) for _ in range(2))
        self._run(_count, one.cells, codes, one.cells, out)
        atlas, _, _, reps = self._maps
        self._run(
            _count_symmetric, one.rows * _THREADS, atlas, reps, self._shape(one), codes, one.rows,
            less,
        )  # fmt: skip
        return np.asarray(8 * out.copy_to_host() - less.copy_to_host())

    def disagreements(self, one: Slice, around: Around) -> int:
        jump, jump_codes = around.jump or (one, around.codes)
        child, child_codes = around.child or (one, around.codes)
        return self._counted(
            _disagreements, one.cells, *self._maps, self._shape(one), around.codes, one.mover,
            around.mirror, one.large == one.small, self._shape(jump), jump_codes, around.by_mover,
            self._shape(child), child_codes, around.child is not None,
            BOARD if around.lone_jump else 0, around.wins, one.cells,
        )  # fmt: skip

    def gather(self, codes: Codes, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        out = self._bytes(len(cells))
        self._run(_gather, len(cells), codes, cuda.to_device(cells), out)
        return np.asarray(out.copy_to_host())

    def find(self, codes: Codes, cells: int, code: int) -> int:
        first = cuda.to_device(np.array([cells], np.int64))
        self._run(_find, cells, codes, cells, code, first)
        found = int(first.copy_to_host()[0])
        return found if found < cells else -1

    def pack(self, codes: Codes) -> Codes:
        out = self._bytes(len(codes) // 4)
        self._run(_pack, len(out), codes, out)
        return out

    def unpack(self, packed: Codes) -> Codes:
        out = self._bytes(len(packed) * 4)
        self._run(_unpack, len(packed), packed, out)
        return out


def _both(codes: Codes) -> tuple[Any, Codes]:
    """The same memory as words and as bytes."""
    return codes.view(np.uint64), codes
