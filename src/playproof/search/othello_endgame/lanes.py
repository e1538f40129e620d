"""The law of Othello read in eight directions at once.

``rules.othello.run`` asks of its words only ``&``, ``|`` and a shift.  Here a
word is a vector of eight words, one lane a direction, and the shift moves each
lane its own way: one call of ``run`` is eight, in the time of one.  Compiled,
the vector lies in a register where the processor has wide ones; in plain
Python it is a NumPy array of eight words.
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
# Lane i + 4 looks the other way along the line of lane i.
_DIRECTIONS = (
    rules.east, rules.south, rules.southeast, rules.southwest,
    rules.west, rules.north, rules.northwest, rules.northeast,
)  # fmt: skip
# A direction is a rotation of the word and the squares that it may reach; both
# are asked of the law.
_MIDDLE = 27
_TURNS = [(int(to(1 << _MIDDLE)).bit_length() - 1 - _MIDDLE) % 64 for to in _DIRECTIONS]
_REACHED = [int(to(_ALL)) & _ALL for to in _DIRECTIONS]


# Plain Python: lanes are an array of eight words.


def spread(word):
    """The same word in every lane."""
    return np.full(8, word, np.uint64)


def step(lanes):
    """Every lane's squares moved one step in its direction."""
    turns = np.array(_TURNS, np.uint64)
    moved = lanes << turns | lanes >> (np.uint64(64) - turns)
    return moved & np.array(_REACHED, np.uint64)


def opposite(lanes):
    """Every lane with what the lane of the opposite direction holds."""
    return np.roll(lanes, 4)


def either(lanes):
    """The squares that lie in any lane."""
    return np.bitwise_or.reduce(lanes)


def every(lanes):
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
def _spread(typing_context, word):
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


_either, _every = _reduction("or"), _reduction("and")


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


@overload(spread, inline="always")
def _compiled_spread(word):
    return lambda word: _spread(word)


@overload(step, inline="always")
def _compiled_step(lanes):
    return lambda lanes: _step(lanes)


@overload(opposite, inline="always")
def _compiled_opposite(lanes):
    return lambda lanes: _opposite(lanes)


@overload(either, inline="always")
def _compiled_either(lanes):
    return lambda lanes: _either(lanes)


@overload(every, inline="always")
def _compiled_every(lanes):
    return lambda lanes: _every(lanes)


# The law.


@register_jitable
def reach(own, opponent):
    """The runs of opposing stones that begin next to own ones, a lane a direction:
    all that ``moves`` and ``flips`` of one position have in common."""
    return rules.run(step, spread(own), spread(opponent))


@register_jitable
def moves(reached, empty):
    """As ``rules.othello.moves``, from the position's ``reach``."""
    return either(step(reached)) & empty


@register_jitable
def flips(reached, opponent, move):
    """As ``rules.othello.flips``, from the ``reach`` of the side that moves."""
    return either(rules.run(step, spread(move), spread(opponent)) & opposite(reached))


@register_jitable
def around(squares):
    """The squares next to ``squares``."""
    return either(step(spread(squares)))
