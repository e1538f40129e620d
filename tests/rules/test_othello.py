"""Othello's rules, read by CPython, NumPy, Numba and z3, against an oracle written apart.

Positions are of three kinds, because each finds what the others miss: played ones are those that
matter, arbitrary ones reach densities that play does not, and lines between an empty and a
crowded surrounding show a run that is too short or goes round the edge.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from playproof.rules import othello
from tests.support.longer import longer
from tests.support.oracles import othello_naive
from tests.support.oracles.othello_naive import BLACK, WHITE, NaiveOthello, Square
from tests.support.rules.readings import READINGS, check, serves_every_reading
from tests.support.rules.words import all_squares, discs, othello_word, shuffled

# A shift of the Othello word and the direction, as (row, column), in which it moves the stones.
COMPASS = {
    othello.south: (1, 0),
    othello.southeast: (1, 1),
    othello.east: (0, 1),
    othello.northeast: (-1, 1),
    othello.north: (-1, 0),
    othello.northwest: (-1, -1),
    othello.west: (0, -1),
    othello.southwest: (1, -1),
}

readings = pytest.mark.parametrize("reading", READINGS)
sizes = pytest.mark.parametrize("size", othello.SIZES)


@pytest.mark.slow
def test_one_function_object_serves_every_reading() -> None:
    for rule in (othello.moves, othello.flips):
        serves_every_reading(rule)


# Positions


def played_othello(size: int, games: int) -> Iterator[NaiveOthello]:
    random = Random(size)
    for _ in range(games):
        position = NaiveOthello(size)
        while not position.over:
            yield position
            position = position.play(random.choice(position.legal()))
        yield position


def arbitrary_othello(size: int, count: int) -> Iterator[othello_naive.Board]:
    random = Random(size)
    squares = all_squares(size)
    for _ in range(count):
        occupied = random.sample(squares, random.randint(0, size * size))
        # An uneven share makes long runs of one colour, which an even one hardly ever has.
        blacks = round(len(occupied) * random.choice((0.05, 0.2, 0.5, 0.8, 0.95)))
        yield othello_naive.board_of(size, occupied[:blacks], occupied[blacks:])


def lines_of_othello(size: int) -> Iterator[tuple[othello_naive.Board, Square]]:
    """A square and a white run from it, closed by Black or open, bare or in a crowd of Black."""
    everywhere = set(all_squares(size))
    for row, column in sorted(everywhere):
        for down, along in othello_naive.DIRECTIONS:
            ray = [(row + n * down, column + n * along) for n in range(1, size)]
            ray = [square for square in ray if square in everywhere]
            for length, closed in product(range(1, len(ray) + 1), (False, True)):
                run, end = ray[:length], set(ray[length : length + 1])
                for crowd in (set(), everywhere - {(row, column), *run} - end):
                    black = crowd | end if closed else crowd
                    yield othello_naive.board_of(size, black, run), (row, column)


@functools.cache
def othello_cases(size: int) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Words and what the oracle makes of them, for moves and for flips."""
    random = Random(size)
    positions: list[tuple[othello_naive.Board, int, Square | None]]
    games, count, one_in = longer((6, 500, 3), (16, 1200, 1)) if size > 4 else (16, 1200, 1)
    positions = [(p.board, p.to_move, None) for p in played_othello(size, games)]
    positions += [(board, BLACK, None) for board in arbitrary_othello(size, count)]
    lines = shuffled(lines_of_othello(size), size)[::one_in]
    positions += [(board, BLACK, square) for board, square in lines]
    squares = othello_word(all_squares(size))
    moves: list[tuple[int, ...]] = []
    flips: list[tuple[int, ...]] = []
    for board, mover, chosen in shuffled(positions, size):
        own, opponent = discs(board, mover), discs(board, 1 - mover)
        legal = sorted(othello_naive.naive_moves(board, mover))
        moves.append((own, opponent, squares, othello_word(legal)))
        empties = [(r, c) for r, c in all_squares(size) if board[r][c] is None]
        if empties:
            # More often than not a legal square, but not always: the others must turn nothing.
            row, column = chosen or random.choice([*legal, random.choice(empties)])
            turned = othello_naive.naive_flips(board, mover, row, column)
            flips.append((own, opponent, othello_word([(row, column)]), othello_word(turned)))
    return moves, flips


# The rules against the oracle


@sizes
def test_othello_board_and_start(size: int) -> None:
    board = othello_naive.start_board(size)
    assert othello.board(size) == othello_word(all_squares(size))
    assert othello.start(size) == (discs(board, BLACK), discs(board, WHITE))


@functools.cache
def shift_cases(shift: Callable[[Any], Any]) -> list[tuple[int, ...]]:
    random = Random(0)
    everywhere = all_squares(8)
    cases = [[square] for square in everywhere]
    cases += [random.sample(everywhere, random.randint(0, 64)) for _ in range(1300)]
    down, along = COMPASS[shift]
    words = []
    for squares in cases:
        moved = [(row + down, column + along) for row, column in squares]
        inside = [square for square in moved if max(square) < 8 and min(square) >= 0]
        words.append((othello_word(squares), othello_word(inside)))
    return shuffled(words, 0)


@readings
@pytest.mark.parametrize("shift", COMPASS, ids=lambda shift: shift.__name__)
def test_othello_shifts_stop_at_the_edge(shift: Callable[[Any], Any], reading: str) -> None:
    """A shift is a union over squares, so the single squares and a few unions say it all."""
    check(reading, shift, (), shift_cases(shift))


@readings
@sizes
def test_othello_moves(size: int, reading: str) -> None:
    check(reading, othello.moves, (), othello_cases(size)[0])


@readings
@sizes
def test_othello_flips(size: int, reading: str) -> None:
    check(reading, othello.flips, (), othello_cases(size)[1])


@sizes
def test_a_game_of_othello_by_words_alone(size: int) -> None:
    """Word after word, without the oracle's board to set a slip right again."""
    random = Random(size)
    for _ in range(4):
        position, words = NaiveOthello(size), list(othello.start(size))
        while not position.over:
            mover = position.to_move
            moves = othello.moves(words[mover], words[1 - mover], othello.board(size))
            action = random.choice(position.legal())
            if moves:
                assert moves == othello_word(divmod(a, size) for a in position.legal())
                move = othello_word([divmod(action, size)])
                turned = othello.flips(words[mover], words[1 - mover], move)
                words[mover] |= turned | move
                words[1 - mover] ^= turned
            else:
                assert position.legal() == [position.pass_action]
            position = position.play(action)
            assert words == [discs(position.board, BLACK), discs(position.board, WHITE)]
        assert not any(
            othello.moves(words[side], words[1 - side], othello.board(size)) for side in (0, 1)
        )
