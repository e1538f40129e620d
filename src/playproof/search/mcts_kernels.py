"""Tree search over a forest: the phases of ``mcts_tree`` for all trees at once.

Each call goes over all trees, shared among the cores.  The loops hold nothing
but one call: where Numba's parallel loops see the arrays of a named tuple
directly, they are compiled wrongly (seen with Numba 0.68).  Such a loop counts in
unsigned numbers, but is taken for signed at first: what it calls would be compiled
twice if the number of the tree did not say what it is.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import float64, int32, int64, prange, types, uint64, void

from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, FLOATS, LIST, TABLE, WORDS
from playproof.core.stopping import STOP
from playproof.search import mcts_tree as one
from playproof.search.mcts_forest import FOREST

_DEPTHS = types.Array(int32, 2, "C")
_PATHS = types.Array(int32, 4, "C")
_REALS = types.Array(float64, 1, "C")


@kernel(void(TABLE, WORDS, WORDS, FOREST), parallel=True)
def plant(kernels, options, tables, forest):
    """Make the root of every tree, whose state is in place."""
    for tree in prange(forest.states.shape[0]):
        one.plant_tree(kernels, options, tables, forest, uint64(tree))


@kernel(void(TABLE, WORDS, WORDS, FOREST, _REALS, int64, COUNTS, STOP), parallel=True)
def grow(kernels, options, tables, forest, settings, simulations, done, stop):
    for tree in prange(forest.states.shape[0]):
        one.grow_tree(
            kernels, options, tables, forest, settings, simulations, done, stop, uint64(tree)
        )


@kernel(void(TABLE, WORDS, WORDS, FOREST, _REALS, COUNTS, _PATHS, _DEPTHS, COUNTS), parallel=True)
def select(kernels, options, tables, forest, settings, wanted, paths, depths, done):
    for tree in prange(forest.states.shape[0]):
        one.select_leaves(
            kernels, options, tables, forest, settings, wanted, paths, depths, done, uint64(tree)
        )


@kernel(
    void(FOREST, _REALS, _PATHS, _DEPTHS, COUNTS, COUNTS, LIST, FLOATS, _REALS, COUNTS),
    parallel=True,
)
def back_up(forest, settings, paths, depths, begins, offsets, actions, priors, values, done):
    for tree in prange(forest.states.shape[0]):
        one.back_up_leaves(
            forest, settings, paths, depths, begins, offsets, actions, priors, values, done,
            uint64(tree),
        )  # fmt: skip


@kernel(void(FOREST, FOREST, COUNTS), parallel=True)
def replant(old, new, edges):
    for tree in prange(old.states.shape[0]):
        one.copy_subtree(old, new, edges, uint64(tree))
