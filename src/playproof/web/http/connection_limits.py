"""Limits on HTTP connections, so that silent ones do not crowd out others.

uvicorn waits for a client for ever if need be: a thousand sockets of one machine that never send
a request would leave no room for others. Here a request has to arrive, and to keep arriving,
within seconds. Where one address has too many connections, the one that was silent longest is
closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import time
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

MOST = 800  # connections that are not WebSockets
MOST_FROM_ONE = 200  # from one address: a class behind one router has 30 browsers with 6 each
FIRST_REQUEST = 10.0  # seconds until the head of the first request is complete
NEXT_REQUEST = 25.0  # and that of a later one; uvicorn itself closes idle connections sooner
BODY_PAUSE = 15.0  # seconds without a byte in the middle of a request's body
RESPONSE_PAUSE = 30.0  # seconds in which the client reads nothing of a response
_CHECK_EVERY = 1.0  # seconds between two checks of all connections
_FILES = 4096  # open files to ask the system for

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Http
else:
    _Http = AutoHTTPProtocol


class ConnectionLimiter:
    """All HTTP connections of a server; ``connect`` is uvicorn's ``http`` setting."""

    def __init__(self) -> None:
        # By address, the oldest first.
        self.connections: dict[str, dict[LimitedConnection, None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def connect(self, *arguments: Any, **named: Any) -> LimitedConnection:
        return LimitedConnection(self, *arguments, **named)

    def __len__(self) -> int:
        return sum(map(len, self.connections.values()))

    def enter(self, connection: LimitedConnection) -> None:
        """Register a new connection; if there are too many, close the one silent longest."""
        own = self.connections.get(connection.address, {})
        if len(own) >= MOST_FROM_ONE:
            _make_room(own, connection)
        elif len(self) >= MOST:
            _make_room(max(self.connections.values(), key=len), connection)
        if not connection.closed:
            self.connections.setdefault(connection.address, {})[connection] = None
        if self._timer is None:
            self._schedule_check(connection.loop)

    def leave(self, connection: LimitedConnection) -> None:
        own = self.connections.get(connection.address, {})
        own.pop(connection, None)
        if not own:
            self.connections.pop(connection.address, None)

    def _schedule_check(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = loop.call_later(_CHECK_EVERY, self._check, loop) if self.connections else None

    def _check(self, loop: asyncio.AbstractEventLoop) -> None:
        now = time.monotonic()
        for connection in [one for own in self.connections.values() for one in own]:
            if connection.is_late(now):
                connection.abort()
        self._schedule_check(loop)


def _make_room(crowd: dict[LimitedConnection, None], newcomer: LimitedConnection) -> None:
    silent = [connection for connection in crowd if connection.is_waiting_for_client]
    longest = min(silent, key=lambda connection: connection.last_received, default=newcomer)
    longest.abort()


class LimitedConnection(_Http):
    """uvicorn's HTTP connection, with a record of when each side last did something."""

    def __init__(self, limiter: ConnectionLimiter, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limiter = limiter
        self.address = "?"
        # When the current wait for a request started, and when the last bytes arrived.
        self.request_due_since = self.last_received = time.monotonic()
        self._unread_since: float | None = None  # since when the client reads no response
        self._has_requested = False
        self.closed = False

    @property
    def is_waiting_for_client(self) -> bool:
        """Whether it is the client's turn to send something."""
        return self._is_idle or bool(self.cycle.more_body)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def is_late(self, now: float) -> bool:
        """Whether the client has taken too long to send or to read."""
        if self._unread_since is not None:
            return now - self._unread_since > RESPONSE_PAUSE
        if self._is_idle:
            limit = NEXT_REQUEST if self._has_requested else FIRST_REQUEST
            return now - self.request_due_since > limit
        return self.is_waiting_for_client and now - self.last_received > BODY_PAUSE

    def abort(self) -> None:
        """Close at once."""
        self.closed = True
        self._limiter.leave(self)
        self.transport.abort()

    # Events from the transport and from uvicorn

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else "?"
        self._limiter.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limiter.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.last_received = time.monotonic()
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # a WebSocket now, with its own pings
            self._limiter.leave(self)

    def on_response_complete(self) -> None:
        self.request_due_since, self._has_requested = time.monotonic(), True
        super().on_response_complete()

    def pause_writing(self) -> None:
        self._unread_since = time.monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._unread_since = None
        super().resume_writing()


def raise_open_files_limit() -> None:
    """Allow as many open files as connections may need; many systems start with 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
