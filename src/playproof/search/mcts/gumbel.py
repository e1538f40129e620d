"""The root policy of Gumbel AlphaZero (Danihelka et al., 2022), which works with few simulations.

A sample of actions, drawn without replacement, is halved until one is left. Each action of the
root gets a score g(a) + log P(a), where g is a Gumbel variate. The ``considered`` best actions are
visited in turn, the better half by score + sigma(Q) stays, and so on (sequential halving, Karnin
et al., 2013). Below the root, edges are selected by PUCT.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt
from numba import float32, int64, uint64

from playproof.core.bits import mix
from playproof.core.compiling import jitable
from playproof.search.mcts.forest import UNKNOWN, Forest, Params

# c_visit and c_scale of the paper: the weight of values relative to priors.
_VISIT_SCALE, _VALUE_SCALE = 50.0, 1.0
_LEAST_PRIOR = 1e-12


@functools.cache
def halving_schedule(most: int, simulations: int) -> npt.NDArray[np.int32]:
    """(most + 1, simulations) how many visits an action must have to be considered next.

    Row m is the schedule for m actions: all are visited in turn, then the better half, and so on,
    with the same number of simulations in every round.
    """
    out = np.zeros((most + 1, simulations), np.int32)
    for actions in range(1, most + 1):
        rounds = max(1, math.ceil(math.log2(actions)))
        visits, left = [0] * actions, actions
        schedule: list[int] = []
        while len(schedule) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                schedule += visits[:left]
                visits[:left] = [visit + 1 for visit in visits[:left]]
            left = max(min(2, actions), left // 2)
        out[actions] = schedule[:simulations]
    return out


@jitable
def sigma(value: float, most: float) -> float:
    """A mean value, -1 to 1, in the unit of logits: (c_visit + most) c_scale q.

    Here q is the value from 0 to 1 and ``most`` the visits of the most visited action.
    """
    return (_VISIT_SCALE + most) * _VALUE_SCALE * 0.5 * (value + 1.0)


@jitable
def most_visits(forest: Forest, tree: int) -> float:
    """The visits of the root's most visited action."""
    start, most = forest.first_edge[tree, 0], 0
    for edge in range(start, start + forest.degree[tree, 0]):
        most = max(most, forest.edge_visits[tree, edge])
    return float(most)


@jitable
def score_actions(forest: Forest, tree: int, word: int, exploring: float) -> None:
    """Write g(a) + log P(a) for each of the root's actions; g is 0 without exploration."""
    start, n = forest.first_edge[tree, 0], forest.degree[tree, 0]
    for i in range(n):
        point = (float(int64(mix(word + uint64(i)) >> uint64(11))) + 0.5) * 2.0**-53
        logit = np.log(max(float(forest.priors[tree, start + i]), _LEAST_PRIOR))
        forest.scores[tree, i] = float32(logit - exploring * np.log(-np.log(point)))


@jitable
def score_of(forest: Forest, tree: int, i: int, sign: float, most: float) -> float:
    """g(a) + log P(a) + sigma(Q(a)) of the root's ``i``-th action, without sigma if unvisited."""
    edge = forest.first_edge[tree, 0] + i
    visits = forest.edge_visits[tree, edge]
    score = float(forest.scores[tree, i])
    if visits > 0:
        score += sigma(sign * forest.edge_values[tree, edge] / visits, most)
    return score


@jitable
def choose_root_edge(forest: Forest, params: Params, tree: int) -> int:
    """The root's edge to follow: the best score among those with as many visits as scheduled.

    A proven win is followed at once, a proven loss never.
    """
    start, n = forest.first_edge[tree, 0], forest.degree[tree, 0]
    sign = -1.0 if forest.movers[tree, 0] == 1 else 1.0
    row = min(int64(n), forest.schedule.shape[0] - 1)
    step = min(int64(forest.visits[tree, 0]) - 1, forest.schedule.shape[1] - 1)
    scheduled, most = forest.schedule[row, step], most_visits(forest, tree)
    best, best_edge, spare, spare_edge = -1e30, -1, -1e30, start
    for i in range(n):
        edge = start + i
        child = forest.children[tree, edge]
        if params.solve and child >= 0 and forest.proven[tree, child] != UNKNOWN:
            result = sign * forest.proven[tree, child]
            if result > 0.0:
                return int(edge)
            if result < 0.0:
                continue
        score = score_of(forest, tree, i, sign, most)
        if forest.edge_visits[tree, edge] == scheduled and score > best:
            best, best_edge = score, edge
        if score > spare:
            spare, spare_edge = score, edge
    return int(best_edge) if best_edge >= 0 else int(spare_edge)


@jitable
def mixed_value(forest: Forest, tree: int, sign: float, raw: float) -> float:
    """The value assumed for unvisited actions (appendix D of the paper).

    It mixes the evaluator's value of the root, ``raw``, with the mean value of the visited actions,
    weighted by their priors.
    """
    start, n = forest.first_edge[tree, 0], forest.degree[tree, 0]
    weights, values, visits = 0.0, 0.0, 0.0
    for edge in range(start, start + n):
        tries = float(forest.edge_visits[tree, edge])
        if tries > 0.0:
            prior = max(float(forest.priors[tree, edge]), _LEAST_PRIOR)
            weights += prior
            values += prior * sign * forest.edge_values[tree, edge] / tries
            visits += tries
    if visits == 0.0:
        return sign * raw
    return (sign * raw + visits * values / weights) / (1.0 + visits)


@jitable
def improved_policy(
    forest: Forest, tree: int, sign: float, raw: float, out: npt.NDArray[np.float32]
) -> None:
    """Write softmax(log P + sigma(Q)) over the root's actions, the policy to learn."""
    start, n = forest.first_edge[tree, 0], forest.degree[tree, 0]
    most, unseen, top = most_visits(forest, tree), mixed_value(forest, tree, sign, raw), -1e30
    for i in range(n):
        tries = float(forest.edge_visits[tree, start + i])
        value = sign * forest.edge_values[tree, start + i] / tries if tries > 0.0 else unseen
        logit = np.log(max(float(forest.priors[tree, start + i]), _LEAST_PRIOR))
        out[i] = float32(logit + sigma(value, most))
        top = max(top, float(out[i]))
    total = 0.0
    for i in range(n):
        out[i] = float32(np.exp(float(out[i]) - top))
        total += out[i]
    for i in range(n):
        out[i] = float32(out[i] / total)
