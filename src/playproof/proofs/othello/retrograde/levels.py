"""Levels of the forward table: the distinct positions with one number of stones.

While it is built, a level is a list with a hash table of indices into it.  The
finished level is sorted by the leading bits of the hashes, and ``offsets`` says
where the positions with the same bits start, so that a lookup touches memory
twice.  A level consists of flat arrays only, so it can be stored in a file and
shared between processes.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint8, uint32, uint64, void
from numba.extending import register_jitable

from playproof.core.bits import mix
from playproof.core.compiling import kernel
from playproof.core.kernels import ROWS, Words

MASKS = types.Array(uint8, 1, "C")
PLACES = types.Array(uint32, 1, "C")
_FREE = 0xFFFFFFFF
_FIRST_SLOTS = 1 << 12
_BUCKET_SIZE = 4  # positions that share the leading bits, on average
_NONE = np.uint8(0)

Masks = npt.NDArray[np.uint8]
Places = npt.NDArray[np.uint32]


@register_jitable
def hash_of(own, opponent):
    """The hash of a position."""
    return mix(own ^ mix(opponent))


@kernel(int64(ROWS, MASKS, int64, ROWS, MASKS, int64, PLACES))
def _insert(rows, masks, n, level_rows, level_masks, size, slots):
    """Insert ``rows[:n]`` into ``level_rows[:size]``; returns the new size.

    If a position is already there, its masks are united.
    """
    limit = uint64(slots.shape[0] - 1)
    for i in range(n):
        own, opponent = rows[i, 0], rows[i, 1]
        slot = hash_of(own, opponent) & limit
        while True:
            place = slots[slot]
            if place == uint32(_FREE):
                slots[slot] = uint32(size)
                level_rows[size, 0], level_rows[size, 1] = own, opponent
                level_masks[size] = masks[i]
                size += 1
                break
            if level_rows[place, 0] == own and level_rows[place, 1] == opponent:
                level_masks[place] |= masks[i]
                break
            slot = (slot + uint64(1)) & limit
    return size


@kernel(void(ROWS, int64, PLACES))
def _rehash(rows, size, slots):
    limit = uint64(slots.shape[0] - 1)
    for i in range(size):
        slot = hash_of(rows[i, 0], rows[i, 1]) & limit
        while slots[slot] != uint32(_FREE):
            slot = (slot + uint64(1)) & limit
        slots[slot] = uint32(i)


@kernel(void(ROWS, MASKS, int64, ROWS, MASKS, PLACES))
def _arrange(rows, masks, bits, out, out_masks, offsets):
    """Counting sort by the leading ``bits`` of the hash."""
    shift = uint64(64 - bits)
    buckets = offsets.shape[0] - 1
    offsets[:] = uint32(0)
    for i in range(rows.shape[0]):
        # Shifting a word by all of its 64 bits is undefined.
        h = hash_of(rows[i, 0], rows[i, 1]) >> shift if bits else uint64(0)
        offsets[h + uint64(1)] += uint32(1)
    for b in range(buckets):
        offsets[b + 1] += offsets[b]
    place = offsets[:buckets].copy()
    for i in range(rows.shape[0]):
        h = hash_of(rows[i, 0], rows[i, 1]) >> shift if bits else uint64(0)
        at = int64(place[h])
        place[h] += uint32(1)
        out[at, 0], out[at, 1] = rows[i, 0], rows[i, 1]
        out_masks[at] = masks[i]


@register_jitable
def look_up(own, opponent, rows, masks, offsets):
    """The mask of a position; 0 if it is not in the level."""
    buckets = offsets.shape[0] - 1
    # The leading bits as a number below ``buckets``, a power of two.
    h = (hash_of(own, opponent) >> uint64(32)) * uint64(buckets) >> uint64(32)
    for i in range(int64(offsets[h]), int64(offsets[h + uint64(1)])):
        if rows[i, 0] == own and rows[i, 1] == opponent:
            return masks[i]
    return _NONE


@kernel(uint8(uint64, uint64, ROWS, MASKS, PLACES))
def _look_up(own, opponent, rows, masks, offsets):
    return look_up(own, opponent, rows, masks, offsets)


class ForwardLevel(NamedTuple):
    """A finished level."""

    rows: Words  # (positions, 2) own and opponent
    masks: Masks  # (positions,) a bit for each variant
    offsets: Places  # (buckets + 1,) where each bucket starts

    def __contains__(self, position: object) -> bool:
        assert isinstance(position, tuple)
        return self.mask(*position) != 0

    def mask(self, own: int, opponent: int) -> int:
        """A bit for each variant of this least image that is in the level."""
        return int(_look_up(np.uint64(own), np.uint64(opponent), *self))


class LevelBuilder:
    """A level that is being built."""

    def __init__(self, capacity: int = 1 << 12) -> None:
        # Untouched pages cost no memory, so a large capacity is cheap.
        self._rows: Words = np.empty((capacity, 2), np.uint64)
        self._masks: Masks = np.empty(capacity, np.uint8)
        self._slots: Places = np.full(_FIRST_SLOTS, _FREE, np.uint32)
        self.size = 0

    @property
    def rows(self) -> Words:
        return self._rows[: self.size]

    @property
    def masks(self) -> Masks:
        return self._masks[: self.size]

    def insert(self, rows: Words, masks: Masks, n: int) -> None:
        """Insert ``rows[:n]``, of which only the first two words are used."""
        most = self.size + n
        if most > len(self._masks):
            capacity = max(most, 2 * len(self._masks))
            more = capacity - self.size
            self._rows = np.concatenate([self.rows, np.empty((more, 2), np.uint64)])
            self._masks = np.concatenate([self.masks, np.empty(more, np.uint8)])
        if 3 * most > 2 * len(self._slots):  # at most two thirds full
            self._slots = np.full(1 << (3 * most // 2).bit_length(), _FREE, np.uint32)
            _rehash(self._rows, self.size, self._slots)
        self.size = int(_insert(rows, masks, n, self._rows, self._masks, self.size, self._slots))

    def finish(self) -> ForwardLevel:
        """The finished level, sorted for lookups."""
        bits = max(0, (self.size // _BUCKET_SIZE).bit_length())
        level = ForwardLevel(
            np.empty((self.size, 2), np.uint64),
            np.empty(self.size, np.uint8),
            np.empty((1 << bits) + 1, np.uint32),
        )
        _arrange(self.rows, self.masks, bits, *level)
        return level
