"""The games database: every game of every match and tournament, in one SQLite file.

An *event* is a game with its options, a source of openings and a seed.  These settle what is
played, so a game is identified by (event, pairing, pair, leg) and recorded only once.  A *run* is
one request: these players, that many pairs.  After a kill, the same request finds its run again.

Both games of a pair are recorded in one transaction, so a kill leaves the file as it was before or
after a whole pair.  Several processes may write to one file.
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
from typing import Any, TypedDict

from playproof.arena.game_query import matching_players, openings_by_game
from playproof.arena.openings import Opening
from playproof.arena.referee import FinishedGame
from playproof.core.errors import DataError
from playproof.core.files.folders import data_folder
from playproof.formats.record import Record

APPLICATION = 0x504C5052  # "PLPR", SQLite's application id of our files
VERSION = 1
_WAIT = 60.0  # seconds for another process to finish writing

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
    """A game in the database, with its event's game and its players."""

    id: int
    game: str
    first: str
    second: str
    result: str
    reason: str | None
    opening: str
    plies: int
    record: Record


class PairingStatistics(TypedDict, total=False):
    """Length, thinking time and failures of the games of a pairing.

    The tables of the lab and of papers have ``reasons`` alone.
    """

    games: int
    mean_plies: float | None  # opening included
    opening_plies: float
    seconds_a_game: tuple[float | None, float | None]  # thinking time of each player
    reasons: dict[str, int]  # why games ended, other than by the rules, and how often


def default_path() -> Path:
    """``arena.sqlite`` in ``PLAYPROOF_DATA`` or in the user's data folder."""
    return data_folder() / "arena.sqlite"


class GameDatabase:
    """An open file of games; a context manager."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = default_path() if path is None else Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Transactions are started explicitly, so that each decides when it takes the lock.
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
        """Switch to write-ahead logging.  SQLite does not itself wait for another process that is
        switching at the same moment."""
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

    def _fetch(self, query: str, *values: Any) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
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
        """The event with these settings; it is created if there is none."""
        with self._writing():
            self._db.execute(
                "INSERT OR IGNORE INTO events (game, openings, seed, created) VALUES (?, ?, ?, ?)",
                (game, openings, seed, datetime.now(UTC).isoformat(timespec="seconds")),
            )
        ((number,),) = self._fetch(
            "SELECT id FROM events WHERE game = ? AND openings = ? AND seed = ?",
            game, openings, seed,
        )  # fmt: skip
        return Event(number, game, openings, seed)

    def unfinished_run(self, game: str, openings: str, request: dict[str, Any]) -> Event | None:
        """The event of the latest unfinished run with the same request, if there is one."""
        rows = self._fetch(
            "SELECT e.id, e.game, e.openings, e.seed FROM runs r JOIN events e ON e.id = r.event "
            "WHERE e.game = ? AND e.openings = ? AND r.wish = ? AND r.done = 0 "
            "ORDER BY r.id DESC LIMIT 1",
            game, openings, _text(request),
        )  # fmt: skip
        return Event(*rows[0]) if rows else None

    def start_run(self, event: Event, request: dict[str, Any]) -> int:
        """The number of the run: the unfinished one with the same request, or a new one."""
        with self._writing():
            row = self._db.execute(
                "SELECT id FROM runs WHERE event = ? AND wish = ? AND done = 0",
                (event.id, _text(request)),
            ).fetchone()
            if row:
                return int(row[0])
            inserted = self._db.execute(
                "INSERT INTO runs (event, wish) VALUES (?, ?)", (event.id, _text(request))
            )
            return int(inserted.lastrowid or 0)

    def finish_run(self, run: int) -> None:
        with self._writing():
            self._db.execute("UPDATE runs SET done = 1 WHERE id = ?", (run,))

    # Openings are stored, so that a resumed event keeps those that it started with

    def openings(self, event: Event) -> list[Opening]:
        rows = self._fetch(
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
        games: Iterable[FinishedGame],
        openings: dict[int, str],
    ) -> None:
        """Record games of the pairing ``one`` against ``two``, in one transaction.

        ``openings`` are the opening moves by the number of the pair.
        """
        rows = [
            (
                event.id, one, two, game.task.pair, game.task.leg, *game.players,
                game.record.result, game.reason, openings[game.task.pair],
                len(game.record.moves), *game.seconds, game.record.to_json(),
            )
            for game in games
        ]  # fmt: skip
        with self._writing():
            self._db.executemany(
                "INSERT OR IGNORE INTO games (event, one, two, pair, leg, first, second, result, "
                "reason, opening, plies, seconds_one, seconds_two, record) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

    def results(self, event: Event, one: str, two: str) -> dict[int, tuple[float, float]]:
        """By pair, the score of ``one`` in each of its two games."""
        rows = self._fetch(
            "SELECT pair, leg, result FROM games WHERE event = ? AND one = ? AND two = ?",
            event.id, one, two,
        )  # fmt: skip
        points = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
        legs: dict[int, dict[int, float]] = {}
        for pair, leg, result in rows:
            score = points[result]
            legs.setdefault(pair, {})[leg] = score if leg == 0 else 1.0 - score
        return {pair: (two[0], two[1]) for pair, two in sorted(legs.items()) if len(two) == 2}

    def count_other_keys(
        self, event: Event, names: tuple[str, str], keys: tuple[str, str], pairs: int
    ) -> tuple[int, int]:
        """How many games between players of these names are recorded under another key of the first
        player, and how many under another key of the second."""
        one, two = names
        ((first, second),) = self._fetch(
            "SELECT total(one != ?), total(two != ?) FROM games WHERE event = ? AND pair < ? "
            "AND (one != ? OR two != ?) AND (leg = 0 AND first = ? AND second = ? "
            "OR leg = 1 AND first = ? AND second = ?)",
            *keys, event.id, pairs, *keys, one, two, two, one,
        )  # fmt: skip
        return int(first), int(second)

    def statistics(self, event: Event, one: str, two: str, pairs: int) -> PairingStatistics:
        """Length, thinking times and failures in the first ``pairs`` pairs of a pairing."""
        ((games, plies, opening_plies, seconds_one, seconds_two),) = self._fetch(
            "SELECT count(*), avg(plies), avg(json_array_length(o.moves)), avg(seconds_one), "
            "avg(seconds_two) FROM games g "
            "LEFT JOIN openings o ON o.event = g.event AND o.number = g.pair "
            "WHERE g.event = ? AND one = ? AND two = ? AND pair < ?",
            event.id, one, two, pairs,
        )  # fmt: skip
        reasons = self._fetch(
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

    def find(self, **filters: Any) -> list[RecordedGame]:
        """Games, newest last.  The filters are those of ``find_and_count``."""
        return self.find_and_count(**filters)[0]

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
        """The games that fit, newest last, and how many fit if ``limit`` is disregarded.

        ``player`` and ``against`` are patterns with ``*``, or specs, not necessarily in canonical
        form.  ``result`` is won, drawn or lost by the player, or 1-0, 0-1, 1/2-1/2.
        """
        # A result for the player is recorded the other way round if the player moved second.
        as_first = {"won": "1-0", "lost": "0-1", "drawn": "1/2-1/2"}.get(result or "", result)
        as_second = {"won": "0-1", "lost": "1-0", "drawn": "1/2-1/2"}.get(result or "", result)
        is_player, player_values = self._player_condition(player or "*")
        is_opponent, opponent_values = self._player_condition(against or "*")
        has_opening, opening_values = self._opening_condition(opening or "")
        where = (
            f"((first {is_player} AND second {is_opponent} AND result GLOB ?)"
            f" OR (second {is_player} AND first {is_opponent} AND result GLOB ?))"
            f" AND e.game GLOB ? AND {has_opening}"
        )
        names = *player_values, *opponent_values
        values = [*names, as_first or "*", *names, as_second or "*", game or "*", *opening_values]
        if failed:
            where += " AND reason IS NOT NULL"
        source = f"FROM games g JOIN events e ON e.id = g.event WHERE {where}"
        rows = self._fetch(
            "SELECT * FROM (SELECT g.id, e.game, first, second, result, reason, opening, plies, "
            f"record {source} ORDER BY g.id DESC LIMIT ?) ORDER BY id",
            *values, -1 if limit is None else limit,
        )  # fmt: skip
        games = [
            RecordedGame(id_, of, one, two, score, reason, moves, plies, Record.from_json(record))
            for id_, of, one, two, score, reason, moves, plies, record in rows
        ]
        count = len(games)
        if count == limit:
            ((count,),) = self._fetch(f"SELECT count(*) {source}", *values)
        return games, count

    def players(self) -> list[str]:
        """The names of all players, sorted."""
        rows = self._fetch("SELECT first FROM games UNION SELECT second FROM games ORDER BY 1")
        return [name for (name,) in rows]

    def _player_condition(self, pattern: str) -> tuple[str, list[str]]:
        """SQL for a condition on a player, and its values."""
        names = matching_players(pattern, self.players()) if pattern != "*" else None
        if names is None:
            return "GLOB ?", [pattern]
        return f"IN ({', '.join('?' * len(names))})", names

    def _opening_condition(self, opening: str) -> tuple[str, list[str]]:
        """SQL for a condition on the opening, and its values."""
        games = self._fetch("SELECT DISTINCT game FROM events") if opening else []
        by_game = openings_by_game(opening, (game for (game,) in games))
        alternatives = " OR (e.game = ? AND opening GLOB ?)" * len(by_game)
        values = [opening + "*"]
        for game, moves in by_game:
            values += [game, moves + "*"]
        return f"(opening GLOB ?{alternatives})", values


def _text(request: dict[str, Any]) -> str:
    return json.dumps(request, sort_keys=True)
