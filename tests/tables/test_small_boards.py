"""Small boards of Go, solved: two solvers, a reference of plain Python, and known values."""

from __future__ import annotations

import pytest

import playproof
from playproof import State, UsageError
from playproof.search.small_board_margins import solve_margin
from playproof.tables.small_boards import explore, solve
from tests.support.longer import longer

# Under superko, Black's margin: the specification's table.
SUPERKO = {
    "go:board=2x2": 1,
    "quantum-go:board=2x2": 4,
    "quantum-go:board=2x2,variant=semi-black": 4,
    "quantum-go:board=2x2,variant=semi-white": 4,
    "quantum-go:board=2x2,variant=weak": 1,
    "quantum-go:board=2x2,variant=symmetric": 4,
}
SIMPLE = longer(
    {"go:board=3x3": 9, "quantum-go:board=3x3,variant=semi-black": 9},
    {
        "quantum-go:board=3x3": 9,
        "quantum-go:board=3x3,variant=semi-white": 9,
    },
)


@pytest.mark.parametrize(("spec", "margin"), SUPERKO.items())
def test_2x2_under_superko(spec: str, margin: int) -> None:
    bounds = solve_margin(playproof.make(spec), megabytes=16)
    assert bounds.exact
    assert bounds.lower == margin


@pytest.mark.parametrize(("spec", "margin"), SIMPLE.items())
def test_3x3_under_simple_ko(spec: str, margin: int) -> None:
    bounds = solve(playproof.make(f"{spec},ko=simple"))
    assert (bounds.lower, bounds.upper) == (margin, margin)


def test_komi_is_set_aside() -> None:
    for komi in (0, 3.5, 7):
        assert solve(playproof.make(f"quantum-go:board=3x2,ko=simple,komi={komi}")).lower == 1
        assert solve_margin(playproof.make(f"go:board=2x2,komi={komi}"), megabytes=16).lower == 1


@pytest.mark.parametrize("spec", ["go:board=2x2,ko=simple", "quantum-go:board=2x2,ko=simple"])
def test_every_decision_is_there_once_up_to_symmetry(spec: str) -> None:
    game = playproof.make(spec)
    seen, waiting = {game.start().canonical()}, [game.start()]
    while waiting:
        state: State = waiting.pop()
        for action in state.legal_actions():
            after = state.apply(action)
            if after.canonical() not in seen:
                seen.add(after.canonical())
                waiting.append(after)
    graph = explore(game)
    assert len(graph.players) == len(seen)
    assert graph.offsets[-1] == len(graph.children)


def test_endless_play_is_told_and_not_decided() -> None:
    # 2x2 under simple ko goes round in circles: neither side can force anything.
    bounds = solve(playproof.make("go:board=2x2,ko=simple"))
    assert not bounds.exact
    assert bounds.lower < bounds.upper


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(UsageError, match="only ko=simple"):
        solve(playproof.make("go:board=2x2"))
    with pytest.raises(UsageError, match="chance has no best play"):
        solve(playproof.make("quantum-go:board=2x2,ko=simple,collapse=born"))
    with pytest.raises(UsageError, match="not of othello"):
        solve_margin(playproof.make("othello"))


def test_a_time_limit_leaves_bounds() -> None:
    bounds = solve_margin(playproof.make("quantum-go:board=3x3"), seconds=0.3, megabytes=16)
    assert not bounds.exact
    assert (bounds.lower, bounds.upper) == (-9, 9)
