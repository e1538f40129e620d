"""The toys themselves, compared with what is known without them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import playproof
from playproof import CHANCE
from tests.support.longer import longer
from tests.support.toys.coin import EAST, HEADS, TAILS, TOSS, WEST, Coin
from tests.support.toys.reference import points, value, values


def test_the_coin_walk_is_worth_what_the_hand_argument_says() -> None:
    assert value(Coin().start()) == 7 / 256


def test_tossing_is_the_only_good_beginning() -> None:
    move_values = values(Coin().start())
    # A step east is a toss that came up tails: (7/256 - 1/4) / (3/4).
    assert move_values == {WEST: -1.0, EAST: -19 / 64, TOSS: 7 / 256}


def test_the_positions_of_the_hand_argument_are_all_there() -> None:
    state = Coin().start()
    turns = []
    while not state.is_terminal:
        turns.append((state.position, state.current_player))
        state = state.apply("toss")
        assert state.current_player == CHANCE
        assert state.chance_outcomes() == [(HEADS, 0.25), (TAILS, 0.75)]
        state = state.apply("tails")
    # One decision for East, two for West, and only the first of East's next two.
    assert turns == [
        ("--o-- east 1", 0),
        ("---o- west 2", 1),
        ("--o-- west 1", 1),
        ("-o--- east 2", 0),
    ]
    assert state.position == "--o-- east 1"
    assert state.outcome == 0


def test_a_position_is_a_draw_only_if_it_occurred_before() -> None:
    again = Coin().start().play("toss tails toss tails toss tails toss tails")
    fresh = again.game.position(again.position)
    assert fresh == again
    assert again.is_terminal
    assert not fresh.is_terminal
    assert value(fresh) == 7 / 256


def test_equal_positions_with_different_pasts_differ_in_value() -> None:
    """With the start behind it the round of tosses is one toss shorter."""
    stepped = Coin().start().apply("east")
    fresh = Coin().position("---o- west 2")
    assert stepped == fresh
    assert value(stepped) == -1 / 4 - 3 / 16 + 9 / 64
    assert value(fresh) == -1 / 4 - 3 / 16 + 9 / 64 + 27 / 256


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("---o- east 1", 1.0),  # one step from the end
        ("-o--- west 2", -1.0),
        ("-o--- east 1 tossed", 1 / 4 - 3 / 4),  # tails leaves West two decisions and two cells
    ],
)
def test_other_positions_by_hand(position: str, expected: float) -> None:
    assert value(Coin().position(position)) == expected


@pytest.mark.slow
def test_the_game_runs_uncompiled() -> None:
    """For a debugger: the same kernels as plain Python."""
    code = (
        "from tests.support.toys.coin import Coin; from tests.support.toys.reference import value; "
        "print(value(Coin().start()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (str(7 / 256), "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("empties_to_winner", "difference"), [(False, -8), *longer([], [(True, -10)])]
)
def test_four_by_four_othello_is_won_by_white(empties_to_winner: bool, difference: int) -> None:
    game = playproof.make("othello", size=4, empties_to_winner=empties_to_winner)
    assert value(game.start(), points) == difference
