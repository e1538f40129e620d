"""The passes over whole slices, on the CPU's cores."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from collections.abc import Callable
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
from playproof.tables.choko.slices import Slice
from playproof.tables.choko.solve import Around, Codes, Counts, Flags, Known, Tick, Turn, Ways
from playproof.tables.choko.value_codes import CANDIDATE, DRAW, UNKNOWN, packed, unpacked

_MAPS = (UINT32S, UINT16S, UINT32S, UINT32S)
_WORDS = types.Array(uint64, 1, "C")
_COUNTS = types.Array(int64, 1, "C")
_CELLS = 1 << 16  # to a portion of work: many more portions than cores
_EIGHTS = 1 << 14  # words of eight cells


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
        if has(words[word], lost):
            for cell in range(8 * word, 8 * word + 8):
                if codes[cell] == lost:
                    mark_at(
                        atlas, ranks, orbits, reps, shape, mover, cell, mirror_codes,
                        mirror_exits, won,
                    )  # fmt: skip
        if has(exit_words[word], won):
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
    found = 0
    for word in range(first, end):
        if has(words[word], won):
            for cell in range(8 * word, 8 * word + 8):
                if codes[cell] == won:
                    found += 1
                    mark_at(
                        atlas, ranks, orbits, reps, shape, mover, cell, mirror_codes,
                        mirror_exits, CANDIDATE,
                    )  # fmt: skip
    return found


@kernel(
    int64(*_MAPS, SHAPE, int64, _WORDS, BYTES, _WORDS, BYTES, BYTES, int64, int64, int64),
    counted=False,
)
def _losses(
    atlas, ranks, orbits, reps, shape, mover, words, codes, exit_words, exits, mirror_codes, lost,
    first, end,
):  # fmt: skip
    found = 0
    for word in range(first, end):
        if has(words[word], CANDIDATE) or has(exit_words[word], lost):
            for cell in range(8 * word, 8 * word + 8):
                if may_be_lost(codes, exits, cell, lost):
                    found += int64(
                        settle_at(
                            atlas, ranks, orbits, reps, shape, mover, cell, codes, exits,
                            mirror_codes, lost,
                        )
                    )  # fmt: skip
    return found


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
    found = 0
    for cell in range(first, end):
        found += int64(
            disagrees_at(
                atlas, ranks, orbits, reps, shape, codes, mover, mirror_codes, even, jump_shape,
                jump_codes, by_mover, child_shape, child_codes, places, lone, wins, cell,
            )
        )  # fmt: skip
    return found


@kernel(void(BYTES, BYTES, int64, int64))
def _pack(codes, out, first, end):
    """Four cells to a byte."""
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
    """Slices in main memory, passes on all cores.

    Threads take portions of a slice in turn: compiled code runs without Python's
    lock, and rows differ too much for equal shares."""

    name = "cpu"

    def __init__(self) -> None:
        self._maps = tuple(index.maps())
        self._cores = numba.get_num_threads()
        self._threads = ThreadPoolExecutor(self._cores)

    def _share(
        self, loop: Callable[..., Any], arguments: tuple[Any, ...], size: int, portion: int,
        tick: Tick | None = None,
    ) -> int:  # fmt: skip
        """A loop over ``range(size)`` in portions; the sum of what they return."""
        if size <= portion:
            found = loop(*arguments, 0, size)
            if tick is not None:
                tick(size)
            return int(found or 0)
        jobs = [
            self._threads.submit(loop, *arguments, first, min(size, first + portion))
            for first in range(0, size, portion)
        ]
        total = 0
        for job, first in zip(jobs, range(0, size, portion), strict=True):
            total += job.result() or 0
            if tick is not None:
                tick(min(portion, size - first))
        return total

    def memory(self) -> int:
        """Bytes that are free."""
        return memory.available()

    def empty(self, cells: int) -> Codes:
        """A byte for each cell; those that fill the last word up are never asked for."""
        out = np.zeros((cells + 7) // 8 * 8, np.uint8)
        out[cells:] = DRAW
        return out

    def take(self, codes: Codes) -> Codes:
        """A slice from main memory."""
        return codes

    def give(self, codes: Codes, cells: int) -> Codes:
        """A slice to main memory."""
        return codes[:cells]

    def replies(self, forced: Slice, child: Slice, codes: Codes, tick: Tick) -> Codes:
        """The table of forced positions, laid out like the slice ``forced``."""
        out = self.empty(forced.cells)
        arguments = (
            *self._maps, shape_of(forced), out, shape_of(child), codes, forced.mover
        )  # fmt: skip
        self._share(_fill_replies, arguments, forced.cells, _CELLS, tick)
        return out

    def exits(self, one: Slice, ways: Ways, tick: Tick) -> Codes:
        """What jumps and placements are worth."""
        out, nothing = self.empty(one.cells), np.zeros(8, np.uint8)
        jump, jump_codes = ways.jump or (one, nothing)
        forced, replies = ways.placed or (one, nothing)
        arguments = (
            *self._maps, shape_of(one), out, one.mover, shape_of(jump), jump_codes,
            ways.by_mover, shape_of(forced), replies, ways.placed is not None,
            BOARD if ways.lone_jump else 0, ways.wins,
        )  # fmt: skip
        self._share(_fill_exits, arguments, one.cells, _CELLS, tick)
        return out

    def mirrored(self, one: Slice, codes: Codes) -> Codes:
        """A slice of even counts, laid out by the other side's set."""
        out = self.empty(one.cells)
        self._share(_fill_mirrored, (*self._maps, shape_of(one), codes, out), one.cells, _CELLS)
        return out

    def advance(self, both: tuple[Slice, Slice], known: Known, turn: Turn) -> int:
        """The three passes of a turn; how many losses they found."""
        wins = 0
        if turn.after_losses or turn.exits_win:
            for one in both:
                self._wins(one, known, turn)
            wins = sum(self._candidates(one, known, turn) for one in both)
        if wins or turn.exits_lose:
            return sum(self._losses(one, known, turn) for one in both)
        return 0

    def _wins(self, one: Slice, known: Known, turn: Turn) -> None:
        words, codes = _both(known.codes[one])
        arguments = (
            *self._maps, shape_of(one), one.mover, words, codes, *_both(known.exits[one]),
            known.codes[one.mirror], known.exits[one.mirror], turn.lost_before, turn.won,
        )  # fmt: skip
        self._share(_wins, arguments, len(words), _EIGHTS)

    def _candidates(self, one: Slice, known: Known, turn: Turn) -> int:
        words, codes = _both(known.codes[one])
        arguments = (
            *self._maps, shape_of(one), one.mover, words, codes,
            known.codes[one.mirror], known.exits[one.mirror], turn.won,
        )  # fmt: skip
        return self._share(_candidates, arguments, len(words), _EIGHTS)

    def _losses(self, one: Slice, known: Known, turn: Turn) -> int:
        words, codes = _both(known.codes[one])
        arguments = (
            *self._maps, shape_of(one), one.mover, words, codes, *_both(known.exits[one]),
            known.codes[one.mirror], turn.lost,
        )  # fmt: skip
        return self._share(_losses, arguments, len(words), _EIGHTS)

    def finish(self, codes: Codes) -> None:
        self._share(_finish, (codes,), len(codes), _CELLS)

    def present(self, codes: Codes, cells: int) -> Flags:
        """Which codes there are."""
        out = np.zeros(256, np.bool_)
        self._share(_present, (codes, out), cells, _CELLS)
        return out

    def histogram(self, one: Slice, codes: Codes) -> Counts:
        """How many positions of the board have each code."""
        out = np.zeros(256, np.int64)
        atlas, _, _, reps = self._maps
        _histogram(atlas, reps, shape_of(one), codes, one.rows, out)
        return out

    def disagreements(self, one: Slice, around: Around) -> int:
        """How many cells do not hold the best of their moves."""
        jump, jump_codes = around.jump or (one, around.codes)
        child, child_codes = around.child or (one, around.codes)
        arguments = (
            *self._maps, shape_of(one), around.codes, one.mover, around.mirror,
            one.large == one.small, shape_of(jump), jump_codes, around.by_mover,
            shape_of(child), child_codes, around.child is not None,
            BOARD if around.lone_jump else 0, around.wins,
        )  # fmt: skip
        return self._share(_disagreements, arguments, one.cells, _CELLS)

    def gather(self, codes: Codes, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """The codes of some cells."""
        return np.asarray(codes[cells])

    def find(self, codes: Codes, cells: int, code: int) -> int:
        """The first cell that holds ``code``, -1 if there is none."""
        for first in range(0, cells, _CELLS):
            found = np.flatnonzero(codes[first : min(cells, first + _CELLS)] == code)
            if len(found):
                return first + int(found[0])
        return -1

    def pack(self, codes: Codes) -> Codes:
        """Two bits a cell."""
        out = np.empty(len(codes) // 4, np.uint8)
        self._share(_pack, (codes, out), len(out), _CELLS)
        return out

    def unpack(self, body: Codes) -> Codes:
        """Wins and losses as if the game were over: distances are not known."""
        out = np.empty(len(body) * 4, np.uint8)
        self._share(_unpack, (body, out), len(body), _CELLS)
        return out


def _both(codes: Codes) -> tuple[npt.NDArray[np.uint64], Codes]:
    """The same memory as words and as bytes."""
    return codes.view(np.uint64), codes
