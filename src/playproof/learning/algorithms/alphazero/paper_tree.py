"""Algorithm 2 of *Reinforcement Learning in Chess* (Chu, Li and Loh), read sensibly.

One tree from the start of the game, by PUCB; a leaf is worth the result of the
game that the network's likeliest moves make of it.  Every decision of the tree
that was visited often enough is then learned: its policy is the share of visits
(the paper's vector of Q is no distribution), its value the mean result.  Draws
count 0, though the paper knows only 1 and -1, and a game that would not end is
drawn after ``ply_limit`` plies.
"""

from __future__ import annotations

import numpy as np

from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.learning.algorithms.alphazero.replay import Shown
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
) -> Shown:
    """``settings.cycles`` select-expand-backup cycles in one tree; its decisions to learn."""
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
    found = search.explored(settings.state_visits)
    n = len(found.rows)
    counts = np.diff(found.legal.offsets)
    # A node's own visit went to no action.
    totals = np.add.reduceat(found.visits, found.legal.offsets[:-1]) if n else np.zeros(0)
    shares = found.visits / np.repeat(np.maximum(totals, 1), counts)
    signs = np.where(found.movers == 1, -1.0, 1.0)
    return Shown(
        found.rows, np.arange(n), found.legal.offsets, found.legal.actions,
        shares.astype(np.float32), (found.values * signs).astype(np.float32),
        np.asarray(totals > 0, np.bool_),
    )  # fmt: skip
