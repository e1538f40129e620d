"""The phases of tree search in one tree, compiled once for all games.

A *forest* (``mcts_forest``) is one tree for each game of a batch.  Here are the
phases for one tree; ``mcts_kernels`` runs them over all trees.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import int8, int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import advance, below, mix
from playproof.core.kernels import (
    CHANCE,
    ONGOING,
    actions_of,
    apply_of,
    chance_of,
    hash_of,
    outcome_of,
    player_of,
    probe_of,
)
from playproof.core.playouts import random_game
from playproof.search.mcts_forest import (
    EXPLORATION,
    HALVING,
    HAS_CHANCE,
    LONGEST,
    MAX_ACTIONS,
    PUCT,
    ROLLOUT_LIMIT,
    SOLVE,
    UNKNOWN,
    USES_HISTORY,
)

# How much values outweigh priors at a root that halves its actions (Danihelka et al., 2022).
_VISIT_SCALE, _VALUE_SCALE = 50.0, 1.0


@register_jitable
def _flip(mover):
    """The sign that makes a value the mover's own."""
    return -1.0 if mover == 1 else 1.0


@register_jitable
def _history(forest, settings, tree, depth):
    """The history of the path's node at ``depth``."""
    length = forest.known[tree] + (depth if settings[USES_HISTORY] != 0.0 else 0)
    return forest.hashes[tree, :length]


@register_jitable
def _add_node(kernels, options, tables, forest, tree, history):
    """Fill in the newest node, whose state is in place; its index.

    A root is not looked up in tables: its move is wanted, not its result alone."""
    node = forest.nodes[tree]
    state = forest.states[tree, node]
    result = outcome_of(kernels)(options, tables, state, history)
    if result == ONGOING and node > 0:
        result = probe_of(kernels)(options, tables, state, history)
    forest.visits[tree, node] = 0
    forest.sums[tree, node] = 0.0
    forest.first[tree, node] = -1
    forest.degree[tree, node] = 0
    forest.movers[tree, node] = player_of(kernels)(options, state)
    forest.proven[tree, node] = result
    forest.nodes[tree] = node + 1
    return node


@register_jitable
def _expand(kernels, options, tables, forest, settings, tree, node, history, legal, odds):
    """Give a node its edges, with equal priors (chance: its odds)."""
    state = forest.states[tree, node]
    if forest.movers[tree, node] == CHANCE:
        n = chance_of(kernels)(options, tables, state, history, legal, odds)
    else:
        n = actions_of(kernels)(options, tables, state, history, legal)
        for i in range(n):
            odds[i] = 1.0 / n
    begin = forest.edges[tree]
    if begin + n > forest.actions.shape[1]:
        return False  # no room: the node stays a leaf and is valued again
    for i in range(n):
        edge = begin + i
        forest.actions[tree, edge] = legal[i]
        forest.priors[tree, edge] = odds[i]
        forest.children[tree, edge] = -1
        forest.tries[tree, edge] = 0
        forest.totals[tree, edge] = 0.0
        forest.virtual[tree, edge] = 0
    forest.first[tree, node], forest.degree[tree, node] = begin, n
    forest.edges[tree] = begin + n
    return True


@register_jitable
def _pick(forest, settings, tree, node):
    """The edge to follow: UCT or PUCT; proven wins at once, proven losses never."""
    begin, n = forest.first[tree, node], forest.degree[tree, node]
    mover = forest.movers[tree, node]
    random = advance(forest.random[tree])
    forest.random[tree] = random
    word = mix(random)
    if mover == CHANCE:
        point = float(int64(word >> uint64(11))) * 2.0**-53
        for i in range(n - 1):
            point -= forest.priors[tree, begin + i]
            if point < 0.0:
                return begin + i
        return begin + n - 1
    sign, solve = _flip(mover), settings[SOLVE] != 0.0
    visits = float(forest.visits[tree, node])
    spread = np.sqrt(visits) if settings[PUCT] != 0.0 else np.log(max(visits, 1.0))
    mean = sign * forest.sums[tree, node] / max(visits, 1.0)
    best, best_edge = -1e30, -1
    shift = below(word, n)  # equals are met in another order every time
    for k in range(n):
        i = k + shift
        edge = begin + (i if i < n else i - n)
        child = forest.children[tree, edge]
        if solve and child >= 0 and forest.proven[tree, child] != UNKNOWN:
            worth = sign * forest.proven[tree, child]
            if worth > 0.0:
                return edge
            if worth < 0.0:
                if best_edge < 0:
                    best_edge = edge
                continue
        tries = float(forest.tries[tree, edge] + forest.virtual[tree, edge])
        total = sign * forest.totals[tree, edge] - forest.virtual[tree, edge]
        if settings[PUCT] != 0.0:
            value = total / tries if tries > 0.0 else mean
            bonus = forest.priors[tree, edge] * spread / (1.0 + tries)
        elif tries == 0.0:
            return edge
        else:
            value, bonus = total / tries, np.sqrt(spread / tries)
        value += settings[EXPLORATION] * bonus
        if value > best:
            best, best_edge = value, edge
    return best_edge


@register_jitable
def weight_of(value, most):
    """A mean value, -1 to 1, in the unit of logits; it grows with the ``most`` visits of an
    action."""
    return (_VISIT_SCALE + most) * _VALUE_SCALE * 0.5 * (value + 1.0)


@register_jitable
def most_tries(forest, tree):
    """Visits of the root's most visited action."""
    begin, most = forest.first[tree, 0], 0
    for edge in range(begin, begin + forest.degree[tree, 0]):
        most = max(most, forest.tries[tree, edge])
    return float(most)


@register_jitable
def _pick_in_question(forest, settings, tree):
    """The root's edge to follow in sequential halving: of those with as many visits as the
    table wants, the one with the best score and value."""
    begin, n = forest.first[tree, 0], forest.degree[tree, 0]
    sign = _flip(forest.movers[tree, 0])
    row = min(int64(n), forest.halving.shape[0] - 1)
    step = min(int64(forest.visits[tree, 0]) - 1, forest.halving.shape[1] - 1)
    wanted, most = forest.halving[row, step], most_tries(forest, tree)
    best, best_edge, spare, spare_edge = -1e30, -1, -1e30, begin
    for i in range(n):
        edge = begin + i
        child, tries = forest.children[tree, edge], forest.tries[tree, edge]
        if settings[SOLVE] != 0.0 and child >= 0 and forest.proven[tree, child] != UNKNOWN:
            worth = sign * forest.proven[tree, child]
            if worth > 0.0:
                return edge
            if worth < 0.0:
                continue
        score = float(forest.scores[tree, i])
        if tries > 0:
            score += weight_of(sign * forest.totals[tree, edge] / tries, most)
        if tries == wanted and score > best:
            best, best_edge = score, edge
        if score > spare:
            spare, spare_edge = score, edge
    return best_edge if best_edge >= 0 else spare_edge


@register_jitable
def _select(kernels, options, tables, forest, settings, tree, path, legal, odds, lazily):
    """Walk from the root to a leaf; the depth of the leaf.

    ``path[0, k]`` is the k-th node, ``path[1, k]`` the edge that left it.
    ``lazily``: a node is expanded at its second visit, so that leaves, which
    are most nodes, need no edges.
    """
    node, depth, longest = 0, 0, path.shape[1] - 1
    path[0, 0] = 0
    while forest.proven[tree, node] == UNKNOWN and depth < longest:
        history = _history(forest, settings, tree, depth)
        if forest.first[tree, node] < 0:
            if not lazily or forest.visits[tree, node] == 0:
                break
            if not _expand(
                kernels, options, tables, forest, settings, tree, node, history, legal, odds
            ):
                break
        if node == 0 and settings[HALVING] != 0.0:
            edge = _pick_in_question(forest, settings, tree)
        else:
            edge = _pick(forest, settings, tree, node)
        child = forest.children[tree, edge]
        if child < 0:
            child = forest.nodes[tree]
            if child >= forest.states.shape[1]:
                break
            if settings[USES_HISTORY] != 0.0:
                here = hash_of(kernels)(options, forest.states[tree, node])
                forest.hashes[tree, forest.known[tree] + depth] = here
            forest.states[tree, child, :] = forest.states[tree, node]
            apply_of(kernels)(
                options, tables, forest.states[tree, child], history,
                int64(forest.actions[tree, edge]),
            )  # fmt: skip
            after = _history(forest, settings, tree, depth + 1)
            _add_node(kernels, options, tables, forest, tree, after)
            forest.children[tree, edge] = child
        elif settings[USES_HISTORY] != 0.0:
            here = hash_of(kernels)(options, forest.states[tree, node])
            forest.hashes[tree, forest.known[tree] + depth] = here
        path[1, depth] = edge
        depth += 1
        path[0, depth] = child
        node = child
    return depth


@register_jitable
def _prove(forest, tree, node):
    """What the children prove about a node: a win by one, the rest by all."""
    mover = forest.movers[tree, node]
    sign = _flip(mover)
    begin, best, worst = forest.first[tree, node], -2.0, 2.0
    for edge in range(begin, begin + forest.degree[tree, node]):
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


@register_jitable
def _back_up(forest, settings, tree, path, depth, value):
    """Enter a leaf's value on its path, and what it proves."""
    leaf = path[0, depth]
    forest.visits[tree, leaf] += 1
    forest.sums[tree, leaf] += value
    for k in range(depth - 1, -1, -1):
        node, edge = path[0, k], path[1, k]
        forest.visits[tree, node] += 1
        forest.sums[tree, node] += value
        forest.tries[tree, edge] += 1
        forest.totals[tree, edge] += value
        if settings[SOLVE] != 0.0 and forest.proven[tree, path[0, k + 1]] != UNKNOWN:
            _prove(forest, tree, node)


@register_jitable
def grow_tree(kernels, options, tables, forest, settings, simulations, done, stop, tree):
    """Run simulations, leaves valued by one random game each.

    ``done[tree]`` counts them; a tree whose root is proven needs no more.
    """
    most, limit = int64(settings[MAX_ACTIONS]), int64(settings[ROLLOUT_LIMIT])
    words = forest.states.shape[2]
    legal = np.empty(most, np.int32)
    odds = np.empty(most, np.float64)
    state = np.empty(words, np.uint64)
    path = np.empty((2, LONGEST), np.int32)
    for _ in range(simulations):
        if stop[0] != 0 or forest.proven[tree, 0] != UNKNOWN:
            break
        depth = _select(kernels, options, tables, forest, settings, tree, path, legal, odds, True)
        leaf = path[0, depth]
        if forest.proven[tree, leaf] != UNKNOWN:
            value = float(forest.proven[tree, leaf])
        else:
            state[:] = forest.states[tree, leaf]
            forest.random[tree] = advance(forest.random[tree])
            known = forest.known[tree] + (depth if settings[USES_HISTORY] != 0.0 else 0)
            result, _, _, _ = random_game(
                kernels, options, tables, state, forest.hashes[tree], known, legal, odds,
                limit, mix(forest.random[tree]), settings[USES_HISTORY] != 0.0,
                settings[HAS_CHANCE] != 0.0,
            )  # fmt: skip
            value = 0.0 if result == ONGOING else float(result)
        _back_up(forest, settings, tree, path, depth, value)
        done[tree] += 1


@register_jitable
def plant_tree(kernels, options, tables, forest, tree):
    """Make the root, whose state is in place."""
    forest.nodes[tree], forest.edges[tree] = 0, 0
    history = forest.hashes[tree, : forest.known[tree]]
    _add_node(kernels, options, tables, forest, tree, history)


@register_jitable
def select_leaf(
    kernels, options, tables, forest, settings, walks, paths, depths, done, legal, odds, tree, k
):
    """Walk until there is a ``k``-th leaf for an evaluator, ``walks`` times at most; how many
    walks are left.  As in ``select_leaves``."""
    depths[tree, k] = -1
    path = paths[tree, k]
    while walks > 0 and forest.proven[tree, 0] == UNKNOWN:
        walks -= 1
        depth = _select(kernels, options, tables, forest, settings, tree, path, legal, odds, False)
        leaf = path[0, depth]
        if forest.proven[tree, leaf] != UNKNOWN:
            value = float(forest.proven[tree, leaf])
            _back_up(forest, settings, tree, path, depth, value)
            done[tree] += 1
            continue
        for other in range(k):
            if paths[tree, other, 0, depths[tree, other]] == leaf:
                return 0  # all walks lead to leaves that are under way
        for step in range(depth):
            forest.virtual[tree, path[1, step]] += 1
        depths[tree, k] = depth
        return walks
    return 0


@register_jitable
def select_leaves(kernels, options, tables, forest, settings, wanted, paths, depths, done, tree):
    """Up to ``wanted[tree]`` leaves for an evaluator.

    ``paths[tree, k]`` leads to the k-th, ``depths[tree, k]`` is its depth, -1
    if there is none.  Leaves whose result is proven are backed up at once.
    Visits under way count as losses, so that the walks part.
    """
    most = int64(settings[MAX_ACTIONS])
    legal = np.empty(most, np.int32)
    odds = np.empty(most, np.float64)
    depths[tree, :] = -1
    walks = wanted[tree]
    for k in range(depths.shape[1]):
        walks = select_leaf(
            kernels, options, tables, forest, settings, walks, paths, depths, done, legal, odds,
            tree, k,
        )  # fmt: skip
        if depths[tree, k] < 0:
            break


@register_jitable
def back_up_leaves(
    forest, settings, paths, depths, begins, offsets, actions, priors, values, done, tree
):
    """Enter what an evaluator said of the leaves.

    The leaves of a tree are ``begins[tree]`` ... of the evaluated batch; leaf
    ``i`` has the actions and priors from ``offsets[i]`` on.
    """
    for k in range(depths.shape[1]):
        depth = int64(depths[tree, k])
        if depth < 0:
            break
        path, i = paths[tree, k], begins[tree] + k
        leaf, begin = path[0, depth], forest.edges[tree]
        n = offsets[i + 1] - offsets[i]
        if forest.first[tree, leaf] < 0 and begin + n <= forest.actions.shape[1]:
            for j in range(n):
                forest.actions[tree, begin + j] = actions[offsets[i] + j]
                forest.priors[tree, begin + j] = priors[offsets[i] + j]
                forest.children[tree, begin + j] = -1
                forest.tries[tree, begin + j] = 0
                forest.totals[tree, begin + j] = 0.0
                forest.virtual[tree, begin + j] = 0
            forest.first[tree, leaf], forest.degree[tree, leaf] = begin, n
            forest.edges[tree] = begin + n
        for m in range(depth):
            forest.virtual[tree, path[1, m]] -= 1
        _back_up(forest, settings, tree, path, depth, values[i])
        done[tree] += 1


@register_jitable
def copy_subtree(old, new, edges, tree):
    """Copy the subtree below the root's edge ``edges[tree]`` into ``new``.

    -1 leaves the new tree without a node: it has to be planted.  So does a child
    whose result came from a table: as a root it is asked for its moves.
    """
    new.nodes[tree], new.edges[tree] = 0, 0
    new.random[tree] = old.random[tree]
    child = old.children[tree, edges[tree]] if edges[tree] >= 0 else -1
    if child < 0 or (old.proven[tree, child] != UNKNOWN and old.first[tree, child] < 0):
        return
    origin = np.empty(old.nodes[tree], np.int32)  # of each new node, breadth first
    origin[0] = child
    count, at, used = 1, 0, 0
    while at < count:
        node = origin[at]
        new.states[tree, at, :] = old.states[tree, node]
        new.visits[tree, at], new.sums[tree, at] = old.visits[tree, node], old.sums[tree, node]
        new.movers[tree, at] = old.movers[tree, node]
        new.proven[tree, at] = old.proven[tree, node]
        begin, n = old.first[tree, node], old.degree[tree, node]
        new.first[tree, at], new.degree[tree, at] = (used if begin >= 0 else -1), n
        if begin >= 0:
            for edge in range(begin, begin + n):
                new.actions[tree, used] = old.actions[tree, edge]
                new.priors[tree, used] = old.priors[tree, edge]
                new.tries[tree, used] = old.tries[tree, edge]
                new.totals[tree, used] = old.totals[tree, edge]
                new.virtual[tree, used] = 0
                child = old.children[tree, edge]
                new.children[tree, used] = -1
                if child >= 0:
                    origin[count] = child
                    new.children[tree, used] = count
                    count += 1
                used += 1
        at += 1
    new.nodes[tree], new.edges[tree] = count, used
