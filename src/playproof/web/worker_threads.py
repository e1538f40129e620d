"""Work that takes time, done by threads: positions drawn, games written and read.

Whoever answers all, the event loop, must do none of it.  Guests have turns at it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from playproof.web.engines.fair_queue import Asker
from playproof.web.engines.priorities import Turns
from playproof.web.game.lobby import Lobby
from playproof.web.game.serializers import check_format, download
from playproof.web.game.session import Visit
from playproof.web.warmup import Warmup

# All threads share one interpreter: more at a time would do no more, and keep the loop waiting.
_OF_GUESTS, _OF_ADDRESS = 2, 1
_EXPORTS = 8  # texts that are kept of one game

T = TypeVar("T")


class Workshop:
    def __init__(self, lobby: Lobby, warmup: Warmup) -> None:
        self._lobby, self._warmup = lobby, warmup
        self.turns = Turns(_OF_GUESTS, _OF_ADDRESS)
        self._going: dict[Hashable, asyncio.Future[Any]] = {}

    async def run(self, asker: Asker, key: Hashable, work: Callable[[], T]) -> T:
        """What a thread has worked out; whoever asks for the same meanwhile gets the same."""
        async with self.turns.take(asker):
            future: asyncio.Future[T] | None = self._going.get(key)
            if future is None:
                future = asyncio.ensure_future(asyncio.to_thread(work))
                self._going[key] = future
                future.add_done_callback(lambda done: self._forget(key, done))
            return await asyncio.shield(future)

    def _forget(self, key: Hashable, done: asyncio.Future[Any]) -> None:
        del self._going[key]
        if not done.cancelled():
            done.exception()  # whoever asked may have gone

    async def draw(self, visit: Visit, line: int | None = None, ply: int | None = None) -> None:
        """Have a position drawn, the one where the visitor stands unless told."""
        while (place := self.undrawn(visit, line, ply)) is not None:
            drawings = visit.here().drawings
            key = "draw", visit.here().id, drawings.cuts, *place
            work = drawings.work(*place)
            if work is not None:
                drawings.keep(await self.run(visit.asker, key, work))

    def undrawn(
        self, visit: Visit, line: int | None = None, ply: int | None = None
    ) -> tuple[int, int] | None:
        """(line, ply) of a position that a thread has to draw first."""
        room = visit.room
        at, wanted = visit.place if line is None else (line, ply)
        if room is None or at not in room.lines.all or room.drawings.are_quick:
            return None
        last = room.lines.length(at)
        place = at, last if wanted is None else min(wanted, last)
        return None if room.drawings.has(*place) else place

    async def export(self, visit: Visit, kind: str) -> str:
        """The visitor's line as text of a format, written once for each version."""
        room, line = visit.here(), visit.line
        check_format(room, kind)
        ver, text = room.exports.get((line, kind), (0, ""))
        if ver == room.ver:
            return text
        ver, game, record = room.ver, room.game, room.record(line)
        key = "export", room.id, ver, line, kind
        text = await self.run(visit.asker, key, lambda: download(game, record(), kind))
        while len(room.exports) >= _EXPORTS:
            del room.exports[next(iter(room.exports))]
        room.exports[line, kind] = ver, text
        return text

    async def open(self, asker: Asker, id: str) -> None:
        """Have a game in memory: to read a long one takes a while."""
        while (read := self._lobby.reading(id)) is not None:
            await self._warmup.need_game(read.game)
            room = await self.run(asker, ("open", id, read.text), read.room)
            if self._lobby.keep(room, read):
                return
