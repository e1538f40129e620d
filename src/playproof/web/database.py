"""The lab's database: games as JSON in SQLite, and a few settings and secrets of the folder.

A change is written before anyone is told of it. In write-ahead mode a process that is killed loses
nothing that was written. Before a change is acknowledged, ``flush`` makes sure that it is on the
disk, so that a power cut loses nothing either. SQLite would do the same with
``synchronous = full``, but within each write, while everybody waits: 4 ms on an ordinary disk
instead of 0.1 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from playproof.core.errors import DataError, UsageError
from playproof.core.files.private import close_to_others, private_file, private_folder
from playproof.web.protocol.refusal import Refusal

_APPLICATION_ID = 0x506C6179  # "Play": SQLite's mark of a program's own files
_VERSION = 2
# Lists are read from these small rows, kept beside the games.
_LISTED = """
create table listed (
    id text primary key, creator text not null, persons text not null, shared integer not null,
    updated real not null, entry text
) without rowid;
create index listed_creator on listed (creator);
"""
_TABLES = f"""
create table games (
    id text primary key, waits integer not null, data text not null
) without rowid;
create index games_waiting on games (id) where waits;
{_LISTED}
create table facts (name text primary key, value text not null) without rowid;
"""
# The entries of old games are made when they are first asked for.
_FROM_1 = f"""
{_LISTED}
insert into listed select id, creator, persons, shared, updated, null from games;
drop index games_updated;
drop index games_creator;
alter table games drop column creator;
alter table games drop column persons;
alter table games drop column shared;
alter table games drop column updated;
create index games_waiting on games (id) where waits;
"""


class GameRow(NamedTuple):
    """A row of a list of games; ``entry`` is what Room.entry gives, None if not made yet."""

    id: str
    creator: str
    own: bool  # the person created the game or has a seat in it
    shared: bool
    updated: float
    entry: dict[str, Any] | None


class LabDatabase:
    """The games and settings of one data folder, locked against a second lab."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lab.sqlite"
        self._written = self._flushed = 0  # numbers of changes: written, and known to be on disk
        self._flushing: asyncio.Future[None] | None = None
        self._log: int | None = None  # file descriptor of the write-ahead log
        private_folder(folder)
        private_file(folder / "lab.lock")
        self._lock = _lock(folder / "lab.lock")
        try:
            # It holds the secret that signs cookies. SQLite gives the files beside it the same
            # mode; those left by a lab that was killed may have an older one.
            private_file(self.path)
            for end in ("-wal", "-shm", "-journal"):
                close_to_others(self.path.with_name(self.path.name + end))
            # All queries run in the lab's thread, but another thread may close the database.
            self._db = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=5.0
            )
            self._open()
        except sqlite3.Error as error:
            self._lock.close()
            raise DataError(
                f"{self.path} cannot be used ({error}): move it away to start with an empty lab, "
                "or replace it with a backup"
            ) from None
        except BaseException:
            self._lock.close()
            raise

    def _open(self) -> None:
        db = self._db
        tables = db.execute("select count(*) from sqlite_master").fetchone()[0]
        mark = db.execute("pragma application_id").fetchone()[0]
        version = db.execute("pragma user_version").fetchone()[0]
        if tables and (mark != _APPLICATION_ID or version > _VERSION):
            kind = "of a newer Playproof" if mark == _APPLICATION_ID else "of another program"
            db.close()
            raise DataError(f"{self.path} is {kind}: choose another folder with --folder")
        check = db.execute("pragma quick_check(1)").fetchone()[0]
        if check != "ok":
            raise sqlite3.DatabaseError(check.splitlines()[-1])
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        if not tables or version < _VERSION:
            db.executescript(
                f"begin; pragma application_id = {_APPLICATION_ID};"
                f"pragma user_version = {_VERSION};"
                f"{_FROM_1 if tables else _TABLES} commit;"
            )

    def close(self) -> None:
        if self._log is not None:
            os.close(self._log)
            self._log = None
        self._db.close()
        self._lock.close()

    # Secrets and settings of this folder

    def setting(self, name: str, default: str | None = None) -> str:
        """A stored value; one that is missing is set to ``default``, or to a random secret."""
        row = self._db.execute("select value from facts where name = ?", (name,)).fetchone()
        if row:
            return str(row[0])
        value = secrets.token_urlsafe(32) if default is None else default
        self._db.execute("insert into facts values (?, ?)", (name, value))
        return value

    def set_setting(self, name: str, value: str) -> None:
        self._db.execute("insert or replace into facts values (?, ?)", (name, value))

    # Games

    def save(self, data: dict[str, Any], entry: dict[str, Any], *, awaits_agent: bool) -> None:
        """Save a game and its entry in lists.

        ``awaits_agent``: an agent is to move, so the game continues by itself after a restart.
        """
        persons = {seat["person"] for seat in data["seats"]} - {""}
        game = data["id"], awaits_agent, json.dumps(data)
        who = data["creator"], " ".join(sorted(persons)), data["shared"]
        listed = data["id"], *who, data["updated"], json.dumps(entry)
        with self._transaction():
            self._db.execute("insert or replace into games values (?, ?, ?)", game)
            self._db.execute("insert or replace into listed values (?, ?, ?, ?, ?, ?)", listed)
        self._written += 1

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Apply all changes made within it, or none."""
        self._db.execute("begin immediate")
        try:
            yield
            self._db.execute("commit")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has rolled it back already
                self._db.execute("rollback")
            raise

    @property
    def is_flushed(self) -> bool:
        """Whether all changes are on the disk."""
        return self._flushed == self._written

    async def flush(self) -> None:
        """Wait until all changes made so far are on the disk; concurrent calls share one sync."""
        target = self._written
        while self._flushed < target:
            if self._flushing is None:
                self._flushing = asyncio.ensure_future(self._flush(self._written))
            await asyncio.shield(self._flushing)

    async def _flush(self, written: int) -> None:
        try:
            if self._log is None:
                # SQLite keeps this file while the database is open.
                self._log = os.open(f"{self.path}-wal", os.O_RDONLY)
            await asyncio.to_thread(os.fsync, self._log)
            self._flushed = written
        except OSError as error:
            text = error.strerror or str(error)
            raise Refusal("limit", f"the game could not be saved ({text})") from None
        finally:
            self._flushing = None

    def text(self, id: str) -> str | None:
        """A game as it was saved, in JSON; None if there is none."""
        row = self._db.execute("select data from games where id = ?", (id,)).fetchone()
        return str(row[0]) if row else None

    def delete(self, id: str) -> None:
        with self._transaction():
            self._db.execute("delete from games where id = ?", (id,))
            self._db.execute("delete from listed where id = ?", (id,))
        self._written += 1

    def list_games(self, person: str, most: int, *, all_: bool = False) -> list[GameRow]:
        """The games a person created or has a seat in, then those that are shared, then, with
        ``all_``, all others; each group newest first."""
        rows = self._db.execute(
            "select id, creator, shared, updated, entry, "
            "creator = ?1 or instr(persons, ?1) > 0 as own from listed "
            "where own or shared or ?3 order by own desc, shared desc, updated desc limit ?2",
            (person, most, all_),
        )
        return [
            GameRow(id, creator, bool(own), bool(shared), updated, json.loads(entry or "null"))
            for id, creator, shared, updated, entry, own in rows
        ]

    def save_entry(self, id: str, entry: dict[str, Any]) -> None:
        """Save the entry of a game that has none yet."""
        self._db.execute("update listed set entry = ? where id = ?", (json.dumps(entry), id))

    def creator(self, id: str) -> str | None:
        row = self._db.execute("select creator from listed where id = ?", (id,)).fetchone()
        return str(row[0]) if row else None

    def games_awaiting_agent(self) -> list[str]:
        """The ids of games in which an agent is to move, the newest 64."""
        rows = self._db.execute(
            "select id from games join listed using (id) where waits order by updated desc limit 64"
        )
        return [row[0] for row in rows]

    def count(self, creator: str | None = None) -> int:
        if creator is None:
            return int(self._db.execute("select count(*) from listed").fetchone()[0])
        query = "select count(*) from listed where creator = ?"
        return int(self._db.execute(query, (creator,)).fetchone()[0])


def _lock(path: Path) -> TextIO:
    """Lock the folder for one lab: two would overwrite each other's games."""
    try:
        file = path.open("a")
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(
            f"another lab is using {path.parent}: stop it, or choose another folder with --folder"
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
    return file
