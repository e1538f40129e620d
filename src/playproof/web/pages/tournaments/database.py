"""Read-only access to a games database: its tournaments, and their games page by page.

A file that does not exist counts as empty, and reading does not create it.  SQLite does all the
counting.  A connection lives for one query, in whichever thread asks.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playproof.arena.database import APPLICATION, VERSION
from playproof.arena.statistics.sprt import Sprt
from playproof.core.errors import PlayproofError
from playproof.formats.record import Record
from playproof.web.protocol.refusal import Code, Refusal

PAGE = 50  # games or tournaments in one reply
_CHUNK = 500  # records read at once
_WAIT = 5.0  # seconds for another process to finish writing

_RUN = (
    "SELECT r.id, e.id, e.game, e.openings, e.seed, e.created, r.wish, r.done "
    "FROM runs r JOIN events e ON e.id = r.event"
)
# The points of the first named player of a pairing; in leg 1 it moved second.
_POINTS = (
    "CASE result WHEN '1/2-1/2' THEN 0.5 WHEN '1-0' THEN 1.0 - leg WHEN '0-1' THEN 0.0 + leg END"
)
_PAIRING = "WHERE event = ? AND one = ? AND two = ? AND pair < ?"
START = (-1, 1)  # before the first (pair, leg)
POINTS = {"won": 1.0, "drawn": 0.5, "lost": 0.0}


@dataclass(frozen=True)
class TournamentRun:
    """A tournament that was asked for: these players, that many pairs.  ``event`` is the number of
    the arena's event that its games belong to."""

    id: int
    event: int
    game: str
    openings: str
    seed: int
    created: str
    players: tuple[str, ...]
    keys: tuple[str, ...]
    pairs: int
    sprt: Sprt | None
    done: bool

    @property
    def pairings(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.players)), 2))

    @property
    def games(self) -> int:
        """How many games there are to play; with a test at most so many."""
        return 2 * self.pairs * len(self.pairings)

    def keys_of(self, pairing: tuple[int, int]) -> tuple[str, str]:
        """The keys that the games of a pairing are recorded under.

        They are not the players' names: after a net was replaced, its games are another player's.
        """
        return self.keys[pairing[0]], self.keys[pairing[1]]


class TournamentDatabase:
    """The file of games at ``path``.

    ``offset`` is added to the numbers of its tournaments and games, so that they differ from those
    in every other file.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path, self.offset = path, offset

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """A connection with one consistent view of the file; None if there is no database."""
        if not self.path.is_file():
            yield None
            return
        uri = f"file:{quote(str(self.path))}?mode=ro"
        try:
            with closing(
                sqlite3.connect(uri, uri=True, timeout=_WAIT, isolation_level=None)
            ) as base:
                (tables,) = base.execute("SELECT count(*) FROM sqlite_master").fetchone()
                (application,) = base.execute("PRAGMA application_id").fetchone()
                (version,) = base.execute("PRAGMA user_version").fetchone()
                if not tables:  # another process is creating it at this moment
                    yield None
                    return
                if (application, version) != (APPLICATION, VERSION):
                    raise Refusal("gone", f"{self.path.name} is no file of games of this version")
                base.execute("BEGIN")
                yield base
        except sqlite3.Error as error:
            # A lock, or a disk that is away for a moment, is temporary; damage is not.
            code: Code = "busy" if isinstance(error, sqlite3.OperationalError) else "gone"
            raise Refusal(code, f"{self.path.name} cannot be read: {error}") from None

    def _fetch(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of one query; none if there is no database."""
        with self._open() as base:
            return [] if base is None else base.execute(query, values).fetchall()

    # Tournaments

    def runs(self, before: int | None = None, count: int = PAGE) -> list[TournamentRun]:
        """Up to ``count`` tournaments, the latest first; those with a number below ``before``, if
        it is given."""
        where = "" if before is None else "WHERE r.id < ?"
        values = [count] if before is None else [before, count]
        runs = []
        for row in self._fetch(f"{_RUN} {where} ORDER BY r.id DESC LIMIT ?", values):
            with suppress(Refusal):  # a damaged one must not hide the others
                runs.append(self._run(row))
        return runs

    def run(self, number: int) -> TournamentRun:
        for row in self._fetch(f"{_RUN} WHERE r.id = ?", [number - self.offset]):
            return self._run(row)
        raise Refusal("gone", f"there is no tournament {number} here")

    def _run(self, row: tuple[Any, ...]) -> TournamentRun:
        run = _read_run(row)
        return replace(run, id=run.id + self.offset)

    def played(self, runs: list[TournamentRun]) -> dict[int, int]:
        """The number of recorded games of each tournament; SQLite needs only an index for it."""
        counts = dict.fromkeys((run.id for run in runs), 0)
        with self._open() as base:
            for run in runs if base is not None else ():
                for pairing in run.pairings:
                    (count,) = base.execute(  # type: ignore[union-attr]
                        f"SELECT count(*) FROM games {_PAIRING}", _values(run, pairing)
                    ).fetchone()
                    counts[run.id] += count
        return counts

    def last(self) -> int:
        """The number of the latest game; every new game has a higher one."""
        return next((int(row[0] or 0) for row in self._fetch("SELECT max(id) FROM games")), 0)

    def pair_counts(self, run: TournamentRun) -> tuple[int, dict[tuple[int, int], list[Any]]]:
        """The number of the latest game; and for each pairing rows of (low, high, pairs, plies,
        failures).

        ``low`` and ``high`` are the two results of a pair for the first named player.
        """
        counts: dict[tuple[int, int], list[Any]] = {}
        with self._open() as base:
            if base is None:
                return 0, counts
            last = int(base.execute("SELECT max(id) FROM games").fetchone()[0] or 0)
            for pairing in run.pairings:
                counts[pairing] = base.execute(
                    "SELECT low, high, count(*), sum(plies), sum(failures) FROM ("
                    f" SELECT min({_POINTS}) AS low, max({_POINTS}) AS high, sum(plies) AS plies,"
                    f" sum(reason IS NOT NULL) AS failures FROM games {_PAIRING}"
                    " GROUP BY pair HAVING count(*) = 2) GROUP BY low, high",
                    _values(run, pairing),
                ).fetchall()
        return last, counts

    def games_since(self, run: TournamentRun, last: int) -> tuple[int, list[Any]]:
        """The number of the latest game; and rows for the games after number ``last``: (key of the
        first player, key of the second, pair, points of the first, plies, whether a player failed).
        """
        with self._open() as base:
            if base is None:
                return 0, []
            rows = base.execute(
                f"SELECT one, two, pair, {_POINTS}, plies, reason IS NOT NULL "
                "FROM games NOT INDEXED WHERE id > ? AND event = ? AND pair < ? ORDER BY id",
                [last, run.event, run.pairs],
            ).fetchall()
            newest = base.execute("SELECT max(id) FROM games").fetchone()[0] or 0
        return int(newest), rows

    def pair_results(
        self, run: TournamentRun, pairing: tuple[int, int]
    ) -> list[tuple[float, float]]:
        """The results pair by pair, up to the first one that is missing, for a sequential test."""
        legs = self._fetch(
            f"SELECT pair, {_POINTS} FROM games {_PAIRING} ORDER BY pair, leg",
            _values(run, pairing),
        )
        results: list[tuple[float, float]] = []
        for place in range(0, len(legs) - 1, 2):
            (pair, first), (other, second) = legs[place : place + 2]
            if pair != len(results) or other != pair:
                break
            results.append((first, second))
        return results

    def failures(self, run: TournamentRun) -> dict[str, int]:
        """How often each reason other than the rules has ended a game."""
        counts: dict[str, int] = {}
        for pairing in run.pairings:
            rows = self._fetch(
                f"SELECT reason, count(*) FROM games {_PAIRING} AND reason IS NOT NULL "
                "GROUP BY reason",
                _values(run, pairing),
            )
            for reason, count in rows:
                counts[reason] = counts.get(reason, 0) + count
        return counts

    # Games

    def games(
        self,
        run: TournamentRun,
        pairing: tuple[int, int],
        *,
        result: str | None = None,
        after: tuple[int, int] = START,
        count: int = PAGE,
    ) -> list[dict[str, Any]]:
        """Games of a pairing in their order, after (pair, leg).

        ``result`` is won, drawn or lost, by the first player of ``pairing`` as it is passed; the
        players may be in either order.
        """
        one, two = min(pairing), max(pairing)
        where, values = "", [*_values(run, (one, two)), *after]
        if result is not None:
            points = POINTS[result]
            where = f"AND {_POINTS} = ?"
            values.append(points if pairing == (one, two) else 1.0 - points)
        names = ("id", "pair", "leg", "first", "second", "result", "reason", "opening", "plies")
        rows = self._fetch(
            f"SELECT {', '.join(names)} FROM games {_PAIRING} AND (pair, leg) > (?, ?) {where} "
            "ORDER BY pair, leg LIMIT ?",
            [*values, count],
        )
        return [dict(zip(names, (row[0] + self.offset, *row[1:]), strict=True)) for row in rows]

    def game(self, number: int) -> Record:
        for (text,) in self._fetch("SELECT record FROM games WHERE id = ?", [number - self.offset]):
            return Record.from_json(text)
        raise Refusal("gone", f"there is no game {number} here")

    def records(self, run: TournamentRun) -> Iterator[str]:
        """The records of all games of a tournament as JSON.

        They are read in chunks: the receiver may be slow, and a long read transaction would keep
        SQLite from tidying up the file.
        """
        for pairing in run.pairings:
            after = START
            while rows := self._fetch(
                f"SELECT pair, leg, record FROM games {_PAIRING} AND (pair, leg) > (?, ?) "
                "ORDER BY pair, leg LIMIT ?",
                [*_values(run, pairing), *after, _CHUNK],
            ):
                yield from (text for _, _, text in rows)
                after = rows[-1][:2]


def _values(run: TournamentRun, pairing: tuple[int, int]) -> list[Any]:
    """The values for the placeholders of ``_PAIRING``."""
    return [run.event, *run.keys_of(pairing), run.pairs]


def _read_run(row: tuple[Any, ...]) -> TournamentRun:
    number, event, game, openings, seed, created, request_text, done = row
    try:
        request = json.loads(request_text)
        players, pairs, test = tuple(request["players"]), request["pairs"], request.get("sprt")
        sprt = Sprt(test["elo0"], test["elo1"], test["alpha"], test["beta"]) if test else None
        keys = tuple(request.get("keys", players))
        whole = isinstance(pairs, int) and 0 <= pairs < 2**53
        texts = all(isinstance(name, str) for name in (*players, *keys))
        if not whole or not texts or len(keys) != len(players):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, PlayproofError):
        raise Refusal(
            "gone", f"the stored settings of tournament {number} are damaged: start a new one"
        ) from None
    return TournamentRun(
        id=number,
        event=event,
        game=game,
        openings=openings,
        seed=seed,
        created=created,
        players=players,
        keys=keys,
        pairs=pairs,
        sprt=sprt,
        done=bool(done),
    )
