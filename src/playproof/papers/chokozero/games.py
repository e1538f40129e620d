"""ChokoZero's agents against each other, through the arena: our Table 1.

Some of them are deterministic: PGTS and Minimax would play the same two games
forever.  So all pairs start from the arena's openings, the same for every pair,
each played twice with sides swapped.

A game is stored under its players' names and the contents of their nets.  With
another net only the games of that net are played again.
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
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.papers.chokozero.players import GAME, PAPER, PAPER_GAMES, PaperAgent

OPENINGS = "random:plies=4"
GAMES, FEW_GAMES = 400, 20
Interval = tuple[float, float]


def prepare(
    database: GameDatabase,
    agents: Sequence[PaperAgent],
    pairings: list[tuple[int, int]],
    config: MatchConfig,
    nets: Mapping[str, str],
) -> Tournament:
    """The tournament; ``nets`` are the names or files of nets by their preset."""
    if config.seed is None:
        raise UsageError("a round robin needs a seed, so that it can be resumed after a kill")
    game = make(GAME)
    event = database.event(game.spec, OpeningSource(config.openings).spec, config.seed)
    players = [
        player_of(agent, nets.get(agent.preset, agent.preset), game, event.seed) for agent in agents
    ]
    return Tournament(game, tuple(players), config, database, event, pairings=pairings)


def player_of(agent: PaperAgent, net: str, game: Game, seed: int) -> Player:
    """The agent as a player of an event with ``seed``; ``net`` is the name or file of its net."""
    spec = settled_spec(agent.spec(_spec_path(net)))
    player = identity(spec, game)
    digest = dict(player.digests).get("net", "")
    label = f"{agent.title} #{digest[:8]}" if digest else agent.title
    own_seed = derive_seed(seed, zlib.crc32(agent.name.encode()))
    return Player(label, spec, own_seed, f"{agent.title}: {player.text}", player.digests)


def _spec_path(net: str) -> str:
    """The net's path, if it can be written in a spec."""
    if any(sign in net for sign in ",="):
        raise UsageError(f"{net} cannot be written in a spec: want a path without , and =")
    return net


def trained_nets(folder: Path) -> dict[str, str]:
    """The nets of the runs in a folder, by preset."""
    from playproof.learning.runs.run import NET
    from playproof.papers.chokozero.players import PRESETS

    return {preset: str(folder / preset / NET) for preset in PRESETS}


@dataclass(frozen=True)
class Cell:
    """A cell of Table 1: shares of all games, 0..1.

    ``won`` counts the wins of the column's agent against the row's; ``paper`` is the paper's
    figure for it, from about 20 games."""

    column: PaperAgent
    row: PaperAgent
    games: int
    won: float
    won_interval: Interval
    drawn: float
    drawn_interval: Interval
    paper: float | None
    paper_interval: Interval | None

    @property
    def differs(self) -> bool:
        """Whether our interval and the paper's do not overlap."""
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
class RoundRobinResults:
    """The standings of a round robin; ``agents`` in the order of the standings' players."""

    agents: tuple[PaperAgent, ...]
    standings: Standings

    def score(self, one: str, two: str) -> Score | None:
        """The score of one agent against another, by name; None if they have not met."""
        places = {agent.name: place for place, agent in enumerate(self.agents)}
        if one not in places or two not in places:
            return None
        i, j = places[one], places[two]
        if (min(i, j), max(i, j)) not in self.standings.scores:
            return None
        score = self.standings.score(i, j)
        return score if score.games else None

    @functools.cached_property
    def cells(self) -> dict[tuple[str, str], Cell]:
        """The cells by the names of column and row."""
        cells = {}
        for column, row in permutations(self.agents, 2):
            score = self.score(column.name, row.name)
            if score is not None:
                cells[column.name, row.name] = _cell(column, row, score)
        return cells

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


def _cell(column: PaperAgent, row: PaperAgent, score: Score) -> Cell:
    percent = PAPER.get((column.name, row.name))
    paper = None if percent is None else percent / 100
    return Cell(
        column, row, score.games,
        score.wins / score.games, _interval(won(score)),
        score.draws / score.games, _interval(drawn(score)),
        paper, None if paper is None else wilson(round(paper * PAPER_GAMES), PAPER_GAMES),
    )  # fmt: skip


def _interval(score: Score) -> Interval:
    lower, upper = score.interval()
    assert lower is not None
    assert upper is not None
    return lower, upper


def won(score: Score) -> Score:
    """The same pairs with one point for a win and none for a draw, for the interval of the wins."""
    ll, ld, dd, wl, wd, ww = score.pairs
    return Score((ll + ld + dd, 0, 0, wl + wd, 0, ww))


def drawn(score: Score) -> Score:
    """The same pairs with one point for a draw and none for a win."""
    ll, ld, dd, wl, wd, ww = score.pairs
    return Score((ll + wl + ww, 0, 0, ld + wd, 0, dd))
