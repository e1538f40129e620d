"""What many trees do between two calls of a network, compiled: one leaf of each, and the roots.

The loops hold nothing but one call, and their number is cast, for the reasons that
``mcts_kernels`` gives.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import float32, float64, int32, int64, prange, types, uint64, void
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, FLOATS, LIST, TABLE, WORDS, actions_of, observe_of
from playproof.search import mcts_tree as one
from playproof.search.mcts_forest import FOREST, HALVING, MAX_ACTIONS, UNKNOWN, USES_HISTORY
from playproof.search.mcts_tree import most_tries, weight_of

_DEPTHS = types.Array(int32, 2, "C")
_PATHS = types.Array(int32, 4, "C")
_REALS = types.Array(float64, 1, "C")
_SINGLES = types.Array(float32, 2, "C")


@register_jitable
def _look(
    kernels, options, tables, forest, settings, kind, wanted, paths, depths, done, lists, counts,
    signs, planes, tree,
):  # fmt: skip
    """Walk to leaves of a tree, list their actions and write down what their movers see."""
    most, leaves = int64(settings[MAX_ACTIONS]), depths.shape[1]
    legal, odds = np.empty(most, np.int32), np.empty(most, np.float64)
    depths[tree, :] = -1
    walks = wanted[tree]
    for k in range(leaves):
        counts[tree * leaves + k], signs[tree * leaves + k] = 0, 0.0
    for k in range(leaves):
        walks = one.select_leaf(
            kernels, options, tables, forest, settings, walks, paths, depths, done, legal, odds,
            tree, k,
        )  # fmt: skip
        depth = int64(depths[tree, k])
        if depth < 0:
            return
        row, leaf = tree * leaves + k, paths[tree, k, 0, depth]
        state = forest.states[tree, leaf]
        # Before the next walk: the hashes of the way to the leaf are still those of this one.
        known = forest.known[tree] + (depth if settings[USES_HISTORY] != 0.0 else 0)
        history = forest.hashes[tree, :known]
        counts[row] = actions_of(kernels)(options, tables, state, history, lists[row])
        signs[row] = -1.0 if forest.movers[tree, leaf] == 1 else 1.0
        if kind >= 0:
            observe_of(kernels)(options, tables, state, history, kind, planes[row])


@kernel(
    void(
        TABLE, WORDS, WORDS, FOREST, _REALS, int64, COUNTS, _PATHS, _DEPTHS, COUNTS, _DEPTHS,
        COUNTS, _REALS, _SINGLES,
    ),
    parallel=True,
)  # fmt: skip
def look(
    kernels, options, tables, forest, settings, kind, wanted, paths, depths, done, lists, counts,
    signs, planes,
):  # fmt: skip
    for tree in prange(forest.states.shape[0]):
        _look(
            kernels, options, tables, forest, settings, kind, wanted, paths, depths, done, lists,
            counts, signs, planes, uint64(tree),
        )  # fmt: skip


@kernel(void(_DEPTHS, COUNTS, int64, LIST, COUNTS), parallel=True)
def string_together(lists, offsets, actions, out, places):
    """The lists end to end, and where each action lies in a matrix of ``actions`` columns."""
    for row in prange(lists.shape[0]):
        begin = offsets[row]
        for j in range(offsets[row + 1] - begin):
            out[begin + j] = lists[row, j]
            places[begin + j] = row * actions + int64(lists[row, j])


@register_jitable
def _prior_mean(forest, sign, raw, tree):
    """The root's value from its own side, its visited actions weighted by their priors; what
    unvisited ones are thought to be worth (Danihelka et al., 2022, appendix D)."""
    begin, n = forest.first[tree, 0], forest.degree[tree, 0]
    weights, values, visits = 0.0, 0.0, 0.0
    for edge in range(begin, begin + n):
        tries = float(forest.tries[tree, edge])
        if tries > 0.0:
            prior = max(float(forest.priors[tree, edge]), 1e-12)
            weights += prior
            values += prior * sign * forest.totals[tree, edge] / tries
            visits += tries
    if visits == 0.0:
        return sign * raw
    return (sign * raw + visits * values / weights) / (1.0 + visits)


@register_jitable
def _settle(forest, sign, targets, tree):
    """Leave to a target what is proven best: wins, else what is not lost."""
    begin, n = forest.first[tree, 0], forest.degree[tree, 0]
    best, some_open = -2.0, False
    for i in range(n):
        child = forest.children[tree, begin + i]
        result = UNKNOWN if child < 0 else int64(forest.proven[tree, child])
        if result == UNKNOWN:
            some_open = True
        else:
            best = max(best, sign * result)
    total = 0.0
    for i in range(n):
        child = forest.children[tree, begin + i]
        result = UNKNOWN if child < 0 else int64(forest.proven[tree, child])
        if result == UNKNOWN:
            keep = best < 1.0
        else:
            worth = sign * result
            keep = worth == best if not some_open or best == 1.0 else worth >= 0.0
        if not keep:
            targets[tree, i] = float32(0.0)
        elif targets[tree, i] <= float32(0.0):
            targets[tree, i] = float32(1e-6)
        total += targets[tree, i]
    for i in range(n):
        targets[tree, i] = float32(targets[tree, i] / total)


@register_jitable
def _read(forest, settings, raw, points, temperatures, targets, chosen, values, tree):
    """What a tree says of its root: a policy to learn, an action to play, a value.

    A root that halves its actions plays the last one left and teaches the policy
    that its values make of its priors; another one does both by visits.
    """
    begin, n = forest.first[tree, 0], forest.degree[tree, 0]
    sign = -1.0 if forest.movers[tree, 0] == 1 else 1.0
    most, halving = most_tries(forest, tree), settings[HALVING] != 0.0
    visits = max(float(forest.visits[tree, 0]), 1.0)
    values[tree] = forest.sums[tree, 0] / visits
    if forest.proven[tree, 0] != UNKNOWN:
        values[tree] = float(forest.proven[tree, 0])
    if halving:
        unseen, top = _prior_mean(forest, sign, raw[tree], tree), -1e30
        for i in range(n):
            tries = float(forest.tries[tree, begin + i])
            value = sign * forest.totals[tree, begin + i] / tries if tries > 0.0 else unseen
            logit = np.log(max(float(forest.priors[tree, begin + i]), 1e-12))
            targets[tree, i] = float32(logit + weight_of(value, most))
            top = max(top, float(targets[tree, i]))
        total = 0.0
        for i in range(n):
            targets[tree, i] = float32(np.exp(float(targets[tree, i]) - top))
            total += targets[tree, i]
    else:
        total = 0.0
        for i in range(n):
            targets[tree, i] = float32(forest.tries[tree, begin + i])
            total += targets[tree, i]
        if total == 0.0:  # a root that was only looked at
            for i in range(n):
                targets[tree, i] = forest.priors[tree, begin + i]
            total = 1.0
    for i in range(n):
        targets[tree, i] = float32(targets[tree, i] / total)
    _settle(forest, sign, targets, tree)
    best, at = -1e30, 0
    sharp = 1.0 / max(temperatures[tree], 1e-3)
    for i in range(n):
        if targets[tree, i] <= float32(0.0):
            continue
        if halving:
            tries = float(forest.tries[tree, begin + i])
            score = float(forest.scores[tree, i])
            if tries > 0.0:
                score += weight_of(sign * forest.totals[tree, begin + i] / tries, most)
            worth = score + 1e6 * tries
        elif temperatures[tree] > 0.0:
            # The largest of these is drawn by the weights (Efraimidis and Spirakis, 2006).
            word = one.mix(points[tree] + uint64(i))
            point = (float(int64(word >> uint64(11))) + 0.5) * 2.0**-53
            worth = np.log(float(targets[tree, i])) * sharp - np.log(-np.log(point))
        else:
            worth = float(targets[tree, i])
        if worth > best:
            best, at = worth, i
    chosen[tree] = int64(forest.actions[tree, begin + at])


@kernel(
    void(FOREST, _REALS, _REALS, WORDS, _REALS, _SINGLES, COUNTS, _REALS),
    parallel=True,
)
def read(forest, settings, raw, points, temperatures, targets, chosen, values):
    for tree in prange(forest.states.shape[0]):
        _read(forest, settings, raw, points, temperatures, targets, chosen, values, uint64(tree))


@register_jitable
def _score(forest, points, loud, tree):
    """A Gumbel number and the log of the prior for each of the root's actions."""
    begin, n = forest.first[tree, 0], forest.degree[tree, 0]
    for i in range(n):
        word = one.mix(points[tree] + uint64(i))
        point = (float(int64(word >> uint64(11))) + 0.5) * 2.0**-53
        logit = np.log(max(float(forest.priors[tree, begin + i]), 1e-12))
        forest.scores[tree, i] = float32(logit - loud[tree] * np.log(-np.log(point)))


@kernel(void(FOREST, WORDS, _REALS), parallel=True)
def score(forest, points, loud):
    for tree in prange(forest.states.shape[0]):
        _score(forest, points, loud, uint64(tree))


@kernel(void(COUNTS, FLOATS, FLOATS), parallel=True)
def soften(offsets, logits, out):
    """Logits of each row as probabilities."""
    for row in prange(offsets.shape[0] - 1):
        top, total = -1e30, 0.0
        for j in range(offsets[row], offsets[row + 1]):
            top = max(top, float(logits[j]))
        for j in range(offsets[row], offsets[row + 1]):
            weight = np.exp(float(logits[j]) - top)
            out[j] = float32(weight)
            total += weight
        for j in range(offsets[row], offsets[row + 1]):
            out[j] = float32(out[j] / total)
