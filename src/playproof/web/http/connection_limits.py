"""The door before the web application: connections that say nothing do not crowd out others.

The server waits for whoever has connected, for ever if need be: a thousand sockets
of one machine that never ask for anything would leave no room for the rest.  Here a
request must come, and go on coming, within seconds, and where one address has too
many connections its own longest silent one makes room.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import time
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

MOST = 800  # connections that are not WebSockets
MOST_FROM_ONE = 200  # of one address: a class behind one router has 30 browsers with 6 each
ASKING = 10.0  # seconds until the first request's head is complete
ASKING_AGAIN = 25.0  # and a later one's; the server ends a silent one sooner
SENDING = 15.0  # seconds without a byte in the middle of a request's body
READING = 30.0  # seconds in which nothing of an answer is read
_ROUND = 1.0  # seconds between two looks at all of them
_FILES = 4096  # open files that we would like to be allowed

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Http
else:
    _Http = AutoHTTPProtocol


class Porch:
    """All connections of a server; ``connect`` is uvicorn's ``http`` setting."""

    def __init__(self) -> None:
        self.doors: dict[str, dict[Door, None]] = {}  # by address, the oldest first
        self._round: asyncio.TimerHandle | None = None

    def connect(self, *given: Any, **named: Any) -> Door:
        return Door(self, *given, **named)

    def __len__(self) -> int:
        return sum(map(len, self.doors.values()))

    def enter(self, door: Door) -> None:
        """Room for one more, at the cost of the longest silent one."""
        own = self.doors.get(door.address, {})
        if len(own) >= MOST_FROM_ONE:
            _make_room(own, door)
        elif len(self) >= MOST:
            _make_room(max(self.doors.values(), key=len), door)
        if not door.closed:
            self.doors.setdefault(door.address, {})[door] = None
        if self._round is None:
            self._again(door.loop)

    def leave(self, door: Door) -> None:
        own = self.doors.get(door.address, {})
        own.pop(door, None)
        if not own:
            self.doors.pop(door.address, None)

    def _again(self, loop: asyncio.AbstractEventLoop) -> None:
        self._round = loop.call_later(_ROUND, self._look, loop) if self.doors else None

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        now = time.monotonic()
        for door in [door for own in self.doors.values() for door in own]:
            if door.is_late(now):
                door.end()
        self._again(loop)


def _make_room(crowd: dict[Door, None], newcomer: Door) -> None:
    silent = [door for door in crowd if door.is_waited_for]
    longest = min(silent, key=lambda door: door.heard, default=newcomer)
    longest.end()


class Door(_Http):
    """uvicorn's side of a connection, with a watch."""

    def __init__(self, porch: Porch, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._porch = porch
        self.address = "?"
        self.since = self.heard = time.monotonic()  # it may ask since; last bytes
        self._stuck: float | None = None  # since when nothing of our answer is read
        self._asked = False
        self.closed = False

    @property
    def is_waited_for(self) -> bool:
        """Whether it is the other side's turn to say something."""
        return self._is_idle or bool(self.cycle.more_body)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def is_late(self, now: float) -> bool:
        if self._stuck is not None:
            return now - self._stuck > READING
        if self._is_idle:
            return now - self.since > (ASKING_AGAIN if self._asked else ASKING)
        return self.is_waited_for and now - self.heard > SENDING

    def end(self) -> None:
        self.closed = True
        self._porch.leave(self)
        self.transport.abort()

    # What the transport and uvicorn tell

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else "?"
        self._porch.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._porch.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.heard = time.monotonic()
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # a WebSocket now, with its own pings
            self._porch.leave(self)

    def on_response_complete(self) -> None:
        self.since, self._asked = time.monotonic(), True
        super().on_response_complete()

    def pause_writing(self) -> None:
        self._stuck = time.monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._stuck = None
        super().resume_writing()


def allow_files() -> None:
    """As many open files as connections may need: many systems allow 1,024 unless asked."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
