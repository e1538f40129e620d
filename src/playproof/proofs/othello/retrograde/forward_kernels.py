"""One level of Othello forward, compiled."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, types, uint8, uint64

from playproof.core.bits import popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import ROWS
from playproof.proofs.othello.retrograde.canonical import (
    least_image,
    variants_after_ply,
    variants_at_image,
)
from playproof.proofs.othello.retrograde.levels import MASKS
from playproof.rules import othello as rules

_ZERO, _ONE = uint64(0), uint64(1)


@kernel(int64(ROWS, uint64))
def count_children(rows, squares):
    """How many placements there are in all ``rows``."""
    n = 0
    for i in range(rows.shape[0]):
        n += popcount(uint64(rules.moves(rows[i, 0], rows[i, 1], squares)))
    return n


@kernel(types.UniTuple(int64, 2)(ROWS, MASKS, int64, uint64, int64, ROWS, MASKS))
def expand(parents, masks, begin, squares, size, rows, row_masks):
    """Least images of the children of ``parents[begin:]`` until the rows are full.

    A pass is stepped over; a finished game is left out.  How many rows count,
    and the first parent that was not expanded.
    """
    n, i = 0, begin
    while i < parents.shape[0] and n + 64 <= rows.shape[0]:
        own, opponent = parents[i, 0], parents[i, 1]
        left = uint64(rules.moves(own, opponent, squares))
        while left != _ZERO:
            move = left & (~left + _ONE)
            left ^= move
            turned = uint64(rules.flips(own, opponent, move))
            a, b = opponent ^ turned, own | turned | move
            mask = variants_after_ply(int64(masks[i]))
            if uint64(rules.moves(a, b, squares)) == _ZERO:
                if uint64(rules.moves(b, a, squares)) == _ZERO:
                    continue
                a, b, mask = b, a, variants_after_ply(mask)
            rows[n, 0], rows[n, 1], way = least_image(a, b, size)
            row_masks[n] = uint8(variants_at_image(mask, way))
            n += 1
        i += 1
    return n, i
