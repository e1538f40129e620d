"""Compiled code that lists the legal moves of packed positions and finds the target moves."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import int16, int32, int64, prange, types

from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, ROWS, WORDS
from playproof.games.chess.kernels import actions
from playproof.learning.datasets.packed import unpack

_SHORTS = types.Array(int16, 2, "C")
_BLOCK = 64  # positions in a parallel task, so that scratch space is allocated rarely
ROOM = 256  # the most moves of a position


@kernel(types.void(WORDS, WORDS, ROWS, _SHORTS, _SHORTS, _SHORTS, COUNTS), parallel=True)
def legal_and_slots(options, tables, packed, targets, legal, slots, counts):
    """List the legal moves of (n, 5) packed positions.

    targets  (n, k) moves to learn, -1 for none
    legal    (n, ROOM) output: the legal moves, -1 after the last
    slots    (n, k) output: the index of each target in ``legal``, -1 for none, -2 if not legal
    counts   (n,) output: the number of legal moves
    """
    n = packed.shape[0]
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        row, past = np.empty(8, np.uint64), np.empty(0, np.uint64)
        moves = np.empty(ROOM, np.int32)
        for i in range(block * _BLOCK, min(n, (block + 1) * _BLOCK)):
            unpack(packed[i], row)
            count = int64(actions(options, tables, row, past, moves))
            counts[i] = count
            for j in range(ROOM):
                legal[i, j] = int16(moves[j]) if j < count else int16(-1)
            for k in range(targets.shape[1]):
                place = int16(-1) if targets[i, k] < 0 else int16(-2)
                for j in range(count):
                    if moves[j] == int32(targets[i, k]):
                        place = int16(j)
                slots[i, k] = place
