"""Backup: a leaf's value along its path to the root, and the results it proves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import int8, int64

from playproof.core.compiling import jitable
from playproof.core.kernels import CHANCE
from playproof.search.mcts.expand import expand_by_priors
from playproof.search.mcts.forest import UNKNOWN, Forest, Params


@jitable
def prove(forest: Forest, tree: int, node: int) -> None:
    """Prove a node's result from its children: one win is enough, else all must be proven."""
    mover = forest.movers[tree, node]
    sign = -1.0 if mover == 1 else 1.0
    start, best, worst = forest.first_edge[tree, node], -2.0, 2.0
    for edge in range(start, start + forest.degree[tree, node]):
        child = forest.children[tree, edge]
        result = UNKNOWN if child < 0 else int64(forest.proven[tree, child])
        if result == UNKNOWN:
            worst = -2.0
        else:
            best = max(best, sign * result)
            worst = min(worst, sign * result)
    if mover != CHANCE and best == 1.0:
        forest.proven[tree, node] = int8(sign)
    elif worst > -2.0 and (mover != CHANCE or best == worst):
        forest.proven[tree, node] = int8(sign * best)


@jitable
def backup(
    forest: Forest, params: Params, tree: int, path: npt.NDArray[np.int32], depth: int,
    value: float,
) -> None:  # fmt: skip
    """Add a leaf's value to every node and edge of its path, and prove results."""
    leaf = path[0, depth]
    forest.visits[tree, leaf] += 1
    forest.values[tree, leaf] += value
    for k in range(depth - 1, -1, -1):
        node, edge = path[0, k], path[1, k]
        forest.visits[tree, node] += 1
        forest.values[tree, node] += value
        forest.edge_visits[tree, edge] += 1
        forest.edge_values[tree, edge] += value
        if params.solve and forest.proven[tree, path[0, k + 1]] != UNKNOWN:
            prove(forest, tree, node)


@jitable
def backup_leaves(
    forest: Forest, params: Params, tree: int, paths: npt.NDArray[np.int32],
    depths: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int32], priors: npt.NDArray[np.float32],
    values: npt.NDArray[np.float64], done: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Expand the leaves of a tree with an evaluator's priors and back up its values.

    The k-th leaf has row ``tree * leaves + k``, whose actions and priors start at
    ``offsets[row]``.
    """
    leaves = depths.shape[1]
    for k in range(leaves):
        depth = int64(depths[tree, k])
        if depth < 0:
            break
        path, row = paths[tree, k], tree * leaves + k
        n = offsets[row + 1] - offsets[row]
        expand_by_priors(forest, tree, path[0, depth], actions, priors, offsets[row], n)
        for step in range(depth):
            forest.virtual[tree, path[1, step]] -= 1
        backup(forest, params, tree, path, depth, values[row])
        done[tree] += 1
