"""The trees of a search as compiled code has them: flat arrays, one tree for each game.

A node keeps its state, so no code here is about a particular game; an edge is an action of its
parent with what is known of it.  Values are from the first player's side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import boolean, float32, float64, int8, int32, int64, types, uint64

from playproof.core.kernels import COUNTS, ONGOING, TABLE, WORDS, Words

UNKNOWN = ONGOING  # in ``proven``: else the result, -1, 0 or 1
MAX_DEPTH = 512  # nodes of a path


class Rules(NamedTuple):
    """A game as compiled code has it."""

    kernels: npt.NDArray[np.uint64]  # its kernel table
    options: Words
    tables: Words
    max_actions: int  # room for a list of them
    uses_history: bool
    has_chance: bool


class Params(NamedTuple):
    """What compiled code needs of a search's config."""

    exploration: float
    puct: bool  # else UCT
    gumbel: bool  # the root halves its actions
    solve: bool
    playout_limit: int  # plies


class Forest(NamedTuple):
    """t trees of up to n nodes and e edges."""

    states: Words  # (t, n, words)
    visits: npt.NDArray[np.int32]  # (t, n)
    values: npt.NDArray[np.float64]  # (t, n) the sum over its visits
    movers: npt.NDArray[np.int8]  # (t, n) 0, 1 or CHANCE
    proven: npt.NDArray[np.int8]  # (t, n) the certain result, or UNKNOWN
    first_edge: npt.NDArray[np.int32]  # (t, n) -1 until expanded
    degree: npt.NDArray[np.int32]  # (t, n) number of edges
    actions: npt.NDArray[np.int32]  # (t, e)
    priors: npt.NDArray[np.float32]  # (t, e)
    children: npt.NDArray[np.int32]  # (t, e) node, -1 until visited
    edge_visits: npt.NDArray[np.int32]  # (t, e)
    edge_values: npt.NDArray[np.float64]  # (t, e) the sum over its visits
    virtual: npt.NDArray[np.int32]  # (t, e) visits under way, which count as losses
    nodes_used: npt.NDArray[np.int64]  # (t,)
    edges_used: npt.NDArray[np.int64]  # (t,)
    rng: Words  # (t,) state of the tree's generator
    hashes: Words  # (t, past + path + playout) of earlier positions
    past: npt.NDArray[np.int64]  # (t,) hashes before the root
    scores: npt.NDArray[np.float32]  # (t, a) of the actions of a Gumbel root, or (t, 0)
    schedule: npt.NDArray[np.int32]  # (m + 1, simulations) of a Gumbel root, or (0, 0)


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
RULES = types.NamedTuple((TABLE, WORDS, WORDS, int64, boolean, boolean), Rules)
PARAMS = types.NamedTuple((float64, boolean, boolean, boolean, int64), Params)
