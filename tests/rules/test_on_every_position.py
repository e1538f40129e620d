"""The rules of Othello and Choko, whatever the stones: properties and proofs."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof.rules import choko, othello
from tests.support.oracles import othello_naive
from tests.support.oracles.choko_naive import neighbour
from tests.support.oracles.othello_naive import Square
from tests.support.rules.words import BACKWARD, FORWARD, NO_OR_YES, all_squares, squares_of

WORDS = 2**64 - 1

sizes = pytest.mark.parametrize("size", othello.SIZES)
modest = settings(max_examples=30, deadline=None)


# Properties that hold whatever the stones


def turned_over(word: int, stride: int) -> int:
    """The word of the board mirrored in its main diagonal."""
    return sum(1 << (stride * (s % stride) + s // stride) for s in squares_of(word))


def mirrored(word: int, size: int, stride: int) -> int:
    """The word of the board with its files in reverse."""
    return sum(1 << (stride * (s // stride) + size - 1 - s % stride) for s in squares_of(word))


@st.composite
def two_sides(draw: st.DrawFn, squares: int) -> tuple[int, int]:
    """Disjoint stones, from sparse to dense: a lone random word is always about half full."""
    word = st.integers(0, WORDS)
    a, b, c, d = (draw(word) & squares for _ in range(4))
    own, opponent = draw(st.sampled_from([(a, b), (a & b, c | d), (a & b, c & d), (a | b, c & d)]))
    return own & ~opponent, opponent


@st.composite
def othello_stones(draw: st.DrawFn) -> tuple[int, int, int]:
    size = draw(st.sampled_from(othello.SIZES))
    return size, *draw(two_sides(othello.board(size)))


@modest
@given(othello_stones())
def test_othello_moves_and_flips_fit_together(stones: tuple[int, int, int]) -> None:
    """A move is on an empty square and turns opposing stones; any other empty square turns none."""
    size, own, opponent = stones
    squares = othello.board(size)
    moves = othello.moves(own, opponent, squares)
    assert moves & (own | opponent) == 0
    assert moves & ~squares == 0
    for square in squares_of(squares & ~(own | opponent)):
        turned = othello.flips(own, opponent, 1 << square)
        assert turned & ~opponent == 0
        assert bool(turned) == bool(moves >> square & 1)


@modest
@given(othello_stones())
def test_othello_knows_no_preferred_direction(stones: tuple[int, int, int]) -> None:
    size, own, opponent = stones
    squares = othello.board(size)
    moves = othello.moves(own, opponent, squares)
    for image in (
        functools.partial(turned_over, stride=8),
        functools.partial(mirrored, size=size, stride=8),
    ):
        assert othello.moves(image(own), image(opponent), squares) == image(moves)
        for square in squares_of(moves):
            turned = othello.flips(image(own), image(opponent), image(1 << square))
            assert turned == image(othello.flips(own, opponent, 1 << square))


@modest
@given(othello_stones())
def test_othello_turns_every_closed_run_at_once(stones: tuple[int, int, int]) -> None:
    """After a move the same stone closes nothing more, and no square holds two stones."""
    size, own, opponent = stones
    for square in squares_of(othello.moves(own, opponent, othello.board(size))):
        turned = othello.flips(own, opponent, 1 << square)
        after = own | turned | 1 << square
        assert after & (opponent ^ turned) == 0
        assert othello.flips(after, opponent ^ turned, 1 << square) == 0


@modest
@given(two_sides(choko.BOARD), st.sampled_from(NO_OR_YES), st.sampled_from(NO_OR_YES))
def test_choko_words_stay_where_they_belong(pieces: tuple[int, int], free: int, lone: int) -> None:
    own, enemy = pieces
    empties = choko.BOARD & ~(own | enemy)
    assert choko.placements(own, enemy, choko.BOARD) == empties
    for forward, backward in zip(FORWARD, BACKWARD, strict=True):
        steps = choko.steps(backward, own, enemy, free)
        jumps = choko.jumps(backward, own, enemy, free, lone)
        assert (steps | jumps) & ~(own & free) == 0
        # No piece is lost over the edge, and none can both step and jump the same way.
        assert forward(steps).bit_count() == steps.bit_count()
        assert forward(forward(jumps)).bit_count() == jumps.bit_count()
        assert forward(steps) & ~empties == 0
        assert forward(jumps) & ~enemy == 0
        assert forward(forward(jumps)) & ~empties == 0
        for square in squares_of(jumps):
            jumped = forward(1 << square)
            removals = choko.removals(enemy, jumped, lone)
            assert removals
            assert removals & ~enemy == 0
            assert (removals == jumped) == (enemy == jumped)


@modest
@given(two_sides(choko.BOARD), st.sampled_from(NO_OR_YES))
def test_choko_knows_no_preferred_direction(pieces: tuple[int, int], lone: int) -> None:
    """Turned over the diagonal, up is right and down is left; mirrored, right is left."""
    own, enemy = pieces
    for image, direction_of in (
        (functools.partial(turned_over, stride=5), (1, 0, 3, 2)),
        (functools.partial(mirrored, size=5, stride=5), (0, 3, 2, 1)),
    ):
        for direction in range(4):
            there, here = BACKWARD[direction_of[direction]], BACKWARD[direction]
            steps = choko.steps(here, own, enemy, choko.BOARD)
            assert choko.steps(there, image(own), image(enemy), choko.BOARD) == image(steps)
            jumps = choko.jumps(here, own, enemy, choko.BOARD, lone)
            assert choko.jumps(there, image(own), image(enemy), choko.BOARD, lone) == image(jumps)


# Not on samples but on every position: the rule spelt out square by square, proved equal to the
# word function by a solver that looks for one position where they differ and finds none.


def bit(word: Any, square: int) -> Any:
    return z3.Extract(square, square, word) == 1


def prove(claim: Any, *assumptions: Any) -> None:
    possible, solver = z3.Solver(), z3.Solver()
    possible.add(*assumptions)
    assert possible.check() == z3.sat, "the assumptions contradict each other"
    # A solver of its own: one that is asked twice works without its preprocessing.
    solver.add(*assumptions, z3.Not(claim))
    assert solver.check() == z3.unsat, "a counterexample, or no answer"


def closed_runs(own: Any, opponent: Any, size: int, start: Square) -> list[tuple[Any, list[int]]]:
    """Every run a stone on ``start`` could close: when it is there, and its squares."""
    runs = []
    for down, along in othello_naive.DIRECTIONS:
        run: list[int] = []
        row, column = start[0] + down, start[1] + along
        while 0 <= row < size and 0 <= column < size:
            here = 8 * row + column
            if run:
                present = z3.And(*(bit(opponent, square) for square in run), bit(own, here))
                runs.append((present, list(run)))
            run.append(here)
            row, column = row + down, column + along
    return runs


@sizes
def test_othello_moves_on_every_position(size: int) -> None:
    own, opponent = z3.BitVecs("own opponent", 64)
    squares = othello.board(size)
    moves = othello.moves(own, opponent, squares)
    claims = [moves & ~squares == 0]
    for row, column in all_squares(size):
        square = 8 * row + column
        empty = z3.And(z3.Not(bit(own, square)), z3.Not(bit(opponent, square)))
        closes = z3.Or(*(present for present, _ in closed_runs(own, opponent, size, (row, column))))
        claims.append(bit(moves, square) == z3.And(empty, closes))
    prove(z3.And(*claims), own & opponent == 0, (own | opponent) & ~squares == 0)


@pytest.mark.parametrize("size", [4, 6, pytest.param(8, marks=pytest.mark.slow)])
def test_othello_flips_on_every_position(size: int) -> None:
    own, opponent = z3.BitVecs("own opponent", 64)
    squares = othello.board(size)
    nothing = z3.BitVecVal(0, 64)
    for row, column in all_squares(size):
        move = z3.BitVecVal(1 << (8 * row + column), 64)
        expected = nothing
        for present, run in closed_runs(own, opponent, size, (row, column)):
            turned = z3.BitVecVal(sum(1 << square for square in run), 64)
            expected = expected | z3.If(present, turned, nothing)
        stones = own | opponent
        prove(
            othello.flips(own, opponent, move) == expected,
            own & opponent == 0,
            stones & ~squares == 0,
            stones & move == 0,
        )


def test_choko_words_on_every_position() -> None:
    own, enemy, free, lone = z3.BitVecs("own enemy free lone", 64)
    count = z3.Sum(*(z3.If(bit(enemy, square), 1, 0) for square in range(25)))
    claims = [choko.several(enemy) == z3.If(count > 1, z3.BitVecVal(choko.BOARD, 64), 0)]
    for direction, backward in enumerate(BACKWARD):
        steps = choko.steps(backward, own, enemy, free)
        jumps = choko.jumps(backward, own, enemy, free, lone)
        claims += [(steps | jumps) & ~choko.BOARD == 0]
        for square in range(25):
            over, landing = neighbour(square, direction), neighbour(square, direction, 2)
            may = z3.And(bit(own, square), free != 0)
            step = jump = z3.BoolVal(False)
            if over is not None:
                step = z3.And(may, z3.Not(bit(own | enemy, over)))
            if over is not None and landing is not None:
                enough = z3.Or(count > 1, lone != 0)
                jump = z3.And(may, bit(enemy, over), z3.Not(bit(own | enemy, landing)), enough)
            claims += [bit(steps, square) == step, bit(jumps, square) == jump]
    conditions = [z3.Or(word == 0, word == choko.BOARD) for word in (free, lone)]
    prove(z3.And(*claims), own & enemy == 0, (own | enemy) & ~choko.BOARD == 0, *conditions)
