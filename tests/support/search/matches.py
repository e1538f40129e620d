"""Many games between two agents at once, each agent first in half of them."""

from __future__ import annotations

import numpy as np

import playproof
from playproof import Batch


def score(spec: str, first: str, second: str, games: int, seed: int) -> tuple[int, int, int]:
    """(won, drawn, lost) by ``first``, over ``games`` games with sides swapped half way."""
    game = playproof.make(spec)
    agents = [
        playproof.make_agent(first, game, seed=seed),
        playproof.make_agent(second, game, seed=seed + 1),
    ]
    batch = Batch.start(game, games, seed=seed)
    swapped = np.arange(games) % 2  # who of the two moves first
    while not (over := batch.finished()).all():
        movers = batch.players() ^ swapped
        actions = np.full(games, -1, np.int64)
        for number, agent in enumerate(agents):
            rows = np.flatnonzero(~over & (movers == number))
            if len(rows):
                decisions = agent.choose(batch.take(rows))
                actions[rows] = [decision.action for decision in decisions]
        batch.apply(actions)
    results = np.where(swapped == 1, -batch.outcome(), batch.outcome())
    return int((results == 1).sum()), int((results == 0).sum()), int((results == -1).sum())
