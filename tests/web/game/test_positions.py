"""The positions of a line, held sparsely, are those that were played."""

from __future__ import annotations

import random

import pytest

from playproof.core.registry import make
from playproof.core.state import State
from playproof.web.game.positions import Positions


def played(plies: int, seed: int) -> list[State]:
    chance, found = random.Random(seed), [make("go", board="9x9").start()]
    while len(found) <= plies:
        found.append(found[-1].apply(chance.choice(found[-1].legal_actions()[:-1])))
    return found


def test_every_position_is_there_and_few_are_held() -> None:
    states = played(70, 1)
    positions = Positions(states[0])
    for state in states[1:]:
        positions.append(state)
    assert len(positions) == len(states)
    order = list(range(-71, 71))
    random.Random(2).shuffle(order)
    assert all(positions[n] == states[n] for n in order)
    assert [positions[n].history.tolist() for n in (5, 50)] == [
        states[n].history.tolist() for n in (5, 50)
    ]
    assert positions[10:14] == states[10:14]
    assert list(positions) == states
    assert len({*positions._checkpoints, *positions._recent}) < 40
    for wrong in (71, -72):
        with pytest.raises(IndexError):
            _ = positions[wrong]


def test_a_line_that_leaves_another() -> None:
    states, other = played(40, 1), played(12, 3)
    trunk = Positions(states[0])
    for state in states[1:]:
        trunk.append(state)
    branch = Positions(trunk[20], trunk, 20)
    moves = [branch[-1].legal_actions()[0]]
    for _ in range(25):
        branch.append(branch[-1].apply(moves[-1]))
        moves.append(branch[-1].legal_actions()[0])
    assert branch[:21] == states[:21]
    for number in (45, 30, 21, 36, 22):
        assert branch[number] == states[20].play(
            list(states[20].display_names(*branch[-1].actions[20:number]))
        )
    assert branch[25] != states[25]
    assert other[0] == branch[0]


def test_walking_back_plays_a_stretch_once(monkeypatch: pytest.MonkeyPatch) -> None:
    states = played(64, 1)
    positions = Positions(states[0])
    for state in states[1:]:
        positions.append(state)
    positions._recent.clear()
    applied: list[int] = []
    real = State.apply
    monkeypatch.setattr(State, "apply", lambda self, a: applied.append(1) or real(self, a))
    for number in range(63, -1, -1):
        assert positions[number] == states[number]
    assert len(applied) <= 64
