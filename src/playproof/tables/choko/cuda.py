"""Slices of Choko in the memory of a GPU, and the passes over them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import PlayproofError
from playproof.rules.choko import BOARD
from playproof.tables.choko import cuda_kernels as loops
from playproof.tables.choko import index
from playproof.tables.choko.cuda_kernels import cuda
from playproof.tables.choko.slices import Slice
from playproof.tables.choko.solve import (
    Around,
    Codes,
    Counts,
    Flags,
    Known,
    Tick,
    Turn,
    Ways,
)
from playproof.tables.choko.value_codes import CANDIDATE, DRAW

_THREADS = 256
_BLOCKS = 8192  # as many as are there at most; each goes on with what is left
_PORTION = 1 << 25  # words of eight cells that are listed at a time: 1 GiB
_FIRST_LIST = 1  # counters of lists; the one before counts finds


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
        self._run(loops.fill, 1, self._counts, 0)
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
        self._run(loops.fill, len(words), words, np.uint64(0))
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
            loops.fill_replies, forced.cells, *self._maps, self._shape(forced), out,
            self._shape(child), codes, forced.mover, forced.cells,
        )  # fmt: skip
        tick(forced.cells)
        return out

    def exits(self, one: Slice, ways: Ways, tick: Tick) -> Codes:
        out = self.empty(one.cells)
        jump, jump_codes = ways.jump or (one, out)
        forced, replies = ways.placed or (one, out)
        self._run(
            loops.fill_exits, one.cells, *self._maps, self._shape(one), out, one.mover,
            self._shape(jump), jump_codes, ways.by_mover, self._shape(forced), replies,
            ways.placed is not None, BOARD if ways.lone_jump else 0, ways.wins, one.cells,
        )  # fmt: skip
        tick(one.cells)
        return out

    def mirrored(self, one: Slice, codes: Codes) -> Codes:
        out = self.empty(one.cells)
        self._run(
            loops.fill_mirrored, one.cells, *self._maps, self._shape(one), codes, out, one.cells
        )
        return out

    def advance(self, both: tuple[Slice, Slice], known: Known, turn: Turn) -> int:
        self._used = _FIRST_LIST
        self._run(loops.fill, len(self._counts), self._counts, 0)
        if turn.after_losses:
            for one in both:
                self._mark(one, known, turn.lost_before, turn.won)
        if turn.exits_win:
            for one in both:
                words, codes = _both(known.codes[one])
                exits = _both(known.exits[one])
                self._run(loops.win_by_exits, len(words), words, codes, *exits, turn.won)
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
                loops.list_code, end - first, words, codes, first, end, code, self._cells,
                self._counts, at,
            )  # fmt: skip
            self._run(
                loops.mark, 8 * (end - first), *self._maps, self._shape(one), one.mover, first,
                self._cells, self._counts, at, known.codes[one.mirror], known.exits[one.mirror],
                mark,
            )  # fmt: skip

    def _settle(self, one: Slice, known: Known, lost: int) -> None:
        """Losses among the candidates."""
        words, codes = _both(known.codes[one])
        exit_words, exits = _both(known.exits[one])
        for first, end, at in self._portions(len(words)):
            self._run(
                loops.list_possible_losses, end - first, words, codes, exit_words, exits, first,
                end, lost, self._cells, self._counts, at,
            )  # fmt: skip
            self._run(
                loops.settle, 8 * (end - first), *self._maps, self._shape(one), one.mover, first,
                self._cells, self._counts, at, codes, exits, known.codes[one.mirror], lost,
            )  # fmt: skip

    def _portions(self, words: int) -> Iterator[tuple[int, int, int]]:
        """Ranges of words whose cells fit into the list, each with a counter of its own."""
        for first in range(0, words, _PORTION):
            yield first, min(words, first + _PORTION), self._used
            self._used += 1

    def finish(self, codes: Codes) -> None:
        words, _ = _both(codes)
        self._run(loops.finish, len(words), words, codes)

    def present(self, codes: Codes, cells: int) -> Flags:
        out = cuda.to_device(np.zeros(256, np.uint8))
        self._run(loops.present, cells, codes, cells, out)
        return np.asarray(out.copy_to_host(), np.bool_)

    def histogram(self, one: Slice, codes: Codes) -> Counts:
        out, less = (cuda.to_device(np.zeros(256, np.int64)) for _ in range(2))
        self._run(loops.count, one.cells, codes, one.cells, out)
        atlas, _, _, reps = self._maps
        self._run(
            loops.count_symmetric, one.rows * _THREADS, atlas, reps, self._shape(one), codes,
            one.rows, less,
        )  # fmt: skip
        return np.asarray(8 * out.copy_to_host() - less.copy_to_host())

    def disagreements(self, one: Slice, around: Around) -> int:
        jump, jump_codes = around.jump or (one, around.codes)
        child, child_codes = around.child or (one, around.codes)
        return self._counted(
            loops.disagreements, one.cells, *self._maps, self._shape(one), around.codes, one.mover,
            around.mirror, one.large == one.small, self._shape(jump), jump_codes, around.by_mover,
            self._shape(child), child_codes, around.child is not None,
            BOARD if around.lone_jump else 0, around.wins, one.cells,
        )  # fmt: skip

    def gather(self, codes: Codes, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        out = self._bytes(len(cells))
        self._run(loops.gather, len(cells), codes, cuda.to_device(cells), out)
        return np.asarray(out.copy_to_host())

    def find(self, codes: Codes, cells: int, code: int) -> int:
        first = cuda.to_device(np.array([cells], np.int64))
        self._run(loops.find, cells, codes, cells, code, first)
        found = int(first.copy_to_host()[0])
        return found if found < cells else -1

    def pack(self, codes: Codes) -> Codes:
        out = self._bytes(len(codes) // 4)
        self._run(loops.pack, len(out), codes, out)
        return out

    def unpack(self, body: Codes) -> Codes:
        out = self._bytes(len(body) * 4)
        self._run(loops.unpack, len(body), body, out)
        return out


def _both(codes: Codes) -> tuple[Any, Codes]:
    """The same memory as words and as bytes."""
    return codes.view(np.uint64), codes
