"""One WebSocket: incoming messages are checked and rate limited, outgoing ones are queued.

The queue never grows beyond what the other side reads.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

from msgspec import UNSET
from starlette.websockets import WebSocket, WebSocketDisconnect

from playproof.core.errors import PlayproofError
from playproof.web.game.session import Session
from playproof.web.http.access import Person, RateLimits, TokenBucket, address_of, is_this_machine
from playproof.web.lab import Lab
from playproof.web.protocol import requests
from playproof.web.protocol.codec import encode, parse, parse_request, rid_of
from playproof.web.protocol.refusal import LARGEST, Refusal
from playproof.web.protocol.replies.base import Message
from playproof.web.protocol.replies.games import Error, State, Thought, Unwatching, Watching
from playproof.web.websocket.handlers import final_thought, handle, start_analysis

_MOST_CONNECTIONS = 400
_MOST_OF_ONE = 24  # connections of one person
_MOST_FROM_ONE = 200  # connections from one address of another machine; half is left to others
_BURST, _RATE = 120, 40.0  # messages of one connection at once, and per second
_MOST_BAD = 20  # invalid messages before the connection is closed
_FULL = 200  # unread messages before the connection is closed
_BEHIND = 4  # unread messages from which on topics are polled less often
POLICY, TOO_BIG, TRY_LATER = 1008, 1009, 1013


class CloseConnection(Exception):
    """Closes the connection with a WebSocket close code and a reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Connections:
    """All open connections. When there are too many, one that is in no game is closed."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._open: dict[Connection, None] = {}  # the oldest first
        self._connection_limits = RateLimits(2 * _MOST_OF_ONE, 4.0)  # new ones, by guest

    async def serve(
        self, socket: WebSocket, person: Person, headers: list[tuple[bytes, bytes]]
    ) -> None:
        """Serve a connection until it ends."""
        own = sum(connection.session.person.id == person.id for connection in self._open)
        if not (person.owner or self._connection_limits.bucket(person.id).take()):
            await socket.close(TRY_LATER)
            return
        if own >= _MOST_OF_ONE or self._is_crowded(address_of(socket)) or not self._has_room():
            await refuse(socket, Refusal("limit", "too many connections"), TRY_LATER)
            return
        before = self._lab.access.round
        await socket.accept(headers=headers)
        if self._lab.access.round != before and not person.owner:  # turned out in between
            await socket.close(POLICY)
            return
        connection = Connection(self._lab, socket, person)
        self._open[connection] = None
        try:
            await connection.run()
        finally:
            del self._open[connection]

    def hang_up_on_guests(self) -> None:
        for connection in list(self._open):
            if not connection.person.owner:
                connection.close(POLICY, "the owner has turned all guests out")

    def _is_crowded(self, address: str) -> bool:
        here = is_this_machine(address)  # or a tunnel to it with many people behind
        near = sum(connection.session.address == address for connection in self._open)
        return not here and near >= _MOST_FROM_ONE

    def _has_room(self) -> bool:
        if len(self._open) < _MOST_CONNECTIONS:
            return True
        for connection in self._open:
            if connection.session.room is None and not connection.closing:
                connection.close(TRY_LATER, "too many connections")
                return True
        return False


async def refuse(socket: WebSocket, refusal: Refusal, code: int) -> None:
    """Send the reason and close."""
    await socket.accept()
    await socket.send_text(encode(Error.of(refusal)).decode())
    await socket.close(code, str(refusal))


class Connection:
    """A connection and its session. It is also the Listener of its subscriptions."""

    def __init__(self, lab: Lab, socket: WebSocket, person: Person) -> None:
        self.lab, self.socket = lab, socket
        self.session = Session(person, address_of(socket), self._enqueue)
        self._bucket = TokenBucket(_BURST, _RATE)
        self._invalid = 0
        self._outgoing: deque[Message] = deque()
        self._has_outgoing = asyncio.Event()
        self._analyses: set[asyncio.Task[None]] = set()
        self._overflowed = False
        self.closing = False

    def close(self, code: int, reason: str) -> None:
        """Close at once: nothing more is read or sent."""
        self.closing = True
        self._leave()
        self._ends = asyncio.create_task(self._close(code, reason))

    async def _close(self, code: int, reason: str) -> None:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(1.0):
                await self.socket.close(code, reason)

    async def run(self) -> None:
        writer = asyncio.create_task(self._write())
        try:
            while True:
                await self._handle(await self._receive())
        except WebSocketDisconnect:
            pass
        except CloseConnection as end:
            writer.cancel()
            await self._close(end.code, str(end))
        finally:
            writer.cancel()
            for task in self._analyses:
                task.cancel()
            self._leave()

    def _leave(self) -> None:
        self.lab.leave(self.session)
        self.lab.subscriptions.unwatch(self)

    async def _receive(self) -> str:
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect" or self.closing:
            raise WebSocketDisconnect(message.get("code", 1000))
        if self._overflowed:
            raise CloseConnection(TRY_LATER, "messages are not being read")
        if not self._bucket.take():
            raise CloseConnection(POLICY, "too many messages")
        requester = self.session.requester
        await self.lab.message_throttle.wait(requester, requester.person)
        await self.lab.address_throttle.wait(requester, requester.address)
        text = message.get("text")
        if text is None:
            raise CloseConnection(POLICY, "messages must be text")
        if len(text) > LARGEST:
            raise CloseConnection(TOO_BIG, "the message is too large")
        return str(text)

    async def _handle(self, text: str) -> None:
        rid: str | None = None
        try:
            message = parse(text)
            rid = rid_of(message)
            message_request = parse_request(message)
            if isinstance(message_request, requests.Think | requests.Hint):
                self._start_analysis(message_request, rid)
            elif isinstance(message_request, requests.Watch | requests.Unwatch):
                self._watch(message_request, rid)
            else:
                reply = await handle(self.lab, self.session, message_request)
                self._enqueue(_with_rid(reply, rid))
        except Refusal as refusal:
            self._refuse(refusal, rid)
        except PlayproofError as error:
            self._refuse(Refusal("bad", str(error)), rid)

    def _refuse(self, refusal: Refusal, rid: str | None) -> None:
        self._enqueue(Error.of(refusal, rid))
        if self.session.room is not None:
            self._enqueue(self.session.state())
        self._invalid += refusal.code == "bad"
        if self._invalid > _MOST_BAD:
            raise CloseConnection(POLICY, "too many invalid messages")

    # An analysis runs while other messages come and go

    def _start_analysis(self, request: requests.Think | requests.Hint, rid: str | None) -> None:
        job, head = start_analysis(
            self.lab, self.session, request, lambda report: self._enqueue(_with_rid(report, rid))
        )

        async def send_final() -> None:
            try:
                self._enqueue(_with_rid(await final_thought(job, head), rid))
            except Refusal as refusal:
                self._enqueue(Error.of(refusal, rid))
            finally:
                if self.session.analysis_job is job:
                    self.session.analysis_job = None

        task = asyncio.create_task(send_final())
        self._analyses.add(task)
        task.add_done_callback(self._analyses.discard)

    # Subscriptions

    def _watch(self, request: requests.Watch | requests.Unwatch, rid: str | None) -> None:
        reply: Message
        try:
            if isinstance(request, requests.Watch):
                self.lab.subscriptions.watch(self, request.topic)
                reply = Watching(request.topic)
            else:
                self.lab.subscriptions.unwatch(self, request.topic)
                reply = Unwatching(request.topic)
        except Refusal as refusal:
            reply = Error.of(refusal)
            reply.topic = request.topic
        self._enqueue(_with_rid(reply, rid))

    @property
    def person(self) -> Person:
        return self.session.person

    @property
    def is_behind(self) -> bool:
        return len(self._outgoing) > _BEHIND

    def send(self, message: Message) -> None:
        self._enqueue(message)

    # Outgoing messages

    def _enqueue(self, message: Message) -> None:
        """Queue a message.

        Replies to requests are all kept. Of unread states only the newest is kept, and interim
        reports of an analysis are dropped while several messages are unread.
        """
        old = self._outgoing[-1] if self._outgoing else None
        unread = isinstance(old, State) and old.rid is UNSET
        if unread and isinstance(message, State):
            self._outgoing.pop()
        elif isinstance(message, Thought) and not message.done and len(self._outgoing) > 4:
            return
        if len(self._outgoing) >= _FULL:
            self._overflowed = True
            return
        self._outgoing.append(message)
        self._has_outgoing.set()

    async def _write(self) -> None:
        while True:
            await self._has_outgoing.wait()
            self._has_outgoing.clear()
            while self._outgoing:
                text = encode(self._outgoing.popleft()).decode()
                try:
                    await self.socket.send_text(text)
                except (WebSocketDisconnect, RuntimeError, OSError):
                    return


def _with_rid(reply: Message, rid: str | None) -> Message:
    """The reply with the ``rid`` of its request."""
    if rid is not None:
        reply.rid = rid
    return reply
