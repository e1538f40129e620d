"""A visitor's session: what they are viewing, over a connection or in one HTTP request."""

from __future__ import annotations

from collections.abc import Callable

from playproof.web.engines.fair_queue import Requester
from playproof.web.engines.pool import EngineJob
from playproof.web.game.room import Room
from playproof.web.game.serializers import state_message
from playproof.web.http.access import Person
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Message
from playproof.web.protocol.replies.games import State


class Session:
    """What a visitor is viewing: a room, one of its lines, and a ply (None follows the line)."""

    def __init__(
        self,
        person: Person,
        address: str,
        send: Callable[[Message], None] | None = None,
    ) -> None:
        self.person, self.address = person, address
        self.requester = Requester.of(person, address)
        self.room: Room | None = None
        self.line = 0
        self.ply: int | None = None
        self.analysis_job: EngineJob | None = None
        self.update_pending = False  # the newest state is sent as soon as it is rendered
        self._send = send

    def send(self, message: Message) -> None:
        if self._send is not None:
            self._send(message)

    def enter(self, room: Room, line: int = 0, ply: int | None = None) -> None:
        self.room, self.line, self.ply = room, line, ply

    def current_room(self) -> Room:
        if self.room is None:
            raise Refusal("gone", "you are not in a game: join one or start a new one")
        return self.room

    def go_to(self, line: int, ply: int | None) -> None:
        """View a ply of a line; at its last ply the session follows the line."""
        room = self.current_room()
        length = room.lines.length(line)
        if ply is not None and ply > length:
            raise Refusal("bad", f"the game has no ply {ply}: want 0 to {length}")
        self.line, self.ply = line, None if ply == length else ply

    @property
    def place(self) -> tuple[int, int | None]:
        """The (line, ply) being viewed; the main line if the session's line was taken back."""
        exists = self.room is None or self.line in self.room.lines.all
        return (self.line, self.ply) if exists else (0, None)

    def state(self) -> State:
        """The state as this visitor sees it."""
        room = self.current_room()
        self.line, self.ply = self.place
        return state_message(room, self.person.id, self.line, self.ply)

    def stop_analysis(self) -> None:
        """End the visitor's analysis; it reports what it has found so far."""
        if self.analysis_job is not None:
            self.analysis_job.stop()

    def drop_analysis(self) -> None:
        """End the visitor's analysis without a final report."""
        if self.analysis_job is not None:
            self.analysis_job.drop()
            self.analysis_job = None
