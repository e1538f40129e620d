"""Expansion: new nodes and their edges, in one tree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from playproof.core.compiling import jitable
from playproof.core.kernels import (
    CHANCE,
    ONGOING,
    Words,
    actions_of,
    chance_of,
    outcome_of,
    player_of,
    probe_of,
)
from playproof.search.mcts.forest import Forest, Rules


@jitable
def add_node(rules: Rules, forest: Forest, tree: int, history: Words) -> int:
    """Initialise the next node, whose state is in place, and return its index.

    A root is not probed in tables, because the search must find a move and not only the result.
    """
    node = int(forest.nodes_used[tree])
    state = forest.states[tree, node]
    result = outcome_of(rules.kernels)(rules.options, rules.tables, state, history)
    if result == ONGOING and node > 0:
        result = probe_of(rules.kernels)(rules.options, rules.tables, state, history)
    forest.visits[tree, node] = 0
    forest.values[tree, node] = 0.0
    forest.first_edge[tree, node] = -1
    forest.degree[tree, node] = 0
    forest.movers[tree, node] = player_of(rules.kernels)(rules.options, state)
    forest.proven[tree, node] = result
    forest.nodes_used[tree] = node + 1
    return node


@jitable
def add_edge(forest: Forest, tree: int, edge: int, action: int, prior: float) -> None:
    """Initialise an edge without visits."""
    forest.actions[tree, edge] = action
    forest.priors[tree, edge] = prior
    forest.children[tree, edge] = -1
    forest.edge_visits[tree, edge] = 0
    forest.edge_values[tree, edge] = 0.0
    forest.virtual[tree, edge] = 0


@jitable
def expand(
    rules: Rules, forest: Forest, tree: int, node: int, history: Words,
    legal: npt.NDArray[np.int32], odds: npt.NDArray[np.float64],
) -> bool:  # fmt: skip
    """Add a node's edges, with equal priors or the probabilities of chance.

    Returns False if there is no room for them.
    """
    state = forest.states[tree, node]
    if forest.movers[tree, node] == CHANCE:
        n = chance_of(rules.kernels)(rules.options, rules.tables, state, history, legal, odds)
    else:
        n = actions_of(rules.kernels)(rules.options, rules.tables, state, history, legal)
        for i in range(n):
            odds[i] = 1.0 / n
    start = forest.edges_used[tree]
    if start + n > forest.actions.shape[1]:
        return False  # the node stays a leaf and is evaluated again
    for i in range(n):
        add_edge(forest, tree, start + i, legal[i], odds[i])
    forest.first_edge[tree, node], forest.degree[tree, node] = start, n
    forest.edges_used[tree] = start + n
    return True


@jitable
def expand_by_priors(
    forest: Forest, tree: int, node: int,
    actions: npt.NDArray[np.int32], priors: npt.NDArray[np.float32], first: int, n: int,
) -> None:  # fmt: skip
    """Add a node's ``n`` edges, whose actions and priors start at ``first``."""
    start = forest.edges_used[tree]
    if forest.first_edge[tree, node] >= 0 or start + n > forest.actions.shape[1]:
        return
    for i in range(n):
        add_edge(forest, tree, start + i, actions[first + i], priors[first + i])
    forest.first_edge[tree, node], forest.degree[tree, node] = start, n
    forest.edges_used[tree] = start + n


@jitable
def reset_root(rules: Rules, forest: Forest, tree: int) -> None:
    """Empty a tree and add its root, whose state is in place."""
    forest.nodes_used[tree], forest.edges_used[tree] = 0, 0
    add_node(rules, forest, tree, forest.hashes[tree, : forest.past[tree]])
