"""The files of games that the page knows: the lab's own, and those that commands named.

``playproof tournament --file X`` plays into another file, and its job says which.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from playproof.core.jobs.index import JobEntry
from playproof.web.jobs.index import JobsOfKind
from playproof.web.pages.tournaments.database import TournamentDatabase
from playproof.web.pages.tournaments.ids import OWN, share_of
from playproof.web.pages.tournaments.table import TournamentTables
from playproof.web.protocol.refusal import Refusal

KINDS = ("tournament", "match", "elo", "paper")  # of jobs that play into a file
MOST_FILES = 20  # besides the lab's own, the latest
_OPTION = "--file"


class GameFile:
    """A file of games with its tables."""

    def __init__(self, path: Path, share: int = 0) -> None:
        self.book = TournamentDatabase(path, share)
        self.tables = TournamentTables(self.book)


class GameFiles:
    """All files of games; may be asked from several threads."""

    def __init__(self, data: Path) -> None:
        self.own = GameFile(data / "arena.sqlite")
        self._jobs = JobsOfKind(data, *KINDS)
        self._lock = threading.Lock()
        self._others: dict[Path, GameFile] = {}
        self._entries: list[JobEntry] | None = None  # that ``_others`` is of

    def jobs(self) -> list[JobEntry]:
        """Jobs that play, the latest first."""
        return self._jobs.entries()

    def of(self, number: int) -> GameFile:
        """Where a tournament or a game of this number is."""
        if number < OWN:
            return self.own
        for shelf in self.others():
            if shelf.book.share == number - number % OWN:
                return shelf
        raise Refusal("gone", "this was in a file of games that is not known here (any more)")

    def others(self) -> list[GameFile]:
        """The files that jobs have named, the latest first."""
        entries = self.jobs()
        with self._lock:
            if entries is not self._entries:
                own = self.own.book.path
                known = self._others
                self._others = {}
                for path in _paths(entries):
                    share = share_of(path, own)
                    if share and len(self._others) < MOST_FILES and path not in self._others:
                        self._others[path] = known.get(path) or GameFile(path, share)
                self._entries = entries
            return list(self._others.values())


def _paths(entries: list[JobEntry]) -> Iterator[Path]:
    """Files that commands name, from the folder where each was given."""
    for entry in entries:
        words = entry.record["argv"]
        for word, next_ in zip(words, [*words[1:], ""], strict=True):
            name = next_ if word == _OPTION else ""
            if word.startswith(f"{_OPTION}="):
                name = word.partition("=")[2]
            if name:
                yield Path(entry.record["cwd"], name).resolve()
