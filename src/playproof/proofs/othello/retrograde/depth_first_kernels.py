"""Depth-first search backwards, compiled: from a position to the forward table.

A position is *dead* if the start is not among its ancestors.  That is a fact
whatever led the search there, so dead positions are remembered from one search
to the next, in a table that forgets old ones when it is full.  Those without any
node before them are not worth remembering: half of all, and seen at a glance.
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

# Statistics: numbers that go in and come out; then the nodes expanded, by stones.
LIMIT, NODES, DEPTH, TURN, SEED, BY_STONES = 0, 1, 2, 3, 4, 5
STATISTICS = BY_STONES + 65

WAYS = 4  # positions that share a line of the memory: 64 bytes
_ZERO, _ONE = uint64(0), uint64(1)


@register_jitable
def _packed(opponent, variant, middle):
    """The opponent's stones and the variant in one word: in the centre, which is
    never empty, the other word tells the colours."""
    return opponent & ~middle | variant * (middle & (~middle + _ONE))


@register_jitable
def _line_of(own, packed, memory):
    lines = uint64(memory.shape[0] // WAYS)
    return int64((hash_of(own, packed) >> uint64(32)) * lines >> uint64(32)) * WAYS


@register_jitable
def _is_dead(own, opponent, variant, middle, memory):
    packed = _packed(opponent, variant, middle)
    at = _line_of(own, packed, memory)
    dead = False
    for i in range(at, at + WAYS):
        dead |= memory[i, 0] == own and memory[i, 1] == packed
    return dead


@register_jitable
def _bury(own, opponent, variant, middle, memory, statistics):
    packed = _packed(opponent, variant, middle)
    at = _line_of(own, packed, memory)
    place = at
    while place < at + WAYS and (memory[place, 0] | memory[place, 1]) != _ZERO:
        place += 1
    if place == at + WAYS:
        statistics[TURN] += 1
        place = at + statistics[TURN] % WAYS
    memory[place, 0], memory[place, 1] = own, packed


def fetch(own, opponent, variant, middle, memory):
    """Ask for a position's line of the memory ahead of its use."""


@intrinsic
def _prefetch(typing_context, array, place):
    def generate(context, builder, signature, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        address = builder.gep(data, [arguments[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # To read, to be kept in the nearest cache, as data.
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@overload(fetch)
def _compiled_fetch(own, opponent, variant, middle, memory):
    def compiled(own, opponent, variant, middle, memory):
        _prefetch(memory, 2 * _line_of(own, _packed(opponent, variant, middle), memory))

    return compiled


@register_jitable
def _removable(occupied, middle, known):
    """As the lemma says, remembered: positions with the same stones follow each other."""
    at = int64(hash_of(occupied, _ZERO) & uint64(known.shape[0] - 1))
    if known[at, 0] != occupied:
        known[at, 0], known[at, 1] = occupied, removable(middle, occupied)
    return known[at, 1]


@kernel(
    int64(
        uint64, uint64, uint64, boolean, int64, int64, ROWS, MASKS, PLACES, ROWS, ROWS, COUNTS,
        ROWS, STOP,
    )
)  # fmt: skip
def search(
    own, opponent, variant, exact, size, floor, level, level_masks, level_offsets, memory, known,
    statistics, path, stop,
):  # fmt: skip
    """Go back from a position to one with ``floor`` stones that the level holds.

    ``exact`` keeps to the variant; else any colours and any image will do.  A seed
    that is not 0 shuffles the order in which nodes are tried.
    FOUND: ``path[: DEPTH + 1]`` are the least images on the way, from the
    position itself on.  EXHAUSTED: there is none.  STOPPED: by the flag, or by
    the limit of nodes.
    """
    squares = _ZERO
    for row in range(size):
        squares |= ((_ONE << uint64(size)) - _ONE) << uint64(8 * row)
    low = uint64(size // 2 - 1)
    middle = uint64(3) << (low * uint64(9)) | uint64(3) << (low * uint64(9) + uint64(8))

    lines = np.empty(8, np.uint64)
    rows = np.empty((4096, 3), np.uint64)
    begin = np.zeros(66, np.int64)  # where the untried nodes of each depth begin
    stones = popcount(own | opponent)
    own, opponent, way = least_image(own, opponent, size)
    rows[0, OWN], rows[0, OPPONENT] = own, opponent
    rows[0, NOTE] = uint64(variant_at_image(int64(variant), way)) if exact else _ZERO
    depth, end = 0, 1
    shuffled, random = statistics[SEED] != 0, mix(uint64(statistics[SEED]))

    while depth >= 0:
        if end == begin[depth]:  # all nodes of this depth are dead, and so is what led here
            depth -= 1
            if depth >= 0:
                _bury(
                    path[depth, OWN], path[depth, OPPONENT], path[depth, NOTE], middle, memory,
                    statistics,
                )  # fmt: skip
            continue
        end -= 1
        own, opponent, variant = rows[end, OWN], rows[end, OPPONENT], rows[end, NOTE]
        if _is_dead(own, opponent, variant, middle, memory):
            continue
        if statistics[NODES] >= statistics[LIMIT] or stop[0] != 0:
            return STOPPED
        statistics[NODES] += 1
        statistics[BY_STONES + stones - depth] += 1
        path[depth, OWN], path[depth, OPPONENT], path[depth, NOTE] = own, opponent, variant

        last = _removable(own | opponent, middle, known)
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
                fetch(a, b, v, middle, memory)
                at = kept
                if shuffled:
                    random = advance(random)
                    at = end + below(mix(random), kept - end + 1)
                    rows[kept] = rows[at]
                rows[at, OWN], rows[at, OPPONENT], rows[at, NOTE] = a, b, v
                kept += 1
        depth += 1
        begin[depth] = end
        end = kept
    return EXHAUSTED
