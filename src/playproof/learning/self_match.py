"""Two networks that meet by tree search, in pairs of games with sides swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics import Score
from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import ONGOING
from playproof.learning.evaluation import RECORDED, Result
from playproof.learning.learner import Stopped, never
from playproof.nets.judges import Judge, grow
from playproof.search.many_trees import ManyTrees

_OPENING = 0x70616972  # keeps these draws apart from others


@dataclass(frozen=True)
class Met:
    """What came of a match, for the first player, and a few of its games as actions."""

    score: Score
    result: Result
    played: list[list[int]]


def meet(
    game: Game,
    forests: list[ManyTrees],
    judges: list[Judge],
    simulations: int,
    *,
    plies: int,
    limit: int,
    seed: int,
    stopped: Stopped = never,
) -> Met | None:
    """As many games as a forest has trees, in pairs; one forest is of a player, two are of both.

    With one forest the second player moves at random.  A pair begins with the same
    ``plies`` random ones; a game of more than ``limit`` is drawn.  None if it was stopped."""
    n = len(forests[0])
    batch = Batch.start(game, n, seed=seed)
    batch.seeds[1::2] = batch.seeds[::2][: n // 2]  # the same draws until the players part
    sides = np.arange(n) % 2  # of the first player
    played: list[list[int]] = [[] for _ in range(min(RECORDED, n))]
    results = batch.outcome()
    while (open_ := results == ONGOING).any():
        if stopped():
            return None
        movers = batch.players()
        if int(batch.plies.max()) < plies:
            chosen = batch.random_actions(_OPENING)
        else:
            found = _chosen(
                forests, judges, simulations, batch, movers == sides, open_, seed, stopped
            )
            if found is None:
                return None
            chosen = found
            if len(forests) == 1:
                drawn = batch.random_actions()
                chosen = np.where(movers == sides, chosen, drawn)
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


def _chosen(
    forests: list[ManyTrees],
    judges: list[Judge],
    simulations: int,
    batch: Batch,
    first: npt.NDArray[np.bool_],
    open_: npt.NDArray[np.bool_],
    seed: int,
    stopped: Stopped,
) -> npt.NDArray[np.int64] | None:
    """The best action of the mover's own search, in every open game; None if it was stopped."""
    n = len(batch)
    out = np.full(n, -1, np.int64)
    wanted = [first & open_, ~first & open_][: len(forests)]
    for trees, mine in zip(forests, wanted, strict=True):
        trees.plant(batch, simulations, seed, np.zeros(n), mine)
    grow(forests, judges, stopped=stopped)
    if any(trees.wants_more for trees in forests):
        return None
    for trees, mine in zip(forests, wanted, strict=True):
        if mine.any():
            out = np.where(mine, trees.found(np.zeros(n)).chosen, out)
    return out
