"""What a move costs: ChokoZero's search looked 7 plies ahead in about 3 s, the time in which
its Minimax looked 3 plies ahead (section 5).

Positions are from games that the third net plays with itself; each is put before a
search alone, as in a game.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np

from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.registry import make
from playproof.papers.chokozero.players import BY_NAME, GAME

POSITIONS, FEW_POSITIONS = 40, 8
PAPER = {"PGTS 7": 3.0, "Minimax": 3.0}  # seconds
_TRIES = 3  # the quickest counts: what else the machine does is not the search's time
_PLIES = range(10, 50)  # where positions are taken from


@dataclass(frozen=True)
class Timed:
    """``seconds`` of each move; ``nodes`` on average, where the search tells."""

    title: str
    spec: str
    seconds: tuple[float, ...]
    nodes: float | None

    @property
    def mean(self) -> float:
        return fmean(self.seconds)

    @property
    def median(self) -> float:
        return median(self.seconds)

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.title, "spec": self.spec, "positions": len(self.seconds),
            "mean_seconds": self.mean, "median_seconds": self.median, "nodes": self.nodes,
            "paper_seconds": PAPER.get(self.title),
        }  # fmt: skip


def searches(nets: Mapping[str, str], *, few: bool) -> dict[str, str]:
    """Specs by title: the paper's searches, and alpha-beta as deep as them."""
    names = ("minimax", "pgts") if few else ("minimax", "pgts", "pgts7", "pgts-plus")
    found = {}
    for name in names:
        agent = BY_NAME[name]
        found[agent.title] = agent.spec(nets.get(agent.preset, agent.preset))
    deep = (5,) if few else (5, 7)
    return found | {f"alpha-beta {depth}": f"alphabeta:depth={depth}" for depth in deep}


def measure(nets: Mapping[str, str], *, few: bool = False, seed: int = 1) -> Iterator[Timed]:
    """Time every search on the same positions."""
    game = make(GAME)
    batch = _positions(nets, FEW_POSITIONS if few else POSITIONS, seed)
    for title, spec in searches(nets, few=few).items():
        agent = make_agent(spec, game, seed=seed)
        agent.choose(batch.take([0]))  # whatever has to be compiled
        seconds, nodes = [], []
        for row in range(len(batch)):
            one = batch.take([row])
            tried = []
            for _ in range(_TRIES):
                began = time.perf_counter()
                (decision,) = agent.choose(one)
                tried.append(time.perf_counter() - began)
            seconds.append(min(tried))
            nodes.append(int(decision.statistics.get("nodes") or 0))
        yield Timed(title, spec, tuple(seconds), fmean(nodes) or None)


def _positions(nets: Mapping[str, str], count: int, seed: int) -> Batch:
    """One from each of so many games, none of them over."""
    game, agent = make(GAME), BY_NAME["v3"]
    player = make_agent(agent.spec(nets.get(agent.preset, agent.preset)), game, seed=seed)
    chance = np.random.default_rng(seed)
    stops = chance.integers(_PLIES.start, _PLIES.stop, count)
    batch = Batch.start(game, count, seed=seed)
    for ply in range(_PLIES.stop):
        going = np.flatnonzero((stops > ply) & ~batch.finished())
        actions = np.full(count, -1, np.int64)
        if len(going):
            actions[going] = [d.action for d in player.choose(batch.take(going))]
        batch.apply(actions)
    return batch.take(np.flatnonzero(~batch.finished()))
