"""The files of games that the page shows: the lab's own, and those that commands have named.

``playproof tournament --file X`` plays into another file, and its job records the command line.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from playproof.core.jobs.index import JobEntry
from playproof.web.jobs.index import JobsOfKind
from playproof.web.pages.tournaments.database import TournamentDatabase
from playproof.web.pages.tournaments.ids import OWN, offset_of
from playproof.web.pages.tournaments.table import TournamentTables
from playproof.web.protocol.refusal import Refusal

KINDS = ("tournament", "match", "elo", "paper")  # of jobs that play into a file
MOST_FILES = 20  # besides the lab's own; the latest are shown
_OPTION = "--file"


class GameFile:
    """A file of games with its tables."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.database = TournamentDatabase(path, offset)
        self.tables = TournamentTables(self.database)


class GameFiles:
    """All files of games; safe to use from several threads."""

    def __init__(self, data: Path) -> None:
        self.own = GameFile(data / "arena.sqlite")
        self._jobs = JobsOfKind(data, *KINDS)
        self._lock = threading.Lock()
        self._others: dict[Path, GameFile] = {}
        self._entries: list[JobEntry] | None = None  # the jobs that ``_others`` was made from

    def jobs(self) -> list[JobEntry]:
        """The jobs that play games, the latest first."""
        return self._jobs.entries()

    def of(self, number: int) -> GameFile:
        """The file that has the tournament or the game with this number."""
        if number < OWN:
            return self.own
        for file in self.others():
            if file.database.offset == number - number % OWN:
                return file
        raise Refusal("gone", "this was in a file of games that the lab no longer knows")

    def others(self) -> list[GameFile]:
        """The files that jobs have named, those of the latest jobs first."""
        entries = self.jobs()
        with self._lock:
            if entries is not self._entries:
                own = self.own.database.path
                known = self._others
                self._others = {}
                for path in _paths(entries):
                    offset = offset_of(path, own)
                    if offset and len(self._others) < MOST_FILES and path not in self._others:
                        self._others[path] = known.get(path) or GameFile(path, offset)
                self._entries = entries
            return list(self._others.values())


def _paths(entries: list[JobEntry]) -> Iterator[Path]:
    """The files that commands name, relative to the folder where each command was started."""
    for entry in entries:
        words = entry.record["argv"]
        for word, next_ in zip(words, [*words[1:], ""], strict=True):
            name = next_ if word == _OPTION else ""
            if word.startswith(f"{_OPTION}="):
                name = word.partition("=")[2]
            if name:
                yield Path(entry.record["cwd"], name).resolve()
