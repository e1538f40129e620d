"""The memory of a search, made once for many searches."""

from __future__ import annotations

import numpy as np

from playproof.core.game import Game
from playproof.search.mcts.forest import Forest, Rules


def rules_of(game: Game) -> Rules:
    return Rules(
        game.kernel_table, game.option_words, game.tables, game.action_room, game.uses_history,
        game.has_chance,
    )  # fmt: skip


def allocate(
    game: Game, trees: int, nodes: int, edges: int, *, hashes: int = 0, scores: int = 0
) -> Forest:
    """Room for so many nodes and edges a tree; ``hashes`` and ``scores`` are a tree's too.

    All of it is zeros, which the system maps only where they are touched: what has to begin
    otherwise is set when a node or an edge is made.
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
