"""Limits on guests' share of the lab's threads and messages, whatever they ask for.

Slow answers are worked out in threads, of which there are few, while one guest may ask sixty
times a second. The threads share one interpreter with the event loop, so only a little of the
guests' work runs at a time. The owner is not limited.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from playproof.web.engines.fair_queue import FairQueue, Load, Requester
from playproof.web.http.access import RateLimits
from playproof.web.protocol.refusal import Refusal

THREADS = 16  # of the lab, for answers
OF_GUESTS = 3  # guests' pieces of work that run at a time
OF_ADDRESS = 2  # of the guests at one address
OF_ONE = 1  # of one guest; further ones wait
WAITING = 30  # waiting pieces of work of one guest; further ones are refused
WAITING_AT = 300  # of one address
_TICK = 0.02  # seconds between two checks of waiting messages
_NO_LOAD = Load()


class _Waiter:
    """A requester in a queue; ``admitted`` is resolved when it is their turn."""

    def __init__(self, requester: Requester) -> None:
        self.requester = requester
        self.admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class ThreadSlots:
    """Limits how much of guests' work runs at a time, in total and by address.

    Used in the lab's own thread.
    """

    def __init__(self, of_guests: int = OF_GUESTS, of_address: int = OF_ADDRESS) -> None:
        self._of_guests, self._of_address = of_guests, of_address
        self._load = Load()
        self._waiting: FairQueue[_Waiter] = FairQueue()

    @contextlib.asynccontextmanager
    async def hold(self, requester: Requester) -> AsyncIterator[None]:
        """Hold a slot within this context; a guest waits for it."""
        if requester.owner:
            yield
            return
        waiting = self._waiting
        if (
            waiting.waiting_of(requester) >= WAITING
            or waiting.waiting_at(requester.address) >= WAITING_AT
        ):
            raise Refusal("limit", "too many requests at a time: wait for some answers")
        turn = _Waiter(requester)
        waiting.push(requester, turn)
        self._next()
        try:
            await turn.admitted
        except asyncio.CancelledError:  # the guest disconnected while waiting
            if turn.admitted.cancelled():
                waiting.remove(requester, turn)
            else:
                self._release(requester)
            raise
        try:
            yield
        finally:
            self._release(requester)

    def _next(self) -> None:
        most = self._of_address
        while self._load.total < self._of_guests:
            turn = self._waiting.pop(self._load, of_address=most, of_person=OF_ONE)
            if turn is None:
                return
            if not turn.admitted.done():
                self._load.add(turn.requester)
                turn.admitted.set_result(None)

    def _release(self, requester: Requester) -> None:
        self._load.remove(requester)
        self._next()


class Throttle:
    """Limits how many messages a second are handled, for each guest or each address.

    Further messages wait, and are then admitted person by person, however many connections each
    person has.
    """

    def __init__(self, burst: float, rate: float) -> None:
        self._limits = RateLimits(burst, rate)
        self._waiting: dict[str, FairQueue[_Waiter]] = {}
        self._tick: asyncio.TimerHandle | None = None

    async def wait(self, requester: Requester, name: str) -> None:
        """Wait until the next message of those who share ``name`` may be handled."""
        if requester.owner:
            return
        queue = self._waiting.get(name)
        if queue is None and self._limits.bucket(name).take():
            return
        queue = self._waiting.setdefault(name, FairQueue())
        turn = _Waiter(requester)
        queue.push(requester, turn)
        self._schedule()
        try:
            await turn.admitted
        except asyncio.CancelledError:
            queue.remove(requester, turn)
            raise

    def _schedule(self) -> None:
        if self._tick is None and self._waiting:
            loop = asyncio.get_running_loop()
            self._tick = loop.call_later(_TICK, self._admit)

    def _admit(self) -> None:
        self._tick = None
        for address, queue in list(self._waiting.items()):
            bucket = self._limits.bucket(address)
            while len(queue) and bucket.take():
                turn = queue.pop(_NO_LOAD)
                if turn is not None and not turn.admitted.done():
                    turn.admitted.set_result(None)
            if not len(queue):
                del self._waiting[address]
        self._schedule()
