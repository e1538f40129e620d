"""ChokoZero's searches by the letter of its text, and as in its authors' code.

Table 1 of the paper has a Minimax that loses no less than 15 % of its games to PGTS and draws the
rest, but beats the first net every time.  Ours beats them all.  Is it because theirs does not see
the end of a game, because of how it decides ties, or because PGTS backs values up in another way?
Every reading of Minimax meets every reading of PGTS and all nets here, and each is compared with
the paper's figures.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from playproof.agents.registry import make_agent
from playproof.arena.database import PairingStatistics
from playproof.arena.standings import Standings
from playproof.arena.statistics.score import Score
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError, one_of
from playproof.core.registry import make
from playproof.papers.chokozero.empty_board import OPENINGS, play_pair
from playproof.papers.chokozero.games import RoundRobinResults, won
from playproof.papers.chokozero.players import BY_NAME, GAME, PAPER, PaperAgent

_V3 = "choko-ppo-v3"
_DEEPER = "pgts:net={},widths=12/6/3/3/3/3,backup=largest-leaf"

# The first of each is that of Table 1.
MINIMAXES = (
    BY_NAME["minimax"],
    PaperAgent("random", "Minimax, random", "minimax:depth=3,ties=random", stochastic=True),
    PaperAgent("points", "Minimax, points", "minimax:depth=3,ends=points"),
    PaperAgent(
        "points-random", "Minimax, points, random", "minimax:depth=3,ends=points,ties=random",
        stochastic=True,
    ),
    PaperAgent("published", "Minimax, published", "minimax:depth=3,ends=published,ties=lowest"),
    PaperAgent(
        "published-random", "Minimax, published, random",
        "minimax:depth=3,ends=published,ties=random", stochastic=True,
    ),
)  # fmt: skip
SEARCHES = (
    BY_NAME["pgts"],
    PaperAgent("largest", "PGTS, largest", "pgts:net={},backup=largest", _V3),
    PaperAgent("largest-leaf", "PGTS, largest, leaf", "pgts:net={},backup=largest-leaf", _V3),
    PaperAgent(
        "largest-leaf-6", "PGTS, largest, leaf, 6", _DEEPER, _V3,
        opponents=("minimax", "v3", "v2", "v1"),
    ),
    PaperAgent("pgts-published", "PGTS, published", "pgts:net={},backup=published", _V3),
)  # fmt: skip
NETS = tuple(BY_NAME[name] for name in ("v3", "v2", "v1", "dql"))
AGENTS = (*MINIMAXES, *SEARCHES, *NETS)
_GROUPS = {agent.name: group for group in (MINIMAXES, SEARCHES, NETS) for agent in group}


def select_agents(names: Sequence[str]) -> tuple[PaperAgent, ...]:
    """The agents with these names, in the usual order; all of them if no name is given."""
    known = [agent.name for agent in AGENTS]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no agent {name!r} in this part: want {one_of(known)}")
    selected = tuple(agent for agent in AGENTS if not names or agent.name in names)
    if not pairings(selected):
        raise UsageError("these agents do not meet: name readings of two kinds, or nets and one")
    return selected


def pairings(agents: Sequence[PaperAgent]) -> list[tuple[int, int]]:
    """Who meets whom, as indices into ``agents``: readings of one search do not meet, nor nets."""

    def meet(one: PaperAgent, two: PaperAgent) -> bool:
        if _GROUPS[one.name] is _GROUPS[two.name]:
            return False
        return all(
            not a.opponents or b.name in a.opponents for a, b in ((one, two), (two, one))
        )  # fmt: skip

    places = combinations(range(len(agents)), 2)
    return [(i, j) for i, j in places if meet(agents[i], agents[j])]


def agent_seed(agent: PaperAgent) -> int:
    """The agent's seed from the empty board, whoever else plays."""
    return zlib.crc32(agent.name.encode())


def play_from_empty(
    agents: Sequence[PaperAgent],
    nets: Mapping[str, str],
    games: int,
    seed: int,
    on_pair: Callable[[int, int], None] = lambda done, total: None,
) -> RoundRobinResults:
    """Results from the empty board; ``games`` is even.

    Two searches that draw nothing at random repeat the same two games, so they play only those."""
    game = make(GAME)
    instances = [
        make_agent(agent.spec(nets.get(agent.preset, agent.preset)), game, seed=agent_seed(agent))
        for agent in agents
    ]
    scores: dict[tuple[int, int], Score] = {}
    pairs = pairings(agents)
    for done, (i, j) in enumerate(pairs):
        names = f"{agents[i].name} {agents[j].name}"
        count = games if agents[i].stochastic or agents[j].stochastic else 2
        pair_seed = derive_seed(seed, zlib.crc32(names.encode()))
        scores[i, j] = play_pair(instances[i], instances[j], count, pair_seed)
        on_pair(done + 1, len(pairs))
    statistics: dict[tuple[int, int], PairingStatistics] = {pair: {"reasons": {}} for pair in pairs}
    titles = [agent.title for agent in agents]
    return RoundRobinResults(
        tuple(agents), Standings(game.spec, titles, seed, OPENINGS, scores, statistics)
    )


# Compared with the paper


@dataclass(frozen=True)
class PaperComparison:
    """One pair of readings beside the paper's pair: percent won, drawn and lost by ``one``."""

    one: PaperAgent
    two: PaperAgent
    score: Score
    paper: tuple[float, float, float]

    @property
    def percent(self) -> tuple[float, float, float]:
        s = self.score
        wins, draws, losses = (100 * n / s.games for n in (s.wins, s.draws, s.losses))
        return wins, draws, losses

    @property
    def won_interval(self) -> tuple[float, float]:
        """Percent, 95 %."""
        lower, upper = won(self.score).interval()
        return 100 * (lower or 0.0), 100 * (1.0 if upper is None else upper)

    @property
    def distance(self) -> float:
        """Half the sum of the differences: the percentage of games that would have to change."""
        return sum(abs(a - b) for a, b in zip(self.percent, self.paper, strict=True)) / 2

    def to_json(self) -> dict[str, Any]:
        return {
            "one": self.one.title, "two": self.two.title, "games": self.score.games,
            "percent": self.percent, "won_interval": self.won_interval, "paper": self.paper,
            "distance": self.distance,
        }  # fmt: skip


def _paper_name(agent: PaperAgent) -> str:
    """The name of the paper's agent that this one is a reading of."""
    group = _GROUPS[agent.name]
    return agent.name if group is NETS else group[0].name


def paper_result(one: PaperAgent, two: PaperAgent) -> tuple[float, float, float] | None:
    """The paper's percent of games that ``one`` won, drew and lost against ``two``."""
    names = _paper_name(one), _paper_name(two)
    wins, losses = PAPER.get(names), PAPER.get(names[::-1])
    return None if wins is None or losses is None else (wins, 100 - wins - losses, losses)


@dataclass(frozen=True)
class Reading:
    """A reading of Minimax or PGTS, and its results against those whom the paper's met."""

    agent: PaperAgent
    comparisons: tuple[PaperComparison, ...]

    @property
    def distance(self) -> float:
        """The mean distance from the paper's figures, in percent of games."""
        return fmean(comparison.distance for comparison in self.comparisons)

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent.title, "spec": self.agent.spec_template,
            "distance": self.distance,
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
        }  # fmt: skip


def compare(results: RoundRobinResults, one: PaperAgent, two: PaperAgent) -> PaperComparison | None:
    """One pair beside the paper's; None if they have not met, or the paper has no figure."""
    score, paper = results.score(one.name, two.name), paper_result(one, two)
    return None if score is None or paper is None else PaperComparison(one, two, score, paper)


def readings(results: RoundRobinResults) -> list[Reading]:
    """Each reading of Minimax against PGTS of Table 1 and the nets; of PGTS likewise."""
    compared = []
    for group, other in ((MINIMAXES, SEARCHES[0]), (SEARCHES, MINIMAXES[0])):
        for agent in group:
            pairs = [compare(results, agent, opponent) for opponent in (other, *NETS)]
            met = tuple(pair for pair in pairs if pair is not None)
            if met:
                compared.append(Reading(agent, met))
    return compared


def grid(results: RoundRobinResults) -> list[PaperComparison]:
    """Every reading of PGTS against every reading of Minimax, the nearest to the paper first."""
    pairs = [compare(results, one, two) for one in SEARCHES for two in MINIMAXES]
    return sorted((pair for pair in pairs if pair is not None), key=lambda pair: pair.distance)
