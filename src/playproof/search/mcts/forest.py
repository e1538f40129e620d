"""The forest of a search: one tree for each game, in flat arrays that compiled code works on.

A node holds its state, so no code here is about a particular game. An edge holds an action of its
parent node and its statistics. Values are from the first player's side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import boolean, float32, float64, int8, int32, int64, types, uint64

from playproof.core.compiling import jitable
from playproof.core.game import Game
from playproof.core.kernels import COUNTS, ONGOING, TABLE, WORDS, Words

UNKNOWN = ONGOING  # in ``proven``, where the result (-1, 0 or 1) is not proven
MAX_DEPTH = 512  # nodes of a path


class Rules(NamedTuple):
    """A game as compiled code sees it."""

    kernels: npt.NDArray[np.uint64]  # its kernel table
    options: Words
    tables: Words
    max_actions: int  # length of a list of actions
    uses_history: bool
    has_chance: bool


class Params(NamedTuple):
    """The part of a search's config that compiled code reads."""

    exploration: float
    puct: bool  # PUCT rather than UCT
    gumbel: bool  # a Gumbel root, which halves its actions
    solve: bool
    playout_limit: int  # plies


class Forest(NamedTuple):
    """t trees of up to n nodes and e edges; node 0 is the root."""

    states: Words  # (t, n, words)
    visits: npt.NDArray[np.int32]  # (t, n)
    values: npt.NDArray[np.float64]  # (t, n) summed over the visits
    movers: npt.NDArray[np.int8]  # (t, n) 0, 1 or CHANCE
    proven: npt.NDArray[np.int8]  # (t, n) the proven result, or UNKNOWN
    first_edge: npt.NDArray[np.int32]  # (t, n) -1 until expanded
    degree: npt.NDArray[np.int32]  # (t, n) number of edges
    actions: npt.NDArray[np.int32]  # (t, e)
    priors: npt.NDArray[np.float32]  # (t, e)
    children: npt.NDArray[np.int32]  # (t, e) node, -1 until visited
    edge_visits: npt.NDArray[np.int32]  # (t, e)
    edge_values: npt.NDArray[np.float64]  # (t, e) summed over the visits
    virtual: npt.NDArray[np.int32]  # (t, e) visits under way, which count as losses
    nodes_used: npt.NDArray[np.int64]  # (t,)
    edges_used: npt.NDArray[np.int64]  # (t,)
    rng: Words  # (t,) state of the tree's random number generator
    hashes: Words  # (t, past + path + playout) hashes of earlier positions
    past: npt.NDArray[np.int64]  # (t,) number of hashes before the root
    scores: npt.NDArray[np.float32]  # (t, a) of a Gumbel root's actions, else (t, 0)
    schedule: npt.NDArray[np.int32]  # (m + 1, simulations) of a Gumbel root, else (0, 0)


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


def rules_of(game: Game) -> Rules:
    """What a search needs to know of a game."""
    return Rules(
        game.kernel_table, game.option_words, game.tables, game.action_room, game.uses_history,
        game.has_chance,
    )  # fmt: skip


def allocate(
    game: Game, trees: int, nodes: int, edges: int, *, hashes: int = 0, scores: int = 0
) -> Forest:
    """Memory for a forest; ``nodes``, ``edges``, ``hashes`` and ``scores`` are per tree.

    Everything is zero, so the operating system maps a page only when it is touched. Fields that
    start with another value are set when a node or an edge is added.
    """
    return Forest(
        states=np.zeros((trees, nodes, game.words), np.uint64),
        visits=np.zeros((trees, nodes), np.int32),
        values=np.zeros((trees, nodes), np.float64),
        movers=np.zeros((trees, nodes), np.int8),
        proven=np.zeros((trees, nodes), np.int8),
        first_edge=np.zeros((trees, nodes), np.int32),
        degree=np.zeros((trees, nodes), np.int32),
        actions=np.zeros((trees, edges), np.int32),
        priors=np.zeros((trees, edges), np.float32),
        children=np.zeros((trees, edges), np.int32),
        edge_visits=np.zeros((trees, edges), np.int32),
        edge_values=np.zeros((trees, edges), np.float64),
        virtual=np.zeros((trees, edges), np.int32),
        nodes_used=np.zeros(trees, np.int64),
        edges_used=np.zeros(trees, np.int64),
        rng=np.zeros(trees, np.uint64),
        hashes=np.zeros((trees, hashes), np.uint64),
        past=np.zeros(trees, np.int64),
        scores=np.zeros((trees, scores), np.float32),
        schedule=np.zeros((0, 0), np.int32),
    )


@jitable
def copy_subtree(old: Forest, new: Forest, tree: int, edge: int) -> None:
    """Copy the subtree below the root's ``edge`` into ``new``, breadth first.

    With ``edge`` -1 the new tree stays empty, and its root must be reset. The same holds for a
    child whose result came from a table, since it has no edges and a root needs its moves.
    """
    new.nodes_used[tree], new.edges_used[tree] = 0, 0
    new.rng[tree] = old.rng[tree]
    child = old.children[tree, edge] if edge >= 0 else -1
    if child < 0 or (old.proven[tree, child] != UNKNOWN and old.first_edge[tree, child] < 0):
        return
    origin = np.empty(old.nodes_used[tree], np.int32)  # of each new node
    origin[0] = child
    count, at, used = 1, 0, 0  # nodes listed, the next one to copy, edges written
    while at < count:
        node = origin[at]
        new.states[tree, at, :] = old.states[tree, node]
        new.visits[tree, at], new.values[tree, at] = old.visits[tree, node], old.values[tree, node]
        new.movers[tree, at] = old.movers[tree, node]
        new.proven[tree, at] = old.proven[tree, node]
        start, n = old.first_edge[tree, node], old.degree[tree, node]
        new.first_edge[tree, at], new.degree[tree, at] = (used if start >= 0 else -1), n
        if start >= 0:
            for k in range(start, start + n):
                new.actions[tree, used] = old.actions[tree, k]
                new.priors[tree, used] = old.priors[tree, k]
                new.edge_visits[tree, used] = old.edge_visits[tree, k]
                new.edge_values[tree, used] = old.edge_values[tree, k]
                new.virtual[tree, used] = 0
                child = old.children[tree, k]
                new.children[tree, used] = -1
                if child >= 0:
                    origin[count] = child
                    new.children[tree, used] = count
                    count += 1
                used += 1
        at += 1
    new.nodes_used[tree], new.edges_used[tree] = count, used
