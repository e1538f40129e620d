"""A match between two networks by tree search, in pairs of games with sides swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.score import Score
from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, ONGOING
from playproof.learning.evaluation import RECORDED, ResultCounts
from playproof.learning.learner import Stopped, never
from playproof.search.mcts.scheduler import simulate
from playproof.search.mcts.search import TreeSearch

_OPENING = 0x70616972  # salt that separates these random numbers from others


@dataclass(frozen=True)
class NetMatch:
    """The result of a match for its first player, and a few games as lists of actions."""

    score: Score
    results: ResultCounts
    games: list[list[int]]


def play_net_match(
    game: Game,
    searches: list[TreeSearch],
    simulations: int,
    *,
    plies: int,
    limit: int,
    seed: int,
    stopped: Stopped = never,
) -> NetMatch | None:
    """Play one game for each tree of a search, in pairs; None if it was stopped.

    ``searches`` has one search for each player; with a single one the second player moves at
    random.  Both games of a pair start with the same ``plies`` random plies; a game longer than
    ``limit`` plies is drawn."""
    n = len(searches[0])
    batch = Batch.start(game, n, seed=seed)
    batch.seeds[1::2] = batch.seeds[::2][: n // 2]  # the same random opening for both of a pair
    sides = np.arange(n) % 2  # the side of the first player
    move_lists: list[list[int]] = [[] for _ in range(min(RECORDED, n))]
    results = batch.outcome()
    while (open_ := results == ONGOING).any():
        if stopped():
            return None
        if int(batch.plies.max()) < plies:
            chosen = batch.random_actions(_OPENING)
        else:
            movers = batch.players()
            owners = np.where(movers == CHANCE, CHANCE, movers ^ sides)
            owners[~open_] = CHANCE  # finished games belong to neither player
            selected = _choose(searches, simulations, batch, owners, seed, stopped)
            if selected is None:
                return None
            chosen = np.where(selected >= 0, selected, batch.random_actions())
        chosen = np.where(open_, chosen, -1)
        batch.apply(chosen, check=False)
        for moves, action in zip(move_lists, chosen.tolist(), strict=False):
            if action >= 0:
                moves.append(action)
        results = np.where(open_, batch.outcome(), results)
        results[(results == ONGOING) & (batch.plies >= limit)] = 0
    own = np.where(sides == 0, results, -results)
    points = ((own + 1) / 2).reshape(-1, 2)
    score = Score.from_results([(float(a), float(b)) for a, b in points])
    counts = ResultCounts(int((own > 0).sum()), int((own == 0).sum()), int((own < 0).sum()))
    return NetMatch(score, counts, move_lists)


def _choose(
    searches: list[TreeSearch],
    simulations: int,
    batch: Batch,
    owners: npt.NDArray[np.int64],
    seed: int,
    stopped: Stopped,
) -> npt.NDArray[np.int64] | None:
    """The best action in every game, by the search that is to move there; -1 without a search.

    None if it was stopped."""
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
