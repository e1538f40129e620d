"""What a tree search says of the position it was asked about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.core.kernels import CHANCE
from playproof.search.mcts_forest import LONGEST, UNKNOWN, Forest

__all__ = ["UNKNOWN", "Root", "read_root"]


@dataclass(frozen=True)
class Root:
    """What a tree knows of its root; arrays are one entry an action."""

    actions: npt.NDArray[np.int32]
    visits: npt.NDArray[np.int32]
    priors: npt.NDArray[np.float32]
    values: npt.NDArray[np.float64]  # mean, from the first player's side; NaN if unvisited
    proven: npt.NDArray[np.int8]  # the certain result after the action, or UNKNOWN
    player: int
    value: float  # of the root, from the first player's side
    result: int  # the root's certain result, or UNKNOWN
    line: tuple[int, ...]  # most visited
    simulations: int
    nodes: int

    @property
    def is_proven(self) -> bool:
        return self.result != UNKNOWN

    def value_of(self, index: int) -> float | None:
        """What is known of an action: its certain result, its mean, or nothing."""
        if self.proven[index] != UNKNOWN:
            return float(self.proven[index])
        return float(self.values[index]) if self.visits[index] else None

    def best(self, *, temperature: float = 0.0, chooser: np.random.Generator | None = None) -> int:
        """The action to play: a proven win, else by visits.

        With a ``temperature`` actions are drawn by visits to its inverse power.
        """
        sign = -1 if self.player == 1 else 1
        certain = np.where(self.proven == UNKNOWN, 0, sign * self.proven)
        if (certain == 1).any():
            return int(self.actions[int(np.argmax(certain == 1))])
        alive = certain > -1 if (certain > -1).any() else np.ones(len(certain), bool)
        weights = np.where(alive, self.visits.astype(np.float64), -1.0)
        if temperature > 0.0 and chooser is not None and weights.max() > 0:
            shares = np.maximum(weights, 0.0) / weights.max()
            shares = shares ** (1.0 / temperature)
            return int(chooser.choice(self.actions, p=shares / shares.sum()))
        # Of equally visited actions the better valued one.
        values = np.nan_to_num(sign * self.values, nan=-1.0)
        order = np.lexsort((self.actions, -values, -weights))
        return int(self.actions[order[0]])


def read_root(forest: Forest, tree: int, simulations: int) -> Root:
    """The root of a tree that has been expanded."""
    f = forest
    begin, n = int(f.first[tree, 0]), int(f.degree[tree, 0])
    edges = slice(begin, begin + n)
    children, tries = f.children[tree, edges], f.tries[tree, edges].copy()
    known = np.where(children >= 0, f.proven[tree, np.maximum(children, 0)], UNKNOWN)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(tries > 0, f.totals[tree, edges] / tries, np.nan)
    visits = max(int(f.visits[tree, 0]), 1)
    return Root(
        actions=f.actions[tree, edges].copy(),
        visits=tries,
        priors=f.priors[tree, edges].copy(),
        values=values,
        proven=known.astype(np.int8),
        player=int(f.movers[tree, 0]),
        value=float(f.sums[tree, 0]) / visits,
        result=int(f.proven[tree, 0]),
        line=_line(f, tree),
        simulations=simulations,
        nodes=int(f.nodes[tree]),
    )


def _line(f: Forest, tree: int) -> tuple[int, ...]:
    """The most visited way down."""
    node, line = 0, list[int]()
    while f.first[tree, node] >= 0 and len(line) < LONGEST:
        begin, n = int(f.first[tree, node]), int(f.degree[tree, node])
        tries = f.tries[tree, begin : begin + n]
        if tries.max() == 0 or f.movers[tree, node] == CHANCE:
            break
        edge = begin + int(np.argmax(tries))
        line.append(int(f.actions[tree, edge]))
        node = int(f.children[tree, edge])
    return tuple(line)
