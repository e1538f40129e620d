"""Turns at the lab's threads: whatever guests ask for, some are free for who started the lab.

Answers that take time are worked out in threads, of which there are few, and one
guest may ask sixty times a second.  They share one interpreter with the loop that
answers everybody, so of guests' work only a little goes on at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from playproof.web.engines.fair_queue import Asker, FairQueue, Load
from playproof.web.http.access import Brakes
from playproof.web.protocol.refusal import Refusal

THREADS = 16  # of the lab, for answers
OF_GUESTS = 3  # pieces of guests' work at a time
OF_ADDRESS = 2  # of the guests at one address
OF_ONE = 1  # of one guest; more wait
WAITING = 30  # of one guest that wait; more are refused
WAITING_AT = 300  # of one address
_TICK = 0.02  # seconds between two looks at who waits
_NOTHING = Load()


class _Turn:
    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.begins: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Turns:
    """How much of guests' work goes on at a time, in all and of one address; used in the
    lab's own thread."""

    def __init__(self, of_guests: int = OF_GUESTS, of_address: int = OF_ADDRESS) -> None:
        self._of_guests, self._of_address = of_guests, of_address
        self._load = Load()
        self._waiting: FairQueue[_Turn] = FairQueue()

    @contextlib.asynccontextmanager
    async def take(self, asker: Asker) -> AsyncIterator[None]:
        """Within it a piece of work is done."""
        if asker.owner:
            yield
            return
        waiting = self._waiting
        if waiting.waiting_of(asker) >= WAITING or waiting.waiting_at(asker.address) >= WAITING_AT:
            raise Refusal("limit", "too many requests at a time: wait for some answers")
        turn = _Turn(asker)
        waiting.push(asker, turn)
        self._next()
        try:
            await turn.begins
        except asyncio.CancelledError:  # whoever hangs up while waiting is forgotten
            if turn.begins.cancelled():
                waiting.remove(asker, turn)
            else:
                self._end(asker)
            raise
        try:
            yield
        finally:
            self._end(asker)

    def _next(self) -> None:
        most = self._of_address
        while self._load.total < self._of_guests:
            turn = self._waiting.pop(self._load, of_address=most, of_person=OF_ONE)
            if turn is None:
                return
            if not turn.begins.done():
                self._load.add(turn.asker)
                turn.begins.set_result(None)

    def _end(self, asker: Asker) -> None:
        self._load.remove(asker)
        self._next()


class Pace:
    """Messages of one guest, and of all guests at one address: so many a second.  When there
    are more they wait, and are heard person by person, however many connections each has."""

    def __init__(self, burst: float, rate: float) -> None:
        self._brakes = Brakes(burst, rate)
        self._waiting: dict[str, FairQueue[_Turn]] = {}
        self._tick: asyncio.TimerHandle | None = None

    async def keep(self, asker: Asker, name: str) -> None:
        """Until the next message may be heard of those who share ``name``."""
        if asker.owner:
            return
        queue = self._waiting.get(name)
        if queue is None and self._brakes.of(name).take():
            return
        queue = self._waiting.setdefault(name, FairQueue())
        turn = _Turn(asker)
        queue.push(asker, turn)
        self._again()
        try:
            await turn.begins
        except asyncio.CancelledError:
            queue.remove(asker, turn)
            raise

    def _again(self) -> None:
        if self._tick is None and self._waiting:
            loop = asyncio.get_running_loop()
            self._tick = loop.call_later(_TICK, self._let_some_go_on)

    def _let_some_go_on(self) -> None:
        self._tick = None
        for address, queue in list(self._waiting.items()):
            bucket = self._brakes.of(address)
            while len(queue) and bucket.take():
                turn = queue.pop(_NOTHING)
                if turn is not None and not turn.begins.done():
                    turn.begins.set_result(None)
            if not len(queue):
                del self._waiting[address]
        self._again()
