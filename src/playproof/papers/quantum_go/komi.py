"""The fair komi of Quantum Go's variants, estimated from self-play.

Ranchin (2016) asks what pairs are worth in points.  A tree search with random
playouts plays itself; the komi under which Black would have won half of the
games is the median of Black's margins.  It is fair between such weak players,
not between perfect ones.  They play to win, not to win by much, so the median
drifts towards the komi of the games: a komi is fair if it is about its own
median.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.registry import make
from playproof.rules.quantum_go import VARIANTS

BOARD = "5x5"
# The variants of the paper, and classical Go for comparison.
SPECS = {
    "classical": f"go:board={BOARD}",
    **{name: f"quantum-go:board={BOARD},variant={name}" for name in VARIANTS},
}


class Effort(NamedTuple):
    """The amount of self-play for an estimate."""

    games: int = 60
    simulations: int = 200
    seed: int = 1


@dataclass(frozen=True)
class Estimate:
    """A median with its 95 % confidence interval."""

    median: float
    low: float
    high: float
    games: int

    def __str__(self) -> str:
        return f"{self.median:+.1f} [{self.low:+.0f}, {self.high:+.0f}]"


def fair_komi(variant: str, effort: Effort, komi: float = 0.0) -> Estimate:
    """The points that White needs, from games under ``komi``."""
    return estimate(margins(SPECS[variant], effort, komi))


def margins(spec: str, effort: Effort, komi: float = 0.0) -> list[float]:
    """Black's margins, komi aside, in games of ``mcts`` against itself."""
    game = make(spec, komi=komi)
    agent = make_agent(f"mcts:simulations={effort.simulations}", game, seed=effort.seed)
    batch = Batch.start(game, effort.games, seed=effort.seed)
    while not (over := batch.finished()).all():
        rows = np.flatnonzero(~over)
        actions = np.full(len(batch), -1, np.int64)
        actions[rows] = [decision.action for decision in agent.choose(batch.take(rows))]
        batch.apply(actions)
    values: list[float] = (batch.score() + komi).tolist()
    return values


def estimate(values: Sequence[float], confidence: float = 0.95) -> Estimate:
    """The median, with order statistics as bounds, which hold for any distribution.

    The median lies below the k-th of n values with the probability of fewer than k heads in n
    tosses of a coin.  With too few values the bounds are the smallest and the largest.
    """
    ordered, n = sorted(values), len(values)
    below, k = 0.0, 0
    while k < n // 2:
        below += math.comb(n, k) / 2**n
        if below > (1 - confidence) / 2:
            break
        k += 1
    k = max(k, 1)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    return Estimate(median, ordered[k - 1], ordered[n - k], n)
