"""Which positions of Othello play comes to: the forward table, and one position."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playproof
from playproof import State, UsageError
from playproof.core.enumeration import enumerate_positions
from playproof.core.errors import DataError
from playproof.core.stopping import stop_flag
from playproof.proofs.othello.retrograde import forward as othello_forward
from playproof.proofs.othello.retrograde.canonical import canonical
from playproof.proofs.othello.retrograde.forward import build, forward_table
from playproof.proofs.othello.retrograde.path import split
from playproof.proofs.othello.retrograde.search import (
    DeadPositions,
    Reachable,
    Unknown,
    Unreachable,
    predecessors,
    reach,
)
from playproof.rules import othello as rules
from tests.support.proofs.retrograde_naive import (
    all_reachable,
)
from tests.support.proofs.some_positions import coloured, played, set_up

PAPER_BLACK = "F5D6C4F3C5B4B3E6C6G5F6C7C3D2C2B2F4G4G3G7G6E7D3G2H3B6"
PAPER_WHITE = "F5F6E6F4G7C6G3E7D6F3E3D3B7D7C2G2G1C3B2B3B4F7G5C4C7C8E2"
OURS = "e6f6f5f4c3c6c5d6f7b5g4f3e2f2g2c4b4b3b7b6d7e3b2a3g6"


@pytest.fixture(scope="module")
def reachable() -> set[State]:
    """Of the 4x4 board, all."""
    return all_reachable(4)


# The forward table


def test_counts_by_stones() -> None:
    assert build(11).counts == [1, 1, 3, 14, 60, 322, 1773, 10649]
    for size, levels in ((4, 11), (6, 6)):
        game = playproof.make("othello", size=size)
        counts = [level.count for level in enumerate_positions(game, levels)]
        assert build(4 + levels, size).counts == counts


@pytest.mark.slow
def test_variants_are_those_of_concrete_positions(reachable: set[State]) -> None:
    """The nodes of the 4x4 board: no more, no less, and who is who."""
    table = build(15, 4)
    expected = set()
    for state in reachable:
        own, opponent, side = split(state)
        if rules.moves(own, opponent, rules.board(4)):
            a, b, variant = canonical(np.uint64(own), np.uint64(opponent), side, 4)
            expected.add((int(a), int(b), int(variant)))
    held = {
        (*row, variant)
        for level in table.levels
        for row, mask in zip(level.rows.tolist(), level.masks.tolist(), strict=True)
        for variant in range(4)
        if mask >> variant & 1
    }
    assert held == expected
    # In all images, with either side to move.
    for own, opponent, _ in random.Random(2).sample(sorted(held), 80):
        level = table.level((own | opponent).bit_count())
        for symmetry in range(8):
            a, b, _ = split(set_up(4, own, opponent, 0).transformed(symmetry))
            for side in (0, 1):
                x, y, variant = canonical(np.uint64(a), np.uint64(b), side, 4)
                assert (int(x), int(y)) == (own, opponent)
                is_held = bool(level.mask(own, opponent) >> int(variant) & 1)
                assert is_held == (set_up(4, a, b, side) in reachable)


def test_a_table_is_kept_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    made = []
    path = othello_forward.table_path(11, 8)
    outdated = path.with_name("forward-8x8-11-0123456789ab.table")
    outdated.parent.mkdir()
    outdated.touch()
    table = forward_table(11, on_progress=lambda stones, n: made.append((stones, n)))
    assert made[-1] == (11, 10649)
    assert list(tmp_path.rglob("forward-*")) == [path]
    again = forward_table(11, on_progress=lambda *_: pytest.fail("it was there"))
    for one, other in zip(table.levels, again.levels, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))

    whole = path.read_bytes()
    spoilt = bytearray(whole)
    spoilt[len(whole) // 2] ^= 1
    path.write_bytes(spoilt)
    with pytest.raises(DataError, match="changed"):
        othello_forward.read(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="cut short"):
        othello_forward.read(path)
    path.write_bytes(b"{}")
    with pytest.raises(DataError, match="not a forward table"):
        othello_forward.read(path)
    assert forward_table(11).counts == table.counts  # made anew
    assert path.read_bytes() == whole


@pytest.mark.parametrize(("stones", "size"), [(3, 8), (16, 8), (10, 5)])
def test_tables_that_cannot_be(stones: int, size: int) -> None:
    with pytest.raises(UsageError, match="want"):
        forward_table(stones, size)


# One position


@pytest.mark.slow
def test_reach_is_exact_on_the_small_board(reachable: set[State]) -> None:
    rnd = random.Random(1)
    memory = DeadPositions(8)
    chosen = rnd.sample(sorted(reachable, key=lambda state: state.position), 100)
    images = [state.transformed(rnd.randrange(1, 16)) for state in chosen]
    others = [set_up(4, *coloured(4, seed), seed & 1) for seed in range(100)]
    answers = {Reachable: 0, Unreachable: 0}
    for stones in (4, 9):
        table = build(stones, 4)
        for state in [*chosen, *images, *others]:
            answer = reach(state, forward=table, memory=memory)
            assert isinstance(answer, Reachable) == (state in reachable), state
            answers[type(answer)] += 1
            if isinstance(answer, Reachable):
                assert state.game.start().play(answer.moves) == state
                assert state.game.start().play(answer.record) == state
    assert min(answers.values()) > 130


@pytest.mark.slow
def test_reach_up_to_symmetry(reachable: set[State]) -> None:
    memory = DeadPositions(8)
    for seed in range(120):
        position = played(4, seed) if seed % 3 == 0 else coloured(4, seed)
        state = set_up(4, *position, seed & 1).transformed(seed & 7)
        answer = reach(state, symmetric=True, memory=memory)
        images = [state.transformed(s) for s in range(16)]
        assert isinstance(answer, Reachable) == any(image in reachable for image in images)
        if isinstance(answer, Reachable):
            assert answer.state in images


@pytest.mark.parametrize("record", [PAPER_BLACK, PAPER_WHITE, OURS])
def test_thirty_three_moves_are_reached(record: str) -> None:
    start = playproof.make("othello").start()
    state = start.play(record)
    assert len(state.legal_actions()) == 33
    answer = reach(state)
    assert isinstance(answer, Reachable)
    assert start.play(answer.record) == state


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from((6, 8)), st.integers(1, 16))
def test_played_positions_are_reached(seed: int, size: int, plies: int) -> None:
    rnd = random.Random(seed)
    state = start = playproof.make("othello", size=size).start()
    for _ in range(plies):
        state = state.apply(rnd.choice(state.legal_actions()))
        if state.is_terminal:
            break
    answer = reach(state, memory=DeadPositions(16))
    assert isinstance(answer, Reachable)
    assert start.play(answer.moves) == state


def test_a_quarter_turn_begins_at_another_start() -> None:
    state = playproof.make("othello").start().play("d3")
    assert isinstance(reach(state), Reachable)
    turned = state.transformed(5)
    assert isinstance(reach(turned), Unreachable)
    assert isinstance(reach(turned, symmetric=True), Reachable)
    swapped = turned.transformed(8)  # and White began
    assert isinstance(reach(swapped), Unreachable)


def test_limits_end_a_search() -> None:
    state = playproof.make("othello").start().play(PAPER_WHITE)
    answer = reach(state, nodes=100)
    assert isinstance(answer, Unknown)
    assert sum(answer.explored.values()) == 100
    longer = reach(state, nodes=10_000)  # several attempts
    assert sum(longer.explored.values()) == 10_000
    assert isinstance(reach(state, seconds=0), Unknown)
    flag = stop_flag()
    flag[0] = 1
    assert isinstance(reach(state, stop=flag), Unknown)


def test_a_position_that_cannot_be_built() -> None:
    answer = reach(set_up(8, rules.start(8)[0] | 1, rules.start(8)[1], 0))
    assert isinstance(answer, Unreachable)
    assert not answer.constructible


def test_bad_questions() -> None:
    with pytest.raises(UsageError, match="othello"):
        reach(playproof.make("choko").start())
    with pytest.raises(UsageError, match="table"):
        reach(playproof.make("othello", size=6).start(), forward=build(5, 8))
    with pytest.raises(UsageError, match="overlap"):
        predecessors(1, 1)
    with pytest.raises(UsageError, match="size 5"):
        predecessors(1, 2, 5)
    with pytest.raises(UsageError, match="megabytes"):
        DeadPositions(0)
