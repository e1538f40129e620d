"""Kernels that list the free positions after every move, and combine their codes into moves' codes.

Rows are worked on in parallel, in blocks that share their scratch memory. A first pass counts, so
that a second one can fill flat arrays; a third combines. A move leads to a free position at once,
or, after a placement, by each of the other side's replies; or the game is over by then.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import functools

import numpy as np
from numba import int16, int64, prange, types, uint8, void
from numba.extending import register_jitable

from playproof.core.bits import popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import LIST, ROWS, WORDS
from playproof.games.choko import kernels as engine
from playproof.tables.choko.index import (
    BYTES,
    SHAPE_WORDS,
    UINT16S,
    UINT32S,
    cell_of,
    maps,
    shape_of,
)
from playproof.tables.choko.slices import COUNTS, Slice, slice_of
from playproof.tables.choko.value_codes import DRAW, WIN_AT_ONCE, aged, negated

NO_SLICE = -1  # the key of a successor in which the game is over

_NUMBERS = types.Array(int64, 1, "C")
_KEYS = types.Array(int16, 1, "C")
_SHAPES = types.Array(int64, 2, "C")
_BLOCK = 32  # rows that share scratch memory
_ROOM = 600  # more actions than any position has

# How a move ends: at a free position or the end of the game, or at one after each reply.
_AT_ONCE, _AFTER_REPLY, _OVER = 0, 1, 2


@functools.cache
def shapes() -> np.ndarray:
    """(169, words) the shapes of all slices, by ``large * COUNTS + small``; others are zero."""
    maps()  # the shapes refer to these
    out = np.zeros((COUNTS * COUNTS, SHAPE_WORDS), np.int64)
    for large in range(COUNTS):
        for small in range(large + 1):
            out[large * COUNTS + small] = shape_of(Slice(0, large, small, 0))
    return out


def slice_with_key(key: int) -> Slice:
    """The slice of a successor's key."""
    return slice_of(key // COUNTS**2, key // COUNTS % COUNTS, key % COUNTS)


@kernel(void(WORDS, ROWS, _NUMBERS, _NUMBERS), parallel=True)
def count_successors(options, rows, actions, successors):
    """Write how many legal actions each row has, and how many successors these have together."""
    n = len(rows)
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        child, past = np.empty(3, np.uint64), np.empty(0, np.uint64)
        legal = np.empty(_ROOM, np.int32)
        for row in range(block * _BLOCK, min(n, block * _BLOCK + _BLOCK)):
            actions[row] = engine.actions(options, past, rows[row], past, legal)
            total = 0
            for i in range(actions[row]):
                child[:] = rows[row]
                engine.apply(options, past, child, past, int64(legal[i]))
                if engine.field(child[engine.LEDGER], engine.FORCED):
                    total += engine.count(options, past, child, past)
                else:
                    total += 1
            successors[row] = total


@register_jitable
def _locate(state, atlas, ranks, orbits, reps, shapes, at, keys, cells):
    """Write the slice and the cell of a free position."""
    ledger = state[engine.LEDGER]
    side = engine.field(ledger, engine.SIDE)
    own, other = int64(state[side]), int64(state[1 - side])
    mine, theirs = popcount(own), popcount(other)
    large, small = (own, other) if mine >= theirs else (other, own)
    shape = shapes[max(mine, theirs) * COUNTS + min(mine, theirs)]
    keys[at] = (engine.hand(ledger, 0) * COUNTS + mine) * COUNTS + theirs
    cells[at] = cell_of(atlas, ranks, orbits, reps, shape, large, small)


@kernel(
    void(
        WORDS, ROWS, UINT32S, UINT16S, UINT32S, UINT32S, _SHAPES, _NUMBERS, _NUMBERS, LIST, BYTES,
        _NUMBERS, _KEYS, _NUMBERS, BYTES,
    ),
    parallel=True,
)  # fmt: skip
def list_successors(
    options, rows, atlas, ranks, orbits, reps, shapes, offsets, starts, actions, endings, firsts,
    keys, cells, codes,
):  # fmt: skip
    """Write the actions of each row and, for each of their successors, its slice and cell.

    ``offsets`` and ``starts`` say where the actions and the successors of a row begin. ``firsts``
    gets the first successor of each action. A successor in which the game is over has no slice,
    and its code is that of the player whose action is looked at.
    """
    n = len(rows)
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        child, after = np.empty(3, np.uint64), np.empty(3, np.uint64)
        past = np.empty(0, np.uint64)
        legal, answers = np.empty(_ROOM, np.int32), np.empty(_ROOM, np.int32)
        for row in range(block * _BLOCK, min(n, block * _BLOCK + _BLOCK)):
            at = starts[row]
            for i in range(engine.actions(options, past, rows[row], past, legal)):
                action = offsets[row] + i
                actions[action], firsts[action] = legal[i], at
                child[:] = rows[row]
                engine.apply(options, past, child, past, int64(legal[i]))
                ended = engine.field(child[engine.LEDGER], engine.ENDED)
                if ended != engine.ENDED_ONGOING:
                    endings[action], keys[at], cells[at] = _OVER, NO_SLICE, 0
                    codes[at] = DRAW if ended == engine.ENDED_DRAW else WIN_AT_ONCE
                    at += 1
                    continue
                if not engine.field(child[engine.LEDGER], engine.FORCED):
                    endings[action] = _AT_ONCE
                    _locate(child, atlas, ranks, orbits, reps, shapes, at, keys, cells)
                    at += 1
                    continue
                endings[action] = _AFTER_REPLY
                for j in range(engine.actions(options, past, child, past, answers)):
                    after[:] = child
                    engine.apply(options, past, after, past, int64(answers[j]))
                    if engine.field(after[engine.LEDGER], engine.ENDED) != engine.ENDED_ONGOING:
                        # A reply ends the game only if no move is left.
                        keys[at], cells[at], codes[at] = NO_SLICE, 0, DRAW
                    else:
                        _locate(after, atlas, ranks, orbits, reps, shapes, at, keys, cells)
                    at += 1


@kernel(void(BYTES, _NUMBERS, BYTES, BYTES), parallel=True)
def combine(endings, firsts, codes, out):
    """Write the code of each action, for the player who makes it, from those of its successors."""
    for action in prange(len(out)):
        code = int64(codes[firsts[action]])
        if endings[action] == _AT_ONCE:
            code = negated(code)
        elif endings[action] == _AFTER_REPLY:
            for at in range(firsts[action] + 1, firsts[action + 1]):
                code = min(code, int64(codes[at]))
            code = aged(code)
        out[action] = uint8(code)
