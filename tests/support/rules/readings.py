"""Four ways to read one rule: plain ints, NumPy arrays, machine code, bit vectors.

Each reading takes the rule itself, the same function object, the shifts that are its first
arguments, if any, and columns of words.  It returns the column of results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from inspect import getclosurevars, signature
from types import FunctionType
from typing import Any

import numba
import numpy as np
import z3

Rule = Callable[..., Any]
Shifts = tuple[Rule, ...]
Columns = Sequence[Sequence[int]]

WORD = 64


def by_ints(rule: Rule, shifts: Shifts, columns: Columns) -> list[int]:
    """CPython's unbounded integers, one position after another."""
    return [rule(*shifts, *row) for row in zip(*columns, strict=True)]


def by_numpy(rule: Rule, shifts: Shifts, columns: Columns) -> list[int]:
    """All positions at once, as arrays of unsigned words."""
    result = rule(*shifts, *(np.array(column, dtype=np.uint64) for column in columns))
    # A promotion to a signed type or to floats would be a mistake that a cast would hide.
    assert result.dtype == np.uint64
    return [int(word) for word in result]


@functools.cache
def compiled(rule: Rule, shifts: Shifts) -> Any:
    """Machine code that calls the rule, for a tuple of unsigned words and an unsigned result."""
    count = len(signature(rule).parameters) - len(shifts)
    call: Rule
    # Numba takes a function as an argument only if it is a constant of the caller.
    if shifts:
        (shift,) = shifts

        def call(words):  # type: ignore[no-untyped-def]
            return rule(shift, *words)
    else:

        def call(words):  # type: ignore[no-untyped-def]
            return rule(*words)

    machine_code = numba.njit([f"uint64(UniTuple(uint64, {count}))"])(call)
    assert getclosurevars(machine_code.py_func).nonlocals["rule"] is rule
    return machine_code


def by_numba(rule: Rule, shifts: Shifts, columns: Columns) -> list[int]:
    """Machine code, as in play."""
    call = compiled(rule, shifts)
    words = [np.array(column, dtype=np.uint64) for column in columns]
    return [int(call(row)) for row in zip(*words, strict=True)]


@functools.cache
def symbolic(rule: Rule, shifts: Shifts) -> tuple[list[Any], Any]:
    """The rule as one expression over bit-vector variables, built once."""
    words = len(signature(rule).parameters) - len(shifts)
    variables = [z3.BitVec(f"word{index}", WORD) for index in range(words)]
    return variables, rule(*shifts, *variables)


def by_z3(rule: Rule, shifts: Shifts, columns: Columns) -> list[int]:
    """The expression that a solver would get, with numbers in place of its variables."""
    variables, expression = symbolic(rule, shifts)
    results = []
    for row in zip(*columns, strict=True):
        values = [z3.BitVecVal(word, WORD) for word in row]
        value = z3.simplify(z3.substitute(expression, *zip(variables, values, strict=True)))
        results.append(value.as_long())
    return results


Reading = Callable[[Rule, Shifts, Columns], list[int]]

# Each with the share of the positions that it gets, 1 in N: z3 takes more than half a millisecond
# for what the others do in microseconds.
READINGS: dict[str, tuple[Reading, int]] = {
    "ints": (by_ints, 1),
    "numpy": (by_numpy, 1),
    "numba": (by_numba, 1),
    "z3": (by_z3, 12),
}


def check(reading: str, rule: Rule, shifts: Shifts, cases: Sequence[tuple[int, ...]]) -> None:
    """Read the rule on cases of (word, ..., expected result) and name the first that differs."""
    read, one_in = READINGS[reading]
    cases = cases[::one_in]
    assert len(cases) > 100
    *columns, expected = zip(*cases, strict=True)
    for case, result, right in zip(cases, read(rule, shifts, columns), expected, strict=True):
        if result != right:
            arguments = [shift.__name__ for shift in shifts] + [f"{word:#x}" for word in case[:-1]]
            call = f"{rule.__name__}({', '.join(arguments)})"
            raise AssertionError(f"{call} is {result:#x} by {reading}, not {right:#x}")


def serves_every_reading(rule: Rule, shifts: Shifts = ()) -> None:
    """What Python calls is not a compiled stand-in, and what Numba compiles is no copy."""
    assert type(rule) is FunctionType
    compiles = getclosurevars(compiled(rule, shifts).py_func).nonlocals
    assert compiles["rule"] is rule
    assert not shifts or compiles["shift"] is shifts[0]
