"""Othello backwards: exact on boards small enough to try everything."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playproof
from playproof import UsageError
from playproof.core.stopping import stop_flag
from playproof.proofs.othello.constructible import centre, closure_round, is_constructible
from playproof.proofs.othello.retrograde.forward import build
from playproof.proofs.othello.retrograde.path import split
from playproof.proofs.othello.retrograde.search import (
    Unreachable,
    predecessors,
    reach,
    retreat,
)
from playproof.rules import othello as rules
from tests.support.proofs.retrograde_naive import (
    naive_closure,
    naive_predecessors,
    squares_of,
    word_of,
)
from tests.support.proofs.some_positions import coloured, set_up

# The lemma


@given(st.integers(0, 2**64 - 1), st.sampled_from(rules.SIZES))
def test_constructible_is_the_closure_of_the_centre(bits: int, size: int) -> None:
    occupied = bits & rules.board(size) | centre(size)
    built = word_of(naive_closure(squares_of(occupied), size))
    assert is_constructible(occupied, size) == (built == occupied)
    assert is_constructible(built, size)
    reached = centre(size)
    for _ in range(occupied.bit_count() - 4):
        reached = closure_round(occupied, reached)
    assert reached == built
    pair = np.array([occupied, built], np.uint64)
    once = closure_round(pair, np.array([centre(size)] * 2, np.uint64))
    assert once.tolist() == [closure_round(int(x), centre(size)) for x in pair]


@given(st.integers(0, 10**9), st.sampled_from(rules.SIZES))
def test_played_positions_are_constructible(seed: int, size: int) -> None:
    rnd = random.Random(seed)
    state = playproof.make("othello", size=size).start()
    while not state.is_terminal:
        state = state.apply(rnd.choice(state.legal_actions()))
        own, opponent, _ = split(state)
        assert is_constructible(own | opponent, size)


def test_a_hole_in_the_centre_is_not_constructible() -> None:
    assert not is_constructible(centre(8) & ~(1 << 27), 8)
    assert not is_constructible(centre(8) | 1, 8)
    with pytest.raises(UsageError, match="off the 4x4 board"):
        is_constructible(1 << 63, 4)


# One stone back


@pytest.mark.parametrize("seed", range(40))
def test_predecessors_are_all_there_are(seed: int) -> None:
    own, opponent = coloured(4, seed)
    found = [tuple(row) for row in predecessors(own, opponent, 4).tolist()]
    assert len(set(found)) == len(found)
    assert set(found) == naive_predecessors(own, opponent, 4)


def test_passes_are_among_the_predecessors() -> None:
    by_pass = 0
    for seed in range(400):
        own, opponent = coloured(4, seed)
        turned = [row for row in predecessors(own, opponent, 4).tolist() if row[0] & ~own == 0]
        by_pass += bool(turned)
        if turned:
            assert rules.moves(opponent, own, rules.board(4)) == 0
            assert rules.moves(own, opponent, rules.board(4)) != 0
    assert by_pass > 5


@settings(max_examples=30)
@given(st.integers(0, 10**9), st.sampled_from((6, 8)))
def test_a_game_is_found_among_predecessors(seed: int, size: int) -> None:
    rnd = random.Random(seed)
    node = playproof.make("othello", size=size).start()
    while True:
        after = node.apply(rnd.choice(node.legal_actions()))
        if after.legal_names() == ["pass"]:
            after = after.apply("pass")
        own, opponent, _ = split(after)
        assert list(split(node)[:2]) in predecessors(own, opponent, size).tolist()
        if after.is_terminal:
            break
        node = after


# Levels


def test_retreat_is_the_closure_of_predecessors() -> None:
    rnd = random.Random(5)
    state = playproof.make("othello", size=4).start()
    while state.game.empties(state) > 4:
        state = state.apply(rnd.choice(state.legal_actions()))
    own, opponent, _ = split(state)
    level, counts = {(own, opponent)}, []
    while level:
        stones = (next(iter(level))[0] | next(iter(level))[1]).bit_count()
        if stones == 4:
            break
        level = set().union(*(naive_predecessors(a, b, 4) for a, b in level))
        counts.append(len(level))
    found = retreat([(own, opponent)], size=4, symmetric=False)
    assert found.counts == counts
    assert {tuple(row) for row in found.levels[-1].tolist()} == level
    assert not found.exhausted
    small = retreat([(own, opponent)], size=4, forward=build(8, 4))
    assert small.finished
    assert len(small.met) > 0


def test_retreat_from_unreachable_positions_runs_dry() -> None:
    """28 stones and 34 moves: two occupied sets carry four such positions."""
    positions = [
        (0x00143C10320400, 0x2A6A026A007A00),
        (0x00043C10320400, 0x2A7A026A007A00),
        (0x00141C10320400, 0x2A6A226A007A00),
        (0x00141C10261000, 0x2A6A226A006E00),
    ]
    assert all(rules.moves(*p, rules.board(8)).bit_count() == 34 for p in positions)
    concrete = retreat(positions, symmetric=False)
    assert (concrete.counts, concrete.exhausted) == ([6, 3, 0], True)
    images = retreat(positions)
    assert (images.counts, images.exhausted) == ([4, 3, 0], True)
    for own, opponent in positions:
        answer = reach(set_up(8, own, opponent, 1), symmetric=True)
        assert isinstance(answer, Unreachable)
        assert answer.explored[28] == 1
    flag = stop_flag()
    flag[0] = 1
    stopped = retreat(positions, stop=flag)
    assert not stopped.finished
    assert not stopped.exhausted
