"""The compiled search for the most moves one placement after many positions."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, types, uint64

from playproof.core.bits import popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import ROWS
from playproof.proofs.othello.retrograde.forward_kernels import node_after
from playproof.rules import othello as rules

_ZERO, _ONE = uint64(0), uint64(1)


@kernel(types.UniTuple(int64, 2)(ROWS, uint64))
def most_moves_after(rows, squares):
    """The most moves of a node one placement after ``rows``, and the first row before such a node.

    Among nodes with as many moves, one without a pass comes first.  Returns (0, -1) if every
    placement ends the game.
    """
    best, at = 1, -1  # twice the moves, and one more without a pass
    for i in range(rows.shape[0]):
        own, opponent = rows[i, 0], rows[i, 1]
        remaining = uint64(rules.moves(own, opponent, squares))
        while remaining != _ZERO:
            move = remaining & (~remaining + _ONE)
            remaining ^= move
            a, b, plies = node_after(own, opponent, move, squares)
            if plies == 0:
                continue
            value = 2 * popcount(uint64(rules.moves(a, b, squares))) + (2 - plies)
            if value > best:
                best, at = value, i
    return best >> 1, at
