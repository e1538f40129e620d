"""Every agent still makes its golden decisions."""

from __future__ import annotations

import pytest

from playproof import make
from tests.golden import decisions
from tests.support.longer import longer

ROWS = decisions.ROWS
GOLDEN = decisions.read()
BATCHES = longer(1, decisions.BATCHES)
QUICK = ("choko",)  # the others take long and show little more


def cases() -> list[object]:
    return [
        pytest.param(game, marks=() if game in QUICK else pytest.mark.slow)
        for game in decisions.CASES
    ]


@pytest.mark.parametrize("spec", cases())
def test_every_agent_decides_as_before(spec: str) -> None:
    game, changed = make(spec), dict[str, str]()
    for agent in decisions.CASES[spec]:
        for batch in range(BATCHES):
            moves = decisions.decide(game, agent, batch)
            same = sum(map(str.__eq__, moves, GOLDEN[spec][agent][batch].split()))
            # Sums in large networks differ in their last bits between machines.
            if same < (ROWS - 1 if "net" in agent else ROWS):
                changed[f"{agent}, batch {batch}"] = " ".join(moves)
    assert changed == {}


def test_every_case_is_kept() -> None:
    assert {game: tuple(agents) for game, agents in GOLDEN.items()} == decisions.CASES
