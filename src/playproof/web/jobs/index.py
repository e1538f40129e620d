"""The jobs of some kinds, for pages that show what they make.

Pages that are watched ask twice a second, and there may be hundreds of jobs: they
are read again once a second, or as soon as there is a new one.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from playproof.core.jobs.index import Book, Entry

_FRESH = 1.0  # seconds


class JobIndex:
    """May be asked from several threads."""

    def __init__(self, data: Path, *kinds: str) -> None:
        self._book = Book(data)
        self._kinds = kinds
        self._lock = threading.Lock()
        self._seen: Any = None
        self._until = 0.0
        self._entries: list[Entry] = []

    def entries(self) -> list[Entry]:
        """The newest first."""
        with self._lock:
            seen = self._stamp()
            if seen != self._seen or time.monotonic() > self._until:
                found = self._book.entries()
                self._entries = [e for e in found if e.card.get("kind") in self._kinds]
                self._seen, self._until = seen, time.monotonic() + _FRESH
            return self._entries

    def _stamp(self) -> int | None:
        """Changes when a job comes or goes."""
        try:
            return self._book.folder.stat().st_mtime_ns
        except OSError:
            return None
