"""All rooms: found in memory or in the store, begun within limits, saved before told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import UNSET

from playproof.core.errors import PlayproofError
from playproof.web.catalog import listing as catalog
from playproof.web.database import Store
from playproof.web.game.clock import Clocks
from playproof.web.game.parse_text import AUTO, Source, read_lines
from playproof.web.game.room import Room, Seat
from playproof.web.game.serializers import listing
from playproof.web.game.variations import Lines
from playproof.web.http.access import Person
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.games import ListedGame
from playproof.web.protocol.requests import New, given

MOST_GAMES = 20_000  # in the store
MOST_OF_ONE = 300  # that one person began
MOST_LISTED = 200
_IN_MEMORY = 50  # rooms that nobody is in


class Reading(NamedTuple):
    """A game as it is in the store."""

    text: str

    @property
    def game(self) -> str | None:
        """The name of its game; None in a text that is damaged."""
        with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
            return str(json.loads(self.text)["game"])
        return None

    def room(self) -> Room:
        try:
            return Room.from_json(json.loads(self.text))
        except PlayproofError as error:  # written by a version with other rules
            raise Refusal("gone", f"this game can no longer be read: {error}") from None


class Lobby:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.rooms: dict[str, Room] = {}  # the one used last stands last
        self.loaded: Callable[[Room], None] = lambda room: None  # a room is back in memory

    def room(self, person: Person, id: str) -> Room:
        """A room that ``person`` may see."""
        room = self._load(id)
        if room is None:
            raise Refusal("gone", "there is no such game: it may have been deleted")
        if not room.may_see(person.id):
            raise Refusal("access", "this game is not shared with you")
        return room

    def reading(self, id: str) -> Reading | None:
        """A game that is not in memory, to be read in any thread; None if there is none."""
        text = None if id in self.rooms else self.store.text(id)
        return None if text is None else Reading(text)

    def keep(self, room: Room, reading: Reading) -> bool:
        """Take a room that was read into memory; False if it has changed meanwhile."""
        if room.id not in self.rooms:
            if self.store.text(room.id) != reading.text:
                return False
            self.rooms[room.id] = room
            self._forget_some()
            self.loaded(room)
        return True

    def _load(self, id: str) -> Room | None:
        room = self.rooms.pop(id, None)
        known = room is not None
        if room is None:
            text = self.store.text(id)
            if text is None:
                return None
            room = Reading(text).room()
        self.rooms[id] = room
        self._forget_some()
        if not known:
            self.loaded(room)
        return room

    def _forget_some(self) -> None:
        idle = [room for room in self.rooms.values() if room.is_idle]
        for room in idle[: max(0, len(idle) - _IN_MEMORY)]:
            del self.rooms[room.id]

    def game_of(self, id: str) -> str | None:
        """The name of a game that is kept; None if it cannot be told."""
        text = self.store.text(id)
        return None if text is None else Reading(text).game

    def waiting(self, id: str) -> Room | None:
        """A room in which an agent is to move, after a restart."""
        with contextlib.suppress(Refusal):
            return self._load(id)
        return None

    async def listed(self, person: Person, *, keeper: bool = False) -> list[ListedGame]:
        """The games that a person may see, for a page; a ``keeper`` is told of all."""
        found = []
        for row in self.store.listed(person.id, MOST_LISTED, all_=keeper):
            entry = row.entry
            if entry is None:
                entry = self._entry(row.id)
                await asyncio.sleep(0)  # a long game takes a while to read: others go between
            if entry is not None:
                room = self.rooms.get(row.id)
                here = room.here if room else set()
                found.append(listing(row, entry, person.id, here, keeper=keeper))
        return found

    def _entry(self, id: str) -> dict[str, Any] | None:
        """Of a game that was saved by a version without entries."""
        try:
            room = self._load(id)
        except Refusal:
            return None  # one bad game must not hide the others
        if room is None:
            return None
        entry = room.entry()
        self.store.list_as(id, entry)
        return entry

    def save(self, room: Room) -> None:
        """Into the store; if that fails the room is again as it was there."""
        if room.gone:
            raise Refusal("gone", "this game was deleted")
        try:
            self.store.save(room.to_json(), room.entry(), waits=room.agent_to_move is not None)
        except sqlite3.Error as error:
            self.rooms.pop(room.id, None)
            raise Refusal("limit", f"the game could not be saved ({error})") from None

    def delete(self, person: Person, id: str, *, keeper: bool = False) -> Room | None:
        """The room that is no more, if it was in memory; it need not be readable."""
        creator = self.store.creator(id)
        if creator is None:
            raise Refusal("gone", "there is no such game: it may have been deleted")
        if person.id != creator and not keeper:
            raise Refusal("access", "only who began a game can delete it")
        self.store.delete(id)
        room = self.rooms.pop(id, None)
        if room is not None:
            room.gone = True
        return room

    # Beginning

    async def new(self, person: Person, request: New) -> Room:
        """A room as a ``new`` message asks for, saved."""
        if self.store.count(person.id) >= MOST_OF_ONE:
            raise Refusal("limit", f"you have {MOST_OF_ONE} games: delete some to begin another")
        if self.store.count() >= MOST_GAMES:
            raise Refusal("limit", f"the lab has {MOST_GAMES} games: some must be deleted first")
        analysis = bool(request.analysis)
        lines, source = await self._lines(request)
        game = lines.start.game
        wanted = given(request.seats) or ("human", "human")
        seats = [Seat("human", person.id)] * 2 if analysis else []
        for name in () if analysis else wanted:
            if name == "human":
                seats.append(Seat("human", person.id))
            elif name == "open":
                seats.append(Seat("open"))
            else:
                most = catalog.LONGEST_THOUGHT if person.owner else catalog.LONGEST_MOVE_OF_GUESTS
                seats.append(Seat("agent", spec=catalog.allowed(name, game, seconds=most)))
        seed = given(request.seed)
        room = Room(
            lines, seats, person.id, seed=secrets.randbelow(2**32) if seed is None else seed
        )
        room.analysis = analysis
        room.source = source.to_json() if source else None
        clock = given(request.clock)
        if clock and not analysis:
            room.clocks = Clocks(clock.seconds, clock.increment)
        room.settle()
        self.save(room)
        self.rooms[room.id] = room
        self._forget_some()
        return room

    async def _lines(self, request: New) -> tuple[Lines, Source | None]:
        text, name = given(request.text), request.game or AUTO
        variant: str | dict[str, Any] | None
        variant = None if request.variant is UNSET else request.variant
        if not (text and text.strip()):
            if name == AUTO:
                raise Refusal("bad", "new needs game, or a text to read it from")
            return Lines(catalog.make_game(name, variant).start()), None
        # Reading a long record takes a while: the others must not wait for it.
        lines, source = await asyncio.to_thread(read_lines, text, name, variant)
        return (lines, source) if request.analysis else (lines.main(), None)
