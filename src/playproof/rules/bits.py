"""Words as sets of squares: counting and finding bits, and reversing a board.

The plain version of each function works on Python ints, for debugging; Numba replaces it by a
machine instruction.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import int64, types, uint64
from numba.core import cgutils
from numba.extending import intrinsic, overload

_ALL = 0xFFFFFFFFFFFFFFFF


def popcount(word):
    """The number of bits of ``word`` that are set."""
    return int(word).bit_count()


def lowest(word):
    """The index of the lowest set bit of a word that is not 0."""
    bits = int(word)
    return (bits & -bits).bit_length() - 1


def first(word):
    """The index of the lowest set bit; 64 for the word 0."""
    return lowest(word) if word else 64


def without_lowest(word):
    """The word without its lowest set bit; 0 for the word 0."""
    return np.uint64(int(word) & (int(word) - 1))


def minus(a, b):
    """The low 64 bits of a difference."""
    return np.uint64(int(a) - int(b) & _ALL)


def folded_multiply(a, b):
    """The exclusive or of the two halves of a 128-bit product, which mixes two words."""
    product = int(a) * int(b)
    return np.uint64((product ^ product >> 64) & _ALL)


def byte_swap(word):
    """The bytes in reverse order: an 8x8 board with its ranks byte_swap upside down."""
    return np.uint64(int.from_bytes(int(word).to_bytes(8, "little"), "big"))


@intrinsic
def _ctpop(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return int64(types.uint64), generate


@intrinsic
def _cttz(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], cgutils.true_bit)

    return int64(types.uint64), generate


@intrinsic
def _cttz_or_64(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], cgutils.false_bit)

    return int64(types.uint64), generate


@intrinsic
def _bswap(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.bswap(arguments[0])

    return uint64(types.uint64), generate


@overload(popcount, inline="always")
def _popcount(word):
    return lambda word: _ctpop(uint64(word))


@overload(lowest, inline="always")
def _lowest(word):
    return lambda word: _cttz(uint64(word))


@overload(first, inline="always")
def _first(word):
    return lambda word: _cttz_or_64(uint64(word))


@overload(without_lowest, inline="always")
def _without_lowest(word):
    return lambda word: uint64(word) & (uint64(word) - uint64(1))


@overload(minus, inline="always")
def _minus(a, b):
    return lambda a, b: uint64(a) - uint64(b)


@intrinsic
def _fold(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        x, y = (builder.zext(argument, wide) for argument in arguments)
        product = builder.mul(x, y)
        high = builder.lshr(product, ir.Constant(wide, 64))
        return builder.trunc(builder.xor(product, high), arguments[0].type)

    return uint64(types.uint64, types.uint64), generate


@overload(folded_multiply, inline="always")
def _folded_multiply(a, b):
    return lambda a, b: _fold(uint64(a), uint64(b))


@overload(byte_swap, inline="always")
def _byte_swap(word):
    return lambda word: _bswap(uint64(word))
