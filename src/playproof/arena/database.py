"""The book of games: every game of every match, in one SQLite file.

An *event* is a game with its options, a source of openings and a seed; what is
played in it is settled by that, so a game belongs to (event, pairing, pair,
leg) and to nothing else, and can be recorded only once.  A *run* is one wish:
these players, so many pairs.  A killed run is found again by its wish.

Pairs are recorded whole and at once: a kill leaves the file as it was before
or after a pair.  Several processes may write to one file.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from playproof.arena.game_query import matching_players, openings_by_game
from playproof.arena.openings import Opening
from playproof.arena.referee import FinishedGame
from playproof.core.errors import DataError
from playproof.core.files.folders import data_folder
from playproof.formats.record import Record

APPLICATION = 0x504C5052  # "PLPR": what a file of ours says it is
VERSION = 1
_WAIT = 60.0  # seconds for another process to finish its writing

_SCHEMA = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY, game TEXT, openings TEXT, seed INTEGER, created TEXT,
    UNIQUE (game, openings, seed));
CREATE TABLE openings (
    event INTEGER REFERENCES events, number INTEGER, start TEXT, moves TEXT,
    PRIMARY KEY (event, number));
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, event INTEGER REFERENCES events, wish TEXT, done INTEGER DEFAULT 0);
CREATE TABLE games (
    id INTEGER PRIMARY KEY, event INTEGER REFERENCES events,
    one TEXT, two TEXT, pair INTEGER, leg INTEGER,
    first TEXT, second TEXT, result TEXT, reason TEXT, opening TEXT, plies INTEGER,
    seconds_one REAL, seconds_two REAL, record TEXT,
    UNIQUE (event, one, two, pair, leg));
CREATE INDEX games_by_first ON games (first);
CREATE INDEX games_by_second ON games (second);
"""


@dataclass(frozen=True)
class Event:
    id: int
    game: str
    openings: str
    seed: int


@dataclass(frozen=True)
class RecordedGame:
    """A game of the book, with where it belongs."""

    id: int
    game: str
    first: str
    second: str
    result: str
    reason: str | None
    opening: str
    plies: int
    record: Record


def default_path() -> Path:
    """``arena.sqlite`` in ``PLAYPROOF_DATA`` or in the user's data folder."""
    return data_folder() / "arena.sqlite"


class GameDatabase:
    """One file of games, open."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = default_path() if path is None else Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Transactions are begun by hand, so that one can say when it takes the lock.
            self._db = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise DataError(f"{self.path} cannot be used as a file of games: {error}") from None

    def _prepare(self) -> None:
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        if tables and application != APPLICATION:
            raise DataError(f"{self.path} is a database of another program: choose another file")
        self._use_wal()
        self._db.execute("PRAGMA synchronous = FULL")
        with self._writing():
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in _SCHEMA.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise DataError(
                    f"{self.path} was written by another version of Playproof "
                    f"(format {version}, this one reads {VERSION}): choose another file"
                )

    def _use_wal(self) -> None:
        """Write ahead; SQLite does not wait by itself for others who are just doing the same."""
        end = monotonic() + _WAIT
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or monotonic() > end:
                    raise
                sleep(0.02)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise DataError(f"{self.path} cannot be written: {error}") from None
            raise

    def _ask(self, question: str, *values: Any) -> list[Any]:
        try:
            return self._db.execute(question, values).fetchall()
        except sqlite3.Error as error:
            raise DataError(f"{self.path} cannot be read: {error}") from None

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> GameDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Events and runs

    def event(self, game: str, openings: str, seed: int) -> Event:
        """The event of these settings, made if it is not there."""
        with self._writing():
            self._db.execute(
                "INSERT OR IGNORE INTO events (game, openings, seed, created) VALUES (?, ?, ?, ?)",
                (game, openings, seed, datetime.now(UTC).isoformat(timespec="seconds")),
            )
        ((number,),) = self._ask(
            "SELECT id FROM events WHERE game = ? AND openings = ? AND seed = ?",
            game, openings, seed,
        )  # fmt: skip
        return Event(number, game, openings, seed)

    def unfinished_run(self, game: str, openings: str, request: dict[str, Any]) -> Event | None:
        """The event of the latest run with the same wish that was not finished."""
        found = self._ask(
            "SELECT e.id, e.game, e.openings, e.seed FROM runs r JOIN events e ON e.id = r.event "
            "WHERE e.game = ? AND e.openings = ? AND r.wish = ? AND r.done = 0 "
            "ORDER BY r.id DESC LIMIT 1",
            game, openings, _text(request),
        )  # fmt: skip
        return Event(*found[0]) if found else None

    def start_run(self, event: Event, request: dict[str, Any]) -> int:
        """The number of the run; the open one of the same wish if there is one."""
        with self._writing():
            found = self._db.execute(
                "SELECT id FROM runs WHERE event = ? AND wish = ? AND done = 0",
                (event.id, _text(request)),
            ).fetchone()
            if found:
                return int(found[0])
            made = self._db.execute(
                "INSERT INTO runs (event, wish) VALUES (?, ?)", (event.id, _text(request))
            )
            return int(made.lastrowid or 0)

    def finish_run(self, run: int) -> None:
        with self._writing():
            self._db.execute("UPDATE runs SET done = 1 WHERE id = ?", (run,))

    # Openings: kept, so that an event goes on with those it began with

    def openings(self, event: Event) -> list[Opening]:
        rows = self._ask(
            "SELECT start, moves FROM openings WHERE event = ? ORDER BY number", event.id
        )
        return [Opening(start, tuple(json.loads(moves))) for start, moves in rows]

    def add_openings(self, event: Event, openings: list[Opening]) -> None:
        with self._writing():
            self._db.executemany(
                "INSERT OR IGNORE INTO openings VALUES (?, ?, ?, ?)",
                [
                    (event.id, number, opening.start, json.dumps(opening.moves))
                    for number, opening in enumerate(openings)
                ],
            )

    # Games

    def add(
        self,
        event: Event,
        one: str,
        two: str,
        played: Iterable[FinishedGame],
        openings: dict[int, str],
    ) -> None:
        """Record games of the pairing ``one`` against ``two``, all or none of them."""
        rows = [
            (
                event.id, one, two, game.task.pair, game.task.leg, *game.players,
                game.record.result, game.reason, openings[game.task.pair],
                len(game.record.moves), *game.seconds, game.record.to_json(),
            )
            for game in played
        ]  # fmt: skip
        with self._writing():
            self._db.executemany(
                "INSERT OR IGNORE INTO games (event, one, two, pair, leg, first, second, result, "
                "reason, opening, plies, seconds_one, seconds_two, record) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

    def results(self, event: Event, one: str, two: str) -> dict[int, tuple[float, float]]:
        """By pair, what ``one`` scored in each of its two games."""
        rows = self._ask(
            "SELECT pair, leg, result FROM games WHERE event = ? AND one = ? AND two = ?",
            event.id, one, two,
        )  # fmt: skip
        points = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
        legs: dict[int, dict[int, float]] = {}
        for pair, leg, result in rows:
            scored = points[result]
            legs.setdefault(pair, {})[leg] = scored if leg == 0 else 1.0 - scored
        return {pair: (two[0], two[1]) for pair, two in sorted(legs.items()) if len(two) == 2}

    def others(
        self, event: Event, names: tuple[str, str], keys: tuple[str, str], pairs: int
    ) -> tuple[int, int]:
        """How many games of the pairing with these names are kept by another key: of the
        first player, and of the second."""
        one, two = names
        ((first, second),) = self._ask(
            "SELECT total(one != ?), total(two != ?) FROM games WHERE event = ? AND pair < ? "
            "AND (one != ? OR two != ?) AND (leg = 0 AND first = ? AND second = ? "
            "OR leg = 1 AND first = ? AND second = ?)",
            *keys, event.id, pairs, *keys, one, two, two, one,
        )  # fmt: skip
        return int(first), int(second)

    def statistics(self, event: Event, one: str, two: str, pairs: int) -> dict[str, Any]:
        """Failures, mean length and thinking times of the first pairs of a pairing."""
        ((games, plies, opening_plies, seconds_one, seconds_two),) = self._ask(
            "SELECT count(*), avg(plies), avg(json_array_length(o.moves)), avg(seconds_one), "
            "avg(seconds_two) FROM games g "
            "LEFT JOIN openings o ON o.event = g.event AND o.number = g.pair "
            "WHERE g.event = ? AND one = ? AND two = ? AND pair < ?",
            event.id, one, two, pairs,
        )  # fmt: skip
        reasons = self._ask(
            "SELECT reason, count(*) FROM games WHERE event = ? AND one = ? AND two = ? "
            "AND pair < ? AND reason IS NOT NULL GROUP BY reason ORDER BY reason",
            event.id, one, two, pairs,
        )  # fmt: skip
        return {
            "games": games,
            "mean_plies": plies,
            "opening_plies": opening_plies or 0.0,
            "seconds_a_game": (seconds_one, seconds_two),
            "reasons": dict(reasons),
        }

    def find(self, **wanted: Any) -> list[RecordedGame]:
        """Games, newest last; arguments as in ``find_and_count``."""
        return self.find_and_count(**wanted)[0]

    def find_and_count(
        self,
        *,
        player: str | None = None,
        against: str | None = None,
        result: str | None = None,
        opening: str | None = None,
        game: str | None = None,
        failed: bool = False,
        limit: int | None = None,
    ) -> tuple[list[RecordedGame], int]:
        """Games, newest last, and how many there are without the limit.

        ``player`` and ``against`` may use ``*``, or are specs in any way of writing them;
        ``result`` is won, drawn or lost by the player, or 1-0, 0-1, 1/2-1/2.
        """
        # A result for the player means another one when the player moved second.
        as_first = {"won": "1-0", "lost": "0-1", "drawn": "1/2-1/2"}.get(result or "", result)
        as_second = {"won": "0-1", "lost": "1-0", "drawn": "1/2-1/2"}.get(result or "", result)
        (one, ones), (two, twos) = self._named(player or "*"), self._named(against or "*")
        began, begins = self._begun(opening or "")
        where = (
            f"((first {one} AND second {two} AND result GLOB ?)"
            f" OR (second {one} AND first {two} AND result GLOB ?))"
            f" AND e.game GLOB ? AND {began}"
        )
        names = *ones, *twos
        values = [*names, as_first or "*", *names, as_second or "*", game or "*", *begins]
        if failed:
            where += " AND reason IS NOT NULL"
        source = f"FROM games g JOIN events e ON e.id = g.event WHERE {where}"
        rows = self._ask(
            "SELECT * FROM (SELECT g.id, e.game, first, second, result, reason, opening, plies, "
            f"record {source} ORDER BY g.id DESC LIMIT ?) ORDER BY id",
            *values, -1 if limit is None else limit,
        )  # fmt: skip
        kept = []
        for number, of, first, second, ended, reason, opened, plies, record in rows:
            statistics = (number, of, first, second, ended, reason, opened, plies)
            kept.append(RecordedGame(*statistics, record=Record.from_json(record)))
        count = len(kept)
        if count == limit:
            ((count,),) = self._ask(f"SELECT count(*) {source}", *values)
        return kept, count

    def players(self) -> list[str]:
        """Who played, by name."""
        rows = self._ask("SELECT first FROM games UNION SELECT second FROM games ORDER BY 1")
        return [name for (name,) in rows]

    def _named(self, wanted: str) -> tuple[str, list[str]]:
        """A condition on a player, and its values."""
        names = matching_players(wanted, self.players()) if wanted != "*" else None
        if names is None:
            return "GLOB ?", [wanted]
        return f"IN ({', '.join('?' * len(names))})", names

    def _begun(self, opening: str) -> tuple[str, list[str]]:
        """A condition on the opening, and its values."""
        games = self._ask("SELECT DISTINCT game FROM events") if opening else []
        read = openings_by_game(opening, (game for (game,) in games))
        more = " OR (e.game = ? AND opening GLOB ?)" * len(read)
        values = [opening + "*"]
        for game, moves in read:
            values += [game, moves + "*"]
        return f"(opening GLOB ?{more})", values


def _text(request: dict[str, Any]) -> str:
    return json.dumps(request, sort_keys=True)
