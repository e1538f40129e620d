"""Legal moves of packed positions, and where among them the moves to learn are; compiled."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import int16, int32, int64, prange, types

from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, ROWS, WORDS
from playproof.games.chess.kernels import actions
from playproof.learning.datasets.packed import unpack

_SHORTS = types.Array(int16, 2, "C")
_BLOCK = 64  # positions to a task, so that scratch space is made seldom
ROOM = 256  # moves of a position at most


@kernel(types.void(WORDS, WORDS, ROWS, _SHORTS, _SHORTS, _SHORTS, COUNTS), parallel=True)
def legal_and_slots(options, tables, packed, wanted, legal, slots, counts):
    """List the moves of (n, 5) packed positions.

    wanted  (n, k) moves to learn, -1 for none
    legal   (n, ROOM) gets the legal moves, -1 after the last
    slots   (n, k) gets the places of the wanted ones among them, -1 for none, -2 if not legal
    counts  (n,) gets how many are legal
    """
    n = packed.shape[0]
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        row, past = np.empty(8, np.uint64), np.empty(0, np.uint64)
        found = np.empty(ROOM, np.int32)
        for i in range(block * _BLOCK, min(n, (block + 1) * _BLOCK)):
            unpack(packed[i], row)
            count = int64(actions(options, tables, row, past, found))
            counts[i] = count
            for j in range(ROOM):
                legal[i, j] = int16(found[j]) if j < count else int16(-1)
            for k in range(wanted.shape[1]):
                place = int16(-1) if wanted[i, k] < 0 else int16(-2)
                for j in range(count):
                    if found[j] == int32(wanted[i, k]):
                        place = int16(j)
                slots[i, k] = place
