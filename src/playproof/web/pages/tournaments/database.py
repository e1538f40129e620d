"""The book of games, only looked at: which tournaments are in it, and their games by pages.

A file that is not there is an empty book, and looking makes none.  Everything is
counted by SQLite; a connection lives for one question, in whatever thread asks.
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

PAGE = 50  # games or tournaments in one answer
_PART = 500  # records read at once
_WAIT = 5.0  # seconds for somebody's writing

_RUN = (
    "SELECT r.id, e.id, e.game, e.openings, e.seed, e.created, r.wish, r.done "
    "FROM runs r JOIN events e ON e.id = r.event"
)
# What the first named player of a pairing got out of a game: in leg 1 it moved second.
_POINTS = (
    "CASE result WHEN '1/2-1/2' THEN 0.5 WHEN '1-0' THEN 1.0 - leg WHEN '0-1' THEN 0.0 + leg END"
)
_PAIRING = "WHERE event = ? AND one = ? AND two = ? AND pair < ?"
START = (-1, 1)  # before the first (pair, leg)
POINTS = {"won": 1.0, "drawn": 0.5, "lost": 0.0}


@dataclass(frozen=True)
class TournamentRun:
    """One wish: these players, so many pairs; ``event`` is what it is played in."""

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
        """How many there are to be, at most if there is a test."""
        return 2 * self.pairs * len(self.pairings)

    def named(self, pairing: tuple[int, int]) -> tuple[str, str]:
        """What the games of a pairing are kept by: not the players' names, for a net that was
        replaced has other games."""
        return self.keys[pairing[0]], self.keys[pairing[1]]


class TournamentDatabase:
    """The file of games at ``path``; ``share`` is added to its numbers, of tournaments and
    of games, so that no other file has the same."""

    def __init__(self, path: Path, share: int = 0) -> None:
        self.path, self.share = path, share

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """One consistent look; None where there is no book."""
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
                if not tables:  # it is being made at this moment
                    yield None
                    return
                if (application, version) != (APPLICATION, VERSION):
                    raise Refusal("gone", f"{self.path.name} is no file of games of this version")
                base.execute("BEGIN")
                yield base
        except sqlite3.Error as error:
            # A lock, or a disk that is not there for a moment, passes; damage does not.
            code: Code = "busy" if isinstance(error, sqlite3.OperationalError) else "gone"
            raise Refusal(code, f"{self.path.name} cannot be read: {error}") from None

    def _ask(self, question: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows that answer one question; none where there is no book."""
        with self._open() as base:
            return [] if base is None else base.execute(question, values).fetchall()

    # Tournaments

    def runs(self, before: int | None = None, count: int = PAGE) -> list[TournamentRun]:
        """The latest first; of those with a number below ``before``, if given."""
        where = "" if before is None else "WHERE r.id < ?"
        values = [count] if before is None else [before, count]
        found = []
        for row in self._ask(f"{_RUN} {where} ORDER BY r.id DESC LIMIT ?", values):
            with suppress(Refusal):  # one that is damaged must not hide the others
                found.append(self._run(row))
        return found

    def run(self, number: int) -> TournamentRun:
        for row in self._ask(f"{_RUN} WHERE r.id = ?", [number - self.share]):
            return self._run(row)
        raise Refusal("gone", f"there is no tournament {number} here")

    def _run(self, row: tuple[Any, ...]) -> TournamentRun:
        found = _run(row)
        return replace(found, id=found.id + self.share)

    def played(self, runs: list[TournamentRun]) -> dict[int, int]:
        """How many games of each are there; counted in an index alone."""
        found = dict.fromkeys((run.id for run in runs), 0)
        with self._open() as base:
            for run in runs if base is not None else ():
                for pairing in run.pairings:
                    (count,) = base.execute(  # type: ignore[union-attr]
                        f"SELECT count(*) FROM games {_PAIRING}", _values(run, pairing)
                    ).fetchone()
                    found[run.id] += count
        return found

    def last(self) -> int:
        """The number of the latest game: it grows with every one."""
        return next((int(row[0] or 0) for row in self._ask("SELECT max(id) FROM games")), 0)

    def tallied(self, run: TournamentRun) -> tuple[int, dict[tuple[int, int], list[Any]]]:
        """(number of the latest game, by pairing rows of (worse, better, pairs, plies, failures)).

        The two results of a pair for the first named player, the lower one first."""
        found: dict[tuple[int, int], list[Any]] = {}
        with self._open() as base:
            if base is None:
                return 0, found
            last = int(base.execute("SELECT max(id) FROM games").fetchone()[0] or 0)
            for pairing in run.pairings:
                found[pairing] = base.execute(
                    "SELECT low, high, count(*), sum(plies), sum(failures) FROM ("
                    f" SELECT min({_POINTS}) AS low, max({_POINTS}) AS high, sum(plies) AS plies,"
                    f" sum(reason IS NOT NULL) AS failures FROM games {_PAIRING}"
                    " GROUP BY pair HAVING count(*) = 2) GROUP BY low, high",
                    _values(run, pairing),
                ).fetchall()
        return last, found

    def since(self, run: TournamentRun, last: int) -> tuple[int, list[Any]]:
        """(number of the latest game, rows of games after number ``last``): both names, the
        pair, what the first named got, plies, and whether it ended by a failure."""
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
        """Pair by pair, as far as none is missing, for a sequential test."""
        legs = self._ask(
            f"SELECT pair, {_POINTS} FROM games {_PAIRING} ORDER BY pair, leg",
            _values(run, pairing),
        )
        found: list[tuple[float, float]] = []
        for place in range(0, len(legs) - 1, 2):
            (pair, first), (other, second) = legs[place : place + 2]
            if pair != len(found) or other != pair:
                break
            found.append((first, second))
        return found

    def failures(self, run: TournamentRun) -> dict[str, int]:
        """Reasons other than the rules by how often they ended a game."""
        found: dict[str, int] = {}
        for pairing in run.pairings:
            rows = self._ask(
                f"SELECT reason, count(*) FROM games {_PAIRING} AND reason IS NOT NULL "
                "GROUP BY reason",
                _values(run, pairing),
            )
            for reason, count in rows:
                found[reason] = found.get(reason, 0) + count
        return found

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
        """Games of a pairing in their order, after (pair, leg); ``result``: won, drawn or lost
        by the first of the pairing as it is given, which may be either way round."""
        one, two = min(pairing), max(pairing)
        where, values = "", [*_values(run, (one, two)), *after]
        if result is not None:
            points = POINTS[result]
            where = f"AND {_POINTS} = ?"
            values.append(points if pairing == (one, two) else 1.0 - points)
        names = ("id", "pair", "leg", "first", "second", "result", "reason", "opening", "plies")
        rows = self._ask(
            f"SELECT {', '.join(names)} FROM games {_PAIRING} AND (pair, leg) > (?, ?) {where} "
            "ORDER BY pair, leg LIMIT ?",
            [*values, count],
        )
        return [dict(zip(names, (row[0] + self.share, *row[1:]), strict=True)) for row in rows]

    def game(self, number: int) -> Record:
        for (text,) in self._ask("SELECT record FROM games WHERE id = ?", [number - self.share]):
            return Record.from_json(text)
        raise Refusal("gone", f"there is no game {number} here")

    def records(self, run: TournamentRun) -> Iterator[str]:
        """The records of all games of a tournament as JSON; read in parts, since whoever
        takes them may be slow, and a long look at the file would hold up its tidying."""
        for pairing in run.pairings:
            after = START
            while rows := self._ask(
                f"SELECT pair, leg, record FROM games {_PAIRING} AND (pair, leg) > (?, ?) "
                "ORDER BY pair, leg LIMIT ?",
                [*_values(run, pairing), *after, _PART],
            ):
                yield from (text for _, _, text in rows)
                after = rows[-1][:2]


def _values(run: TournamentRun, pairing: tuple[int, int]) -> list[Any]:
    """What ``_PAIRING`` asks for."""
    return [run.event, *run.named(pairing), run.pairs]


def _run(row: tuple[Any, ...]) -> TournamentRun:
    number, event, game, openings, seed, created, request, done = row
    try:
        wanted = json.loads(request)
        players, pairs, test = tuple(wanted["players"]), wanted["pairs"], wanted.get("sprt")
        sprt = Sprt(test["elo0"], test["elo1"], test["alpha"], test["beta"]) if test else None
        keys = tuple(wanted.get("keys", players))
        whole = isinstance(pairs, int) and 0 <= pairs < 2**53
        texts = all(isinstance(name, str) for name in (*players, *keys))
        if not whole or not texts or len(keys) != len(players):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, PlayproofError):
        raise Refusal("gone", f"tournament {number} is damaged in the book of games") from None
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
