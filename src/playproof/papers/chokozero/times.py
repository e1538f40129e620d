"""The time per move: ChokoZero's search looked 7 plies ahead in about 3 s, and its Minimax 3
plies ahead in the same time (section 5).

Positions are from games of the third net against itself.  A search gets one position
at a time, as in a game.
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
_TRIES = 3  # the fastest counts, since other programs of the machine only add time
_PLIES = range(10, 50)  # where positions are taken from


@dataclass(frozen=True)
class SearchTime:
    """The times of a search: ``seconds`` per move, and mean ``nodes`` if the search counts them."""

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
    """Specs by title: the paper's searches, and alpha-beta to the same depths."""
    names = ("minimax", "pgts") if few else ("minimax", "pgts", "pgts7", "pgts-plus")
    specs = {}
    for name in names:
        agent = BY_NAME[name]
        specs[agent.title] = agent.spec(nets.get(agent.preset, agent.preset))
    deep = (5,) if few else (5, 7)
    return specs | {f"alpha-beta {depth}": f"alphabeta:depth={depth}" for depth in deep}


def measure(nets: Mapping[str, str], *, few: bool = False, seed: int = 1) -> Iterator[SearchTime]:
    """Time every search on the same positions."""
    game = make(GAME)
    batch = _positions(nets, FEW_POSITIONS if few else POSITIONS, seed)
    for title, spec in searches(nets, few=few).items():
        agent = make_agent(spec, game, seed=seed)
        agent.choose(batch.take([0]))  # compiles what is not compiled yet
        seconds, nodes = [], []
        for row in range(len(batch)):
            one = batch.take([row])
            tries = []
            for _ in range(_TRIES):
                began = time.perf_counter()
                (decision,) = agent.choose(one)
                tries.append(time.perf_counter() - began)
            seconds.append(min(tries))
            nodes.append(int(decision.statistics.get("nodes") or 0))
        yield SearchTime(title, spec, tuple(seconds), fmean(nodes) or None)


def _positions(nets: Mapping[str, str], count: int, seed: int) -> Batch:
    """At most ``count`` positions, each from a game of its own that is not over."""
    game, agent = make(GAME), BY_NAME["v3"]
    player = make_agent(agent.spec(nets.get(agent.preset, agent.preset)), game, seed=seed)
    rng = np.random.default_rng(seed)
    stops = rng.integers(_PLIES.start, _PLIES.stop, count)
    batch = Batch.start(game, count, seed=seed)
    for ply in range(_PLIES.stop):
        running = np.flatnonzero((stops > ply) & ~batch.finished())
        actions = np.full(count, -1, np.int64)
        if len(running):
            actions[running] = [d.action for d in player.choose(batch.take(running))]
        batch.apply(actions)
    return batch.take(np.flatnonzero(~batch.finished()))
