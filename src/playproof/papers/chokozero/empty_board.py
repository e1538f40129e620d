"""The agents of Table 1 from the empty board, where ChokoZero's games began.

Every game has the same opening, so at least one of the two agents must choose its
moves at random; slow searches are left out.  Each agent plays Blue in half of the
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
from playproof.papers.chokozero.games import RoundRobinResults
from playproof.papers.chokozero.players import GAME, PaperAgent

OPENINGS = "the empty board"


def is_fast(agent: PaperAgent) -> bool:
    """Whether the agent takes milliseconds for hundreds of positions."""
    return agent.stochastic or not agent.preset


def play(
    agents: Sequence[PaperAgent], nets: Mapping[str, str], games: int, seed: int
) -> RoundRobinResults:
    """Results of every pair of fast agents with a stochastic one; ``games`` is even."""
    game = make(GAME)
    fast = tuple(filter(is_fast, agents))
    instances = [
        make_agent(agent.spec(nets.get(agent.preset, agent.preset)), game, seed=number + 1)
        for number, agent in enumerate(fast)
    ]
    scores: dict[tuple[int, int], Score] = {}
    for number, (i, j) in enumerate(combinations(range(len(fast)), 2)):
        if fast[i].stochastic or fast[j].stochastic:
            scores[i, j] = play_pair(instances[i], instances[j], games, derive_seed(seed, number))
    statistics: dict[tuple[int, int], PairingStatistics] = {
        pair: {"reasons": {}} for pair in scores
    }
    titles = [agent.title for agent in fast]
    return RoundRobinResults(fast, Standings(game.spec, titles, seed, OPENINGS, scores, statistics))


def play_pair(one: base.Agent, two: base.Agent, games: int, seed: int) -> Score:
    """The score of ``one``, which moves first in games 0, 2, 4 ...; all games run in one batch."""
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
