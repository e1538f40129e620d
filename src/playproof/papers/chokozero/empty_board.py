"""The same agents from the empty board, where ChokoZero's games began.

The arena's openings are all different.  Here there is one, so at least one of two
agents must draw its moves; slow searches are left out.  Both begin half of the
games, and two games with sides swapped are a pair, as in the arena.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from playproof.agents import base
from playproof.agents.registry import make_agent
from playproof.arena.database import PairingStatistics
from playproof.arena.standings import Standings
from playproof.arena.statistics.score import Score
from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.registry import make
from playproof.papers.chokozero.games import Results
from playproof.papers.chokozero.players import GAME, Agent

OPENINGS = "the empty board"


def quick(agent: Agent) -> bool:
    """Whether it takes milliseconds for hundreds of positions."""
    return agent.chance or not agent.preset


def play(agents: Sequence[Agent], nets: Mapping[str, str], games: int, seed: int) -> Results:
    """Every two of them of whom one draws its moves, ``games`` times (an even number)."""
    game = make(GAME)
    chosen = tuple(filter(quick, agents))
    made = [
        make_agent(agent.spec(nets.get(agent.preset, agent.preset)), game, seed=number + 1)
        for number, agent in enumerate(chosen)
    ]
    scores: dict[tuple[int, int], Score] = {}
    for number, (i, j) in enumerate(combinations(range(len(chosen)), 2)):
        if chosen[i].chance or chosen[j].chance:
            scores[i, j] = meet(made[i], made[j], games, derive_seed(seed, number))
    statistics: dict[tuple[int, int], PairingStatistics] = {
        pair: {"reasons": {}} for pair in scores
    }
    titles = [agent.title for agent in chosen]
    return Results(chosen, Standings(game.spec, titles, seed, OPENINGS, scores, statistics))


def meet(one: base.Agent, two: base.Agent, games: int, seed: int) -> Score:
    """The score of ``one``, who begins games 0, 2, 4 ...; all are played side by side."""
    batch = Batch.start(one.game, games, seed=seed)
    ones = np.arange(games) % 2  # the player that ``one`` is
    while not (over := batch.finished()).all():
        actions = np.full(games, -1, np.int64)
        movers = batch.players()
        for agent, mine in ((one, movers == ones), (two, movers != ones)):
            rows = np.flatnonzero(mine & ~over)
            if len(rows):
                actions[rows] = [decision.action for decision in agent.choose(batch.take(rows))]
        batch.apply(actions)
    points = (np.where(ones == 0, 1, -1) * batch.outcome() + 1) / 2
    return Score.from_results(zip(points[::2].tolist(), points[1::2].tolist(), strict=True))
