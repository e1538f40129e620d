"""The result of a tree search: statistics of a root and its actions, and the expected play."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from playproof.core.kernels import CHANCE
from playproof.core.state import State
from playproof.search.mcts.forest import MAX_DEPTH, UNKNOWN, Forest


@dataclass(frozen=True)
class Root:
    """Statistics of a tree's root; the arrays have one entry per action."""

    actions: npt.NDArray[np.int32]
    visits: npt.NDArray[np.int32]
    priors: npt.NDArray[np.float32]
    values: npt.NDArray[np.float64]  # mean, from the first player's side; NaN if unvisited
    proven: npt.NDArray[np.int8]  # the proven result after the action, or UNKNOWN
    player: int
    value: float  # of the root, from the first player's side
    result: int  # the root's proven result, or UNKNOWN
    line: tuple[int, ...]  # the most visited play
    simulations: int
    nodes: int
    # By action: the most visited play that starts with it.
    lines: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def is_proven(self) -> bool:
        return self.result != UNKNOWN

    def value_of(self, index: int) -> float | None:
        """The value of the ``index``-th action: its proven result, else its mean, else None."""
        if self.proven[index] != UNKNOWN:
            return float(self.proven[index])
        return float(self.values[index]) if self.visits[index] else None

    def order(self) -> list[int]:
        """Indices of the actions, best first: proven wins, then by visits, proven losses last.

        Among equally visited actions the one with the better value comes first.
        """
        sign = -1 if self.player == 1 else 1
        certain = np.where(self.proven == UNKNOWN, 0, sign * self.proven)
        wins = np.flatnonzero(certain == 1)
        values = np.nan_to_num(sign * self.values, nan=-1.0)
        rest = np.lexsort((self.actions, -values, -self.visits, certain == -1))
        return [*wins.tolist(), *(i for i in rest.tolist() if certain[i] != 1)]

    def best(self, *, temperature: float = 0.0, chooser: np.random.Generator | None = None) -> int:
        """The action to play: the first in ``order``, or one drawn if ``temperature`` is above 0.

        An action is drawn in proportion to its visits to the power 1 / ``temperature``. Proven
        losses are never drawn, and a proven win is always played.
        """
        first = self.order()[0]
        sign = -1 if self.player == 1 else 1
        certain = np.where(self.proven == UNKNOWN, 0, sign * self.proven)
        if temperature <= 0.0 or chooser is None or certain[first] == 1:
            return int(self.actions[first])
        allowed = certain > -1 if (certain > -1).any() else np.ones(len(certain), bool)
        weights = np.where(allowed, self.visits.astype(np.float64), 0.0)
        if weights.max() <= 0.0:
            return int(self.actions[first])
        shares = (weights / weights.max()) ** (1.0 / temperature)
        return int(chooser.choice(self.actions, p=shares / shares.sum()))


def read_root(forest: Forest, tree: int, simulations: int, lines: int) -> Root:
    """The root of a tree, which has been expanded, with the play of its ``lines`` best actions."""
    f = forest
    start, n = int(f.first_edge[tree, 0]), int(f.degree[tree, 0])
    edges = slice(start, start + n)
    children, visits = f.children[tree, edges], f.edge_visits[tree, edges].copy()
    proven = np.where(children >= 0, f.proven[tree, np.maximum(children, 0)], UNKNOWN)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(visits > 0, f.edge_values[tree, edges] / visits, np.nan)
    actions = f.actions[tree, edges].copy()
    root = Root(
        actions=actions,
        visits=visits,
        priors=f.priors[tree, edges].copy(),
        values=values,
        proven=proven.astype(np.int8),
        player=int(f.movers[tree, 0]),
        value=float(f.values[tree, 0]) / max(int(f.visits[tree, 0]), 1),
        result=int(f.proven[tree, 0]),
        line=_line(f, tree, 0),
        simulations=simulations,
        nodes=int(f.nodes_used[tree]),
    )
    if lines == 1:
        return root
    best = [i for i in root.order()[:lines] if children[i] >= 0]
    by_action = {
        int(actions[i]): (int(actions[i]), *_line(f, tree, int(children[i]))) for i in best
    }
    return replace(root, lines=by_action)


def unexpanded_root(state: State, forest: Forest, tree: int, simulations: int) -> Root:
    """The root of a tree that was never expanded: its actions without any visits."""
    actions = np.array(state.legal_actions(), np.int32)
    n, player = len(actions), state.current_player
    result = int(forest.proven[tree, 0])
    return Root(
        actions=actions,
        visits=np.zeros(n, np.int32),
        priors=np.full(n, 1.0 / max(n, 1), np.float32),
        values=np.full(n, np.nan),
        proven=np.full(n, UNKNOWN, np.int8),
        player=0 if player is None else player,
        value=0.0 if result == UNKNOWN else float(result),
        result=result,
        line=(),
        simulations=simulations,
        nodes=int(forest.nodes_used[tree]),
    )


def _line(f: Forest, tree: int, node: int) -> tuple[int, ...]:
    """The most visited play from a node on."""
    line = list[int]()
    while f.first_edge[tree, node] >= 0 and len(line) < MAX_DEPTH:
        start, n = int(f.first_edge[tree, node]), int(f.degree[tree, node])
        visits = f.edge_visits[tree, start : start + n]
        if visits.max() == 0 or f.movers[tree, node] == CHANCE:
            break
        edge = start + int(np.argmax(visits))
        line.append(int(f.actions[tree, edge]))
        node = int(f.children[tree, edge])
    return tuple(line)
