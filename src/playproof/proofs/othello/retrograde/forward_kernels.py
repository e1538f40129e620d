"""The compiled expansion of one level of the forward table."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, types, uint8, uint64
from numba.extending import register_jitable

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


@register_jitable
def node_after(own, opponent, move, squares):
    """(own, opponent, plies) after the placement ``move`` and a pass if it is forced.

    There are 2 plies if there was a pass, else 1; and 0 if the game is over.
    """
    flips = uint64(rules.flips(own, opponent, move))
    a, b = opponent ^ flips, own | flips | move
    if uint64(rules.moves(a, b, squares)) != _ZERO:
        return a, b, 1
    if uint64(rules.moves(b, a, squares)) != _ZERO:
        return b, a, 2
    return a, b, 0


@kernel(int64(ROWS, uint64))
def count_children(rows, squares):
    """The number of placements in all ``rows`` together."""
    n = 0
    for i in range(rows.shape[0]):
        n += popcount(uint64(rules.moves(rows[i, 0], rows[i, 1], squares)))
    return n


@kernel(types.UniTuple(int64, 2)(ROWS, MASKS, int64, uint64, int64, ROWS, MASKS))
def expand(parents, masks, first, squares, size, rows, row_masks):
    """Write the least images of the children of ``parents[first:]`` until the rows are full.

    A forced pass is played; finished games are left out.  Returns the number of rows
    written and the first parent that was not expanded.
    """
    n, i = 0, first
    while i < parents.shape[0] and n + 64 <= rows.shape[0]:
        own, opponent = parents[i, 0], parents[i, 1]
        remaining = uint64(rules.moves(own, opponent, squares))
        while remaining != _ZERO:
            move = remaining & (~remaining + _ONE)
            remaining ^= move
            a, b, plies = node_after(own, opponent, move, squares)
            if plies == 0:
                continue
            mask = int64(masks[i])
            if plies == 1:  # two plies change the side to move and change it back
                mask = variants_after_ply(mask)
            rows[n, 0], rows[n, 1], way = least_image(a, b, size)
            row_masks[n] = uint8(variants_at_image(mask, way))
            n += 1
        i += 1
    return n, i
