"""ChokoZero's agents against each other, through the arena: our Table 1.

Some of them have no chance in them: PGTS and Minimax would play the same two
games for ever.  So all pairs begin with the arena's openings, the same for every
pair, each played twice with sides swapped.

A game is kept under its players' names and what is in their nets: with another
net its games are played anew, and all the others are not.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from playproof.agents.registry import identity, settled_spec
from playproof.arena.database import GameDatabase
from playproof.arena.openings import OpeningSource
from playproof.arena.player_process import Player
from playproof.arena.standings import Standings
from playproof.arena.statistics.ratings import Ratings, rate
from playproof.arena.statistics.score import Score, wilson
from playproof.arena.tournament import MatchConfig, Tournament
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.papers.chokozero.players import ABOUT_GAMES, GAME, PAPER, Agent

OPENINGS = "random:plies=4"
GAMES, FEW_GAMES = 400, 20
Interval = tuple[float, float]


def prepare(
    database: GameDatabase,
    agents: Sequence[Agent],
    pairings: list[tuple[int, int]],
    config: MatchConfig,
    nets: Mapping[str, str],
) -> Tournament:
    """The tournament; ``nets`` are the names or files of nets by their preset."""
    if config.seed is None:
        raise UsageError("a round robin that goes on after a kill needs a seed")
    game = make(GAME)
    event = database.event(game.spec, OpeningSource(config.openings).spec, config.seed)
    players = []
    for agent in agents:
        spec = settled_spec(agent.spec(_safe(nets.get(agent.preset, agent.preset))))
        seed = derive_seed(event.seed, zlib.crc32(agent.name.encode()))
        who = identity(spec, game)
        net = dict(who.digests).get("net", "")
        label = f"{agent.title} #{net[:8]}" if net else agent.title
        players.append(Player(label, spec, seed, f"{agent.title}: {who.text}", who.digests))
    return Tournament(game, tuple(players), config, database, event, pairings=pairings)


def _safe(net: str) -> str:
    """What can stand in a spec."""
    if any(sign in net for sign in ",="):
        raise UsageError(f"{net}: a net's file is named in a spec: want a path without , and =")
    return net


def trained(folder: Path) -> dict[str, str]:
    """The nets of the runs in a folder, by preset."""
    from playproof.learning.runs.run import NET
    from playproof.papers.chokozero.players import PRESETS

    return {preset: str(folder / preset / NET) for preset in PRESETS}


@dataclass(frozen=True)
class Cell:
    """Of all games, 0..1: ``won`` by the column's agent against the row's, and ``drawn``;
    ``paper`` likewise, from about 20 games."""

    column: Agent
    row: Agent
    games: int
    won: float
    won_interval: Interval
    drawn: float
    drawn_interval: Interval
    paper: float | None
    paper_interval: Interval | None

    @property
    def differs(self) -> bool:
        """Whether our interval and the paper's have nothing in common."""
        if self.paper_interval is None:
            return False
        (low, high), (least, most) = self.won_interval, self.paper_interval
        return high < least or most < low

    def to_json(self) -> dict[str, Any]:
        return {
            "column": self.column.title, "row": self.row.title, "games": self.games,
            "won": self.won, "won_interval": self.won_interval, "drawn": self.drawn,
            "drawn_interval": self.drawn_interval, "paper": self.paper, "differs": self.differs,
        }  # fmt: skip


@dataclass(frozen=True)
class Results:
    """What the games say; agents in the order of the standings' players."""

    agents: tuple[Agent, ...]
    standings: Standings

    def score(self, one: str, two: str) -> Score | None:
        """Of one agent against another, by name; None where they have not met."""
        places = {agent.name: place for place, agent in enumerate(self.agents)}
        if one not in places or two not in places:
            return None
        i, j = places[one], places[two]
        if (min(i, j), max(i, j)) not in self.standings.scores:
            return None
        found = self.standings.score(i, j)
        return found if found.games else None

    @functools.cached_property
    def cells(self) -> dict[tuple[str, str], Cell]:
        """By the names of column and row."""
        found = {}
        for column, row in permutations(self.agents, 2):
            score = self.score(column.name, row.name)
            if score is not None:
                found[column.name, row.name] = _cell(column, row, score)
        return found

    @functools.cached_property
    def ratings(self) -> Ratings:
        return rate([agent.title for agent in self.agents], self.standings.scores)

    def to_json(self) -> dict[str, Any]:
        return {
            "seed": self.standings.seed,
            "openings": self.standings.openings,
            "players": dict(
                zip((agent.title for agent in self.agents), self.standings.players, strict=True)
            ),
            "table": [cell.to_json() for cell in self.cells.values()],
            "ratings": self.ratings.to_json(),
            "failures": self.standings.failures,
        }


def _cell(column: Agent, row: Agent, score: Score) -> Cell:
    told = PAPER.get((column.name, row.name))
    paper = None if told is None else told / 100
    return Cell(
        column, row, score.games,
        score.wins / score.games, _interval(won(score)),
        score.draws / score.games, _interval(drawn(score)),
        paper, None if paper is None else wilson(round(paper * ABOUT_GAMES), ABOUT_GAMES),
    )  # fmt: skip


def _interval(score: Score) -> Interval:
    lower, upper = score.interval()
    assert lower is not None
    assert upper is not None
    return lower, upper


def won(score: Score) -> Score:
    """The same pairs, with a point for a win alone: its interval is that of the wins."""
    ll, ld, dd, wl, wd, ww = score.pairs
    return Score((ll + ld + dd, 0, 0, wl + wd, 0, ww))


def drawn(score: Score) -> Score:
    """The same, with a point for a draw alone."""
    ll, ld, dd, wl, wd, ww = score.pairs
    return Score((ll + wl + ww, 0, 0, ld + wd, 0, dd))
