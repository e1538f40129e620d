"""The phases of a search for all trees at once, shared among the cores.

The loops hold little but one call: where Numba's parallel loops see the arrays of a named tuple
directly, they are compiled wrongly (seen with Numba 0.68).  Such a loop counts in unsigned
numbers, but is taken for signed at first: what it calls would be compiled twice if the number
of the tree did not say what it is.
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
from playproof.search.mcts.forest import FOREST, PARAMS, RULES, Forest, Params, Rules
from playproof.search.mcts.gumbel import score_actions
from playproof.search.mcts.playouts import simulate_by_playouts
from playproof.search.mcts.reuse import copy_subtree
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
def reset_roots(rules: Rules, forest: Forest, wanted: Mask) -> None:
    """Begin the ``wanted`` trees anew, from the states of their roots."""
    for tree in prange(forest.states.shape[0]):
        if wanted[tree]:
            reset_root(rules, forest, uint64(tree))


@kernel(void(RULES, FOREST, PARAMS, int64, COUNTS, STOP), parallel=True)
def simulate(
    rules: Rules, forest: Forest, params: Params, simulations: int, done: Counts, stop: StopFlag
) -> None:
    """Simulations with random games in every tree."""
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
    """Leaves for an evaluator; ``walks`` are the most that a tree may take to find them."""
    for tree in prange(forest.states.shape[0]):
        select_leaves(
            rules, forest, params, uint64(tree), walks[tree], paths, depths, done, kind, lists,
            counts, signs, observations,
        )  # fmt: skip


@kernel(void(LISTS, COUNTS, int64, LIST, COUNTS), parallel=True)
def concatenate(
    lists: Lists, offsets: Counts, num_actions: int, out: Lists, places: Counts
) -> None:
    """The lists end to end, and where each action lies in a matrix (rows, num_actions)."""
    for row in prange(lists.shape[0]):
        begin = offsets[row]
        for j in range(offsets[row + 1] - begin):
            out[begin + j] = lists[row, j]
            places[begin + j] = row * num_actions + int64(lists[row, j])


@kernel(void(RULES, FOREST, _PATHS, LISTS, COUNTS, ROWS), parallel=True)
def leaf_hashes(
    rules: Rules, forest: Forest, paths: Lists, depths: Lists, rows: Counts, out: Words
) -> None:
    """The hashes before some leaves; row ``tree * leaves + k`` is the k-th of a tree."""
    for i in prange(rows.shape[0]):
        tree, k = rows[i] // depths.shape[1], rows[i] % depths.shape[1]
        path_hashes(rules, forest, uint64(tree), paths[tree, k], int64(depths[tree, k]), out[i])


@kernel(void(FOREST, PARAMS, _PATHS, LISTS, COUNTS, LIST, FLOATS, _REALS, COUNTS), parallel=True)
def backup(
    forest: Forest, params: Params, paths: Lists, depths: Lists, offsets: Counts, actions: Lists,
    priors: Floats, values: Reals, done: Counts,
) -> None:  # fmt: skip
    """Expand the leaves by priors, and back their values up."""
    for tree in prange(forest.states.shape[0]):
        backup_leaves(
            forest, params, uint64(tree), paths, depths, offsets, actions, priors, values, done
        )


@kernel(void(FOREST, WORDS, _REALS, _MASK), parallel=True)
def draw_scores(forest: Forest, words: Words, exploring: Reals, wanted: Mask) -> None:
    """Gumbel scores for the roots' actions."""
    for tree in prange(forest.states.shape[0]):
        if wanted[tree]:
            score_actions(forest, uint64(tree), words[tree], exploring[tree])


@kernel(void(FOREST, WORDS, _REALS, float64, _MASK), parallel=True)
def add_noise(forest: Forest, words: Words, shares: Reals, alpha: float, wanted: Mask) -> None:
    """Dirichlet noise in the roots' priors."""
    for tree in prange(forest.states.shape[0]):
        if wanted[tree]:
            mix_noise(forest, uint64(tree), words[tree], shares[tree], alpha)


@kernel(void(FOREST, PARAMS, _REALS, WORDS, _REALS, _SINGLES, COUNTS, _REALS), parallel=True)
def read_roots(
    forest: Forest, params: Params, raw: Reals, words: Words, temperatures: Reals,
    policies: Floats, chosen: Counts, values: Reals,
) -> None:  # fmt: skip
    """What the trees say of their roots: policies to learn, actions to play, values."""
    for tree in prange(forest.states.shape[0]):
        chosen[tree], values[tree] = read_root(
            forest, params, uint64(tree), raw[tree], words[tree], temperatures[tree],
            policies[tree],
        )  # fmt: skip


@kernel(void(FOREST, FOREST, COUNTS), parallel=True)
def copy_subtrees(old: Forest, new: Forest, edges: Counts) -> None:
    """Keep what is below an edge of each root."""
    for tree in prange(old.states.shape[0]):
        copy_subtree(old, new, uint64(tree), edges[tree])
