"""Selection: the walk from the root of a tree to a leaf."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import int64, uint64

from playproof.core.bits import advance, below, mix
from playproof.core.compiling import jitable
from playproof.core.kernels import CHANCE, Words, actions_of, apply_of, hash_of, observe_of
from playproof.search.mcts.backup import backup
from playproof.search.mcts.expand import add_node, expand
from playproof.search.mcts.forest import UNKNOWN, Forest, Params, Rules
from playproof.search.mcts.gumbel import choose_root_edge

Path = npt.NDArray[np.int32]  # (2, MAX_DEPTH) nodes, and the edges that leave them


@jitable
def choose_edge(forest: Forest, params: Params, tree: int, node: int) -> int:
    """The edge to follow from an expanded node: the one with the largest

        UCT   Q(a) + c sqrt(ln N / n(a))           (Kocsis and Szepesvari, 2006)
        PUCT  Q(a) + c P(a) sqrt(N) / (1 + n(a))   (Silver et al., 2017)

    Q is the mean value for the mover, n the visits of an action, N those of the node, P the prior
    and c ``params.exploration``. An action without visits comes first in UCT; in PUCT its Q is the
    value of its parent. A visit under way counts as a loss (virtual loss), so that concurrent walks
    diverge. A proven win is followed at once, a proven loss only if there is nothing else
    (Winands et al., 2008). At a chance node the edge is drawn by its probability.
    """
    start, n = forest.first_edge[tree, node], forest.degree[tree, node]
    mover = forest.movers[tree, node]
    random = advance(forest.rng[tree])
    forest.rng[tree] = random
    word = mix(random)
    if mover == CHANCE:
        point = float(int64(word >> uint64(11))) * 2.0**-53
        for i in range(n - 1):
            point -= forest.priors[tree, start + i]
            if point < 0.0:
                return int(start + i)
        return int(start + n - 1)
    sign = -1.0 if mover == 1 else 1.0
    visits = float(forest.visits[tree, node])
    spread = np.sqrt(visits) if params.puct else np.log(max(visits, 1.0))
    mean = sign * forest.values[tree, node] / max(visits, 1.0)
    best, best_edge = -1e30, -1
    shift = below(word, n)  # a random starting point, which breaks ties
    for k in range(n):
        i = k + shift
        edge = start + (i if i < n else i - n)
        child = forest.children[tree, edge]
        if params.solve and child >= 0 and forest.proven[tree, child] != UNKNOWN:
            result = sign * forest.proven[tree, child]
            if result > 0.0:
                return int(edge)
            if result < 0.0:
                if best_edge < 0:
                    best_edge = edge
                continue
        tries = float(forest.edge_visits[tree, edge] + forest.virtual[tree, edge])
        total = sign * forest.edge_values[tree, edge] - forest.virtual[tree, edge]
        if params.puct:
            value = total / tries if tries > 0.0 else mean
            bonus = forest.priors[tree, edge] * spread / (1.0 + tries)
        elif tries == 0.0:
            return int(edge)
        else:
            value, bonus = total / tries, np.sqrt(spread / tries)
        value += params.exploration * bonus
        if value > best:
            best, best_edge = value, edge
    return int(best_edge)


@jitable
def history_at(rules: Rules, forest: Forest, tree: int, depth: int) -> Words:
    """The hashes before the node at ``depth`` of the current path."""
    length = forest.past[tree] + (depth if rules.uses_history else 0)
    return forest.hashes[tree, :length]


@jitable
def walk(
    rules: Rules, forest: Forest, params: Params, tree: int, path: Path,
    legal: npt.NDArray[np.int32], odds: npt.NDArray[np.float64], expand_late: bool,
) -> int:  # fmt: skip
    """Walk from the root to a leaf and return the depth of the leaf.

    ``path[0, k]`` is the k-th node and ``path[1, k]`` the edge that leaves it. With
    ``expand_late`` a node is expanded at its second visit, so that leaves, which are most of the
    nodes, need no edges. Otherwise nodes are expanded with an evaluator's priors. Chance nodes are
    then never leaves: no policy is needed for outcomes with known probabilities.
    """
    node, depth, longest = 0, 0, path.shape[1] - 1
    path[0, 0] = 0
    while forest.proven[tree, node] == UNKNOWN and depth < longest:
        history = history_at(rules, forest, tree, depth)
        if forest.first_edge[tree, node] < 0:
            if expand_late:
                is_leaf = forest.visits[tree, node] == 0
            else:
                is_leaf = forest.movers[tree, node] != CHANCE
            if is_leaf or not expand(rules, forest, tree, node, history, legal, odds):
                break
        if node == 0 and params.gumbel:
            edge = choose_root_edge(forest, params, tree)
        else:
            edge = choose_edge(forest, params, tree, node)
        child = forest.children[tree, edge]
        if child < 0 and forest.nodes_used[tree] >= forest.states.shape[1]:
            break
        if rules.uses_history:
            here = hash_of(rules.kernels)(rules.options, forest.states[tree, node])
            forest.hashes[tree, forest.past[tree] + depth] = here
        if child < 0:
            child = forest.nodes_used[tree]
            state = forest.states[tree, child]
            state[:] = forest.states[tree, node]
            apply_of(rules.kernels)(
                rules.options, rules.tables, state, history, int64(forest.actions[tree, edge])
            )
            add_node(rules, forest, tree, history_at(rules, forest, tree, depth + 1))
            forest.children[tree, edge] = child
        path[1, depth] = edge
        depth += 1
        path[0, depth] = child
        node = child
    return depth


@jitable
def next_leaf(
    rules: Rules, forest: Forest, params: Params, tree: int, walks: int, k: int,
    paths: npt.NDArray[np.int32], depths: npt.NDArray[np.int32], done: npt.NDArray[np.int64],
    legal: npt.NDArray[np.int32], odds: npt.NDArray[np.float64],
) -> int:  # fmt: skip
    """Select the ``k``-th leaf of a tree in at most ``walks`` walks; return the walks left.

    ``paths[tree, k]`` leads to the leaf and ``depths[tree, k]`` is its depth, or -1 if there is
    none. A leaf whose result is proven is backed up at once and needs no evaluator.
    """
    depths[tree, k] = -1
    path = paths[tree, k]
    while walks > 0 and forest.proven[tree, 0] == UNKNOWN:
        walks -= 1
        depth = walk(rules, forest, params, tree, path, legal, odds, False)
        leaf = path[0, depth]
        if forest.proven[tree, leaf] != UNKNOWN:
            backup(forest, params, tree, path, depth, float(forest.proven[tree, leaf]))
            done[tree] += 1
            continue
        if forest.movers[tree, leaf] == CHANCE:  # no room for its outcomes: use its mean value
            visits = max(float(forest.visits[tree, leaf]), 1.0)
            backup(forest, params, tree, path, depth, forest.values[tree, leaf] / visits)
            done[tree] += 1
            continue
        for other in range(k):
            if paths[tree, other, 0, depths[tree, other]] == leaf:
                return 0  # the walks lead to leaves that are already selected
        for step in range(depth):
            forest.virtual[tree, path[1, step]] += 1
        depths[tree, k] = depth
        return walks
    return 0


@jitable
def select_leaves(
    rules: Rules, forest: Forest, params: Params, tree: int, walks: int,
    paths: npt.NDArray[np.int32], depths: npt.NDArray[np.int32], done: npt.NDArray[np.int64],
    kind: int, lists: npt.NDArray[np.int32], counts: npt.NDArray[np.int64],
    signs: npt.NDArray[np.float64], observations: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    """Select leaves of a tree for an evaluator, with their actions and observations.

    The k-th leaf of a tree has row ``tree * leaves + k``. ``counts`` is 0 where there is no leaf.
    ``kind`` is the observation to write, or -1 for none.
    """
    leaves = depths.shape[1]
    legal = np.empty(rules.max_actions, np.int32)
    odds = np.empty(rules.max_actions, np.float64)
    for k in range(leaves):
        depths[tree, k] = -1
        counts[tree * leaves + k], signs[tree * leaves + k] = 0, 0.0
    for k in range(leaves):
        walks = next_leaf(
            rules, forest, params, tree, walks, k, paths, depths, done, legal, odds
        )  # fmt: skip
        depth = int64(depths[tree, k])
        if depth < 0:
            return
        row, leaf = tree * leaves + k, paths[tree, k, 0, depth]
        state = forest.states[tree, leaf]
        # Before the next walk, because it overwrites the hashes of this path.
        history = history_at(rules, forest, tree, depth)
        counts[row] = actions_of(rules.kernels)(
            rules.options, rules.tables, state, history, lists[row]
        )
        mover = forest.movers[tree, leaf]
        signs[row] = 0.0 if mover == CHANCE else (-1.0 if mover == 1 else 1.0)
        if kind >= 0:
            observe_of(rules.kernels)(
                rules.options, rules.tables, state, history, kind, observations[row]
            )


@jitable
def path_hashes(
    rules: Rules, forest: Forest, tree: int, path: Path, depth: int, out: Words
) -> None:
    """Write the hashes before the leaf of a path, those of the game's past first.

    They are computed again, since ``forest.hashes`` only holds those of the last leaf selected.
    """
    past = forest.past[tree]
    out[:past] = forest.hashes[tree, :past]
    for k in range(depth):
        out[past + k] = hash_of(rules.kernels)(rules.options, forest.states[tree, path[0, k]])
