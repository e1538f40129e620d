"""Expand: new nodes and their edges, in one tree."""

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
    """Fill in the newest node, whose state is in place; its index.

    A root is not looked up in tables: its move is wanted, not its result alone.
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
    """An edge that nobody has followed yet."""
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
    """Give a node its edges, with equal priors (chance: its odds); False if there is no room."""
    state = forest.states[tree, node]
    if forest.movers[tree, node] == CHANCE:
        n = chance_of(rules.kernels)(rules.options, rules.tables, state, history, legal, odds)
    else:
        n = actions_of(rules.kernels)(rules.options, rules.tables, state, history, legal)
        for i in range(n):
            odds[i] = 1.0 / n
    begin = forest.edges_used[tree]
    if begin + n > forest.actions.shape[1]:
        return False  # the node stays a leaf and is valued again
    for i in range(n):
        add_edge(forest, tree, begin + i, legal[i], odds[i])
    forest.first_edge[tree, node], forest.degree[tree, node] = begin, n
    forest.edges_used[tree] = begin + n
    return True


@jitable
def expand_by_priors(
    forest: Forest, tree: int, node: int,
    actions: npt.NDArray[np.int32], priors: npt.NDArray[np.float32], first: int, n: int,
) -> None:  # fmt: skip
    """Give a node the ``n`` edges that an evaluator was asked about, from ``first`` on."""
    begin = forest.edges_used[tree]
    if forest.first_edge[tree, node] >= 0 or begin + n > forest.actions.shape[1]:
        return
    for i in range(n):
        add_edge(forest, tree, begin + i, actions[first + i], priors[first + i])
    forest.first_edge[tree, node], forest.degree[tree, node] = begin, n
    forest.edges_used[tree] = begin + n


@jitable
def reset_root(rules: Rules, forest: Forest, tree: int) -> None:
    """Begin a tree anew; its root's state is in place."""
    forest.nodes_used[tree], forest.edges_used[tree] = 0, 0
    add_node(rules, forest, tree, forest.hashes[tree, : forest.past[tree]])
