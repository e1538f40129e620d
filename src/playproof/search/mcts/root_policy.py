"""What a search concludes at its root: a policy to learn, an action to play and a value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import float32, int64, uint64

from playproof.core.bits import mix
from playproof.core.compiling import jitable
from playproof.search.mcts.forest import UNKNOWN, Forest, Params
from playproof.search.mcts.gumbel import improved_policy, most_visits, score_of


@jitable
def visit_policy(forest: Forest, tree: int, out: npt.NDArray[np.float32]) -> None:
    """The root's visits, normalised; its priors if no action has been visited."""
    start, n = forest.first_edge[tree, 0], forest.degree[tree, 0]
    total = 0.0
    for i in range(n):
        out[i] = float32(forest.edge_visits[tree, start + i])
        total += out[i]
    if total == 0.0:
        for i in range(n):
            out[i] = forest.priors[tree, start + i]
        total = 1.0
    for i in range(n):
        out[i] = float32(out[i] / total)


@jitable
def restrict_to_proven_best(
    forest: Forest, tree: int, sign: float, out: npt.NDArray[np.float32]
) -> None:
    """Restrict a policy to proven wins if there are any, else to moves that are not proven lost.

    Once every move is proven, only those with the best result remain.
    """
    start, n = forest.first_edge[tree, 0], forest.degree[tree, 0]
    best, some_open = -2.0, False
    for i in range(n):
        child = forest.children[tree, start + i]
        result = UNKNOWN if child < 0 else int64(forest.proven[tree, child])
        if result == UNKNOWN:
            some_open = True
        else:
            best = max(best, sign * result)
    total = 0.0
    for i in range(n):
        child = forest.children[tree, start + i]
        result = UNKNOWN if child < 0 else int64(forest.proven[tree, child])
        if result == UNKNOWN:
            allowed = best < 1.0
        else:
            worth = sign * result
            allowed = worth == best if not some_open or best == 1.0 else worth >= 0.0
        if not allowed:
            out[i] = float32(0.0)
        elif out[i] <= float32(0.0):
            out[i] = float32(1e-6)
        total += out[i]
    for i in range(n):
        out[i] = float32(out[i] / total)


@jitable
def read_root(
    forest: Forest, params: Params, tree: int, raw: float, word: int, temperature: float,
    policy: npt.NDArray[np.float32],
) -> tuple[int, float]:  # fmt: skip
    """The action to play and the root's value; ``policy`` receives the policy to learn.

    A Gumbel root plays the last action left by sequential halving. Any other root plays an action
    drawn from its policy, or the likeliest at temperature 0.
    """
    start, n = forest.first_edge[tree, 0], forest.degree[tree, 0]
    sign = -1.0 if forest.movers[tree, 0] == 1 else 1.0
    value = float(forest.values[tree, 0]) / max(float(forest.visits[tree, 0]), 1.0)
    if forest.proven[tree, 0] != UNKNOWN:
        value = float(forest.proven[tree, 0])
    if params.gumbel:
        improved_policy(forest, tree, sign, raw, policy)
    else:
        visit_policy(forest, tree, policy)
    restrict_to_proven_best(forest, tree, sign, policy)
    most, sharp = most_visits(forest, tree), 1.0 / max(temperature, 1e-3)
    best, chosen = -1e30, 0
    for i in range(n):
        if policy[i] <= float32(0.0):
            continue
        if params.gumbel:
            worth = score_of(forest, tree, i, sign, most)
            worth += 1e6 * float(forest.edge_visits[tree, start + i])
        elif temperature > 0.0:
            # The largest of these is a draw by the weights (Efraimidis and Spirakis, 2006).
            point = (float(int64(mix(word + uint64(i)) >> uint64(11))) + 0.5) * 2.0**-53
            worth = np.log(float(policy[i])) * sharp - np.log(-np.log(point))
        else:
            worth = float(policy[i])
        if worth > best:
            best, chosen = worth, i
    return int(forest.actions[tree, start + chosen]), value
