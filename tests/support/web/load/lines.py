"""A line to a lab: one WebSocket of one person, who asks, waits for answers, and hears states."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

Message = dict[str, Any]
PATIENCE = 30.0  # seconds for an answer


class Broken(Exception):
    """The line is down; what was asked may or may not have been heard."""


class Line:
    """``heard`` gets every state, also those that are answers, before anyone is woken."""

    def __init__(self, base: str, cookie: str, heard: Callable[[Message], None]) -> None:
        self.base, self.cookie, self._heard = base, cookie, heard
        self.times: list[float] = []  # seconds of each answer
        self.is_down = False
        self._rids = (f"r{n}" for n in itertools.count())
        self._waiting: dict[str, asyncio.Future[Message]] = {}
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None

    async def open(self) -> None:
        try:
            # No name of a proxy is asked for, and none is used.
            self._socket = await connect(
                f"{self.base.replace('http', 'ws')}/ws",
                additional_headers={"Cookie": self.cookie, "Origin": self.base},
                max_size=None,
                compression=None,
                proxy=None,
            )
        except (OSError, EOFError, WebSocketException):
            raise Broken from None
        self._reader = asyncio.create_task(self._read(self._socket))

    async def close(self) -> None:
        if self._socket is not None and self._reader is not None:
            with contextlib.suppress(ConnectionClosed, OSError):
                await self._socket.close()
            await self._reader
        self._socket = None

    async def _read(self, socket: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "state":
                    self._heard(message)
                waiting = self._waiting.get(message.get("rid", ""))
                if waiting is not None and message.get("done", True) and not waiting.done():
                    waiting.set_result(message)
        self.is_down = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Broken())

    async def say(self, text: str) -> None:
        """Words that may make no sense."""
        if self._socket is None or self.is_down:
            raise Broken
        try:
            await self._socket.send(text)
        except (ConnectionClosed, OSError):
            raise Broken from None

    async def ask(self, kind: str, **fields: Any) -> Message:
        """The answer to a message, an error too; Broken if the line breaks meanwhile."""
        rid = next(self._rids)
        waiting: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[rid] = waiting
        began = time.perf_counter()
        try:
            await self.say(json.dumps({"type": kind, "rid": rid, **fields}))
            answer = await asyncio.wait_for(waiting, PATIENCE)
        finally:
            del self._waiting[rid]
        self.times.append(time.perf_counter() - began)
        return answer
