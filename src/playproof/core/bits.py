"""Random numbers that are the same in compiled and in plain Python code, and bit counting.

The plain version of each function works on Python ints, for debugging.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import int64, uint64
from numba.extending import overload

from playproof.rules.bits import lowest, popcount

__all__ = [
    "GOLDEN", "advance", "below", "derive_seed", "derive_seeds", "lowest", "mix", "popcount",
]  # fmt: skip

_ALL = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15  # odd, close to 2**64 divided by the golden ratio


def mix(word: Any) -> Any:
    """Scramble a word so that every input bit moves every output bit.

    This is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).  Random numbers are
    ``mix(seed + k * GOLDEN)``, so the k-th can be computed without the others.
    """
    z = int(word)
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _ALL
    return np.uint64(z ^ (z >> 31))


def derive_seed(seed: int, index: int) -> int:
    """The seed of task ``index`` of a run, wherever and in whichever order tasks run."""
    # Count from 1, so that no task gets the seed of the run itself or of a sub-run's first task.
    return int(mix((int(mix(seed % 2**64)) + (index + 1) * GOLDEN) % 2**64))


def derive_seeds(seed: int, indices: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """``derive_seed`` for many indices at once."""
    z = np.uint64(mix(seed % 2**64)) + (indices + np.uint64(1)) * np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def advance(word: Any) -> Any:
    """The next state of the generator whose output is ``mix(state)``."""
    return np.uint64((int(word) + GOLDEN) & _ALL)


def below(word: Any, bound: Any) -> int:
    """A number in ``range(bound)`` from a random word (bias below 2**-32)."""
    return ((int(word) >> 32) * int(bound)) >> 32


@overload(mix)
def _mix(word):  # type: ignore[no-untyped-def]
    def compiled(word):  # type: ignore[no-untyped-def]
        z = uint64(word)
        z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
        return z ^ (z >> uint64(31))

    return compiled


@overload(advance)
def _advance(word):  # type: ignore[no-untyped-def]
    return lambda word: uint64(word) + uint64(0x9E3779B97F4A7C15)


@overload(below)
def _below(word, bound):  # type: ignore[no-untyped-def]
    return lambda word, bound: int64(((uint64(word) >> uint64(32)) * uint64(bound)) >> uint64(32))
