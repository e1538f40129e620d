"""Simulations whose leaves are evaluated by one random game each, entirely in compiled code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from playproof.core.bits import advance, mix
from playproof.core.compiling import jitable
from playproof.core.kernels import ONGOING
from playproof.core.playouts import random_game
from playproof.core.stopping import StopFlag
from playproof.search.mcts.backup import backup
from playproof.search.mcts.forest import MAX_DEPTH, UNKNOWN, Forest, Params, Rules
from playproof.search.mcts.select import walk


@jitable
def simulate_by_playouts(
    rules: Rules, forest: Forest, params: Params, tree: int, simulations: int,
    done: npt.NDArray[np.int64], stop: StopFlag,
) -> None:  # fmt: skip
    """Run simulations in a tree until its root is proven; ``done[tree]`` counts them."""
    legal = np.empty(rules.max_actions, np.int32)
    odds = np.empty(rules.max_actions, np.float64)
    state = np.empty(forest.states.shape[2], np.uint64)
    path = np.empty((2, MAX_DEPTH), np.int32)
    for _ in range(simulations):
        if stop[0] != 0 or forest.proven[tree, 0] != UNKNOWN:
            break
        depth = walk(rules, forest, params, tree, path, legal, odds, True)
        leaf = path[0, depth]
        if forest.proven[tree, leaf] != UNKNOWN:
            value = float(forest.proven[tree, leaf])
        else:
            state[:] = forest.states[tree, leaf]
            forest.rng[tree] = advance(forest.rng[tree])
            past = forest.past[tree] + (depth if rules.uses_history else 0)
            result, _, _, _ = random_game(
                rules.kernels, rules.options, rules.tables, state, forest.hashes[tree], past,
                legal, odds, params.playout_limit, mix(forest.rng[tree]), rules.uses_history,
                rules.has_chance,
            )  # fmt: skip
            value = 0.0 if result == ONGOING else float(result)
        backup(forest, params, tree, path, depth, value)
        done[tree] += 1
