"""The lab's memory: games as JSON in SQLite, and a few secrets of this folder.

A change is written before anyone is told of it.  In write-ahead mode a process
that is killed loses nothing that was written; and before a change is acknowledged,
``flush`` has seen to it that the disk has it, so that a power cut loses nothing either.
SQLite would do the same with ``synchronous = full``, but within each write, while all
others wait: 4 ms on an ordinary disk instead of 0.1 ms.
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

_OURS = 0x506C6179  # "Play": SQLite's mark of a program's own files
_VERSION = 2
# Lists are read from small rows of their own, kept with each game.
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
# Entries of old games are made when they are first asked for.
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


class Listed(NamedTuple):
    """A row of a list of games; ``entry`` is the room's, None if it was never made."""

    id: str
    creator: str
    own: bool  # the asker began it or sits in it
    shared: bool
    updated: float
    entry: dict[str, Any] | None


class Store:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "lab.sqlite"
        self._written = self._flushed = 0  # changes, and those that the disk has
        self._flushing: asyncio.Future[None] | None = None
        self._log: int | None = None  # the file of the write-ahead log
        private_folder(folder)
        private_file(folder / "lab.lock")
        self._lock = _locked(folder / "lab.lock")
        try:
            # It holds the secret that signs persons.  SQLite makes the files beside it with the
            # same mode; those of a lab that was killed may have an older one.
            private_file(self.path)
            for end in ("-wal", "-shm", "-journal"):
                close_to_others(self.path.with_name(self.path.name + end))
            # The lab is one thread; closing may come from another one.
            self._base = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=5.0
            )
            self._open()
        except sqlite3.Error as error:
            self._lock.close()
            raise DataError(
                f"{self.path} cannot be used ({error}): move it away to begin anew, "
                "or put a copy of an earlier day in its place"
            ) from None
        except BaseException:
            self._lock.close()
            raise

    def _open(self) -> None:
        base = self._base
        tables = base.execute("select count(*) from sqlite_master").fetchone()[0]
        mark = base.execute("pragma application_id").fetchone()[0]
        version = base.execute("pragma user_version").fetchone()[0]
        if tables and (mark != _OURS or version > _VERSION):
            kind = "of a newer Playproof" if mark == _OURS else "of another program"
            base.close()
            raise DataError(f"{self.path} is {kind}: choose another folder with --folder")
        found = base.execute("pragma quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(found.splitlines()[-1])
        base.execute("pragma journal_mode = wal")
        base.execute("pragma synchronous = normal")
        if not tables or version < _VERSION:
            base.executescript(
                f"begin; pragma application_id = {_OURS}; pragma user_version = {_VERSION};"
                f"{_FROM_1 if tables else _TABLES} commit;"
            )

    def close(self) -> None:
        if self._log is not None:
            os.close(self._log)
            self._log = None
        self._base.close()
        self._lock.close()

    # Secrets and settings of this folder

    def fact(self, name: str, default: str | None = None) -> str:
        """A value that is made once, by chance unless told, and then kept."""
        row = self._base.execute("select value from facts where name = ?", (name,)).fetchone()
        if row:
            return str(row[0])
        value = secrets.token_urlsafe(32) if default is None else default
        self._base.execute("insert into facts values (?, ?)", (name, value))
        return value

    def set_fact(self, name: str, value: str) -> None:
        self._base.execute("insert or replace into facts values (?, ?)", (name, value))

    # Games

    def save(self, data: dict[str, Any], entry: dict[str, Any], *, waits: bool) -> None:
        """A game and its entry in lists.

        ``waits``: an agent is to move, so the game goes on by itself after a restart.
        """
        persons = {seat["person"] for seat in data["seats"]} - {""}
        game = data["id"], waits, json.dumps(data)
        who = data["creator"], " ".join(sorted(persons)), data["shared"]
        listed = data["id"], *who, data["updated"], json.dumps(entry)
        with self._at_once():
            self._base.execute("insert or replace into games values (?, ?, ?)", game)
            self._base.execute("insert or replace into listed values (?, ?, ?, ?, ?, ?)", listed)
        self._written += 1

    @contextlib.contextmanager
    def _at_once(self) -> Iterator[None]:
        """Both or neither."""
        self._base.execute("begin immediate")
        try:
            yield
            self._base.execute("commit")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back already
                self._base.execute("rollback")
            raise

    @property
    def is_flushed(self) -> bool:
        return self._flushed == self._written

    async def flush(self) -> None:
        """Until the disk has all changes made so far; those of many are brought there at once."""
        wanted = self._written
        while self._flushed < wanted:
            if self._flushing is None:
                self._flushing = asyncio.ensure_future(self._flush(self._written))
            await asyncio.shield(self._flushing)

    async def _flush(self, written: int) -> None:
        try:
            if self._log is None:
                # It is there, with the same name, for as long as the data base is open.
                self._log = os.open(f"{self.path}-wal", os.O_RDONLY)
            await asyncio.to_thread(os.fsync, self._log)
            self._flushed = written
        except OSError as error:
            text = error.strerror or str(error)
            raise Refusal("limit", f"the game could not be saved ({text})") from None
        finally:
            self._flushing = None

    def text(self, id: str) -> str | None:
        """A game as it was saved, in JSON."""
        row = self._base.execute("select data from games where id = ?", (id,)).fetchone()
        return str(row[0]) if row else None

    def delete(self, id: str) -> None:
        with self._at_once():
            self._base.execute("delete from games where id = ?", (id,))
            self._base.execute("delete from listed where id = ?", (id,))
        self._written += 1

    def listed(self, person: str, most: int, *, all_: bool = False) -> list[Listed]:
        """The games a person began or sits in, then those that are shared, then, if
        ``all_`` are wanted, the rest; newest first."""
        rows = self._base.execute(
            "select id, creator, shared, updated, entry, "
            "creator = ?1 or instr(persons, ?1) > 0 as own from listed "
            "where own or shared or ?3 order by own desc, shared desc, updated desc limit ?2",
            (person, most, all_),
        )
        return [
            Listed(id, creator, bool(own), bool(shared), updated, json.loads(entry or "null"))
            for id, creator, shared, updated, entry, own in rows
        ]

    def list_as(self, id: str, entry: dict[str, Any]) -> None:
        """The entry of a game that has none yet."""
        self._base.execute("update listed set entry = ? where id = ?", (json.dumps(entry), id))

    def creator(self, id: str) -> str | None:
        row = self._base.execute("select creator from listed where id = ?", (id,)).fetchone()
        return str(row[0]) if row else None

    def waiting(self) -> list[str]:
        """Games in which an agent is to move."""
        rows = self._base.execute(
            "select id from games join listed using (id) where waits order by updated desc limit 64"
        )
        return [row[0] for row in rows]

    def count(self, creator: str | None = None) -> int:
        if creator is None:
            return int(self._base.execute("select count(*) from listed").fetchone()[0])
        found = self._base.execute("select count(*) from listed where creator = ?", (creator,))
        return int(found.fetchone()[0])


def _locked(path: Path) -> TextIO:
    """One lab a folder: two would overwrite each other's games."""
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
