"""Clocks: whose time passes, increments, and flags that fall, agents' too."""

from __future__ import annotations

import time

import pytest

from playproof.web.game import clock as module
from playproof.web.game.clock import Clocks
from tests.support.web.people import Talker


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: at[0])
    return at


def test_time_passes_for_the_side_to_move(now: list[float]) -> None:
    clocks = Clocks(10, 2)
    assert (clocks.now(), clocks.flag_in) == ([10, 10], None)
    clocks.turn(0)
    now[0] += 3
    assert (clocks.now(), clocks.flag_in) == ([7, 10], 7)
    clocks.turn(0)  # a second decision of the same side
    now[0] += 1
    clocks.turn(1)
    assert clocks.now() == [8, 10]  # six left, and two for the move
    now[0] += 20
    assert (clocks.now(), clocks.flag_in) == ([8, 0], 0)


def test_a_move_taken_back_is_not_paid_for(now: list[float]) -> None:
    clocks = Clocks(10, 2)
    clocks.turn(0)
    clocks.turn(1)
    clocks.turn(0, pay=False)
    assert clocks.now() == [12, 10]


def test_an_end_gives_nothing_back(now: list[float]) -> None:
    clocks = Clocks(10, 2)
    clocks.turn(1)
    now[0] += 4
    clocks.turn(None)
    now[0] += 4
    assert clocks.now() == [10, 6]


def test_nobodys_time_passes_while_the_lab_is_away(now: list[float]) -> None:
    clocks = Clocks(10, 2)
    clocks.turn(0)
    now[0] += 4
    again = Clocks.from_json(clocks.to_json())
    now[0] += 100
    assert (again.now(), again.running, again.increment) == ([6, 10], None, 2)


def test_a_flag_falls(talk: Talker) -> None:
    talk.new("othello", clock={"seconds": 1, "increment": 0})
    assert talk.state["clock"] == {
        "left": [1.0, 1.0], "running": None, "seconds": 1.0, "increment": 0.0,
    }  # fmt: skip
    began = time.monotonic()
    talk.move("d3")
    assert talk.state["clock"]["running"] == 1
    state = talk.until(lambda m: m["type"] == "state" and m["result"] != "*")
    assert 0.9 < time.monotonic() - began < 10
    assert (state["result"], state["reason"]) == ("1-0", "White ran out of time")
    assert state["clock"]["running"] is None
    assert state["can"] == {"move": False, "undo": False, "redo": False, "resign": False}


def test_an_agent_that_is_too_slow_loses_on_time(talk: Talker) -> None:
    """Its engine takes longer to start than there is time."""
    talk.new("othello", "human", "mcts:simulations=200000,time=30", clock={"seconds": 1})
    lab = talk.client.app.state.lab  # type: ignore[attr-defined]
    lab.engines._closed = True  # so it never gets to think at all
    talk.move("d3")
    state = talk.until(lambda m: m["type"] == "state" and m["result"] != "*")
    assert state["reason"] == "White ran out of time"
    lab.engines._closed = False


def test_in_quantum_go_the_clock_asks_whose_decision_it_is(talk: Talker) -> None:
    talk.new("quantum-go", variant={"board": "5x5"}, clock={"seconds": 300})
    running = []
    for point in ("B2", "D4", "B3", "D2", "D4", "B3"):
        talk.move(point)
        running.append(talk.state["clock"]["running"])
    # Black's pair, White's pair, Black's keep, White's keep.
    assert running == [0, 1, 1, 0, 1, 0]
