"""The table of a tournament: scores of all pairings and ratings, kept up to date cheaply.

A pair of games is written whole and never changed, so what was counted stays
counted: a table that is watched reads only the games that came since.
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

_KEPT = 32  # tables that are remembered
# Two results of a pair, the lower one first, by their place in PAIR_KINDS.
_KINDS = {
    (0.0, 0.0): 0, (0.0, 0.5): 1, (0.5, 0.5): 2, (0.0, 1.0): 3, (0.5, 1.0): 4, (1.0, 1.0): 5,
}  # fmt: skip

Json = dict[str, Any]


class _Tally:
    """Pairs of every pairing by kind, plies and failures, up to the game number ``last``."""

    def __init__(self, run: TournamentRun) -> None:
        self.last = 0
        self.pairs = {pairing: [0] * len(PAIR_KINDS) for pairing in run.pairings}
        self.plies = dict.fromkeys(run.pairings, 0)
        self.failed = 0
        self.tested: tuple[int, Score] | None = None  # by a sequential test, up to which game

    def add(self, pairing: tuple[int, int], low: float, high: float, pairs: int = 1) -> None:
        self.pairs[pairing][_KINDS[low, high]] += pairs

    def mean_plies(self, pairing: tuple[int, int]) -> float | None:
        """Over all games; a sequential test may count fewer."""
        games = 2 * sum(self.pairs[pairing])
        return self.plies[pairing] / games if games else None


class TournamentTables:
    """The tables of a book; may be asked from several threads."""

    def __init__(self, book: TournamentDatabase) -> None:
        self.book = book
        self._lock = threading.Lock()
        self._tallies: OrderedDict[int, _Tally] = OrderedDict()

    def table(self, number: int) -> Json:
        """The whole table of a tournament as a page shows it."""
        run = self.book.run(number)
        tally = self._tally(run)
        standings = self.standings(run, tally)
        return _told(run, standings, tally, self.book.failures(run) if tally.failed else {})

    def standings(self, run: TournamentRun, tally: _Tally | None = None) -> Standings:
        tally = tally or self._tally(run)
        scores = {pairing: Score(tuple(counts)) for pairing, counts in tally.pairs.items()}  # type: ignore[arg-type]
        if run.sprt is not None:  # later pairs were under way when the test ended
            scores = {(0, 1): self._tested(run, run.sprt, tally)}
        statistics: dict[tuple[int, int], PairingStatistics] = {
            pairing: {"reasons": {}} for pairing in scores
        }
        return Standings(
            run.game, list(run.players), run.seed, run.openings, scores, statistics, run.sprt
        )

    def _tested(self, run: TournamentRun, test: Sprt, tally: _Tally) -> Score:
        """What a sequential test counts; all pairs are read again only after a new game."""
        if tally.tested is None or tally.tested[0] != tally.last:
            last = tally.last
            results = self.book.pair_results(run, (0, 1))
            tally.tested = last, Score.from_results(results[: test.decided_after(results)])
        return tally.tested[1]

    def _tally(self, run: TournamentRun) -> _Tally:
        with self._lock:
            tally = self._tallies.pop(run.id, None)
            tally = self._count(run) if tally is None else self._count_on(run, tally)
            self._tallies[run.id] = tally
            while len(self._tallies) > _KEPT:
                self._tallies.popitem(last=False)
            return tally

    def _count(self, run: TournamentRun) -> _Tally:
        tally = _Tally(run)
        tally.last, found = self.book.tallied(run)
        for pairing, rows in found.items():
            for low, high, pairs, plies, failures in rows:
                tally.add(pairing, low, high, pairs)
                tally.plies[pairing] += plies
                tally.failed += failures
        return tally

    def _count_on(self, run: TournamentRun, tally: _Tally) -> _Tally:
        newest, rows = self.book.since(run, tally.last)
        if newest < tally.last:  # another file is in its place
            return self._count(run)
        numbers = {run.named(pairing): pairing for pairing in run.pairings}
        waiting: dict[tuple[str, str, int], float] = {}
        for one, two, pair, points, plies, failed in rows:
            pairing = numbers.get((one, two))
            if pairing is None:  # of others in the same event
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


def _told(
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
    """What is known of a tournament without its games."""
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
    """(title, kind of it) of a game; its spec where it is not known here."""
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
