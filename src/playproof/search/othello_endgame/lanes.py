"""The rules of Othello in all eight directions at once.

``rules.othello.run`` needs only ``&``, ``|`` and a shift of its words. Here a word is a vector of
eight lanes, one per direction, and the shift moves each lane in its own direction, so that one call
of ``run`` does the work of eight. Compiled, the vector lies in a register if the processor has
registers that wide. In plain Python it is a NumPy array of eight words.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_jitable, register_model

from playproof.rules import othello as rules

_ALL = 0xFFFFFFFFFFFFFFFF
# Lane i + 4 has the opposite direction of lane i.
_DIRECTIONS = (
    rules.east, rules.south, rules.southeast, rules.southwest,
    rules.west, rules.north, rules.northwest, rules.northeast,
)  # fmt: skip
# A direction is a rotation of the word and a mask of the squares it can reach. Both are derived
# from the rules.
_MIDDLE = 27
_TURNS = [(int(to(1 << _MIDDLE)).bit_length() - 1 - _MIDDLE) % 64 for to in _DIRECTIONS]
_REACHED = [int(to(_ALL)) & _ALL for to in _DIRECTIONS]


# Plain Python: lanes are an array of eight words.


def broadcast(word):
    """The same word in every lane."""
    return np.full(8, word, np.uint64)


def step(lanes):
    """The squares of every lane, moved one step in its direction."""
    turns = np.array(_TURNS, np.uint64)
    moved = lanes << turns | lanes >> (np.uint64(64) - turns)
    return moved & np.array(_REACHED, np.uint64)


def opposite(lanes):
    """The lanes with opposite directions exchanged."""
    return np.roll(lanes, 4)


def union(lanes):
    """The squares that lie in any lane."""
    return np.bitwise_or.reduce(lanes)


def intersection(lanes):
    """The squares that lie in all lanes."""
    return np.bitwise_and.reduce(lanes)


# Compiled: lanes are a vector register.

_VECTOR = ir.VectorType(ir.IntType(64), 8)
_PLACE = ir.IntType(32)
_ANYTHING = ir.Constant(_VECTOR, ir.Undefined)


class _Lanes(types.Type):
    def __init__(self):
        super().__init__("Lanes")


_LANES = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, _VECTOR)


def _constant(words):
    return ir.Constant(_VECTOR, [ir.Constant(ir.IntType(64), word) for word in words])


def _rearranged(builder, vector, places):
    chosen = [ir.Constant(_PLACE, place) for place in places]
    return builder.shuffle_vector(
        vector, _ANYTHING, ir.Constant(ir.VectorType(_PLACE, len(chosen)), chosen)
    )


@intrinsic
def _broadcast(typing_context, word):
    def generate(context, builder, signature, arguments):
        first = builder.insert_element(_ANYTHING, arguments[0], ir.Constant(_PLACE, 0))
        return _rearranged(builder, first, [0] * 8)

    return _LANES(types.uint64), generate


@intrinsic
def _step(typing_context, lanes):
    def generate(context, builder, signature, arguments):
        up = builder.shl(arguments[0], _constant(_TURNS))
        down = builder.lshr(arguments[0], _constant([64 - turn for turn in _TURNS]))
        return builder.and_(builder.or_(up, down), _constant(_REACHED))

    return _LANES(_LANES), generate


@intrinsic
def _opposite(typing_context, lanes):
    def generate(context, builder, signature, arguments):
        return _rearranged(builder, arguments[0], [4, 5, 6, 7, 0, 1, 2, 3])

    return _LANES(_LANES), generate


def _reduction(name):
    @intrinsic
    def reduce(typing_context, lanes):
        def generate(context, builder, signature, arguments):
            kind = ir.FunctionType(ir.IntType(64), [_VECTOR])
            name_in_llvm = f"llvm.vector.reduce.{name}.v8i64"
            function = cgutils.get_or_insert_function(builder.module, kind, name_in_llvm)
            return builder.call(function, arguments)

        return types.uint64(_LANES), generate

    return reduce


_union, _intersection = _reduction("or"), _reduction("and")


def _operation(name):
    @intrinsic
    def apply(typing_context, x, y):
        def generate(context, builder, signature, arguments):
            return getattr(builder, name)(*arguments)

        return _LANES(_LANES, _LANES), generate

    return apply


def _add_operator(symbol, name):
    apply = _operation(name)

    @overload(symbol)
    def operator_on_lanes(x, y):
        if x is _LANES and y is _LANES:
            return lambda x, y: apply(x, y)
        return None


_add_operator(operator.and_, "and_")
_add_operator(operator.or_, "or_")
_add_operator(operator.xor, "xor")


@overload(broadcast, inline="always")
def _compiled_broadcast(word):
    return lambda word: _broadcast(word)


@overload(step, inline="always")
def _compiled_step(lanes):
    return lambda lanes: _step(lanes)


@overload(opposite, inline="always")
def _compiled_opposite(lanes):
    return lambda lanes: _opposite(lanes)


@overload(union, inline="always")
def _compiled_union(lanes):
    return lambda lanes: _union(lanes)


@overload(intersection, inline="always")
def _compiled_intersection(lanes):
    return lambda lanes: _intersection(lanes)


# The rules.


@register_jitable
def reach(own, opponent):
    """The runs of opposing stones next to own ones, one lane per direction.

    ``moves`` and ``flips`` of a position both start from this.
    """
    return rules.run(step, broadcast(own), broadcast(opponent))


@register_jitable
def moves(reached, empty):
    """The same as ``rules.othello.moves``, computed from the position's ``reach``."""
    return union(step(reached)) & empty


@register_jitable
def flips(reached, opponent, move):
    """The same as ``rules.othello.flips``, computed from the mover's ``reach``."""
    return union(rules.run(step, broadcast(move), broadcast(opponent)) & opposite(reached))


@register_jitable
def around(squares):
    """The squares next to ``squares``."""
    return union(step(broadcast(squares)))
