"""Bits and random words: the plain reading and the compiled one are the same function."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import int64, uint64

from playproof.core import bits
from playproof.core.bits import derive_seed

Function = Callable[..., Any]

words = st.integers(0, 2**64 - 1)
# What a random number is taken from: no game has more actions than fit in 32 bits.
bounds = st.integers(1, 2**31 - 1)

# The first outputs of the reference SplitMix64 from seed 1234567.
SPLITMIX64 = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


def compiled(signature: Any) -> Callable[[Function], Function]:
    """Compile a function when it is first called: whoever only collects need not wait for it."""

    def later(function: Function) -> Function:
        made = functools.cache(lambda: numba.njit([signature])(function))

        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            return made()(*arguments)

        return call

    return later


@compiled(int64(uint64))
def compiled_popcount(word):
    return bits.popcount(word)


@compiled(int64(uint64))
def compiled_lowest(word):
    return bits.lowest(word)


@compiled(uint64(uint64))
def compiled_mix(word):
    return bits.mix(word)


@compiled(uint64(uint64))
def compiled_advance(word):
    return bits.advance(word)


@compiled(int64(uint64, int64))
def compiled_below(word, bound):
    return bits.below(word, bound)


@settings(deadline=None)
@given(words)
def test_popcount_counts_ones(word: int) -> None:
    expected = bin(word).count("1")
    assert bits.popcount(word) == bits.popcount(np.uint64(word)) == expected
    assert compiled_popcount(np.uint64(word)) == expected


@settings(deadline=None)
@given(words.filter(bool))
def test_lowest_is_the_first_one_from_the_right(word: int) -> None:
    expected = len(bin(word)) - 1 - bin(word).rindex("1")
    assert bits.lowest(word) == bits.lowest(np.uint64(word)) == expected
    assert compiled_lowest(np.uint64(word)) == expected


@pytest.mark.parametrize("bit", [0, 1, 31, 32, 62, 63])
def test_a_single_bit_is_its_own_lowest(bit: int) -> None:
    for word in (1 << bit, 2**64 - (1 << bit)):
        assert bits.lowest(word) == compiled_lowest(np.uint64(word)) == bit


@settings(deadline=None)
@given(words)
def test_mix_and_advance_read_the_same_plain_and_compiled(word: int) -> None:
    assert bits.mix(word) == bits.mix(np.uint64(word)) == compiled_mix(np.uint64(word))
    assert bits.advance(word) == bits.advance(np.uint64(word)) == compiled_advance(np.uint64(word))


@settings(deadline=None)
@given(words, bounds)
def test_below_reads_the_same_plain_and_compiled_and_stays_in_range(word: int, bound: int) -> None:
    number = bits.below(word, bound)
    assert number == bits.below(np.uint64(word), np.int64(bound))
    assert number == compiled_below(np.uint64(word), bound)
    assert 0 <= number < bound


@pytest.mark.parametrize("mix", [bits.mix, compiled_mix])
@pytest.mark.parametrize("advance", [bits.advance, compiled_advance])
def test_the_generator_is_splitmix64(mix, advance) -> None:
    state, outputs = np.uint64(1234567), []
    for _ in SPLITMIX64:
        state = advance(state)
        outputs.append(int(mix(state)))
    assert outputs == SPLITMIX64


def test_a_random_word_is_had_without_those_before_it() -> None:
    at = [int(bits.mix((1234567 + k * bits.GOLDEN) % 2**64)) for k in range(1, 6)]
    assert at == SPLITMIX64


@settings(deadline=None)
@given(st.sets(words, min_size=2, max_size=20))
def test_mix_never_makes_two_words_one(different: set[int]) -> None:
    assert len({int(bits.mix(word)) for word in different}) == len(different)


def test_below_covers_its_range_from_end_to_end() -> None:
    for bound in (1, 2, 7, 2625):
        assert bits.below(0, bound) == 0
        assert bits.below(2**64 - 1, bound) == bound - 1


@pytest.mark.parametrize("bound", [2, 7, 18])
def test_below_is_fair(bound: int) -> None:
    draws = 20_000
    seen = Counter(bits.below(bits.mix(k * bits.GOLDEN % 2**64), bound) for k in range(draws))
    share = 1 / bound
    error = (draws * share * (1 - share)) ** 0.5
    assert sorted(seen) == list(range(bound))
    assert all(abs(count - draws * share) < 5 * error for count in seen.values())


# Seeds of jobs


def test_every_job_of_every_run_has_a_seed_of_its_own() -> None:
    seeds = [derive_seed(seed, job) for seed, job in itertools.product(range(100), repeat=2)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**64 for seed in seeds)
    # Nor is one run's sequence another's, shifted.
    gaps = [derive_seed(seed, job) - derive_seed(seed, 0) for seed in range(20) for job in (1, 2)]
    assert len(set(gaps)) == len(gaps)


def test_a_job_that_starts_a_run_of_its_own_repeats_nobody() -> None:
    for seed in range(20):
        run = {derive_seed(seed, job) for job in range(20)}
        first = {derive_seed(derive_seed(seed, 0), job) for job in range(20)}
        assert not run & first
        assert seed not in run


@pytest.mark.parametrize(
    ("seed", "job", "derived"),
    [
        (0, 1, 7960286522194355700),
        (1, 0, 13830413928045401970),
        (2026, 7, 15976909891486089235),
    ],
)
def test_seeds_stay_what_they_are(seed: int, job: int, derived: int) -> None:
    # Results are published with their seed, so what it leads to may never change.
    assert derive_seed(seed, job) == derived


def test_any_whole_number_is_a_seed() -> None:
    assert derive_seed(-1, 0) == derive_seed(2**64 - 1, 0)
    assert derive_seed(2**64 + 5, 3) == derive_seed(5, 3) != derive_seed(5, -3)
