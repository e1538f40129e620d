"""The table of a tournament: scores of all pairings, and ratings, updated cheaply.

A pair of games is written in one transaction and never changes.  So counts stay valid, and a table
that is watched reads only the games that were added since.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from playproof.arena.database import PairingStatistics
from playproof.arena.standings import Standings
from playproof.arena.standings_text import group_failures
from playproof.arena.statistics.score import PAIR_KINDS, Score
from playproof.arena.statistics.sprt import Sprt
from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.web.catalog import listing as catalog
from playproof.web.game.replay import formats
from playproof.web.pages.tournaments.database import TournamentDatabase, TournamentRun

_MAX_TALLIES = 32  # tables that are remembered
# The place in PAIR_KINDS of the two results of a pair, the lower one first.
_KINDS = {
    (0.0, 0.0): 0, (0.0, 0.5): 1, (0.5, 0.5): 2, (0.0, 1.0): 3, (0.5, 1.0): 4, (1.0, 1.0): 5,
}  # fmt: skip

Json = dict[str, Any]


class _Tally:
    """The counts for a tournament up to the game with the number ``last``: pairs by kind and plies
    of every pairing, and failures."""

    def __init__(self, run: TournamentRun) -> None:
        self.last = 0
        self.pairs = {pairing: [0] * len(PAIR_KINDS) for pairing in run.pairings}
        self.plies = dict.fromkeys(run.pairings, 0)
        self.failed = 0
        self.tested: tuple[int, Score] | None = None  # (last game, score) of a sequential test

    def add(self, pairing: tuple[int, int], low: float, high: float, pairs: int = 1) -> None:
        self.pairs[pairing][_KINDS[low, high]] += pairs

    def mean_plies(self, pairing: tuple[int, int]) -> float | None:
        """The mean length of all games, although a sequential test may count fewer."""
        games = 2 * sum(self.pairs[pairing])
        return self.plies[pairing] / games if games else None


class TournamentTables:
    """The tables of the tournaments in one file; safe to use from several threads."""

    def __init__(self, database: TournamentDatabase) -> None:
        self.database = database
        self._lock = threading.Lock()
        self._tallies: OrderedDict[int, _Tally] = OrderedDict()

    def table(self, number: int) -> Json:
        """The whole table of a tournament, as the page shows it."""
        run = self.database.run(number)
        tally = self._tally(run)
        standings = self.standings(run, tally)
        return _table_json(
            run, standings, tally, self.database.failures(run) if tally.failed else {}
        )

    def standings(self, run: TournamentRun, tally: _Tally | None = None) -> Standings:
        tally = tally or self._tally(run)
        scores = {pairing: Score(tuple(counts)) for pairing, counts in tally.pairs.items()}  # type: ignore[arg-type]
        if run.sprt is not None:  # pairs that were in progress when the test ended do not count
            scores = {(0, 1): self._tested_score(run, run.sprt, tally)}
        statistics: dict[tuple[int, int], PairingStatistics] = {
            pairing: {"reasons": {}} for pairing in scores
        }
        return Standings(
            run.game, list(run.players), run.seed, run.openings, scores, statistics, run.sprt
        )

    def _tested_score(self, run: TournamentRun, test: Sprt, tally: _Tally) -> Score:
        """The score that a sequential test counts.  Pairs are read again only after a new game."""
        if tally.tested is None or tally.tested[0] != tally.last:
            last = tally.last
            results = self.database.pair_results(run, (0, 1))
            tally.tested = last, Score.from_results(results[: test.decided_after(results)])
        return tally.tested[1]

    def _tally(self, run: TournamentRun) -> _Tally:
        with self._lock:
            tally = self._tallies.pop(run.id, None)
            tally = self._count(run) if tally is None else self._count_on(run, tally)
            self._tallies[run.id] = tally
            while len(self._tallies) > _MAX_TALLIES:
                self._tallies.popitem(last=False)
            return tally

    def _count(self, run: TournamentRun) -> _Tally:
        tally = _Tally(run)
        tally.last, counts = self.database.pair_counts(run)
        for pairing, rows in counts.items():
            for low, high, pairs, plies, failures in rows:
                tally.add(pairing, low, high, pairs)
                tally.plies[pairing] += plies
                tally.failed += failures
        return tally

    def _count_on(self, run: TournamentRun, tally: _Tally) -> _Tally:
        newest, rows = self.database.games_since(run, tally.last)
        if newest < tally.last:  # the file was replaced
            return self._count(run)
        numbers = {run.keys_of(pairing): pairing for pairing in run.pairings}
        waiting: dict[tuple[str, str, int], float] = {}
        for one, two, pair, points, plies, failed in rows:
            pairing = numbers.get((one, two))
            if pairing is None:  # a pairing of another tournament in the same event
                continue
            tally.plies[pairing] += plies
            tally.failed += failed
            other = waiting.pop((one, two, pair), None)
            if other is None:
                waiting[one, two, pair] = points
            else:
                tally.add(pairing, min(points, other), max(points, other))
        tally.last = newest
        return tally


def _table_json(
    run: TournamentRun, standings: Standings, tally: _Tally, failures: dict[str, int]
) -> Json:
    ratings = standings.ratings.players
    played = sum(score.games for score in standings.scores.values())
    return {
        **headline(run),
        "played": played,
        "order": standings.order,
        "ratings": [
            {
                "elo": rating.elo,
                "interval": [rating.lower, rating.upper],
                "text": str(rating),
                "games": rating.games,
                "points": rating.points,
            }
            for rating in ratings
        ],
        "pairings": [
            {"players": list(pairing), **_score(score), "plies": tally.mean_plies(pairing)}
            for pairing, score in standings.scores.items()
        ],
        "failures": group_failures(failures),
        "test": _test(standings),
    }


def headline(run: TournamentRun) -> Json:
    """The data of a tournament that do not depend on its games."""
    title, board = _game(run.game)
    return {
        "id": run.id,
        "game": run.game,
        "name": run.game.partition(":")[0],
        "title": title,
        "board": board,
        "players": list(run.players),
        "pairs": run.pairs,
        "games": run.games,
        "openings": run.openings,
        "seed": run.seed,
        "created": run.created,
        "done": run.done,
        "formats": [kind for kind in formats(run.game.partition(":")[0]) if kind != "txt"],
    }


def _game(spec: str) -> tuple[str, str]:
    """(title, variant) of a game; its spec if the game is not registered here."""
    try:
        game = make(spec)
    except PlayproofError:
        return spec, ""
    if not catalog.is_offered(game.name):
        return game.title, ""
    return game.title, catalog.variant_label(game) or spec


def _score(score: Score) -> Json:
    lower, upper = score.interval()
    return {
        "games": score.games,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "points": score.points,
        "mean": score.mean,
        "interval": [lower, upper],
    }


def _test(standings: Standings) -> Json | None:
    if standings.sprt is None:
        return None
    test = standings.sprt
    return {
        **test.to_json(),
        "llr": test.llr(standings.scores[0, 1]),
        "decision": standings.verdict,
    }
