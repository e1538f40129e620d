"""Reuse: what a tree knows of the move that was played."""

from __future__ import annotations

import numpy as np

from playproof.core.compiling import jitable
from playproof.search.mcts.forest import UNKNOWN, Forest


@jitable
def copy_subtree(old: Forest, new: Forest, tree: int, edge: int) -> None:
    """Copy what is below the root's ``edge`` into ``new``, breadth first.

    -1 leaves the new tree without a node: its root is to be reset.  So does a child whose
    result came from a table: as a root it is asked for its moves.
    """
    new.nodes_used[tree], new.edges_used[tree] = 0, 0
    new.rng[tree] = old.rng[tree]
    child = old.children[tree, edge] if edge >= 0 else -1
    if child < 0 or (old.proven[tree, child] != UNKNOWN and old.first_edge[tree, child] < 0):
        return
    origin = np.empty(old.nodes_used[tree], np.int32)  # of each new node
    origin[0] = child
    count, at, used = 1, 0, 0
    while at < count:
        node = origin[at]
        new.states[tree, at, :] = old.states[tree, node]
        new.visits[tree, at], new.values[tree, at] = old.visits[tree, node], old.values[tree, node]
        new.movers[tree, at] = old.movers[tree, node]
        new.proven[tree, at] = old.proven[tree, node]
        begin, n = old.first_edge[tree, node], old.degree[tree, node]
        new.first_edge[tree, at], new.degree[tree, at] = (used if begin >= 0 else -1), n
        if begin >= 0:
            for k in range(begin, begin + n):
                new.actions[tree, used] = old.actions[tree, k]
                new.priors[tree, used] = old.priors[tree, k]
                new.edge_visits[tree, used] = old.edge_visits[tree, k]
                new.edge_values[tree, used] = old.edge_values[tree, k]
                new.virtual[tree, used] = 0
                child = old.children[tree, k]
                new.children[tree, used] = -1
                if child >= 0:
                    origin[count] = child
                    new.children[tree, used] = count
                    count += 1
                used += 1
        at += 1
    new.nodes_used[tree], new.edges_used[tree] = count, used
