"""One function object, read by CPython, NumPy, Numba and z3, against an oracle written apart.

Positions are of three kinds, because each finds what the others miss: played ones are those that
matter, arbitrary ones reach densities that play does not, and lines between an empty and a
crowded surrounding show a run that is too short or goes round the edge.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from inspect import getclosurevars
from itertools import product
from random import Random
from types import FunctionType
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import choko_naive, othello_naive
from oracles.choko_naive import NaiveChoko, neighbour, squares_with
from oracles.othello_naive import BLACK, WHITE, NaiveOthello, Square
from playproof.rules import choko, othello
from rules.readings import READINGS, check, compiled

WORDS = 2**64 - 1
NO_OR_YES = (0, choko.BOARD)

# By the number of the direction, as in actions: up, right, down, left.
FORWARD = (choko.up, choko.right, choko.down, choko.left)
BACKWARD = (choko.down, choko.left, choko.up, choko.right)

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
directions = pytest.mark.parametrize("direction", range(4))
modest = settings(max_examples=60, deadline=None)


def shuffled(cases: Iterable[Any], seed: int) -> list[Any]:
    """In a fixed random order, so that every n-th case is a fair sample of all kinds."""
    cases = list(cases)
    Random(seed).shuffle(cases)
    return cases


def test_one_function_object_serves_every_reading() -> None:
    """What Python calls is not a compiled stand-in, and what Numba compiles is no copy."""
    rules: list[tuple[Any, tuple[Any, ...]]] = [(othello.moves, ()), (othello.flips, ())]
    rules += [(choko.placements, ()), (choko.removals, ()), (choko.several, ())]
    rules += [(rule, (shift,)) for rule in (choko.steps, choko.jumps) for shift in BACKWARD]
    for rule, shifts in rules:
        assert type(rule) is FunctionType
        compiles = getclosurevars(compiled(rule, shifts).py_func).nonlocals
        assert compiles["rule"] is rule
        assert not shifts or compiles["shift"] is shifts[0]


# Othello: positions


def all_squares(size: int) -> list[Square]:
    return [(row, column) for row in range(size) for column in range(size)]


def othello_word(squares: Iterable[Square]) -> int:
    """The word of some squares; the stride is eight on every size of board."""
    return sum(1 << (8 * row + column) for row, column in squares)


def discs(board: othello_naive.Board, colour: int) -> int:
    """The word of one colour's discs."""
    return othello_word(
        (r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell == colour
    )


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
    positions = [(p.board, p.to_move, None) for p in played_othello(size, games=16)]
    positions += [(board, BLACK, None) for board in arbitrary_othello(size, count=1200)]
    positions += [(board, BLACK, square) for board, square in lines_of_othello(size)]
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


# Othello: the rules against the oracle


@sizes
def test_othello_board_and_start(size: int) -> None:
    board = othello_naive.start_board(size)
    assert othello.board(size) == othello_word(all_squares(size))
    assert othello.start(size) == (discs(board, BLACK), discs(board, WHITE))


@readings
@pytest.mark.parametrize("shift", COMPASS, ids=lambda shift: shift.__name__)
def test_othello_shifts_stop_at_the_edge(shift: Callable[[Any], Any], reading: str) -> None:
    """A shift is a union over squares, so the single squares and a few unions say it all."""
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
    check(reading, shift, (), shuffled(words, 0))


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


# Choko: positions


def choko_word(squares: Iterable[int | None]) -> int:
    """The word of some squares; one beyond the edge is no square."""
    return sum(1 << square for square in squares if square is not None)


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
    played = [p for lone_jump in (False, True) for p in played_choko(lone_jump, games=10)]
    cases = [(position.board, position.to_move) for position in played]
    cases += [(board, choko_naive.BLUE) for board in arbitrary_choko(count=2000)]
    return shuffled(cases, 0)


@functools.cache
def choko_pieces() -> list[tuple[int, int]]:
    """The own and the enemy word of each position."""
    return [
        (choko_word(squares_with(board, side)), choko_word(squares_with(board, 1 - side)))
        for board, side in choko_positions()
    ]


# Choko: the rules against the oracle


@readings
@directions
def test_choko_shifts_stop_at_the_edge(direction: int, reading: str) -> None:
    random = Random(0)
    cases = [[square] for square in range(25)]
    cases += [random.sample(range(25), random.randint(0, 25)) for _ in range(1300)]
    words = [
        (choko_word(squares), choko_word(neighbour(square, direction) for square in squares))
        for squares in cases
    ]
    check(reading, FORWARD[direction], (), shuffled(words, 0))


@readings
def test_choko_placements(reading: str) -> None:
    cases = []
    for (board, _), (own, enemy) in zip(choko_positions(), choko_pieces(), strict=True):
        empties = choko_word(squares_with(board, None))
        cases += [(own, enemy, 0, 0), (own, enemy, choko.BOARD, empties)]
    check(reading, choko.placements, (), shuffled(cases, 0))


@readings
@directions
def test_choko_steps(direction: int, reading: str) -> None:
    cases = []
    for (board, side), (own, enemy) in zip(choko_positions(), choko_pieces(), strict=True):
        steps = choko_naive.naive_steps(board, side)
        movers = choko_word(square for square, d in steps if d == direction)
        cases += [(own, enemy, 0, 0), (own, enemy, choko.BOARD, movers)]
    check(reading, choko.steps, (BACKWARD[direction],), shuffled(cases, 0))


@readings
@directions
def test_choko_jumps(direction: int, reading: str) -> None:
    cases = []
    for (board, side), (own, enemy) in zip(choko_positions(), choko_pieces(), strict=True):
        for lone in NO_OR_YES:
            jumps = choko_naive.naive_jumps(board, side, lone_jump=bool(lone))
            movers = choko_word(square for square, d, _ in jumps if d == direction)
            cases += [(own, enemy, 0, lone, 0), (own, enemy, choko.BOARD, lone, movers)]
    check(reading, choko.jumps, (BACKWARD[direction],), shuffled(cases, 0))


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
    for position in played_choko(lone_jump, games=12):
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


def squares_of(word: int) -> list[int]:
    """The squares of a word, lowest first."""
    return [square for square in range(64) if word >> square & 1]


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


@sizes
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
