"""A GPU as a device: slices in its memory, and the passes over them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
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
    Codes,
    Counts,
    Exits,
    Flags,
    Neighbours,
    PairState,
    PassTargets,
    Tick,
)
from playproof.tables.choko.value_codes import CANDIDATE, DRAW

_THREADS = 256
_BLOCKS = 8192  # at most; blocks loop over the rest
_PORTION = 1 << 25  # words of eight cells that are listed at a time: 1 GiB
_FIRST_LIST = 1  # the counters from here on hold lengths of lists; counter 0 counts results


class Cuda:
    """A device that holds slices in the memory of a GPU and runs the passes there."""

    name = "cuda"

    def __init__(self) -> None:
        if not cuda.is_available():
            raise PlayproofError(
                "no GPU can be used here: want a CUDA device and numba-cuda, or --device cpu"
            )
        self._maps = tuple(cuda.to_device(part) for part in index.maps())
        self._shape = functools.cache(lambda slice_: cuda.to_device(index.shape_of(slice_)))
        self._cells = cuda.device_array(8 * _PORTION, np.uint32)
        self._counts = cuda.to_device(np.zeros(256, np.int64))
        self._next_counter = _FIRST_LIST

    def free_memory(self) -> int:
        free, _ = cuda.current_context().get_memory_info()
        return int(min(free, 1 << 62))  # the simulator reports an infinite amount

    def _run(self, loop: Any, size: int, *arguments: Any) -> None:
        blocks = max(1, min(_BLOCKS, (size + _THREADS - 1) // _THREADS))
        loop[blocks, _THREADS](*arguments)

    def _counted(self, loop: Any, size: int, *arguments: Any) -> int:
        self._run(loops.fill, 1, self._counts, 0)
        self._run(loop, size, *arguments, self._counts)
        return int(self._counts.copy_to_host()[0])

    def _allocate(self, size: int) -> Any:
        # Numba defers deallocations by default; slices are too large for that.
        deferred = getattr(cuda.current_context(), "deallocations", None)
        if deferred is not None:  # the simulator has none
            deferred.clear()
        try:
            return cuda.device_array(size, np.uint8)
        except Exception as error:  # the class depends on the driver
            if "OUT_OF_MEMORY" not in str(error).upper():
                raise
            raise PlayproofError(
                f"the GPU cannot give {size / 2**30:.1f} GiB more: want fewer --pieces, or --out "
                "instead of --in-memory"
            ) from None

    def empty(self, cells: int) -> Codes:
        out = self._allocate((cells + 7) // 8 * 8)
        words = out.view(np.uint64)
        self._run(loops.fill, len(words), words, np.uint64(0))
        if cells % 8:
            out[cells:].copy_to_device(np.full(len(out) - cells, DRAW, np.uint8))
        return out

    def to_device(self, codes: npt.NDArray[np.uint8]) -> Codes:
        out = self.empty(len(codes))
        out[: len(codes)].copy_to_device(codes)
        return out

    def to_host(self, codes: Codes, cells: int) -> npt.NDArray[np.uint8]:
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

    def exits(self, slice_: Slice, ways: Exits, tick: Tick) -> Codes:
        out = self.empty(slice_.cells)
        jump, jump_codes = ways.jump or (slice_, out)
        forced, replies = ways.placed or (slice_, out)
        self._run(
            loops.fill_exits, slice_.cells, *self._maps, self._shape(slice_), out, slice_.mover,
            self._shape(jump), jump_codes, ways.by_mover, self._shape(forced), replies,
            ways.placed is not None, BOARD if ways.lone_jump else 0, ways.wins, slice_.cells,
        )  # fmt: skip
        tick(slice_.cells)
        return out

    def mirrored(self, slice_: Slice, codes: Codes) -> Codes:
        out = self.empty(slice_.cells)
        self._run(
            loops.fill_mirrored,
            slice_.cells,
            *self._maps,
            self._shape(slice_),
            codes,
            out,
            slice_.cells,
        )
        return out

    def advance(self, layouts: tuple[Slice, Slice], state: PairState, targets: PassTargets) -> int:
        self._next_counter = _FIRST_LIST
        self._run(loops.fill, len(self._counts), self._counts, 0)
        if targets.after_losses:
            for slice_ in layouts:
                self._mark(slice_, state, targets.lost_before, targets.won)
        if targets.exits_win:
            for slice_ in layouts:
                words, codes = _words_and_bytes(state.codes[slice_])
                exits = _words_and_bytes(state.exits[slice_])
                self._run(loops.win_by_exits, len(words), words, codes, *exits, targets.won)
        if targets.after_losses or targets.exits_win:
            for slice_ in layouts:
                self._mark(slice_, state, targets.won, CANDIDATE)
        for slice_ in layouts:
            self._settle(slice_, state, targets.lost)
        return int(self._counts.copy_to_host()[0])

    def _mark(self, slice_: Slice, state: PairState, code: int, mark: int) -> None:
        """Mark the cells from which a step leads to a cell that holds ``code``."""
        words, codes = _words_and_bytes(state.codes[slice_])
        for first, end, at in self._portions(len(words)):
            self._run(
                loops.list_code, end - first, words, codes, first, end, code, self._cells,
                self._counts, at,
            )  # fmt: skip
            self._run(
                loops.mark, 8 * (end - first), *self._maps, self._shape(slice_), slice_.mover,
                first, self._cells, self._counts, at, state.codes[slice_.mirror],
                state.exits[slice_.mirror], mark,
            )  # fmt: skip

    def _settle(self, slice_: Slice, state: PairState, lost: int) -> None:
        """Decide which candidates are lost."""
        words, codes = _words_and_bytes(state.codes[slice_])
        exit_words, exits = _words_and_bytes(state.exits[slice_])
        for first, end, at in self._portions(len(words)):
            self._run(
                loops.list_possible_losses, end - first, words, codes, exit_words, exits, first,
                end, lost, self._cells, self._counts, at,
            )  # fmt: skip
            self._run(
                loops.settle, 8 * (end - first), *self._maps, self._shape(slice_), slice_.mover,
                first, self._cells, self._counts, at, codes, exits, state.codes[slice_.mirror],
                lost,
            )  # fmt: skip

    def _portions(self, words: int) -> Iterator[tuple[int, int, int]]:
        """Ranges of words whose cells fit into the list, each with its own counter."""
        for first in range(0, words, _PORTION):
            yield first, min(words, first + _PORTION), self._next_counter
            self._next_counter += 1

    def finish(self, codes: Codes) -> None:
        words, _ = _words_and_bytes(codes)
        self._run(loops.finish, len(words), words, codes)

    def present(self, codes: Codes, cells: int) -> Flags:
        out = cuda.to_device(np.zeros(256, np.uint8))
        self._run(loops.present, cells, codes, cells, out)
        return np.asarray(out.copy_to_host(), np.bool_)

    def histogram(self, slice_: Slice, codes: Codes) -> Counts:
        # A cell stands for eight positions, for fewer if it is symmetric: ``less`` corrects that.
        out, less = (cuda.to_device(np.zeros(256, np.int64)) for _ in range(2))
        self._run(loops.count, slice_.cells, codes, slice_.cells, out)
        atlas, _, _, reps = self._maps
        self._run(
            loops.count_symmetric, slice_.rows * _THREADS, atlas, reps, self._shape(slice_), codes,
            slice_.rows, less,
        )  # fmt: skip
        return np.asarray(8 * out.copy_to_host() - less.copy_to_host())

    def disagreements(self, slice_: Slice, neighbours: Neighbours) -> int:
        jump, jump_codes = neighbours.jump or (slice_, neighbours.codes)
        child, child_codes = neighbours.child or (slice_, neighbours.codes)
        return self._counted(
            loops.disagreements, slice_.cells, *self._maps, self._shape(slice_), neighbours.codes,
            slice_.mover, neighbours.mirror, slice_.large == slice_.small, self._shape(jump),
            jump_codes, neighbours.by_mover, self._shape(child), child_codes,
            neighbours.child is not None,
            BOARD if neighbours.lone_jump else 0, neighbours.wins, slice_.cells,
        )  # fmt: skip

    def gather(
        self, groups: Sequence[tuple[Codes, npt.NDArray[np.int64]]]
    ) -> npt.NDArray[np.uint8]:
        groups = [(codes, cells) for codes, cells in groups if len(cells)]
        if not groups:
            return np.empty(0, np.uint8)
        # One copy in each direction for all slices: small copies cost more than the look-ups.
        places = cuda.to_device(np.concatenate([cells for _, cells in groups]))
        out = self._allocate(len(places))
        first = 0
        for codes, cells in groups:
            part = slice(first, first + len(cells))
            self._run(loops.gather, len(cells), codes, places[part], out[part])
            first += len(cells)
        return np.asarray(out.copy_to_host())

    def find(self, codes: Codes, cells: int, code: int) -> int:
        first = cuda.to_device(np.array([cells], np.int64))
        self._run(loops.find, cells, codes, cells, code, first)
        cell = int(first.copy_to_host()[0])
        return cell if cell < cells else -1

    def pack(self, codes: Codes) -> Codes:
        out = self._allocate(len(codes) // 4)
        self._run(loops.pack, len(out), codes, out)
        return out

    def unpack(self, body: Codes) -> Codes:
        out = self._allocate(len(body) * 4)
        self._run(loops.unpack, len(body), body, out)
        return out


def _words_and_bytes(codes: Codes) -> tuple[Any, Codes]:
    """Views of the same memory as words and as bytes."""
    return codes.view(np.uint64), codes
