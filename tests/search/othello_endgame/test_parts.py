"""The parts of the endgame solver: its table, stable discs, and fast readings of the law."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from contextlib import redirect_stdout

import numba
import numpy as np
import pytest

import playproof
from playproof import State
from playproof.core.stopping import stop_flag
from playproof.rules import othello as rules
from playproof.search.othello_endgame import hash_table, lanes
from playproof.search.othello_endgame.last_empties import last_flips
from playproof.search.othello_endgame.stability import edge_table, stable
from tests.support.core.processes import python
from tests.support.search.endgames import some_endings

# The table


@numba.njit
def keep_bounds(arrays, options, own, opponent, lower, upper, left):
    hash_table.store(own, opponent, lower, upper, 0, left, hash_table.pointers_to(arrays, options))


@numba.njit
def found_bounds(arrays, options, own, opponent):
    entry = hash_table.find(own, opponent, hash_table.pointers_to(arrays, options))
    return entry != 0, hash_table.lower_of(entry), hash_table.upper_of(entry)


@pytest.mark.slow
def test_the_table_never_mixes_positions_or_loosens_bounds() -> None:
    game, chooser = playproof.make("othello"), random.Random(4)
    options, arrays = game.option_words, hash_table.allocate(8, 1e-6, stop_flag())
    assert arrays.table.shape == (hash_table.BUCKET,)  # all positions compete for two entries
    sides = [np.uint64(stones) for stones in (1, 2, 4)]
    scores = {(own, other): chooser.randint(-64, 64) for own in sides for other in sides}
    kept = known = 0
    for _ in range(800):
        (own, other), score = chooser.choice(list(scores.items()))
        before = found_bounds(arrays, options, own, other)
        lower, upper = chooser.choice([(chooser.randint(-64, score), 64), (-64, score)])
        keep_bounds(arrays, options, own, other, lower, upper, chooser.randint(8, 20))
        arrays.statistics[hash_table.AGE] += chooser.random() < 0.1
        after = found_bounds(arrays, options, own, other)
        assert after[0]
        assert lower <= after[1] <= score <= after[2] <= upper
        if before[0]:
            known += 1
            assert after[1:] == (max(lower, before[1]), min(upper, before[2]))
        for (mine, yours), truth in scores.items():
            there, least, most = found_bounds(arrays, options, mine, yours)
            kept += there
            assert not there or least <= truth <= most
    assert known > 80
    assert kept > 1300


# Stable discs


@numba.njit
def stable_of(own, opponent, squares, edges, size):
    return stable(own, opponent, squares, edges, size)


def stable_in(state: State) -> int:
    """The discs of both sides that are said to be stable."""
    size = int(state.game.options["size"])
    black, white, squares = state.row[0], state.row[1], np.uint64(rules.board(size))
    edges = edge_table(size)
    found = stable_of(black, white, squares, edges, size)
    assert not found & ~black
    other = stable_of(white, black, squares, edges, size)
    assert not other & ~white
    return int(found) | int(other)


@pytest.mark.parametrize(("spec", "games"), [("othello", 12), ("othello:size=6", 15)])
def test_discs_said_to_be_stable_are_never_turned(spec: str, games: int) -> None:
    game, chooser = playproof.make(spec), random.Random(1)
    claims = 0
    for _ in range(games):
        state = game.start()
        claimed = [0, 0]  # of Black and of White, so far
        while not state.is_terminal:
            for colour in range(2):
                assert not claimed[colour] & ~int(state.row[colour])
            safe = stable_in(state)
            claimed = [c | safe & int(s) for c, s in zip(claimed, state.row[:2], strict=True)]
            claims += safe.bit_count()
            state = state.apply(chooser.choice(state.legal_actions()))
    assert claims > 100 * games


def test_discs_said_to_be_stable_stay_in_every_continuation() -> None:
    for state in some_endings("othello:size=4", 7, 12):
        safe = stable_in(state)
        held = [safe & int(stones) for stones in state.row[:2]]
        states = [state]
        while states:
            here = states.pop()
            for colour in range(2):
                assert not held[colour] & ~int(here.row[colour])
            states += [here.apply(action) for action in here.legal_actions()]


def stable_by_name(first_rows: str) -> set[str]:
    rows = [*first_rows.split(), *["-" * 8] * 8]
    rows[3:5] = ["---OX---", "---XO---"]
    state = playproof.make("othello").position("".join(rows[:8]) + " X")
    safe = stable_in(state)
    return {state.name(square) for square in range(64) if safe >> square & 1}


def test_what_is_plainly_stable_is_found() -> None:
    first_row = {f"{column}1" for column in "abcdefgh"}
    assert stable_by_name("XX------") == {"a1", "b1"}
    assert stable_by_name("-X------") == set()
    assert stable_by_name("XXX-OXX-") == {"a1", "b1", "c1"}
    # A full edge stays whatever its colours are, and so does what it holds up.
    assert stable_by_name("XOXXOOXX") == first_row
    assert stable_by_name("XXXXXXXX XXX-----") == {*first_row, "a2", "b2", "c2"}
    assert stable_by_name("XXXXXXXX OXX-----") == first_row


# The fast readings of the law


def random_boards(count: int) -> Iterator[tuple[int, int]]:
    chooser = random.Random(2)
    for _ in range(count):
        stones = chooser.getrandbits(64) | chooser.getrandbits(64)
        own = stones & chooser.getrandbits(64)
        yield own, stones & ~own


@numba.njit
def moves_and_flips(own, opponent, empty, out):
    reached = lanes.reach(own, opponent)
    out[64] = lanes.moves(reached, empty)
    for square in range(64):
        move = np.uint64(1) << np.uint64(square)
        if empty & move:
            out[square] = lanes.flips(reached, opponent, move)


def test_lanes_read_the_same_law() -> None:
    every = 2**64 - 1
    for number, (own, opponent) in enumerate(random_boards(100)):
        empty = every & ~(own | opponent)
        out = np.zeros(65, np.uint64)
        read = moves_and_flips if number >= 8 else moves_and_flips.py_func
        read(np.uint64(own), np.uint64(opponent), np.uint64(empty), out)
        assert int(out[64]) == rules.moves(own, opponent, every)
        for square in range(64):
            if empty >> square & 1:
                assert int(out[square]) == rules.flips(own, opponent, 1 << square) & every


@numba.njit
def count_last_flips(own, opponent, move):
    return last_flips(own, opponent, move)


def test_the_last_square_is_counted_by_the_same_law() -> None:
    every = 2**64 - 1
    for own, _ in random_boards(50):
        for square in range(64):
            move = 1 << square
            mine, yours = own & ~move, every & ~own & ~move
            turned = (rules.flips(mine, yours, move) & every).bit_count()
            assert count_last_flips(*map(np.uint64, (mine, yours, move))) == turned


def test_it_runs_uncompiled_too() -> None:
    script = (
        "import playproof\n"
        "from playproof.search.othello_endgame.solver import solve\n"
        "game = playproof.make('othello:size=4')\n"
        "found = solve(game.start().play('b1a1a2c1d2b4a4'), megabytes=0.01)\n"
        "print(found.score, found.line, found.nodes)\n"
    )
    plain = python("-W", "error::RuntimeWarning", "-c", script, NUMBA_DISABLE_JIT="1")
    compiled = io.StringIO()
    with redirect_stdout(compiled):
        exec(script, {})
    assert plain == compiled.getvalue()
