"""Algorithm 2 of *Reinforcement Learning in Chess* (Chu, Li and Loh), with its gaps filled.

One tree grows from the start of the game, by PUCB.  The value of a leaf is the result of the game
that continues from it by the network's likeliest moves.  Every decision of the tree that was
visited often enough is then learned: its policy is the share of visits (the paper's vector of Q
is not a distribution), its value is the mean result.  A draw counts 0, though the paper has only
1 and -1, and a game that would not end is drawn after ``ply_limit`` plies.
"""

from __future__ import annotations

import numpy as np

from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.learning.algorithms.alphazero.replay import Trajectories
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.nets.architectures import AnyArchitecture
from playproof.nets.evaluators.network import evaluator
from playproof.nets.files import Net
from playproof.nets.mlp import Vector
from playproof.search.evaluators import playout
from playproof.search.mcts.config import SearchConfig
from playproof.search.mcts.search import TreeSearch


def explore(
    game: Game,
    architecture: AnyArchitecture,
    weights: Vector,
    settings: AlphaZeroSettings,
    device: str,
    seed: int,
) -> Trajectories:
    """Do ``settings.cycles`` select-expand-backup cycles in one tree; returns its decisions."""
    net = Net(architecture, weights, game.spec, settings.observation)
    policy = evaluator(net, game, device=device)
    search = TreeSearch.from_states(
        Batch.start(game, 1, seed=seed),
        SearchConfig(
            simulations=settings.cycles, policy="puct", exploration=settings.exploration,
            leaves=settings.leaves, noise=settings.noise, noise_alpha=settings.noise_alpha,
            seed=seed,
        ),
        playout(policy, limit=settings.ply_limit),
    )  # fmt: skip
    search.run()
    explored = search.explored(settings.state_visits)
    n = len(explored.rows)
    counts = np.diff(explored.legal.offsets)
    # The visit that created a node took none of its actions.
    totals = np.add.reduceat(explored.visits, explored.legal.offsets[:-1]) if n else np.zeros(0)
    shares = explored.visits / np.repeat(np.maximum(totals, 1), counts)
    signs = np.where(explored.movers == 1, -1.0, 1.0)
    return Trajectories(
        explored.rows, np.arange(n), explored.legal.offsets, explored.legal.actions,
        shares.astype(np.float32), (explored.values * signs).astype(np.float32),
        np.asarray(totals > 0, np.bool_),
    )  # fmt: skip
