"""Slow work that is done in threads: rendering positions, writing and reading games.

The event loop answers everybody, so it must do none of this work itself. Guests take turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from playproof.web.engines.fair_queue import Requester
from playproof.web.engines.priorities import ThreadSlots
from playproof.web.game.lobby import Lobby
from playproof.web.game.serializers import check_format, download
from playproof.web.game.session import Session
from playproof.web.warmup import Warmup

# All threads share one interpreter: more at a time would not be faster and would delay the loop.
_OF_GUESTS, _OF_ADDRESS = 2, 1
_EXPORTS = 8  # exported texts cached for one game

T = TypeVar("T")


class WorkerThreads:
    """Runs work in threads, fairly among guests."""

    def __init__(self, lobby: Lobby, warmup: Warmup) -> None:
        self._lobby, self._warmup = lobby, warmup
        self.slots = ThreadSlots(_OF_GUESTS, _OF_ADDRESS)
        self._running: dict[Hashable, asyncio.Future[Any]] = {}

    async def run(self, requester: Requester, key: Hashable, work: Callable[[], T]) -> T:
        """The result of ``work``, run in a thread; requests for the same ``key`` share one run."""
        async with self.slots.hold(requester):
            future: asyncio.Future[T] | None = self._running.get(key)
            if future is None:
                future = asyncio.ensure_future(asyncio.to_thread(work))
                self._running[key] = future
                future.add_done_callback(lambda done: self._forget(key, done))
            return await asyncio.shield(future)

    def _forget(self, key: Hashable, done: asyncio.Future[Any]) -> None:
        del self._running[key]
        if not done.cancelled():
            done.exception()  # retrieved here, since the requester may have disconnected

    async def render(
        self, session: Session, line: int | None = None, ply: int | None = None
    ) -> None:
        """Render the position at (line, ply), by default the one that the visitor is viewing."""
        while (place := self.unrendered(session, line, ply)) is not None:
            view_cache = session.current_room().view_cache
            key = "render", session.current_room().id, view_cache.cuts, *place
            work = view_cache.renderer(*place)
            if work is not None:
                view_cache.store(await self.run(session.requester, key, work))

    def unrendered(
        self, session: Session, line: int | None = None, ply: int | None = None
    ) -> tuple[int, int] | None:
        """(line, ply) of the position if a thread has to render it first, else None."""
        room = session.room
        number, at = session.place if line is None else (line, ply)
        if room is None or number not in room.lines.all or room.view_cache.renders_fast:
            return None
        last = room.lines.length(number)
        place = number, last if at is None else min(at, last)
        return None if room.view_cache.has(*place) else place

    async def export(self, session: Session, kind: str) -> str:
        """The visitor's line in a format, written once for each version of the game."""
        room, line = session.current_room(), session.line
        check_format(room, kind)
        ver, text = room.exports.get((line, kind), (0, ""))
        if ver == room.ver:
            return text
        ver, game, record = room.ver, room.game, room.record(line)
        key = "export", room.id, ver, line, kind
        text = await self.run(session.requester, key, lambda: download(game, record(), kind))
        while len(room.exports) >= _EXPORTS:
            del room.exports[next(iter(room.exports))]
        room.exports[line, kind] = ver, text
        return text

    async def load_game(self, requester: Requester, id: str) -> None:
        """Load a game into memory; a long one takes a while to read."""
        while (stored := self._lobby.stored_game(id)) is not None:
            await self._warmup.need_game(stored.game)
            room = await self.run(requester, ("load", id, stored.text), stored.room)
            if self._lobby.add(room, stored):
                return
