"""How a network does against another one, in games that are played side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import ONGOING
from playproof.nets.forward import Forward, choices, softmax


class Result(NamedTuple):
    """Games that the first network won, drew and lost."""

    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / max(1, sum(self))


def compare(
    game: Game, observation: str, one: Forward, two: Forward | None, games: int, seed: int
) -> Result:
    """Play ``games``, half of them begun by each; ``two`` is None for a random player.

    Both draw their moves by their policies."""
    batch = Batch.start(game, games, seed=seed)
    first = np.arange(games) % 2 == 0  # where ``one`` is the first player
    results = np.full(games, ONGOING, np.int64)
    while (open_ := np.flatnonzero(results == ONGOING)).size:
        part = batch.take(open_)
        legal, movers = part.legal_lists(), part.players()
        seen = part.observe(observation).reshape(len(part), -1)
        mine = (movers == 0) == first[open_]
        words = part.words()
        actions = choices(legal, softmax(legal, one.logits(seen, legal).policy), words)
        if two is None:
            others = part.random_actions()
        else:
            others = choices(legal, softmax(legal, two.logits(seen, legal).policy), words)
        chosen = np.full(games, -1, np.int64)
        chosen[open_] = np.where(mine, actions, others)
        batch.apply(chosen, check=False)
        results = batch.outcome()
    own = np.where(first, results, -results)
    return Result(int((own > 0).sum()), int((own == 0).sum()), int((own < 0).sum()))
