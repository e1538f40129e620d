"""Every run of every agent against every run of every other, through the arena.

Games are stored as those of Table 1 are, under the contents of the nets.  So a killed tournament
resumes, games of Table 1 count again, and more runs need only their own games.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from playproof.arena.database import GameDatabase
from playproof.arena.openings import OpeningSource
from playproof.arena.statistics.score import Score
from playproof.arena.tournament import MatchConfig, Tournament
from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.papers.chokozero.games import player_of
from playproof.papers.chokozero.players import GAME
from playproof.papers.chokozero.seeds.agents import Entry, meet
from playproof.papers.chokozero.seeds.results import SeedResults


def pairings(entries: Sequence[Entry]) -> list[tuple[int, int]]:
    """Who meets whom, as indices into ``entries``."""
    pairs = combinations(range(len(entries)), 2)
    return [(i, j) for i, j in pairs if meet(entries[i], entries[j])]


def prepare(database: GameDatabase, entries: Sequence[Entry], config: MatchConfig) -> Tournament:
    """The tournament, ready to run; two runs with one net are an error."""
    if config.seed is None:
        raise UsageError("a tournament over runs needs a seed, so that it can be resumed")
    game = make(GAME)
    event = database.event(game.spec, OpeningSource(config.openings).spec, config.seed)
    players = tuple(player_of(entry.agent, entry.net, game, event.seed) for entry in entries)
    by_key: dict[str, Entry] = {}
    for player, entry in zip(players, entries, strict=True):
        twin = by_key.setdefault(player.key, entry)
        if twin is not entry:
            raise UsageError(f"{twin.title} and {entry.title} are one net: want different runs")
    return Tournament(game, players, config, database, event, pairings=pairings(entries))


def results(tournament: Tournament, entries: Sequence[Entry]) -> SeedResults:
    """The results after the tournament has run."""
    kinds = {
        pairing: tuple(
            Score.from_results([result]).pairs.index(1) for result in tournament.results(pairing)
        )
        for pairing in tournament.pairings
    }
    event = tournament.event
    return SeedResults(tuple(entries), kinds, event.seed, event.openings)
