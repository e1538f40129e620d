"""What the games between runs say about the agents.

The sample is the runs: a score of one agent against another is the mean over all pairs of their
runs, and its interval treats the runs of both, and the openings, as drawn at random
(``arena/statistics/crossed``).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.crossed import CrossedMean, crossed_mean
from playproof.arena.statistics.pentanomial import PAIR_SCORES
from playproof.arena.statistics.ratings import Ratings, rate
from playproof.arena.statistics.score import PAIR_KINDS, Score
from playproof.papers.chokozero.players import PAPER, PaperAgent
from playproof.papers.chokozero.seeds.agents import Entry, is_paired

Interval = tuple[float, float]
# The score of a pair of games by its kind, LL, LD, DD, WL, WD, WW.
_POINTS = PAIR_SCORES[[0, 1, 2, 2, 3, 4]]


@dataclass(frozen=True)
class Comparison:
    """One agent against another over all pairs of their runs.

    ``score`` adds up the games.  ``lowest`` and ``highest`` are scores of single pairs of runs.
    ``seeds`` are the numbers of runs of both, None for an agent that is not trained."""

    one: PaperAgent
    two: PaperAgent
    seeds: tuple[int | None, int | None]
    paired: bool
    score: Score
    lowest: float
    highest: float
    over_runs: CrossedMean
    pairs_of_runs: int

    @property
    def mean(self) -> float:
        """Points per game of ``one``, 0..1."""
        return self.over_runs.mean

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval over runs and openings; None if an agent has a single run.

        It is never narrower than that of the games, which matters if all runs agree by chance."""
        ends = self.over_runs.interval()
        if ends is None:
            return None
        least, most = self.score.interval()
        assert least is not None
        assert most is not None
        return min(max(ends[0], 0.0), least), max(min(ends[1], 1.0), most)

    @property
    def holds(self) -> bool | None:
        """Whether ``one`` is the stronger; None if the runs do not decide."""
        if self.interval is None:
            return None
        lower, upper = self.interval
        return True if lower > 0.5 else False if upper < 0.5 else None

    @property
    def verdict(self) -> str:
        if self.interval is None:
            return f"no interval from one {'seed' if 1 in self.seeds else 'opening'}"
        if self.holds is None:
            return f"not decided by {self.sample}"
        return "holds" if self.holds else "does not hold"

    @property
    def sample(self) -> str:
        """``5 seeds``, or ``2 and 3 seeds``."""
        counts = [count for count in self.seeds if count is not None]
        if self.paired or len(set(counts)) == 1:
            counts = counts[:1]
        return f"{' and '.join(map(str, counts))} seed{'' if counts == [1] else 's'}"

    def to_json(self) -> dict[str, Any]:
        return {
            "one": self.one.title, "two": self.two.title, "seeds": self.seeds,
            "own_net": self.paired, "games": self.score.games, "wins": self.score.wins,
            "draws": self.score.draws, "losses": self.score.losses, "score": self.mean,
            "interval": self.interval, "lowest": self.lowest, "highest": self.highest,
            "holds": self.holds, "verdict": self.verdict,
        }  # fmt: skip


@dataclass(frozen=True)
class SpreadCell:
    """A cell of Table 1: shares of games that the column's agent wins against the row's, 0..1.

    ``won`` and ``drawn`` are of the median runs of both, ``lowest`` and ``highest`` the
    least and the most won by any pair of runs."""

    column: Entry
    row: Entry
    won: float
    drawn: float
    lowest: float
    highest: float
    pairs_of_runs: int

    @property
    def paper(self) -> float | None:
        percent = PAPER.get((self.column.agent.name, self.row.agent.name))
        return None if percent is None else percent / 100

    def to_json(self) -> dict[str, Any]:
        return {
            "column": self.column.agent.title, "row": self.row.agent.title,
            "column_seed": self.column.seed, "row_seed": self.row.seed, "won": self.won,
            "drawn": self.drawn, "lowest": self.lowest, "highest": self.highest,
            "paper": self.paper,
        }  # fmt: skip


@dataclass(frozen=True)
class SeedResults:
    """The games of a tournament over runs.

    ``kinds[i, j]``, i < j, has the kind of each pair of games of ``entries[i]`` against
    ``entries[j]`` (an index into ``PAIR_KINDS``), in the order of the openings."""

    entries: tuple[Entry, ...]
    kinds: dict[tuple[int, int], tuple[int, ...]]
    seed: int
    openings: str

    @property
    def agents(self) -> tuple[PaperAgent, ...]:
        return tuple(dict.fromkeys(entry.agent for entry in self.entries))

    @property
    def games(self) -> int:
        """Games between two players."""
        return 2 * max((len(kinds) for kinds in self.kinds.values()), default=0)

    def of_agent(self, name: str) -> list[int]:
        """The numbers of an agent's runs."""
        return [i for i, entry in enumerate(self.entries) if entry.agent.name == name]

    @functools.cached_property
    def scores(self) -> dict[tuple[int, int], Score]:
        """The scores of the first against the second, for both orders of every pair that met."""
        scores = {}
        for (i, j), kinds in self.kinds.items():
            counts = np.bincount(kinds, minlength=len(PAIR_KINDS)).tolist()
            scores[i, j] = Score(tuple(counts))
            scores[j, i] = scores[i, j].swapped()
        return scores

    def compare(self, one: str, two: str) -> Comparison | None:
        """One agent against another, by name; None if they have not met."""
        pairs = self._pairs(one, two)
        if not pairs:
            return None
        points = np.stack([self._points(i, j) for i, j in pairs])
        paired = is_paired(one, two)
        agents = [self.entries[i].agent for i in pairs[0]]
        counts = [len({pair[side] for pair in pairs}) for side in (0, 1)]
        levels = [n for n, agent in zip(counts, agents, strict=True) if agent.preset]
        cells = points if paired else points.reshape(*levels, -1)
        means = points.mean(axis=1)
        return Comparison(
            agents[0], agents[1],
            tuple(n if a.preset else None for n, a in zip(counts, agents, strict=True)),  # type: ignore[arg-type]
            paired, sum((self.scores[pair] for pair in pairs), Score()),
            float(means.min()), float(means.max()), crossed_mean(cells), len(pairs),
        )  # fmt: skip

    def _pairs(self, one: str, two: str) -> list[tuple[int, int]]:
        pairs = [(i, j) for i in self.of_agent(one) for j in self.of_agent(two)]
        return [pair for pair in pairs if pair in self.scores]

    def _points(self, i: int, j: int) -> npt.NDArray[np.float64]:
        """Points per game of player i against player j in each pair of games, 0..1."""
        if (i, j) in self.kinds:
            return _POINTS[list(self.kinds[i, j])]
        return 1.0 - _POINTS[list(self.kinds[j, i])]

    @functools.cached_property
    def comparisons(self) -> list[Comparison]:
        """All agents against all others, in the order of Table 1's columns."""
        names = [agent.name for agent in self.agents]
        pairs = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
        return [c for c in (self.compare(a, b) for a, b in pairs) if c is not None]

    # Runs

    def strength(self, i: int) -> float:
        """The mean score of a run against all other agents, each agent counting the same."""
        own = self.entries[i].agent.name
        means = []
        for agent in self.agents:
            met = [j for j in self.of_agent(agent.name) if (i, j) in self.scores]
            if agent.name != own and met:
                means.append(np.mean([self.scores[i, j].mean for j in met]))
        return float(np.mean(means)) if means else 0.5

    @functools.cached_property
    def medians(self) -> dict[str, int]:
        """The run of each agent with the median strength; of two in the middle, the weaker.

        PGTS plays with the net of the median V3, since it has no net of its own."""
        medians = {}
        for agent in self.agents:
            runs = sorted(self.of_agent(agent.name), key=self.strength)
            medians[agent.name] = runs[(len(runs) - 1) // 2]
        if {"pgts", "v3"} <= set(medians):
            seed = self.entries[medians["v3"]].seed
            medians["pgts"] = next(
                i for i in self.of_agent("pgts") if self.entries[i].seed == seed
            )  # fmt: skip
        return medians

    @functools.cached_property
    def table(self) -> dict[tuple[str, str], SpreadCell]:
        """Table 1 by the names of column and row."""
        cells = {}
        for column, row in permutations([agent.name for agent in self.agents], 2):
            i, j = self.medians[column], self.medians[row]
            met = [self.scores[pair] for pair in self._pairs(column, row)]
            if met:
                score, won = self.scores[i, j], [s.wins / s.games for s in met]
                cells[column, row] = SpreadCell(
                    self.entries[i], self.entries[j], score.wins / score.games,
                    score.draws / score.games, min(won), max(won), len(won),
                )  # fmt: skip
        return cells

    @functools.cached_property
    def ratings(self) -> Ratings:
        """Ratings of all runs together; their intervals are of the games, since a run is given."""
        scores = {pair: self.scores[pair] for pair in self.kinds}
        return rate([entry.title for entry in self.entries], scores)

    def to_json(self) -> dict[str, Any]:
        return {
            "seed": self.seed, "openings": self.openings, "games": self.games,
            "players": [
                {
                    "agent": entry.agent.title, "seed": entry.seed, "net": entry.digest,
                    "strength": self.strength(i), "median": i == self.medians[entry.agent.name],
                }
                for i, entry in enumerate(self.entries)
            ],
            "pairings": [
                {
                    "players": [self.entries[i].title, self.entries[j].title],
                    **self.scores[i, j].to_json(),
                }
                for i, j in self.kinds
            ],
            "comparisons": [entry.to_json() for entry in self.comparisons],
            "table_1": [cell.to_json() for cell in self.table.values()],
            "ratings": self.ratings.to_json(),
        }  # fmt: skip
