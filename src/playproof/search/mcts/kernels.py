"""The phases of a search as kernels over all trees, in parallel.

Each loop holds little more than one call, because Numba miscompiles parallel loops that access
the arrays of a named tuple directly (seen with Numba 0.68). The loop variable is unsigned but
typed as signed at first, so without the explicit ``uint64`` the callee would be compiled twice.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import boolean, float32, float64, int32, int64, prange, types, uint64, void

from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, FLOATS, LIST, LISTS, ROWS, WORDS, Words
from playproof.core.stopping import STOP, StopFlag
from playproof.search.mcts.backup import backup_leaves
from playproof.search.mcts.dirichlet import mix_noise
from playproof.search.mcts.expand import reset_root
from playproof.search.mcts.forest import (
    FOREST,
    PARAMS,
    RULES,
    Forest,
    Params,
    Rules,
    copy_subtree,
)
from playproof.search.mcts.gumbel import score_actions
from playproof.search.mcts.playouts import simulate_by_playouts
from playproof.search.mcts.root_policy import read_root
from playproof.search.mcts.select import path_hashes, select_leaves

_PATHS = types.Array(int32, 4, "C")
_REALS = types.Array(float64, 1, "C")
_SINGLES = types.Array(float32, 2, "C")
_MASK = types.Array(boolean, 1, "C")

Counts = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Lists = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@kernel(void(RULES, FOREST, _MASK), parallel=True)
def reset_roots(rules: Rules, forest: Forest, mask: Mask) -> None:
    """Empty the trees of ``mask`` and add their roots, whose states are in place."""
    for tree in prange(forest.states.shape[0]):
        if mask[tree]:
            reset_root(rules, forest, uint64(tree))


@kernel(void(RULES, FOREST, PARAMS, int64, COUNTS, STOP), parallel=True)
def simulate(
    rules: Rules, forest: Forest, params: Params, simulations: int, done: Counts, stop: StopFlag
) -> None:
    """Run simulations with random playouts in every tree."""
    for tree in prange(forest.states.shape[0]):
        simulate_by_playouts(rules, forest, params, uint64(tree), simulations, done, stop)


@kernel(
    void(
        RULES, FOREST, PARAMS, COUNTS, _PATHS, LISTS, COUNTS, int64, LISTS, COUNTS, _REALS,
        _SINGLES,
    ),
    parallel=True,
)  # fmt: skip
def select(
    rules: Rules, forest: Forest, params: Params, walks: Counts, paths: Lists, depths: Lists,
    done: Counts, kind: int, lists: Lists, counts: Counts, signs: Reals, observations: Floats,
) -> None:  # fmt: skip
    """Select leaves for an evaluator, in at most ``walks`` descents of each tree."""
    for tree in prange(forest.states.shape[0]):
        select_leaves(
            rules, forest, params, uint64(tree), walks[tree], paths, depths, done, kind, lists,
            counts, signs, observations,
        )  # fmt: skip


@kernel(void(LISTS, COUNTS, int64, LIST, COUNTS), parallel=True)
def concatenate(
    lists: Lists, offsets: Counts, num_actions: int, out: Lists, places: Counts
) -> None:
    """Concatenate the lists, and write each action's index in a flat (rows, num_actions) array."""
    for row in prange(lists.shape[0]):
        start = offsets[row]
        for j in range(offsets[row + 1] - start):
            out[start + j] = lists[row, j]
            places[start + j] = row * num_actions + int64(lists[row, j])


@kernel(void(RULES, FOREST, _PATHS, LISTS, COUNTS, ROWS), parallel=True)
def leaf_hashes(
    rules: Rules, forest: Forest, paths: Lists, depths: Lists, rows: Counts, out: Words
) -> None:
    """The history before some leaves; row ``tree * leaves + k`` is the k-th leaf of a tree."""
    for i in prange(rows.shape[0]):
        tree, k = rows[i] // depths.shape[1], rows[i] % depths.shape[1]
        path_hashes(rules, forest, uint64(tree), paths[tree, k], int64(depths[tree, k]), out[i])


@kernel(void(FOREST, PARAMS, _PATHS, LISTS, COUNTS, LIST, FLOATS, _REALS, COUNTS), parallel=True)
def backup(
    forest: Forest, params: Params, paths: Lists, depths: Lists, offsets: Counts, actions: Lists,
    priors: Floats, values: Reals, done: Counts,
) -> None:  # fmt: skip
    """Expand the leaves with the priors and back up their values."""
    for tree in prange(forest.states.shape[0]):
        backup_leaves(
            forest, params, uint64(tree), paths, depths, offsets, actions, priors, values, done
        )


@kernel(void(FOREST, WORDS, _REALS, _MASK), parallel=True)
def draw_scores(forest: Forest, words: Words, exploring: Reals, mask: Mask) -> None:
    """Draw Gumbel scores for the actions of the roots of ``mask``."""
    for tree in prange(forest.states.shape[0]):
        if mask[tree]:
            score_actions(forest, uint64(tree), words[tree], exploring[tree])


@kernel(void(FOREST, WORDS, _REALS, float64, _MASK), parallel=True)
def add_noise(forest: Forest, words: Words, shares: Reals, alpha: float, mask: Mask) -> None:
    """Mix Dirichlet noise into the priors of the roots of ``mask``."""
    for tree in prange(forest.states.shape[0]):
        if mask[tree]:
            mix_noise(forest, uint64(tree), words[tree], shares[tree], alpha)


@kernel(void(FOREST, PARAMS, _REALS, WORDS, _REALS, _SINGLES, COUNTS, _REALS), parallel=True)
def read_roots(
    forest: Forest, params: Params, raw: Reals, words: Words, temperatures: Reals,
    policies: Floats, chosen: Counts, values: Reals,
) -> None:  # fmt: skip
    """Read policies to learn, actions to play and values from the roots."""
    for tree in prange(forest.states.shape[0]):
        chosen[tree], values[tree] = read_root(
            forest, params, uint64(tree), raw[tree], words[tree], temperatures[tree],
            policies[tree],
        )  # fmt: skip


@kernel(void(FOREST, FOREST, COUNTS), parallel=True)
def copy_subtrees(old: Forest, new: Forest, edges: Counts) -> None:
    """Copy the subtree below an edge of each root."""
    for tree in prange(old.states.shape[0]):
        copy_subtree(old, new, uint64(tree), edges[tree])
