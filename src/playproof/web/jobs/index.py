"""The jobs of some kinds, for the pages that show their results.

A watched page asks twice a second, and there may be hundreds of jobs. So they are read again only
once a second, and as soon as a job is added or deleted.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from playproof.core.jobs.index import JobEntry, JobIndex

_FRESH = 1.0  # seconds for which the entries are reused


class JobsOfKind:
    """The entries of jobs of some ``kinds``; it may be used from several threads."""

    def __init__(self, data: Path, *kinds: str) -> None:
        self._book = JobIndex(data)
        self._kinds = kinds
        self._lock = threading.Lock()
        self._last_stamp: Any = None
        self._until = 0.0
        self._entries: list[JobEntry] = []

    def entries(self) -> list[JobEntry]:
        """The entries, the newest first."""
        with self._lock:
            stamp = self._stamp()
            if stamp != self._last_stamp or time.monotonic() > self._until:
                entries = self._book.entries()
                self._entries = [e for e in entries if e.record.get("kind") in self._kinds]
                self._last_stamp, self._until = stamp, time.monotonic() + _FRESH
            return self._entries

    def _stamp(self) -> int | None:
        """A number that changes when a job is added or deleted."""
        try:
            return self._book.folder.stat().st_mtime_ns
        except OSError:
            return None
