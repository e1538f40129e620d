"""The compiled depth-first backward search, from a position to the forward table.

A position is *dead* if the start is not among its ancestors.  That does not depend
on how the search got there, so dead positions are stored from one search to the
next, in a table that overwrites old ones when it is full.  Positions without any
predecessor are not stored: they are half of all, and cheap to recognise.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from llvmlite import ir
from numba import boolean, int64, types, uint8, uint64
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from playproof.core.bits import advance, below, mix, popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, ROWS
from playproof.core.stopping import STOP
from playproof.proofs.othello.constructible import removable
from playproof.proofs.othello.retrograde.canonical import (
    WHITE_TO_MOVE,
    least_image,
    variant_at_image,
)
from playproof.proofs.othello.retrograde.kernels import NOTE, OPPONENT, OWN, nodes_before
from playproof.proofs.othello.retrograde.levels import MASKS, PLACES, hash_of, look_up

FOUND, EXHAUSTED, STOPPED = 1, 0, -1

# Indices into the statistics, which the search reads and updates; from BY_STONES on they count
# the expanded nodes by number of stones.
LIMIT, NODES, DEPTH, TURN, SEED, BY_STONES = 0, 1, 2, 3, 4, 5
STATISTICS = BY_STONES + 65

WAYS = 4  # positions in a line of the table of dead positions: 64 bytes
_ZERO, _ONE = uint64(0), uint64(1)


@register_jitable
def _packed(opponent, variant, middle):
    """The opponent's stones and the variant in one word.

    The centre is always occupied, so the own stones alone determine its colours, and the
    variant can use its bits in this word.
    """
    return opponent & ~middle | variant * (middle & (~middle + _ONE))


@register_jitable
def _line_of(own, packed, dead_rows):
    lines = uint64(dead_rows.shape[0] // WAYS)
    return int64((hash_of(own, packed) >> uint64(32)) * lines >> uint64(32)) * WAYS


@register_jitable
def _is_dead(own, opponent, variant, middle, dead_rows):
    packed = _packed(opponent, variant, middle)
    at = _line_of(own, packed, dead_rows)
    dead = False
    for i in range(at, at + WAYS):
        dead |= dead_rows[i, 0] == own and dead_rows[i, 1] == packed
    return dead


@register_jitable
def _store_dead(own, opponent, variant, middle, dead_rows, statistics):
    packed = _packed(opponent, variant, middle)
    at = _line_of(own, packed, dead_rows)
    place = at
    while place < at + WAYS and (dead_rows[place, 0] | dead_rows[place, 1]) != _ZERO:
        place += 1
    if place == at + WAYS:
        statistics[TURN] += 1
        place = at + statistics[TURN] % WAYS
    dead_rows[place, 0], dead_rows[place, 1] = own, packed


def prefetch(own, opponent, variant, middle, dead_rows):
    """Load a position's line of the table into the cache before it is used."""


@intrinsic
def _prefetch(typing_context, array, place):
    def generate(context, builder, signature, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        address = builder.gep(data, [arguments[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # The operands mean: for reading, with high locality, in the data cache.
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@overload(prefetch)
def _compiled_prefetch(own, opponent, variant, middle, dead_rows):
    def compiled(own, opponent, variant, middle, dead_rows):
        _prefetch(dead_rows, 2 * _line_of(own, _packed(opponent, variant, middle), dead_rows))

    return compiled


@register_jitable
def _removable(occupied, middle, removable_cache):
    """``removable``, cached, because positions with the same occupied squares come together."""
    at = int64(hash_of(occupied, _ZERO) & uint64(removable_cache.shape[0] - 1))
    if removable_cache[at, 0] != occupied:
        removable_cache[at, 0], removable_cache[at, 1] = occupied, removable(middle, occupied)
    return removable_cache[at, 1]


@kernel(
    int64(
        uint64, uint64, uint64, boolean, int64, int64, ROWS, MASKS, PLACES, ROWS, ROWS, COUNTS,
        ROWS, STOP,
    )
)  # fmt: skip
def search(
    own, opponent, variant, exact, size, floor, level, level_masks, level_offsets, dead_rows,
    removable_cache, statistics, path, stop,
):  # fmt: skip
    """Search backwards from a position to one with ``floor`` stones that the level holds.

    With ``exact`` the variant must match; otherwise any colours and any image will do.
    A seed that is not 0 shuffles the order in which nodes are tried.

    Returns FOUND, and ``path[: DEPTH + 1]`` holds the least images on the way, starting
    with the position itself; EXHAUSTED if there is no such way; or STOPPED by the flag
    or by the limit of nodes.
    """
    squares = _ZERO
    for row in range(size):
        squares |= ((_ONE << uint64(size)) - _ONE) << uint64(8 * row)
    low = uint64(size // 2 - 1)
    middle = uint64(3) << (low * uint64(9)) | uint64(3) << (low * uint64(9) + uint64(8))

    lines = np.empty(8, np.uint64)
    rows = np.empty((4096, 3), np.uint64)
    first = np.zeros(66, np.int64)  # the first row of the untried nodes of each depth
    stones = popcount(own | opponent)
    own, opponent, way = least_image(own, opponent, size)
    rows[0, OWN], rows[0, OPPONENT] = own, opponent
    rows[0, NOTE] = uint64(variant_at_image(int64(variant), way)) if exact else _ZERO
    depth, end = 0, 1
    shuffled, random = statistics[SEED] != 0, mix(uint64(statistics[SEED]))

    while depth >= 0:
        if end == first[depth]:  # all nodes of this depth are dead, and so is the one before them
            depth -= 1
            if depth >= 0:
                _store_dead(
                    path[depth, OWN], path[depth, OPPONENT], path[depth, NOTE], middle, dead_rows,
                    statistics,
                )  # fmt: skip
            continue
        end -= 1
        own, opponent, variant = rows[end, OWN], rows[end, OPPONENT], rows[end, NOTE]
        if _is_dead(own, opponent, variant, middle, dead_rows):
            continue
        if statistics[NODES] >= statistics[LIMIT] or stop[0] != 0:
            return STOPPED
        statistics[NODES] += 1
        statistics[BY_STONES + stones - depth] += 1
        path[depth, OWN], path[depth, OPPONENT], path[depth, NOTE] = own, opponent, variant

        last = _removable(own | opponent, middle, removable_cache)
        rows, stop_at = nodes_before(own, opponent, squares, last, lines, rows, end)
        if stop_at == end:
            continue
        kept = end
        for i in range(end, stop_at):
            a, b, way = least_image(rows[i, OWN], rows[i, OPPONENT], size)
            v = _ZERO
            if exact:
                side = variant ^ (rows[i, NOTE] & uint64(WHITE_TO_MOVE))
                v = uint64(variant_at_image(int64(side), way))
            if stones - depth - 1 == floor:
                mask = look_up(a, b, level, level_masks, level_offsets)
                if (mask >> uint8(v)) & uint8(1) if exact else mask != uint8(0):
                    depth += 1
                    path[depth, OWN], path[depth, OPPONENT], path[depth, NOTE] = a, b, v
                    statistics[DEPTH] = depth
                    return FOUND
            else:
                prefetch(a, b, v, middle, dead_rows)
                at = kept
                if shuffled:
                    random = advance(random)
                    at = end + below(mix(random), kept - end + 1)
                    rows[kept] = rows[at]
                rows[at, OWN], rows[at, OPPONENT], rows[at, NOTE] = a, b, v
                kept += 1
        depth += 1
        first[depth] = end
        end = kept
    return EXHAUSTED
