"""Two networks that meet by tree search, in pairs of games with sides swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.score import Score
from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, ONGOING
from playproof.learning.evaluation import RECORDED, Result
from playproof.learning.learner import Stopped, never
from playproof.search.mcts.scheduler import simulate
from playproof.search.mcts.search import TreeSearch

_OPENING = 0x70616972  # keeps these draws apart from others


@dataclass(frozen=True)
class Met:
    """What came of a match, for the first player, and a few of its games as actions."""

    score: Score
    result: Result
    played: list[list[int]]


def meet(
    game: Game,
    searches: list[TreeSearch],
    simulations: int,
    *,
    plies: int,
    limit: int,
    seed: int,
    stopped: Stopped = never,
) -> Met | None:
    """As many games as a search has trees, in pairs; one search is of a player, two are of both.

    With one search the second player moves at random.  A pair begins with the same
    ``plies`` random ones; a game of more than ``limit`` is drawn.  None if it was stopped."""
    n = len(searches[0])
    batch = Batch.start(game, n, seed=seed)
    batch.seeds[1::2] = batch.seeds[::2][: n // 2]  # the same draws until the players part
    sides = np.arange(n) % 2  # of the first player
    played: list[list[int]] = [[] for _ in range(min(RECORDED, n))]
    results = batch.outcome()
    while (open_ := results == ONGOING).any():
        if stopped():
            return None
        if int(batch.plies.max()) < plies:
            chosen = batch.random_actions(_OPENING)
        else:
            movers = batch.players()
            owners = np.where(movers == CHANCE, CHANCE, movers ^ sides)
            owners[~open_] = CHANCE  # nobody's
            found = _choose(searches, simulations, batch, owners, seed, stopped)
            if found is None:
                return None
            chosen = np.where(found >= 0, found, batch.random_actions())
        chosen = np.where(open_, chosen, -1)
        batch.apply(chosen, check=False)
        for kept, action in zip(played, chosen.tolist(), strict=False):
            if action >= 0:
                kept.append(action)
        results = np.where(open_, batch.outcome(), results)
        results[(results == ONGOING) & (batch.plies >= limit)] = 0
    own = np.where(sides == 0, results, -results)
    points = ((own + 1) / 2).reshape(-1, 2)
    score = Score.from_results([(float(a), float(b)) for a, b in points])
    counts = Result(int((own > 0).sum()), int((own == 0).sum()), int((own < 0).sum()))
    return Met(score, counts, played)


def _choose(
    searches: list[TreeSearch],
    simulations: int,
    batch: Batch,
    owners: npt.NDArray[np.int64],
    seed: int,
    stopped: Stopped,
) -> npt.NDArray[np.int64] | None:
    """The best action of each search in the games that it owns, -1 in the others; None if it
    was stopped."""
    n = len(batch)
    out = np.full(n, -1, np.int64)
    for k, search in enumerate(searches):
        search.reset_roots(
            batch, simulations=simulations, seed=seed, exploring=np.zeros(n), active=owners == k
        )
    simulate(searches, stopped=stopped)
    if any(search.needs_simulations for search in searches):
        return None
    for k, search in enumerate(searches):
        mine = owners == k
        if mine.any():
            out = np.where(mine, search.policies().chosen, out)
    return out
