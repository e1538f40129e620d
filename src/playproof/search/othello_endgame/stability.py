"""Stable discs, which can never be flipped again, as a bound on the score.

A disc is flipped along a line only if both of its neighbours on that line can be part of one run.
It is safe along a line that is full, and where a neighbour is off the board or is a stable disc of
the same colour. A disc that is safe along all four lines is stable. Not every stable disc is
found, but every disc that is found is stable.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import functools

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint8, uint64, void
from numba.extending import register_jitable

from playproof.core.bits import popcount
from playproof.core.compiling import kernel
from playproof.rules import othello as rules
from playproof.search.othello_endgame.lanes import broadcast, intersection, opposite, step

_ALL = uint64(0xFFFFFFFFFFFFFFFF)
_LINE = uint64(0xFF)
_COLUMN_A = uint64(0x0101010101010101)


@register_jitable
def _edge_that_stays(table, own, filled, full):
    """The filled squares that no placement of either side flips, now or later.

    Any empty square may be filled without flipping discs of the edge, since the placement may flip
    discs elsewhere on the board.
    """
    stays = filled
    left = full & ~filled
    while left != 0:
        move = left & -left
        left ^= move
        for side in range(2):
            mover = own if side == 0 else filled & ~own
            other = filled & ~mover
            turned = int64(rules.flips(uint64(mover), uint64(other), uint64(move)))
            after = (mover | turned | move) << 8 | other & ~turned
            stays &= ~turned & int64(table[after])
    return stays


@kernel(void(types.Array(uint8, 1, "C"), int64))
def _settle_edges(table, size):
    """Fill in ``table[own << 8 | opponent]``, from full edges to empty ones."""
    full = (1 << size) - 1
    for empties in range(size + 1):
        for filled in range(full + 1):
            if popcount(filled) != size - empties:
                continue
            own = filled
            while True:  # over all subsets of the filled squares
                table[own << 8 | filled & ~own] = _edge_that_stays(table, own, filled, full)
                if own == 0:
                    break
                own = (own - 1) & filled


@functools.cache
def edge_table(size: int) -> npt.NDArray[np.uint8]:
    """(65536,) the stable discs of an edge, by ``own << 8 | opponent``."""
    table = np.zeros(1 << 16, np.uint8)
    _settle_edges(table, size)
    return table


@register_jitable
def _column(stones, column):
    """A column as a line of eight bits, the first row lowest."""
    x = (stones >> column) & _COLUMN_A
    x |= x >> uint64(7)
    x |= x >> uint64(14)
    return (x | x >> uint64(28)) & _LINE


@register_jitable
def _upright(line):
    """A line of eight bits as the a-file."""
    x = (line | line << uint64(28)) & uint64(0x0000000F0000000F)
    x = (x | x << uint64(14)) & uint64(0x0003000300030003)
    return (x | x << uint64(7)) & _COLUMN_A


@register_jitable
def _edge(edges, own, opponent):
    return uint64(edges[int64(own << uint64(8) | opponent)])


@register_jitable
def _stable_edges(own, opponent, edges, size):
    """The stable discs of both sides on the four edges, by the edges alone."""
    last = uint64(size - 1)
    down = uint64(8) * last
    top = _edge(edges, own & _LINE, opponent & _LINE)
    bottom = _edge(edges, (own >> down) & _LINE, (opponent >> down) & _LINE)
    left = _edge(edges, _column(own, uint64(0)), _column(opponent, uint64(0)))
    right = _edge(edges, _column(own, last), _column(opponent, last))
    return top | bottom << down | _upright(left) | _upright(right) << last


@register_jitable
def stable(own, opponent, squares, edges, size):
    """Stable discs of ``own`` on the board ``squares``."""
    empty = squares & ~(own | opponent)
    # Runs of six squares are enough: a disc beyond that is at the rim and safe anyway.
    broken = rules.run(step, broadcast(empty), broadcast(_ALL))
    inside = step(broadcast(squares))  # squares with a neighbour in the opposite direction
    threatened = (broken | opposite(broken)) & inside & opposite(inside)
    safe = threatened ^ broadcast(_ALL)
    discs = own & (_stable_edges(own, opponent, edges, size) | intersection(safe))
    while discs != 0:
        beside = step(broadcast(discs))
        larger = discs | own & intersection(safe | beside | opposite(beside))
        if larger == discs:
            break
        discs = larger
    return discs
