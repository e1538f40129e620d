"""One WebSocket: messages in, checked and braked; messages out, never more than the
other side reads."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

from msgspec import UNSET
from starlette.websockets import WebSocket, WebSocketDisconnect

from playproof.core.errors import PlayproofError
from playproof.web.game.session import Visit
from playproof.web.http.access import Brakes, Bucket, Person, address_of, is_this_machine
from playproof.web.lab import Lab
from playproof.web.protocol import requests
from playproof.web.protocol.codec import encode, parse, request, rid_of
from playproof.web.protocol.refusal import LARGEST, Refusal
from playproof.web.protocol.replies.base import Message
from playproof.web.protocol.replies.games import Error, State, Thought, Unwatching, Watching
from playproof.web.websocket.handlers import handle, think, thought

_MOST_CONNECTIONS = 400
_MOST_OF_ONE = 24  # connections of one person
_MOST_FROM_ONE = 200  # from one address of another machine: half is left to the others
_BURST, _RATE = 120, 40.0  # messages of one connection, and how many a second
_MOST_BAD = 20  # messages that make no sense before we hang up
_FULL = 200  # messages that wait to be read
_BEHIND = 4  # from here on what is watched is looked at less often
POLICY, TOO_BIG, TRY_LATER = 1008, 1009, 1013


class HangUp(Exception):
    """End the connection, with WebSocket's code for why."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Talks:
    """All connections.  When there are too many, one that is in no game makes room."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._open: dict[Talk, None] = {}  # the oldest first
        self._comings = Brakes(2 * _MOST_OF_ONE, 4.0)  # new connections of one guest

    async def talk(
        self, socket: WebSocket, person: Person, headers: list[tuple[bytes, bytes]]
    ) -> None:
        """Serve a connection to its end."""
        own = sum(talk.visit.person.id == person.id for talk in self._open)
        if not (person.owner or self._comings.of(person.id).take()):
            await socket.close(TRY_LATER)
            return
        if own >= _MOST_OF_ONE or self._is_crowd(address_of(socket)) or not self._has_room():
            await refuse(socket, Refusal("limit", "too many connections"), TRY_LATER)
            return
        before = self._lab.access.round
        await socket.accept(headers=headers)
        if self._lab.access.round != before and not person.owner:  # turned out meanwhile
            await socket.close(POLICY)
            return
        talk = Talk(self._lab, socket, person)
        self._open[talk] = None
        try:
            await talk.run()
        finally:
            del self._open[talk]

    def hang_up_on_guests(self) -> None:
        for talk in list(self._open):
            if not talk.person.owner:
                talk.end(POLICY, "the owner has turned all guests out")

    def _is_crowd(self, address: str) -> bool:
        here = is_this_machine(address)  # or somebody's tunnel to it, with many people behind
        near = sum(talk.visit.address == address for talk in self._open)
        return not here and near >= _MOST_FROM_ONE

    def _has_room(self) -> bool:
        if len(self._open) < _MOST_CONNECTIONS:
            return True
        for talk in self._open:
            if talk.visit.room is None and not talk.ending:
                talk.end(TRY_LATER, "too many connections")
                return True
        return False


async def refuse(socket: WebSocket, refusal: Refusal, code: int) -> None:
    """Say why not, and hang up."""
    await socket.accept()
    await socket.send_text(encode(Error.of(refusal)).decode())
    await socket.close(code, str(refusal))


class Talk:
    """A connection with its visitor."""

    def __init__(self, lab: Lab, socket: WebSocket, person: Person) -> None:
        self.lab, self.socket = lab, socket
        self.visit = Visit(person, address_of(socket), self._put)
        self._brake = Bucket(_BURST, _RATE)
        self._bad = 0
        self._out: deque[Message] = deque()
        self._news = asyncio.Event()
        self._thoughts: set[asyncio.Task[None]] = set()
        self._overrun = False
        self.ending = False

    def end(self, code: int, reason: str) -> None:
        """Hang up at once: what still comes is not heard, and nothing more is told."""
        self.ending = True
        self._leave()
        self._ends = asyncio.create_task(self._hang_up(code, reason))

    async def _hang_up(self, code: int, reason: str) -> None:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(1.0):
                await self.socket.close(code, reason)

    async def run(self) -> None:
        writer = asyncio.create_task(self._write())
        try:
            while True:
                await self._hear(await self._receive())
        except WebSocketDisconnect:
            pass
        except HangUp as end:
            writer.cancel()
            await self._hang_up(end.code, str(end))
        finally:
            writer.cancel()
            for task in self._thoughts:
                task.cancel()
            self._leave()

    def _leave(self) -> None:
        self.lab.leave(self.visit)
        self.lab.watching.unwatch(self)

    async def _receive(self) -> str:
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect" or self.ending:
            raise WebSocketDisconnect(message.get("code", 1000))
        if self._overrun:
            raise HangUp(TRY_LATER, "messages are not read")
        if not self._brake.take():
            raise HangUp(POLICY, "too many messages")
        asker = self.visit.asker
        await self.lab.pace.keep(asker, asker.person)
        await self.lab.pace_from.keep(asker, asker.address)
        text = message.get("text")
        if text is None:
            raise HangUp(POLICY, "messages are text")
        if len(text) > LARGEST:
            raise HangUp(TOO_BIG, "the message is too large")
        return str(text)

    async def _hear(self, text: str) -> None:
        rid: str | None = None
        try:
            message = parse(text)
            rid = rid_of(message)
            wanted = request(message)
            if isinstance(wanted, requests.Think | requests.Hint):
                self._think(wanted, rid)
            elif isinstance(wanted, requests.Watch | requests.Unwatch):
                self._watch(wanted, rid)
            else:
                self._put(_named(await handle(self.lab, self.visit, wanted), rid))
        except Refusal as refusal:
            self._refuse(refusal, rid)
        except PlayproofError as error:
            self._refuse(Refusal("bad", str(error)), rid)

    def _refuse(self, refusal: Refusal, rid: str | None) -> None:
        self._put(Error.of(refusal, rid))
        if self.visit.room is not None:
            self._put(self.visit.state())
        self._bad += refusal.code == "bad"
        if self._bad > _MOST_BAD:
            raise HangUp(POLICY, "too many messages that make no sense")

    # Thinking goes on while other messages come and go

    def _think(self, wanted: requests.Think | requests.Hint, rid: str | None) -> None:
        job, head = think(
            self.lab, self.visit, wanted, lambda report: self._put(_named(report, rid))
        )

        async def last() -> None:
            try:
                self._put(_named(await thought(job, head), rid))
            except Refusal as refusal:
                self._put(Error.of(refusal, rid))
            finally:
                if self.visit.thinking is job:
                    self.visit.thinking = None

        task = asyncio.create_task(last())
        self._thoughts.add(task)
        task.add_done_callback(self._thoughts.discard)

    # Watching: a Talk is a Listener

    def _watch(self, wanted: requests.Watch | requests.Unwatch, rid: str | None) -> None:
        answer: Message
        try:
            if isinstance(wanted, requests.Watch):
                self.lab.watching.watch(self, wanted.topic)
                answer = Watching(wanted.topic)
            else:
                self.lab.watching.unwatch(self, wanted.topic)
                answer = Unwatching(wanted.topic)
        except Refusal as refusal:
            answer = Error.of(refusal)
            answer.topic = wanted.topic
        self._put(_named(answer, rid))

    @property
    def person(self) -> Person:
        return self.visit.person

    @property
    def is_behind(self) -> bool:
        return len(self._out) > _BEHIND

    def hear(self, message: Message) -> None:
        self._put(message)

    # Out

    def _put(self, message: Message) -> None:
        """Queue a message.  Of states and reports that nobody has read only the newest
        is kept; answers to requests are all kept."""
        old = self._out[-1] if self._out else None
        unread = isinstance(old, State) and old.rid is UNSET
        if unread and isinstance(message, State):
            self._out.pop()
        elif isinstance(message, Thought) and not message.done and len(self._out) > 4:
            return
        if len(self._out) >= _FULL:
            self._overrun = True
            return
        self._out.append(message)
        self._news.set()

    async def _write(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._out:
                text = encode(self._out.popleft()).decode()
                try:
                    await self.socket.send_text(text)
                except (WebSocketDisconnect, RuntimeError, OSError):
                    return


def _named(answer: Message, rid: str | None) -> Message:
    """An answer with the name of its request."""
    if rid is not None:
        answer.rid = rid
    return answer
