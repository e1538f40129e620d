"""Someone looking at a game: a connection, or one HTTP request."""

from __future__ import annotations

from collections.abc import Callable

from playproof.web.engines.fair_queue import Asker
from playproof.web.engines.pool import Job
from playproof.web.game.room import Room
from playproof.web.game.serializers import state_message
from playproof.web.http.access import Person
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Message
from playproof.web.protocol.replies.games import State


class Visit:
    """Where a visitor stands: a room, a line of it, and a ply, or None to follow the game."""

    def __init__(
        self,
        person: Person,
        address: str,
        send: Callable[[Message], None] | None = None,
    ) -> None:
        self.person, self.address = person, address
        self.asker = Asker.of(person, address)
        self.room: Room | None = None
        self.line = 0
        self.ply: int | None = None
        self.thinking: Job | None = None
        self.is_told = False  # of the newest state, as soon as it is drawn
        self._send = send

    def tell(self, message: Message) -> None:
        if self._send is not None:
            self._send(message)

    def enter(self, room: Room, line: int = 0, ply: int | None = None) -> None:
        self.room, self.line, self.ply = room, line, ply

    def here(self) -> Room:
        if self.room is None:
            raise Refusal("gone", "you are in no game: join one or begin a new one")
        return self.room

    def go(self, line: int, ply: int | None) -> None:
        """Stand there; at the end of a line one follows it."""
        room = self.here()
        length = room.lines.length(line)
        if ply is not None and ply > length:
            raise Refusal("bad", f"the game has {length} moves: there is no ply {ply}")
        self.line, self.ply = line, None if ply == length else ply

    @property
    def place(self) -> tuple[int, int | None]:
        """(line, ply) that are seen; the main line where one's own was taken back."""
        known = self.room is None or self.line in self.room.lines.all
        return (self.line, self.ply) if known else (0, None)

    def state(self) -> State:
        """What this visitor sees now."""
        room = self.here()
        self.line, self.ply = self.place
        return state_message(room, self.person.id, self.line, self.ply)

    def stop(self) -> None:
        """End the visitor's thinking with what it has found."""
        if self.thinking is not None:
            self.thinking.stop()

    def drop(self) -> None:
        """End it without an answer."""
        if self.thinking is not None:
            self.thinking.drop()
            self.thinking = None
