"""The forest of a tree search as compiled code has it: flat arrays, one tree for each game.

A node keeps its state, so no game-specific code is needed; an edge is an action of
its parent with what is known of it.  Values are from the first player's side.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float32, float64, int8, int32, types, uint64

from playproof.core.kernels import COUNTS, ONGOING, WORDS, Words

UNKNOWN = ONGOING  # in ``proven``: else the result, -1, 0 or 1
LONGEST = 512  # nodes of a path


class Forest(NamedTuple):
    """t trees of up to n nodes and e edges, with paths of up to d nodes."""

    states: Words  # (t, n, words)
    visits: npt.NDArray[np.int32]  # (t, n)
    sums: npt.NDArray[np.float64]  # (t, n) of the values of its visits
    movers: npt.NDArray[np.int8]  # (t, n) 0, 1 or CHANCE
    proven: npt.NDArray[np.int8]  # (t, n) the certain result, or UNKNOWN
    first: npt.NDArray[np.int32]  # (t, n) first edge, -1 until expanded
    degree: npt.NDArray[np.int32]  # (t, n) number of edges
    actions: npt.NDArray[np.int32]  # (t, e)
    priors: npt.NDArray[np.float32]  # (t, e)
    children: npt.NDArray[np.int32]  # (t, e) node, -1 until visited
    tries: npt.NDArray[np.int32]  # (t, e) visits of an edge
    totals: npt.NDArray[np.float64]  # (t, e) sum of its values
    virtual: npt.NDArray[np.int32]  # (t, e) visits under way
    nodes: npt.NDArray[np.int64]  # (t,) in use
    edges: npt.NDArray[np.int64]  # (t,) in use
    random: Words  # (t,) state of the tree's generator
    hashes: Words  # (t, past + d + room) history, then the path's
    known: npt.NDArray[np.int64]  # (t,) hashes before the root
    scores: npt.NDArray[np.float32]  # (t, a) of the root's actions, where it halves them; or (t, 0)
    halving: npt.NDArray[np.int32]  # (m + 1, simulations) visits of those in question; or (0, 0)


_STATES = types.Array(uint64, 3, "C")
_WORDS2 = types.Array(uint64, 2, "C")
_INT32 = types.Array(int32, 2, "C")
_INT8 = types.Array(int8, 2, "C")
_SINGLE = types.Array(float32, 2, "C")
_DOUBLE = types.Array(float64, 2, "C")
FOREST = types.NamedTuple(
    (
        _STATES, _INT32, _DOUBLE, _INT8, _INT8, _INT32, _INT32, _INT32, _SINGLE, _INT32, _INT32,
        _DOUBLE, _INT32, COUNTS, COUNTS, WORDS, _WORDS2, COUNTS, _SINGLE, _INT32,
    ),
    Forest,
)  # fmt: skip

# Settings of a search, as floats: what a kernel needs of them.
EXPLORATION, PUCT, SOLVE, USES_HISTORY, HAS_CHANCE, MAX_ACTIONS, ROLLOUT_LIMIT, HALVING = range(8)
