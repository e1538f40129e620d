"""The memory of the endgame solver, and its hash table of proven bounds.

Compiled code works on bare pointers. Taking an array out of a tuple would change its reference
count with atomic instructions, which is too slow at tens of millions of nodes a second.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import boolean, int64, types, uint8, uint64
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from playproof.core.bits import mix
from playproof.core.kernels import COUNTS, WORDS, Words
from playproof.core.stopping import STOP, StopFlag
from playproof.games.othello.kernels import BOARD, EMPTIES_TO_WINNER, SIZE
from playproof.search.othello_endgame.stability import edge_table

# Statistics.  A search stops when NODES passes NODE_LIMIT.
NODES, NODE_LIMIT, STOPPED, BEST_MOVE, AGE = range(5)
STATISTICS = 5

# Columns of a frame: the best value so far and its move, the index of the current child, the
# number of children, and the number of empties.
BEST, MOVE, INDEX, COUNT, EMPTIES = range(5)
FRAME = 5
WIDTH = 64  # children of a node, at most
PASS = 64  # a move that is no square
BUCKET = 8  # words of a bucket of the table
_BUCKET_BYTES = 8 * BUCKET
_NO_LIMIT = 1 << 62


class SolverArrays(NamedTuple):
    """The arrays that a search works on."""

    frames: npt.NDArray[np.int64]  # (plies * FRAME,)
    boards: Words  # (plies * WIDTH * 2,) each child's own and opposing stones
    ordering: npt.NDArray[np.int64]  # (plies * WIDTH * 2,) each child's priority and move
    table: Words  # (buckets * BUCKET,)
    quadrants: Words  # (64,) the quadrant that each square lies in
    edges: npt.NDArray[np.uint8]  # (65536,) the table of ``stability.edge_table``
    statistics: npt.NDArray[np.int64]
    stop: StopFlag


class SolverPointers(NamedTuple):
    """Pointers to a SolverArrays, with constants of the board, as compiled code uses them."""

    frames: Any
    boards: Any
    ordering: Any
    table: Any
    quadrants: Any
    edges: Any
    statistics: Any
    stop: Any
    buckets: Any  # a power of two
    squares: Any  # of the board
    corners: Any
    size: Any
    total: Any  # size * size
    winner_takes_empties: Any


def allocate(size: int, megabytes: float, stop: StopFlag) -> SolverArrays:
    """Arrays to solve positions of a board, with a hash table of at most ``megabytes``."""
    plies = 2 * size**2 + 2  # a pass before every placement
    buckets = max(1, int(megabytes * 2**20) // _BUCKET_BYTES)
    statistics = np.zeros(STATISTICS, np.int64)
    statistics[NODE_LIMIT] = _NO_LIMIT
    return SolverArrays(
        frames=np.zeros(plies * FRAME, np.int64),
        boards=np.zeros(plies * WIDTH * 2, np.uint64),
        ordering=np.zeros(plies * WIDTH * 2, np.int64),
        table=_aligned(BUCKET << (buckets.bit_length() - 1)),
        quadrants=_quadrants(size),
        edges=edge_table(size),
        statistics=statistics,
        stop=stop,
    )


def _aligned(words: int) -> Words:
    """Zeros that start on a cache line, so that a bucket is one line."""
    room = np.zeros(words + BUCKET, np.uint64)
    skip = -room.ctypes.data % _BUCKET_BYTES // room.itemsize
    return room[skip : skip + words]


@functools.cache
def _quadrants(size: int) -> Words:
    """(64,) the quadrant of the board that each square lies in, as a word."""
    half = size // 2
    block = sum(((1 << half) - 1) << 8 * row for row in range(half))
    quadrants = np.zeros(64, np.uint64)
    for row in range(size):
        for column in range(size):
            corner = 8 * (row // half * half) + column // half * half
            quadrants[8 * row + column] = block << corner
    return quadrants


_BYTES = types.Array(uint8, 1, "C")
SOLVER_ARRAYS = types.NamedTuple(
    (COUNTS, WORDS, COUNTS, WORDS, WORDS, _BYTES, COUNTS, STOP), SolverArrays
)
_INTEGERS, _WORDS, _SMALL = (types.CPointer(kind) for kind in (int64, uint64, uint8))
POINTERS = types.NamedTuple(
    (
        _INTEGERS, _WORDS, _INTEGERS, _WORDS, _WORDS, _SMALL, _INTEGERS, _SMALL,
        uint64, uint64, uint64, int64, int64, boolean,
    ),
    SolverPointers,
)  # fmt: skip


def pointer(array):
    """A pointer to the data of a one-dimensional array; uncompiled, the array itself."""
    return array


@intrinsic
def _data(typing_context, array):
    def generate(context, builder, signature, arguments):
        return context.make_array(array)(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


@overload(pointer, inline="always")
def _compiled_pointer(array):
    return lambda array: _data(array)


@register_jitable
def pointers_to(arrays, options):
    """The pointers to ``arrays``, for a game with ``options``."""
    size, squares = int64(options[SIZE]), options[BOARD]
    row = uint64(1) | uint64(1) << uint64(size - 1)
    return SolverPointers(
        pointer(arrays.frames),
        pointer(arrays.boards),
        pointer(arrays.ordering),
        pointer(arrays.table),
        pointer(arrays.quadrants),
        pointer(arrays.edges),
        pointer(arrays.statistics),
        pointer(arrays.stop),
        uint64(arrays.table.shape[0] // BUCKET),
        squares,
        row | row << uint64(8 * (size - 1)),
        size,
        size * size,
        options[EMPTIES_TO_WINNER] != 0,
    )


# The table. A bucket is a cache line of two entries: the first for the position with the most
# empties of the current search, the second for the latest. An entry has the whole position, so that
# no two positions are ever confused, and a word that packs lower bound, upper bound, best move,
# empties and age. "Entry" below means this word.
_ENTRY = uint64(4)
_ONE, _TWO = uint64(1), uint64(2)
_ZERO_AT = 128  # the byte that stands for a bound of 0


@register_jitable
def lower_of(entry):
    return (entry & 255) - _ZERO_AT


@register_jitable
def upper_of(entry):
    return (entry >> 8 & 255) - _ZERO_AT


@register_jitable
def move_of(entry):
    return entry >> 16 & 255


@register_jitable(forceinline=True)
def bucket(own, opponent, memory):
    place = mix(own ^ mix(opponent)) & (memory.buckets - _ONE)
    return place * uint64(BUCKET)


@register_jitable(forceinline=True)
def _slot(own, opponent, memory):
    """The slot of a position and whether it is stored; else the first slot of its bucket."""
    table, slot = memory.table, bucket(own, opponent, memory)
    if table[slot] == own and table[slot + _ONE] == opponent:
        return slot, True
    other = slot + _ENTRY
    if table[other] == own and table[other + _ONE] == opponent:
        return other, True
    return slot, False


@register_jitable(forceinline=True)
def find(own, opponent, memory):
    """The entry of a position; 0 if there is none."""
    slot, known = _slot(own, opponent, memory)
    return int64(memory.table[slot + _TWO]) if known else int64(0)


@register_jitable(forceinline=True)
def store(own, opponent, lower, upper, move, empties, memory):
    """Store proven bounds, combined with those of an earlier entry of the position."""
    table, age = memory.table, memory.statistics[AGE] & 255
    slot, known = _slot(own, opponent, memory)
    old = int64(table[slot + _TWO])
    if known:
        lower, upper = max(lower, lower_of(old)), min(upper, upper_of(old))
    elif old >> 24 & 255 > empties and old >> 32 & 255 == age:
        slot += _ENTRY
    else:
        for word in range(3):  # the entry that is replaced becomes the latest
            table[slot + _ENTRY + uint64(word)] = table[slot + uint64(word)]
    table[slot] = own
    table[slot + _ONE] = opponent
    entry = lower + _ZERO_AT | upper + _ZERO_AT << 8 | move << 16 | empties << 24 | age << 32
    table[slot + _TWO] = uint64(entry)


def prefetch(own, opponent, memory):
    """Load a position's bucket into the cache ahead of its use; uncompiled, do nothing."""


@intrinsic
def _prefetch(typing_context, words, place):
    def generate(context, builder, signature, arguments):
        address = builder.gep(arguments[0], [arguments[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # To read, to be kept in the nearest cache, as data.
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(words, types.uint64), generate


@overload(prefetch)
def _compiled_prefetch(own, opponent, memory):
    return lambda own, opponent, memory: _prefetch(memory.table, bucket(own, opponent, memory))
