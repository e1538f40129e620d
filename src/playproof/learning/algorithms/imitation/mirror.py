"""Mirror images of chess positions without castling rights: the files in reverse order, h to a.

The mirror moves the king off its castling square, so a position with castling rights has no
mirror image.  In every other position the mirrored move is just as good.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt
from numba import boolean, int16, int64, types, uint64

from playproof.core.compiling import kernel
from playproof.core.kernels import ROWS
from playproof.rules.chess.lookup_tables import DIRECTIONS, LEAPS, PLANES, UNDER_PLANES

_SHORTS = types.Array(int16, 1, "C")
_TABLE = types.Array(int16, 2, "C")
_FLAGS = types.Array(boolean, 1, "C")


@functools.cache
def mirrored_actions() -> npt.NDArray[np.int16]:
    """The mirror image of every action, (4672,)."""
    steps = [(ranks * k, files * k) for ranks, files in DIRECTIONS for k in range(1, 8)]
    steps += LEAPS
    plane_of = {step: plane for plane, step in enumerate(steps)}
    out = np.empty(64 * PLANES, np.int16)
    for plane in range(PLANES):
        if plane < UNDER_PLANES:
            ranks, files = steps[plane]
            image = plane_of[ranks, -files]
        else:  # underpromotions: left, straight and right for each piece
            kind, side = divmod(plane - UNDER_PLANES, 3)
            image = UNDER_PLANES + 3 * kind + 2 - side
        for square in range(64):
            out[64 * plane + square] = 64 * image + (square ^ 7)
    return out


@kernel(types.void(ROWS, _TABLE, _SHORTS, _FLAGS))
def mirror(packed, moves, table, chosen):
    """Mirror the ``chosen`` ones of (n, 5) packed positions in place, and their (n, k) moves.

    Positions with castling rights are left as they are; so is -1, which is no move."""
    codes = np.empty(64, np.uint64)
    none = uint64(0xFF)
    for i in range(packed.shape[0]):
        rights = packed[i, 4] >> uint64(8)
        if not chosen[i] or rights & uint64(15) != uint64(0):
            continue
        place = uint64(0)
        for square in range(64):
            codes[square] = none
            if packed[i, 0] >> uint64(square) & uint64(1) != uint64(0):
                word = packed[i, 1] if place < uint64(16) else packed[i, 2]
                codes[square] = word >> (uint64(4) * (place & uint64(15))) & uint64(15)
                place += uint64(1)
        occupied, low, high, place = uint64(0), uint64(0), uint64(0), uint64(0)
        for square in range(64):
            code = codes[square ^ 7]
            if code == none:
                continue
            occupied |= uint64(1) << uint64(square)
            shifted = code << (uint64(4) * (place & uint64(15)))
            if place < uint64(16):
                low |= shifted
            else:
                high |= shifted
            place += uint64(1)
        packed[i, 0], packed[i, 1], packed[i, 2] = occupied, low, high
        if rights & uint64(16) != uint64(0):  # mirror the file of en passant
            packed[i, 4] ^= uint64(7) << uint64(13)
        for k in range(moves.shape[1]):
            if moves[i, k] >= 0:
                moves[i, k] = table[int64(moves[i, k])]
