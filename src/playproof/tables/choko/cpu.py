"""The CPU as a device: kernels that run the passes over whole slices, on all cores."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import boolean, int64, types, uint8, uint64, void

from playproof.core import memory
from playproof.core.compiling import kernel
from playproof.rules.choko import BOARD
from playproof.tables.choko import index
from playproof.tables.choko.cross_check import disagrees_at
from playproof.tables.choko.index import (
    BYTES,
    COLUMNS,
    FIRST_REP,
    SHAPE,
    UINT16S,
    UINT32S,
    shape_of,
)
from playproof.tables.choko.passes import (
    contains,
    exit_at,
    mark_at,
    may_be_lost,
    mirrored_at,
    orbit_size,
    reply_at,
    resolve_at,
    wins_by_exit,
)
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
from playproof.tables.choko.value_codes import CANDIDATE, DRAW, UNKNOWN, packed, unpacked

_MAPS = (UINT32S, UINT16S, UINT32S, UINT32S)
_WORDS = types.Array(uint64, 1, "C")
_COUNTS = types.Array(int64, 1, "C")
_PORTION = 1 << 16  # cells per task, so that there are many more tasks than cores
_WORD_PORTION = 1 << 14  # words of eight cells per task


@kernel(void(*_MAPS, SHAPE, BYTES, SHAPE, BYTES, int64, int64, int64), counted=False)
def _fill_replies(
    atlas, ranks, orbits, reps, shape, out, child_shape, child_codes, mover, first, end
):
    for cell in range(first, end):
        out[cell] = uint8(
            reply_at(atlas, ranks, orbits, reps, shape, cell, child_shape, child_codes, mover)
        )


@kernel(
    void(
        *_MAPS, SHAPE, BYTES, int64, SHAPE, BYTES, boolean, SHAPE, BYTES, boolean, int64, boolean,
        int64, int64,
    ),
    counted=False,
)  # fmt: skip
def _fill_exits(
    atlas, ranks, orbits, reps, shape, out, mover, jump_shape, jump_codes, by_mover,
    reply_shape, replies, places, lone, wins, first, end,
):  # fmt: skip
    for cell in range(first, end):
        out[cell] = uint8(
            exit_at(
                atlas, ranks, orbits, reps, shape, cell, mover, jump_shape, jump_codes,
                by_mover, reply_shape, replies, places, lone, wins,
            )
        )  # fmt: skip


@kernel(void(*_MAPS, SHAPE, BYTES, BYTES, int64, int64), counted=False)
def _fill_mirrored(atlas, ranks, orbits, reps, shape, codes, out, first, end):
    for cell in range(first, end):
        out[cell] = mirrored_at(atlas, ranks, orbits, reps, shape, codes, cell)


@kernel(
    void(
        *_MAPS, SHAPE, int64, _WORDS, BYTES, _WORDS, BYTES, BYTES, BYTES, int64, int64,
        int64, int64,
    ),
    counted=False,
)  # fmt: skip
def _wins(
    atlas, ranks, orbits, reps, shape, mover, words, codes, exit_words, exits,
    mirror_codes, mirror_exits, lost, won, first, end,
):  # fmt: skip
    for word in range(first, end):
        if contains(words[word], lost):
            for cell in range(8 * word, 8 * word + 8):
                if codes[cell] == lost:
                    mark_at(
                        atlas, ranks, orbits, reps, shape, mover, cell, mirror_codes,
                        mirror_exits, won,
                    )  # fmt: skip
        if contains(exit_words[word], won):
            for cell in range(8 * word, 8 * word + 8):
                if wins_by_exit(codes, exits, cell, won):
                    codes[cell] = uint8(won)


@kernel(
    int64(*_MAPS, SHAPE, int64, _WORDS, BYTES, BYTES, BYTES, int64, int64, int64), counted=False
)
def _candidates(
    atlas, ranks, orbits, reps, shape, mover, words, codes, mirror_codes, mirror_exits, won,
    first, end,
):  # fmt: skip
    count = 0
    for word in range(first, end):
        if contains(words[word], won):
            for cell in range(8 * word, 8 * word + 8):
                if codes[cell] == won:
                    count += 1
                    mark_at(
                        atlas, ranks, orbits, reps, shape, mover, cell, mirror_codes,
                        mirror_exits, CANDIDATE,
                    )  # fmt: skip
    return count


@kernel(
    int64(*_MAPS, SHAPE, int64, _WORDS, BYTES, _WORDS, BYTES, BYTES, int64, int64, int64),
    counted=False,
)
def _losses(
    atlas, ranks, orbits, reps, shape, mover, words, codes, exit_words, exits, mirror_codes, lost,
    first, end,
):  # fmt: skip
    count = 0
    for word in range(first, end):
        if contains(words[word], CANDIDATE) or contains(exit_words[word], lost):
            for cell in range(8 * word, 8 * word + 8):
                if may_be_lost(codes, exits, cell, lost):
                    count += int64(
                        resolve_at(
                            atlas, ranks, orbits, reps, shape, mover, cell, codes, exits,
                            mirror_codes, lost,
                        )
                    )  # fmt: skip
    return count


@kernel(void(BYTES, int64, int64))
def _finish(codes, first, end):
    for cell in range(first, end):
        if codes[cell] == UNKNOWN or codes[cell] == CANDIDATE:
            codes[cell] = uint8(DRAW)


@kernel(
    int64(
        *_MAPS, SHAPE, BYTES, int64, BYTES, boolean, SHAPE, BYTES, boolean, SHAPE, BYTES, boolean,
        int64, boolean, int64, int64,
    ),
    counted=False,
)  # fmt: skip
def _disagreements(
    atlas, ranks, orbits, reps, shape, codes, mover, mirror_codes, even, jump_shape, jump_codes,
    by_mover, child_shape, child_codes, places, lone, wins, first, end,
):  # fmt: skip
    count = 0
    for cell in range(first, end):
        count += int64(
            disagrees_at(
                atlas, ranks, orbits, reps, shape, codes, mover, mirror_codes, even, jump_shape,
                jump_codes, by_mover, child_shape, child_codes, places, lone, wins, cell,
            )
        )  # fmt: skip
    return count


@kernel(void(BYTES, BYTES, int64, int64))
def _pack(codes, out, first, end):
    """Pack four cells into each byte."""
    for byte in range(first, end):
        whole = 0
        for i in range(4):
            whole |= packed(codes[4 * byte + i]) << 2 * i
        out[byte] = uint8(whole)


@kernel(void(BYTES, BYTES, int64, int64))
def _unpack(body, out, first, end):
    for byte in range(first, end):
        for i in range(4):
            out[4 * byte + i] = uint8(unpacked(body[byte] >> 2 * i & 3))


@kernel(void(BYTES, types.Array(boolean, 1, "C"), int64, int64))
def _present(codes, out, first, end):
    for cell in range(first, end):
        out[codes[cell]] = True


@kernel(void(UINT32S, UINT32S, SHAPE, BYTES, int64, _COUNTS))
def _histogram(atlas, reps, shape, codes, rows, out):
    here = np.zeros(256, np.int64)
    for row in range(rows):
        here[:] = 0
        first = row * shape[COLUMNS]
        for cell in range(first, first + shape[COLUMNS]):
            here[codes[cell]] += 1
        weight = orbit_size(atlas, int64(reps[shape[FIRST_REP] + row]))
        for code in range(256):
            out[code] += weight * here[code]


class Cpu:
    """A device that holds slices in main memory and runs passes on all cores.

    Threads take small portions of a slice in turn, because rows differ too much in their work for
    equal shares. Compiled code runs without the GIL.
    """

    name = "cpu"

    def __init__(self) -> None:
        self._maps = tuple(index.maps())
        self._cores = numba.get_num_threads()
        self._threads = ThreadPoolExecutor(self._cores)

    def _run_in_portions(
        self, loop: Callable[..., Any], arguments: tuple[Any, ...], size: int, portion: int,
        tick: Tick | None = None,
    ) -> int:  # fmt: skip
        """Run a loop over ``range(size)`` in portions; returns the sum of their results."""
        if size <= portion:
            total = loop(*arguments, 0, size)
            if tick is not None:
                tick(size)
            return int(total or 0)
        futures = [
            self._threads.submit(loop, *arguments, first, min(size, first + portion))
            for first in range(0, size, portion)
        ]
        total = 0
        for future, first in zip(futures, range(0, size, portion), strict=True):
            total += future.result() or 0
            if tick is not None:
                tick(min(portion, size - first))
        return total

    def free_memory(self) -> int:
        """Bytes of free memory."""
        return memory.available()

    def empty(self, cells: int) -> Codes:
        """A zero byte for each cell, with draws as padding to a whole number of words."""
        out = np.zeros((cells + 7) // 8 * 8, np.uint8)
        out[cells:] = DRAW
        return out

    def to_device(self, codes: Codes) -> Codes:
        """Copy a slice from main memory; it is there already."""
        return codes

    def to_host(self, codes: Codes, cells: int) -> Codes:
        """Copy a slice to main memory; it is there already."""
        return codes[:cells]

    def replies(self, forced: Slice, child: Slice, codes: Codes, tick: Tick) -> Codes:
        """The codes of forced positions, laid out like the slice ``forced``."""
        out = self.empty(forced.cells)
        arguments = (
            *self._maps, shape_of(forced), out, shape_of(child), codes, forced.mover
        )  # fmt: skip
        self._run_in_portions(_fill_replies, arguments, forced.cells, _PORTION, tick)
        return out

    def exits(self, slice_: Slice, ways: Exits, tick: Tick) -> Codes:
        """The best code of each cell's jumps and placements."""
        out, nothing = self.empty(slice_.cells), np.zeros(8, np.uint8)
        jump, jump_codes = ways.jump or (slice_, nothing)
        forced, replies = ways.placed or (slice_, nothing)
        arguments = (
            *self._maps, shape_of(slice_), out, slice_.mover, shape_of(jump), jump_codes,
            ways.by_mover, shape_of(forced), replies, ways.placed is not None,
            BOARD if ways.lone_jump else 0, ways.wins,
        )  # fmt: skip
        self._run_in_portions(_fill_exits, arguments, slice_.cells, _PORTION, tick)
        return out

    def mirrored(self, slice_: Slice, codes: Codes) -> Codes:
        """The codes of a slice with even counts, laid out by the other side's set."""
        out = self.empty(slice_.cells)
        self._run_in_portions(
            _fill_mirrored, (*self._maps, shape_of(slice_), codes, out), slice_.cells, _PORTION
        )
        return out

    def advance(self, layouts: tuple[Slice, Slice], state: PairState, targets: PassTargets) -> int:
        """Run the three passes for one distance; returns how many losses they found."""
        wins = 0
        if targets.after_losses or targets.exits_win:
            for slice_ in layouts:
                self._wins(slice_, state, targets)
            wins = sum(self._candidates(slice_, state, targets) for slice_ in layouts)
        if wins or targets.exits_lose:
            return sum(self._losses(slice_, state, targets) for slice_ in layouts)
        return 0

    def _wins(self, slice_: Slice, state: PairState, targets: PassTargets) -> None:
        words, codes = _words_and_bytes(state.codes[slice_])
        arguments = (
            *self._maps, shape_of(slice_), slice_.mover, words, codes,
            *_words_and_bytes(state.exits[slice_]), state.codes[slice_.mirror],
            state.exits[slice_.mirror], targets.lost_before, targets.won,
        )  # fmt: skip
        self._run_in_portions(_wins, arguments, len(words), _WORD_PORTION)

    def _candidates(self, slice_: Slice, state: PairState, targets: PassTargets) -> int:
        words, codes = _words_and_bytes(state.codes[slice_])
        arguments = (
            *self._maps, shape_of(slice_), slice_.mover, words, codes,
            state.codes[slice_.mirror], state.exits[slice_.mirror], targets.won,
        )  # fmt: skip
        return self._run_in_portions(_candidates, arguments, len(words), _WORD_PORTION)

    def _losses(self, slice_: Slice, state: PairState, targets: PassTargets) -> int:
        words, codes = _words_and_bytes(state.codes[slice_])
        arguments = (
            *self._maps, shape_of(slice_), slice_.mover, words, codes,
            *_words_and_bytes(state.exits[slice_]), state.codes[slice_.mirror], targets.lost,
        )  # fmt: skip
        return self._run_in_portions(_losses, arguments, len(words), _WORD_PORTION)

    def finish(self, codes: Codes) -> None:
        """Turn every cell without a value into a draw."""
        self._run_in_portions(_finish, (codes,), len(codes), _PORTION)

    def present(self, codes: Codes, cells: int) -> Flags:
        """Which codes occur in a slice."""
        out = np.zeros(256, np.bool_)
        self._run_in_portions(_present, (codes, out), cells, _PORTION)
        return out

    def histogram(self, slice_: Slice, codes: Codes) -> Counts:
        """How many positions have each code, symmetric ones counted separately."""
        out = np.zeros(256, np.int64)
        atlas, _, _, reps = self._maps
        _histogram(atlas, reps, shape_of(slice_), codes, slice_.rows, out)
        return out

    def disagreements(self, slice_: Slice, neighbours: Neighbours) -> int:
        """How many cells do not hold the best value of their moves."""
        jump, jump_codes = neighbours.jump or (slice_, neighbours.codes)
        child, child_codes = neighbours.child or (slice_, neighbours.codes)
        arguments = (
            *self._maps, shape_of(slice_), neighbours.codes, slice_.mover, neighbours.mirror,
            slice_.large == slice_.small, shape_of(jump), jump_codes, neighbours.by_mover,
            shape_of(child), child_codes, neighbours.child is not None,
            BOARD if neighbours.lone_jump else 0, neighbours.wins,
        )  # fmt: skip
        return self._run_in_portions(_disagreements, arguments, slice_.cells, _PORTION)

    def gather(
        self, groups: Sequence[tuple[Codes, npt.NDArray[np.int64]]]
    ) -> npt.NDArray[np.uint8]:
        """The codes of some cells of several slices, one slice after the other."""
        parts = [np.asarray(codes[cells]) for codes, cells in groups]
        return np.concatenate(parts) if parts else np.empty(0, np.uint8)

    def find(self, codes: Codes, cells: int, code: int) -> int:
        """The first cell that holds ``code``, -1 if there is none."""
        for first in range(0, cells, _PORTION):
            matches = np.flatnonzero(codes[first : min(cells, first + _PORTION)] == code)
            if len(matches):
                return first + int(matches[0])
        return -1

    def pack(self, codes: Codes) -> Codes:
        """The outcomes of a slice, two bits per cell."""
        out = np.empty(len(codes) // 4, np.uint8)
        self._run_in_portions(_pack, (codes, out), len(out), _PORTION)
        return out

    def unpack(self, body: Codes) -> Codes:
        """Codes for packed outcomes; as distances are not known, the game ends at once."""
        out = np.empty(len(body) * 4, np.uint8)
        self._run_in_portions(_unpack, (body, out), len(body), _PORTION)
        return out


def _words_and_bytes(codes: Codes) -> tuple[npt.NDArray[np.uint64], Codes]:
    """Views of the same memory as words and as bytes."""
    return codes.view(np.uint64), codes
