"""Kernels that probe the tables of Choko during a search.

``tables``, the words that every kernel of a game gets, here hold the addresses of the index and of
the bytes of each slice, 0 for a slice that is missing. So a node of a search needs one memory
access, or one per reply where the mover is forced, and no Python.

Under a cap a win or a loss counts only if it comes within the remaining actions; otherwise the
position is a draw, because the losing side can hold out for as long as the table says. Tables
without distances know only draws under a cap.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from numba import int64, types, uint8, uint16, uint32
from numba.extending import intrinsic, overload, register_jitable

from playproof.core.bits import popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import ONGOING, OUTCOME_SIGNATURE, SCORE_SIGNATURE
from playproof.games.choko import kernels as engine
from playproof.rules.choko import BOARD
from playproof.tables.choko.index import cell_of
from playproof.tables.choko.slices import COUNTS
from playproof.tables.choko.value_codes import (
    DRAW,
    UNKNOWN,
    WIN_AT_ONCE,
    distance,
    negated,
    outcome,
)

# The words of ``tables``; all but the first are addresses.
EXACT = 0  # 1: distances, a byte per cell; 0: won, drawn and lost, two bits per cell
ATLAS, RANKS, ORBITS, REPS = 1, 2, 3, 4
SHAPES = 5  # [large * COUNTS + small]
SLICES = SHAPES + COUNTS**2  # [(hands * COUNTS + mover's pieces) * COUNTS + the other's]
WORDS = SLICES + COUNTS**3

_LOST_AT_ONCE = 1


def _memory_of(item: Any) -> Callable[[Any], Any]:
    """A function that turns an address into a pointer to such items, which can be indexed."""
    pointer = types.CPointer(item)

    @intrinsic
    def pointer_to(context, address):
        def generate(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(pointer))

        return pointer(types.uint64), generate

    def at(address: Any) -> Any:
        kind = getattr(ctypes, f"c_{item}")
        return ctypes.cast(int(address), ctypes.POINTER(kind))

    @overload(at, inline="always")
    def compiled_at(address):
        return lambda address: pointer_to(address)

    return at


_bytes_at, _uint16s_at = _memory_of(uint8), _memory_of(uint16)
_uint32s_at, _int64s_at = _memory_of(uint32), _memory_of(int64)


@register_jitable
def _slice_word(hands, own, other):
    return SLICES + (hands * COUNTS + own) * COUNTS + other


@register_jitable
def _look_up(tables, body, own_count, other_count, own, other):
    """The code of a free position, in the slice whose bytes start at ``body``."""
    if own_count >= other_count:
        large, small, word = own, other, SHAPES + own_count * COUNTS + other_count
    else:
        large, small, word = other, own, SHAPES + other_count * COUNTS + own_count
    cell = cell_of(
        _uint32s_at(tables[ATLAS]),
        _uint16s_at(tables[RANKS]),
        _uint32s_at(tables[ORBITS]),
        _uint32s_at(tables[REPS]),
        _int64s_at(tables[word]),
        large,
        small,
    )
    if tables[EXACT] != 0:
        return int64(_bytes_at(body)[cell])
    packed = int64(_bytes_at(body)[cell >> 2])
    bits = packed >> (2 * (cell & 3)) & 3
    return WIN_AT_ONCE if bits == 1 else _LOST_AT_ONCE if bits == 2 else DRAW


@register_jitable
def code_of(tables, state):
    """The code of an unfinished position for the player to move; UNKNOWN if no table has it."""
    ledger = state[engine.LEDGER]
    side = engine.field(ledger, engine.SIDE)
    own, other = int64(state[side]), int64(state[1 - side])
    own_count, other_count = popcount(own), popcount(other)
    hands = engine.hand(ledger, 1 - side)  # both hands are equal after a forced reply
    if not engine.field(ledger, engine.FORCED):
        body = tables[_slice_word(hands, own_count, other_count)]
        if body == 0:
            return UNKNOWN
        return _look_up(tables, body, own_count, other_count, own, other)
    body = tables[_slice_word(hands, other_count, own_count + 1)]
    if body == 0:
        return UNKNOWN
    best, empty = UNKNOWN, BOARD & ~(own | other)
    while empty != 0:
        square = empty & -empty
        empty ^= square
        code = _look_up(tables, body, other_count, own_count + 1, other, own | square)
        best = max(best, negated(code))
    return best


@register_jitable
def _table_result(options, tables, state):
    """(the result for the player to move or ONGOING, actions to the end)."""
    code = code_of(tables, state)
    if code == UNKNOWN:
        return ONGOING, 0
    result, actions = outcome(code), distance(code)
    cap = int64(options[engine.CAP])
    if result != 0 and cap != 0:
        if tables[EXACT] == 0:
            return ONGOING, 0
        if engine.field(state[engine.LEDGER], engine.PLY) + actions > cap:
            return 0, 0
    return result, actions


@register_jitable
def nearness(result, actions):
    """What a known win adds to a value, so that the nearer of two wins is preferred.

    It is less than a point, the least score of a win on the board.
    """
    return result * (1.0 - 0.001 * actions)


@kernel(OUTCOME_SIGNATURE, counted=False)
def probe(options, tables, state, history):
    result, _ = _table_result(options, tables, state)
    if result == ONGOING:
        return ONGOING
    return -result if engine.field(state[engine.LEDGER], engine.SIDE) else result


@kernel(SCORE_SIGNATURE, counted=False)
def evaluate(options, tables, state, history):
    """0 for a known draw, ``nearness`` for a win with known distance, and else the score."""
    result, actions = _table_result(options, tables, state)
    if result == 0:
        return 0.0
    if result == ONGOING or tables[EXACT] == 0:
        return engine.score(options, tables, state, history)
    sign = -1.0 if engine.field(state[engine.LEDGER], engine.SIDE) else 1.0
    return sign * nearness(result, actions)
