"""The endgame solver: equal to exhaustive search, and honest about what it proves."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest

import playproof
from playproof import State, UsageError
from playproof.core.stopping import stop_flag
from playproof.rules import othello as rules
from playproof.search import othello_endgame_lanes as lanes
from playproof.search import othello_endgame_memory as memory
from playproof.search.othello_endgame import Solution, solve
from playproof.search.othello_endgame_last import last_flips
from playproof.search.othello_endgame_stability import edge_table, stable

# Exhaustive search, written for this test: squares are numbers, directions are
# walked, nothing is pruned and nothing is shared with the solver or the rules.


@numba.njit("uint64(uint64, uint64, int64, int64, int64)")
def turned_by(own, opponent, row, column, size):
    one = np.uint64(1)
    all_turned = np.uint64(0)
    for down in range(-1, 2):
        for right in range(-1, 2):
            if down == 0 and right == 0:
                continue
            r, c, run = row + down, column + right, np.uint64(0)
            while 0 <= r < size and 0 <= c < size:
                here = one << np.uint64(8 * r + c)
                if own & here:
                    all_turned |= run
                    break
                if not opponent & here:
                    break
                run |= here
                r, c = r + down, c + right
    return all_turned


@numba.njit("int64(uint64, int64)")
def count_of(stones, size):
    found = 0
    for r in range(size):
        for c in range(size):
            found += np.int64(stones >> np.uint64(8 * r + c) & np.uint64(1))
    return found


@numba.njit("int64(uint64, uint64, int64, boolean, boolean)")
def exhaust(own, opponent, size, winner_takes, passed):
    best = -1000
    for r in range(size):
        for c in range(size):
            here = np.uint64(1) << np.uint64(8 * r + c)
            if (own | opponent) & here:
                continue
            turned = turned_by(own, opponent, r, c, size)
            if turned:
                after = own | turned | here
                value = -exhaust(opponent & ~turned, after, size, winner_takes, False)
                best = max(best, value)
    if best > -1000:
        return best
    if not passed:
        return -exhaust(opponent, own, size, winner_takes, True)
    mine, yours = count_of(own, size), count_of(opponent, size)
    lead = mine - yours
    if winner_takes and lead != 0:
        rest = size * size - mine - yours
        lead += rest if lead > 0 else -rest
    return lead


def true_score(state: State) -> int:
    """The score for the side to move, by looking at everything."""
    row = state.row
    side = int(row[3]) & 1
    winner = bool(state.game.options["empties_to_winner"])
    size = int(state.game.options["size"])
    return exhaust(row[side], row[1 - side], size, winner, False)


def empties(state: State) -> int:
    filled = int(state.row[0]) | int(state.row[1])
    return int(state.game.options["size"]) ** 2 - filled.bit_count()


def endings(spec: str, left: int, seed: int) -> Iterator[State]:
    """Positions of random games with so many empties, without end."""
    game, chooser = playproof.make(spec), random.Random(seed)
    while True:
        state = game.start()
        while not state.is_terminal and empties(state) > left:
            state = state.apply(chooser.choice(state.legal_actions()))
        if not state.is_terminal:
            yield state


def some_endings(spec: str, left: int, count: int, seed: int = 0) -> list[State]:
    found = endings(spec, left, 100 * left + seed)
    return [next(found) for _ in range(count)]


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def final_score(state: State, solution: Solution) -> int:
    """What the solver's line comes to, for the side that moves in ``state``."""
    end = state
    for action in solution.line:
        end = end.apply(action)
    assert end.is_terminal
    return round(end.score) * (-1 if solution.player else 1)


def check(state: State, exact: bool) -> None:
    truth = true_score(state)
    found = solve(state, exact=exact, megabytes=1)
    assert found.finished
    assert found.exact == exact
    assert found.score == (truth if exact else sign(truth))
    assert found.lower <= truth <= found.upper
    assert found.best_move == found.line[0]
    assert found.best_move in state.legal_actions()
    after = state.apply(found.best_move)
    value = true_score(after) * (-1 if after.row[3] & 1 != state.row[3] & 1 else 1)
    ends = final_score(state, found)
    if exact:
        assert (value, ends) == (truth, truth)
    else:
        assert (sign(value), sign(ends)) == (sign(truth), sign(truth))


BOTH = pytest.mark.parametrize("exact", [True, False], ids=["exact", "win-loss-draw"])


@BOTH
@pytest.mark.parametrize(
    ("left", "count"),
    [(1, 30), (2, 40), (3, 60), (4, 80), (5, 80), (6, 80), (7, 80), (8, 60), (9, 30), (10, 12)],
)
def test_it_finds_what_exhaustive_search_finds(left: int, count: int, exact: bool) -> None:
    for state in some_endings("othello", left, count):
        check(state, exact)


@pytest.mark.parametrize(("left", "count"), [(11, 3), (12, 1)])
def test_it_finds_it_with_more_empties(left: int, count: int) -> None:
    for state in some_endings("othello", left, count):
        check(state, exact=True)


@BOTH
@pytest.mark.parametrize(
    ("spec", "left", "count"),
    [
        ("othello:empties_to_winner", 3, 60),
        ("othello:empties_to_winner", 6, 60),
        ("othello:empties_to_winner", 8, 40),
        ("othello:size=6", 5, 60),
        ("othello:size=6", 8, 60),
        ("othello:size=6", 10, 12),
        ("othello:size=6,empties_to_winner", 8, 40),
        ("othello:size=4", 5, 60),
        ("othello:size=4", 9, 30),
        ("othello:size=4,empties_to_winner", 8, 40),
    ],
)
def test_it_knows_every_board_and_both_ways_to_count(
    spec: str, left: int, count: int, exact: bool
) -> None:
    for state in some_endings(spec, left, count):
        check(state, exact)


def early_ends(spec: str, seed: int) -> Iterator[State]:
    """Positions where the game may end with squares left, a few plies before one did."""
    game, chooser = playproof.make(spec), random.Random(seed)
    while True:
        state = game.start()
        while not state.is_terminal:
            state = state.apply(chooser.choice(state.legal_actions()))
        before = state.before(6)
        if empties(state) >= 1 and 1 < empties(before) <= 9 and not before.is_terminal:
            yield before


@pytest.mark.parametrize("spec", ["othello", "othello:empties_to_winner", "othello:size=6"])
def test_games_that_end_with_squares_left(spec: str) -> None:
    found = early_ends(spec, 5)
    for _ in range(12):
        state = next(found)
        check(state, exact=True)
        check(state, exact=False)


@pytest.mark.parametrize(("spec", "score"), [("", -8), (",empties_to_winner", -10)])
def test_four_by_four_from_the_start(spec: str, score: int) -> None:
    game = playproof.make("othello:size=4" + spec)
    found = solve(game.start())
    assert (found.score, found.first_player_score) == (score, score)
    assert final_score(game.start(), found) == score
    after = solve(game.start().apply(found.line[0]))
    assert (after.score, after.player, after.first_player_score) == (-score, 1, score)
    assert solve(game.start(), exact=False).score == -1


# Scores for the side to move and best moves, from the FFO endgame suite.
FFO = [
    ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 38, "a2"),
    ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 0, "h4"),
    ("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X", 6, "g2"),
    ("--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O", -12, "g3 c7"),
    ("--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX-- O", -14, "d2 b8"),
]


@pytest.mark.parametrize(("position", "score", "best"), [FFO[0], FFO[4]], ids=["40", "44"])
def test_the_endgame_suite(position: str, score: int, best: str) -> None:
    state = playproof.make("othello").position(position)
    found = solve(state)
    assert found.score == score
    assert state.name(found.line[0]) in best.split()
    assert final_score(state, found) == score


# Positions with little to search


def test_a_finished_game_has_a_score_and_no_move() -> None:
    state = next(iter(endings("othello", 4, 1)))
    while not state.is_terminal:
        state = state.apply(state.legal_actions()[0])
    found = solve(state, seconds=0)
    assert found.finished
    assert found.first_player_score == found.lower * (-1 if found.player else 1) == state.score
    assert (found.best_move, found.line) == (None, ())
    assert solve(state, exact=False).score == sign(found.score or 0)


def with_one_action(passing: bool, count: int) -> list[State]:
    found = []
    for state in endings("othello", 8, 3):
        legal = state.legal_actions()
        if len(legal) == 1 and (legal == [state.game.num_actions - 1]) == passing:
            found.append(state)
        if len(found) == count:
            break
    return found


@BOTH
def test_a_player_who_must_pass_passes(exact: bool) -> None:
    for state in with_one_action(passing=True, count=5):
        check(state, exact)
        assert state.name(solve(state, exact=exact).line[0]) == "pass"


@BOTH
def test_a_position_with_one_move(exact: bool) -> None:
    for state in with_one_action(passing=False, count=5):
        check(state, exact)


# Limits


def long_work() -> State:
    return playproof.make("othello").start()


def test_a_stop_flag_stops_it_at_once() -> None:
    delays = []
    for _ in range(3):
        flag, found = stop_flag(), []
        work = threading.Thread(
            target=lambda f=flag, g=found: g.append(solve(long_work(), stop=f)), daemon=True
        )
        work.start()
        time.sleep(0.1)
        assert work.is_alive()
        flag[0] = 1
        before = time.perf_counter()
        work.join(10)
        delays.append(time.perf_counter() - before)
        assert not found[0].finished
        assert found[0].score is None
    assert min(delays) < 0.01


def test_a_flag_that_is_up_already_lets_nothing_begin() -> None:
    flag = stop_flag()
    flag[0] = 1
    found = solve(long_work(), stop=flag)
    assert not found.finished
    assert found.nodes < 100
    assert (found.lower, found.upper, found.best_move, found.line) == (-64, 64, None, ())


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"seconds": -1}, {"nodes": 0}])
def test_no_time_and_no_nodes_are_no_error(limits: dict[str, float]) -> None:
    found = solve(long_work(), **limits)  # type: ignore[arg-type]
    assert not found.finished
    assert found.score is None
    assert found.first_player_score is None


def test_a_time_limit_ends_it() -> None:
    began = time.perf_counter()
    found = solve(long_work(), seconds=0.2)
    assert not found.finished
    assert 0.15 < time.perf_counter() - began < 5
    assert 0.15 < found.seconds < 5


def test_bounds_of_an_unfinished_search_are_proven() -> None:
    game, ranges = playproof.make("othello"), set()
    for position, score, _ in (FFO[0], FFO[4]):
        for nodes in (1_000, 100_000, 1_000_000, 4_000_000, 8_000_000):
            found = solve(game.position(position), nodes=nodes)
            assert not found.finished
            assert found.nodes <= nodes + 500
            assert found.lower <= score <= found.upper
            ranges.add((found.lower, found.upper))
    assert len(ranges) > 2


# The same again


@BOTH
def test_the_same_input_gives_the_same_output(exact: bool) -> None:
    state = next(iter(endings("othello", 14, 9)))
    first, second = (replace(solve(state, exact=exact), seconds=0) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("megabytes", [1e-6, 0.01, 3, 64])
def test_the_size_of_the_table_does_not_change_the_score(megabytes: float) -> None:
    for state in some_endings("othello", 13, 3):
        expected = solve(state, megabytes=16)
        found = solve(state, megabytes=megabytes)
        assert found.score == expected.score
        assert final_score(state, found) == expected.score


def test_mirrored_positions_have_the_same_score() -> None:
    for state in some_endings("othello", 12, 3, seed=1):
        assert {solve(state.transformed(k), megabytes=1).score for k in range(8)} == {
            solve(state).score
        }


@pytest.mark.parametrize("limits", [{"megabytes": 0}, {"megabytes": -1}])
def test_a_table_without_room_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="megabytes"):
        solve(long_work(), **limits)  # type: ignore[arg-type]


def test_another_game_is_refused() -> None:
    with pytest.raises(UsageError, match="othello, not for choko"):
        solve(playproof.make("choko").start())


# The table


@numba.njit
def keep_bounds(space, options, own, opponent, lower, upper, left):
    memory.keep(own, opponent, lower, upper, 0, left, memory.look_at(space, options))


@numba.njit
def found_bounds(space, options, own, opponent):
    facts = memory.find(own, opponent, memory.look_at(space, options))
    return facts != 0, memory.lower_of(facts), memory.upper_of(facts)


def test_the_table_never_mixes_positions_or_loosens_bounds() -> None:
    game, chooser = playproof.make("othello"), random.Random(4)
    options, space = game.option_words, memory.space(8, 1e-6, stop_flag())
    assert space.table.shape == (memory.BUCKET,)  # all positions compete for two entries
    sides = [np.uint64(stones) for stones in (1, 2, 4)]
    scores = {(own, other): chooser.randint(-64, 64) for own in sides for other in sides}
    kept = known = 0
    for _ in range(3000):
        (own, other), score = chooser.choice(list(scores.items()))
        before = found_bounds(space, options, own, other)
        lower, upper = chooser.choice([(chooser.randint(-64, score), 64), (-64, score)])
        keep_bounds(space, options, own, other, lower, upper, chooser.randint(8, 20))
        space.statistics[memory.AGE] += chooser.random() < 0.1
        after = found_bounds(space, options, own, other)
        assert after[0]
        assert lower <= after[1] <= score <= after[2] <= upper
        if before[0]:
            known += 1
            assert after[1:] == (max(lower, before[1]), min(upper, before[2]))
        for (mine, yours), truth in scores.items():
            there, least, most = found_bounds(space, options, mine, yours)
            kept += there
            assert not there or least <= truth <= most
    assert known > 300
    assert kept > 5000


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


@pytest.mark.parametrize(("spec", "games"), [("othello", 40), ("othello:size=6", 60)])
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
    for state in some_endings("othello:size=4", 7, 30):
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
    for number, (own, opponent) in enumerate(random_boards(300)):
        empty = every & ~(own | opponent)
        out = np.zeros(65, np.uint64)
        read = moves_and_flips if number >= 20 else moves_and_flips.py_func
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
    for own, _ in random_boards(200):
        for square in range(64):
            move = 1 << square
            mine, yours = own & ~move, every & ~own & ~move
            turned = (rules.flips(mine, yours, move) & every).bit_count()
            assert count_last_flips(*map(np.uint64, (mine, yours, move))) == turned


def test_it_runs_uncompiled_too() -> None:
    script = (
        "import playproof\n"
        "from playproof.search.othello_endgame import solve\n"
        "game = playproof.make('othello:size=4')\n"
        "found = solve(game.start().play('b1a1a2c1d2b4a4'), megabytes=0.01)\n"
        "print(found.score, found.line, found.nodes)\n"
    )
    source = str(Path(playproof.__file__).resolve().parent.parent)
    shown = []
    for off in ("0", "1"):
        environment = {**os.environ, "PYTHONPATH": source, "NUMBA_DISABLE_JIT": off}
        command = [sys.executable, "-W", "error::RuntimeWarning", "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout)
    assert shown[0] == shown[1]
