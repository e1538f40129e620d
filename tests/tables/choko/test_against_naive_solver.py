"""Choko's tables beside a solver that holds every position in a dictionary."""

from __future__ import annotations

import random

import pytest

from playproof.core.registry import make
from playproof.tables.choko.slices import Slice, belongs, slice_of
from playproof.tables.choko.value_codes import distance, outcome
from tests.support.oracles.choko_solver_naive import (
    DRAWN,
    LOST,
    WON,
    Position,
    Value,
    followers,
    free_positions,
    off_the_board,
    on_the_board,
    solve,
    value_under_cap,
)
from tests.support.tables.choko_solved import slice_with, solved, some_positions, state_of, stored

# Both ways to play, with as many pieces in play as plain Python can solve.
SOLVED = {False: 4, True: 3}
SAMPLED = {False: 6, True: 5}
NO_VALUE = (DRAWN, 0)


def value(code: int) -> Value:
    return outcome(code), distance(code)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(False, marks=pytest.mark.slow, id="twos"),
        pytest.param(True, id="lone-jump"),
    ],
)
def lone_jump(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def truth(lone_jump: bool) -> dict[Position, Value]:
    """The values of all positions with so few pieces, by the naive solver."""
    roots = [
        root
        for hand in range(3)
        for own in range(5)
        for other in range(5)
        if own + other + 2 * hand <= SOLVED[lone_jump]
        and belongs(slice_of(hand, own, other), lone_jump)
        for root in free_positions(hand, own, other)
    ]
    return solve(iter(roots), lone_jump)


def test_the_solver_moves_as_the_naive_board_does(lone_jump: bool) -> None:
    chooser = random.Random(1)
    for _ in range(200):
        hand, forced = chooser.randrange(4), bool(chooser.randrange(2))
        there = chooser.sample(range(25), chooser.randrange(14))
        own = chooser.randrange(max(0, len(there) - 9), min(9, len(there)) + 1)
        position = Position(frozenset(there[:own]), frozenset(there[own:]), hand + forced, forced)
        board = on_the_board(position, lone_jump, chooser.randrange(2))
        assert off_the_board(board) == position
        if position.lost or not (position.other or hand):
            continue  # no position to move in
        after = [off_the_board(board.play(action)) for action in board.legal()]
        expected = followers(position, lone_jump)
        assert sorted(map(sorted_sets, expected)) == sorted(map(sorted_sets, after))


def sorted_sets(position: Position) -> tuple[list[int], list[int], int, bool]:
    return sorted(position.own), sorted(position.other), position.hand, position.forced


def test_every_free_position_has_its_value(lone_jump: bool, truth: dict[Position, Value]) -> None:
    store = solved(lone_jump, SOLVED[lone_jump]).store
    values = [value(code) for code in range(256)]
    slices: dict[Slice, list[Position]] = {}
    for position in truth:
        if not position.forced and not position.lost:
            slices.setdefault(slice_with(position), []).append(position)
    assert set(slices) == set(store.slices())
    for one, positions in slices.items():
        assert len(positions) == one.raw
        codes = [values[code] for code in stored(store, one, positions)]
        assert codes == [truth[p] for p in positions], one.name


def test_every_kind_of_position_is_answered(lone_jump: bool, truth: dict[Position, Value]) -> None:
    probe, chooser = solved(lone_jump, SOLVED[lone_jump]).probe, random.Random(2)
    kinds: dict[tuple[int, ...], list[Position]] = {}
    for p in truth:
        kinds.setdefault((p.forced, p.hand, len(p.own), len(p.other)), []).append(p)
    assert {kind[0] for kind in kinds} == {False, True}
    for alike in kinds.values():
        for position in chooser.sample(alike, min(60, len(alike))):
            if not followers(position, lone_jump):
                continue
            state = state_of(probe.game, position, chooser.randrange(2))
            answer = probe.value(state)
            assert (answer.outcome, answer.distance or 0) == truth[position], position
            # A value for each action, and so the same ones as often.
            values = sorted(seen_from_before(truth[p]) for p in followers(position, lone_jump))
            moves = probe.moves(state)
            assert sorted((v.outcome, v.distance or 0) for _, v in moves) == values
            assert [action for action, _ in sorted(moves)] == state.legal_actions()


def seen_from_before(value: Value) -> Value:
    return NO_VALUE if value == NO_VALUE else (-value[0], value[1] + 1)


def best(values: list[Value]) -> Value:
    """The best for who chooses: a quick win, a draw, a slow loss; drawn if there is no move."""
    order = {WON: 300, DRAWN: 0, LOST: -300}
    return max(values, key=lambda v: order[v[0]] - v[0] * v[1], default=NO_VALUE)


@pytest.mark.slow
def test_larger_slices_hold_the_best_of_what_follows(lone_jump: bool) -> None:
    # Values that fit together everywhere are the right ones, by induction on the distance.
    store = solved(lone_jump, SAMPLED[lone_jump]).store
    larger = [s for s in store.slices() if 2 * s.hands + s.large + s.small > SOLVED[lone_jump]]
    assert len(larger) == (6 if not lone_jump else 16)

    def look_up(position: Position) -> Value:
        if position.lost:
            return LOST, 0
        if position.forced:
            return best([seen_from_before(look_up(p)) for p in followers(position, lone_jump)])
        return value(stored(store, slice_with(position), [position])[0])

    for one in larger:
        for position in some_positions(one, 25, seed=3):
            after = [seen_from_before(look_up(p)) for p in followers(position, lone_jump)]
            assert look_up(position) == best(after), (one.name, position)


def test_a_cap_is_what_every_line_of_play_says(
    truth: dict[Position, Value], lone_jump: bool
) -> None:
    probe, chooser = solved(lone_jump, SOLVED[lone_jump]).probe, random.Random(4)
    game = make("choko", lone_jump=lone_jump)
    decided = [p for p, v in truth.items() if 2 <= v[1] <= 5]
    seen = set()
    for position in chooser.sample(decided, 40):
        for left in range(1, 5):
            state = state_of(game, position, left % 2, game.options["cap"] - left)
            value_ = probe.value(state, capped=True)
            assert value_.outcome == value_under_cap(position, lone_jump, left)
            seen.add((truth[position], left, value_.outcome))
    # Both sides of the edge were met: a win that comes in time, and one that comes too late.
    assert {((WON, 3), 3, WON), ((WON, 3), 2, DRAWN)} <= seen
    assert {((LOST, 2), 2, LOST), ((LOST, 2), 1, DRAWN)} <= seen
