"""Turns at the lab's threads: whatever guests ask for, some are free for who started the lab.

Answers that take time are worked out in threads, of which there are few, and one
guest may ask sixty times a second.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator

from playproof.web.access import Person
from playproof.web.messages import Refusal

THREADS = 16  # of the lab, for answers
OF_GUESTS = 6  # requests of guests at work at a time
OF_ONE = 2  # of one guest; more wait
WAITING = 30  # of one guest that wait; more are refused


class Turns:
    """Used in the lab's own thread."""

    def __init__(self) -> None:
        self._guests = asyncio.Semaphore(OF_GUESTS)
        self._own: dict[str, asyncio.Semaphore] = {}
        self._here: Counter[str] = Counter()  # requests of a guest, at work or waiting

    @contextlib.asynccontextmanager
    async def take(self, person: Person) -> AsyncIterator[None]:
        """Within it a request is at work."""
        if person.owner:
            yield
            return
        if self._here[person.id] >= OF_ONE + WAITING:
            raise Refusal("limit", "too many requests at a time: wait for some answers")
        self._here[person.id] += 1
        own = self._own.setdefault(person.id, asyncio.Semaphore(OF_ONE))
        try:
            async with own, self._guests:
                yield
        finally:
            self._here[person.id] -= 1
            if not self._here[person.id]:
                del self._here[person.id], self._own[person.id]
