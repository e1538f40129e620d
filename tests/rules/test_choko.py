"""Choko's rules, read by CPython, NumPy, Numba and z3, against an oracle written apart."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from playproof.rules import choko
from tests.support.longer import longer
from tests.support.oracles import choko_naive
from tests.support.oracles.choko_naive import NaiveChoko, neighbour, squares_with
from tests.support.rules.readings import READINGS, check, serves_every_reading
from tests.support.rules.words import BACKWARD, FORWARD, NO_OR_YES, choko_word, shuffled, squares_of

readings = pytest.mark.parametrize("reading", READINGS)
directions = pytest.mark.parametrize("direction", range(4))


@pytest.mark.slow
def test_one_function_object_serves_every_reading() -> None:
    for rule in (choko.placements, choko.removals, choko.several):
        serves_every_reading(rule)
    for shift in BACKWARD:
        serves_every_reading(choko.steps, (shift,))
        serves_every_reading(choko.jumps, (shift,))


# Positions


def played_choko(lone_jump: bool, games: int) -> Iterator[NaiveChoko]:
    random = Random(lone_jump)
    for _ in range(games):
        position = NaiveChoko(lone_jump=lone_jump)
        while not position.over:
            yield position
            position = position.play(random.choice(position.legal()))
        yield position


def arbitrary_choko(count: int) -> Iterator[choko_naive.Board]:
    random = Random(0)
    for _ in range(count):
        occupied = random.sample(range(25), random.randint(0, 25))
        # With none, one or two enemies the second removal is at stake: never leave that to luck.
        enemies = random.choice((0, 1, 1, 2, 3, len(occupied) // 2, len(occupied)))
        yield choko_naive.board_of(occupied[enemies:], occupied[:enemies])


@functools.cache
def choko_positions() -> list[tuple[choko_naive.Board, int]]:
    """Boards with a mover."""
    played = [p for lone_jump in (False, True) for p in played_choko(lone_jump, games=4)]
    cases = [(position.board, position.to_move) for position in played]
    cases += [(board, choko_naive.BLUE) for board in arbitrary_choko(count=longer(900, 2000))]
    return shuffled(cases, 0)


@functools.cache
def choko_pieces() -> list[tuple[int, int]]:
    """The own and the enemy word of each position."""
    return [
        (choko_word(squares_with(board, side)), choko_word(squares_with(board, 1 - side)))
        for board, side in choko_positions()
    ]


# The rules against the oracle


@functools.cache
def shift_cases(direction: int) -> list[tuple[int, ...]]:
    random = Random(0)
    cases = [[square] for square in range(25)]
    cases += [random.sample(range(25), random.randint(0, 25)) for _ in range(1300)]
    words = [
        (choko_word(squares), choko_word(neighbour(square, direction) for square in squares))
        for squares in cases
    ]
    return shuffled(words, 0)


@readings
@directions
def test_choko_shifts_stop_at_the_edge(direction: int, reading: str) -> None:
    check(reading, FORWARD[direction], (), shift_cases(direction))


@readings
def test_choko_placements(reading: str) -> None:
    cases = []
    for (board, _), (own, enemy) in zip(choko_positions(), choko_pieces(), strict=True):
        empties = choko_word(squares_with(board, None))
        cases += [(own, enemy, 0, 0), (own, enemy, choko.BOARD, empties)]
    check(reading, choko.placements, (), shuffled(cases, 0))


@functools.cache
def step_cases(direction: int) -> list[tuple[int, ...]]:
    cases = []
    for (board, side), (own, enemy) in zip(choko_positions(), choko_pieces(), strict=True):
        steps = choko_naive.naive_steps(board, side)
        movers = choko_word(square for square, d in steps if d == direction)
        cases += [(own, enemy, 0, 0), (own, enemy, choko.BOARD, movers)]
    return shuffled(cases, 0)


@readings
@directions
def test_choko_steps(direction: int, reading: str) -> None:
    check(reading, choko.steps, (BACKWARD[direction],), step_cases(direction))


@functools.cache
def jump_cases(direction: int) -> list[tuple[int, ...]]:
    cases = []
    for (board, side), (own, enemy) in zip(choko_positions(), choko_pieces(), strict=True):
        for lone in NO_OR_YES:
            jumps = choko_naive.naive_jumps(board, side, lone_jump=bool(lone))
            movers = choko_word(square for square, d, _ in jumps if d == direction)
            cases += [(own, enemy, 0, lone, 0), (own, enemy, choko.BOARD, lone, movers)]
    return shuffled(cases, 0)


@readings
@directions
def test_choko_jumps(direction: int, reading: str) -> None:
    check(reading, choko.jumps, (BACKWARD[direction],), jump_cases(direction))


@readings
def test_choko_removals(reading: str) -> None:
    cases = []
    random = Random(0)
    for (board, side), (_, enemy) in zip(choko_positions(), choko_pieces(), strict=True):
        if enemy:
            jumped = random.choice(squares_with(board, 1 - side))
            for lone in NO_OR_YES:
                removable = choko_naive.naive_removals(board, side, jumped, lone_jump=bool(lone))
                cases.append((enemy, 1 << jumped, lone, choko_word(removable)))
    check(reading, choko.removals, (), shuffled(cases, 0))


@readings
def test_choko_several(reading: str) -> None:
    pairs = [choko_word({a, b}) for a, b in product(range(25), repeat=2)]
    pieces = [0, *pairs, *(enemy for _, enemy in choko_pieces())]
    cases = [(word, choko.BOARD if word.bit_count() > 1 else 0) for word in pieces]
    check(reading, choko.several, (), shuffled(cases, 0))


@pytest.mark.parametrize("lone_jump", [False, True])
def test_choko_actions_are_the_oracles(lone_jump: bool) -> None:
    """The words together say which of the 2625 actions are legal, and no other."""
    lone = choko.BOARD if lone_jump else 0
    for position in played_choko(lone_jump, games=5):
        if position.over:
            continue
        side = position.to_move
        own = choko_word(squares_with(position.board, side))
        enemy = choko_word(squares_with(position.board, 1 - side))
        holds = choko.BOARD if position.hands[side] else 0
        free = 0 if position.forced else choko.BOARD
        actions = squares_of(choko.placements(own, enemy, holds))
        for d, (forward, backward) in enumerate(zip(FORWARD, BACKWARD, strict=True)):
            for square in squares_of(choko.steps(backward, own, enemy, free)):
                actions.append(choko_naive.FIRST_STEP + 4 * square + d)
            for square in squares_of(choko.jumps(backward, own, enemy, free, lone)):
                removals = choko.removals(enemy, forward(1 << square), lone)
                first = choko_naive.FIRST_JUMP + 25 * (4 * square + d)
                actions += [first + removed for removed in squares_of(removals)]
        assert sorted(actions) == position.legal()
