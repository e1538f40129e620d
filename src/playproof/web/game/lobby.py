"""All rooms: kept in memory or read from the database, and started within limits."""

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
from playproof.core.game import Game
from playproof.web.catalog import listing as catalog
from playproof.web.database import LabDatabase
from playproof.web.game.clock import Clocks
from playproof.web.game.parse_text import AUTO, Source, read_lines
from playproof.web.game.room import Room, Seat
from playproof.web.game.serializers import listing
from playproof.web.game.variations import GameLines
from playproof.web.http.access import Person
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.games import ListedGame
from playproof.web.protocol.requests import New, value_or_none

MOST_GAMES = 20_000  # in the database
MOST_OF_ONE = 300  # created by one person
MOST_LISTED = 200
_IN_MEMORY = 50  # rooms kept in memory while nobody is in them


class StoredGame(NamedTuple):
    """A game as it is stored."""

    text: str

    @property
    def game(self) -> str | None:
        """The name of its game; None if the text is damaged."""
        with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
            return str(json.loads(self.text)["game"])
        return None

    def room(self) -> Room:
        try:
            return Room.from_json(json.loads(self.text))
        except PlayproofError as error:  # written by a version with other rules
            raise Refusal("gone", f"this game can no longer be read: {error}") from None


class Lobby:
    """The rooms of a lab."""

    def __init__(self, database: LabDatabase) -> None:
        self.database = database
        self.rooms: dict[str, Room] = {}  # the most recently used last
        self.on_load: Callable[[Room], None] = lambda room: None  # a room was loaded

    def room(self, person: Person, id: str) -> Room:
        """A room that ``person`` may see."""
        room = self._load(id)
        if room is None:
            raise Refusal("gone", "there is no such game: it may have been deleted")
        if not room.may_see(person.id):
            raise Refusal("access", "this game is not shared with you")
        return room

    def stored_game(self, id: str) -> StoredGame | None:
        """A game that is not in memory, to be read in any thread; None if there is none."""
        text = None if id in self.rooms else self.database.text(id)
        return None if text is None else StoredGame(text)

    def add(self, room: Room, stored_game: StoredGame) -> bool:
        """Keep a room that was read in a thread; False if the game has changed since."""
        if room.id not in self.rooms:
            if self.database.text(room.id) != stored_game.text:
                return False
            self.rooms[room.id] = room
            self._evict()
            self.on_load(room)
        return True

    def _load(self, id: str) -> Room | None:
        room = self.rooms.pop(id, None)
        was_in_memory = room is not None
        if room is None:
            text = self.database.text(id)
            if text is None:
                return None
            room = StoredGame(text).room()
        self.rooms[id] = room
        self._evict()
        if not was_in_memory:
            self.on_load(room)
        return room

    def _evict(self) -> None:
        idle = [room for room in self.rooms.values() if room.is_idle]
        for room in idle[: max(0, len(idle) - _IN_MEMORY)]:
            del self.rooms[room.id]

    def game_of(self, id: str) -> str | None:
        """The name of a stored game; None if it cannot be determined."""
        text = self.database.text(id)
        return None if text is None else StoredGame(text).game

    def load_or_none(self, id: str) -> Room | None:
        """A room, whoever asks; None if it does not exist or cannot be read."""
        with contextlib.suppress(Refusal):
            return self._load(id)
        return None

    async def list_games(self, person: Person, *, moderator: bool = False) -> list[ListedGame]:
        """The games that a person may see; a ``moderator`` gets all games."""
        games = []
        for row in self.database.list_games(person.id, MOST_LISTED, all_=moderator):
            entry = row.entry
            if entry is None:
                entry = self._entry(row.id)
                await asyncio.sleep(0)  # reading a long game takes a while: let others run between
            if entry is not None:
                room = self.rooms.get(row.id)
                connected = room.connected if room else set()
                games.append(listing(row, entry, person.id, connected, moderator=moderator))
        return games

    def _entry(self, id: str) -> dict[str, Any] | None:
        """The entry of a game that was saved by a version without entries."""
        try:
            room = self._load(id)
        except Refusal:
            return None  # one unreadable game must not hide the others
        if room is None:
            return None
        entry = room.entry()
        self.database.save_entry(id, entry)
        return entry

    def save(self, room: Room) -> None:
        """Save a room; if that fails, it is dropped from memory and read again later."""
        if room.deleted:
            raise Refusal("gone", "this game was deleted")
        try:
            self.database.save(
                room.to_json(), room.entry(), awaits_agent=room.agent_to_move is not None
            )
        except sqlite3.Error as error:
            self.rooms.pop(room.id, None)
            raise Refusal("limit", f"the game could not be saved ({error})") from None

    def delete(self, person: Person, id: str, *, moderator: bool = False) -> Room | None:
        """Delete a game, readable or not; returns its room if it was in memory."""
        creator = self.database.creator(id)
        if creator is None:
            raise Refusal("gone", "there is no such game: it may have been deleted")
        if person.id != creator and not moderator:
            raise Refusal("access", "only the person who created a game can delete it")
        self.database.delete(id)
        room = self.rooms.pop(id, None)
        if room is not None:
            room.deleted = True
        return room

    # Starting games

    async def new(self, person: Person, request: New) -> Room:
        """Create and save a room as a ``new`` message asks for."""
        if self.database.count(person.id) >= MOST_OF_ONE:
            raise Refusal("limit", f"you have {MOST_OF_ONE} games: delete some to start another")
        if self.database.count() >= MOST_GAMES:
            raise Refusal("limit", f"the lab has {MOST_GAMES} games: some must be deleted first")
        analysis = bool(request.analysis)
        lines, source = await self._lines(request)
        seats = self._seats(person, request, lines.start.game)
        seed = value_or_none(request.seed)
        room = Room(
            lines, seats, person.id, seed=secrets.randbelow(2**32) if seed is None else seed
        )
        room.analysis = analysis
        room.source = source.to_json() if source else None
        clock = value_or_none(request.clock)
        if clock and not analysis:
            room.clocks = Clocks(clock.seconds, clock.increment)
        room.play_chance()
        self.save(room)
        self.rooms[room.id] = room
        self._evict()
        return room

    def _seats(self, person: Person, request: New, game: Game) -> list[Seat]:
        """The seats that a ``new`` message asks for, by default both for the person."""
        if request.analysis:
            return [Seat("human", person.id)] * 2
        most = catalog.LONGEST_THOUGHT if person.owner else catalog.LONGEST_MOVE_OF_GUESTS
        seats = []
        for name in value_or_none(request.seats) or ("human", "human"):
            if name == "human":
                seats.append(Seat("human", person.id))
            elif name == "open":
                seats.append(Seat("open"))
            else:
                seats.append(Seat("agent", spec=catalog.check_agent(name, game, seconds=most)))
        return seats

    async def _lines(self, request: New) -> tuple[GameLines, Source | None]:
        text, name = value_or_none(request.text), request.game or AUTO
        variant: str | dict[str, Any] | None
        variant = None if request.variant is UNSET else request.variant
        if not (text and text.strip()):
            if name == AUTO:
                raise Refusal("bad", "new needs game, or text to read the game from")
            return GameLines(catalog.make_game(name, variant).start()), None
        # Reading a long record takes a while: others must not wait for it.
        lines, source = await asyncio.to_thread(read_lines, text, name, variant)
        return (lines, source) if request.analysis else (lines.main(), None)
