"""The door: silent, slow and deaf connections are ended, and crowd nobody out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
from websockets.sync.client import connect

from playproof.web.http import connection_limits as door
from playproof.web.http.connection_limits import ConnectionLimiter
from tests.support.web import owner
from tests.support.web.browser import Server
from tests.support.web.people import eventually

HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
Dial = Callable[[bytes], socket.socket]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers at once, after a second (/busy), without end (/long), or with the body's length."""
    size = 0
    while (message := await receive())["type"] == "http.request":
        size += len(message["body"])
        if not message["more_body"]:
            break
    else:
        return
    if scope["path"] == "/busy":
        await asyncio.sleep(1.0)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    parts = 400 if scope["path"] == "/long" else 0
    for _ in range(parts):
        await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
    await send({"type": "http.response.body", "body": str(size).encode()})


@pytest.fixture
def limiter(monkeypatch: pytest.MonkeyPatch) -> ConnectionLimiter:
    for name in ("FIRST_REQUEST", "NEXT_REQUEST", "BODY_PAUSE", "RESPONSE_PAUSE"):
        monkeypatch.setattr(door, name, 0.4)
    monkeypatch.setattr(door, "_CHECK_EVERY", 0.05)
    return ConnectionLimiter()


@pytest.fixture
def address(limiter: ConnectionLimiter) -> Iterator[tuple[str, int]]:
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, http=limiter.connect, lifespan="off", log_level="error")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started)
    yield server.servers[0].sockets[0].getsockname()
    server.should_exit = server.force_exit = True
    thread.join(10)


@pytest.fixture
def dial(address: tuple[str, int]) -> Iterator[Dial]:
    with contextlib.ExitStack() as stack:

        def call(said: bytes = b"") -> socket.socket:
            line = stack.enter_context(socket.create_connection(address))
            line.settimeout(10)
            line.sendall(said)
            return line

        yield call


def ended(line: socket.socket) -> bool:
    """Whether the other side hangs up; it waits for that, or for an answer."""
    try:
        return line.recv(1000) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    "said", [b"", b"GET", HEAD, HEAD.replace(b"GET", b"POST") + b"Content-Length: 9\r\n\r\nhalf"]
)
def test_a_request_that_never_comes(dial: Dial, said: bytes) -> None:
    assert ended(dial(said))


def test_a_head_that_drips(dial: Dial) -> None:
    line = dial(HEAD)

    def drip() -> None:
        for _ in range(160):
            line.sendall(b"X-More: 1\r\n")
            time.sleep(0.05)

    with pytest.raises(ConnectionError):
        drip()


def test_a_body_that_comes_slowly_but_comes(dial: Dial) -> None:
    line = dial(HEAD.replace(b"GET", b"POST") + b"Content-Length: 10\r\n\r\n")
    for _ in range(10):
        time.sleep(0.1)
        line.sendall(b"x")
    assert line.recv(1000).startswith(b"HTTP/1.1 200")


def test_an_answer_that_nobody_reads(dial: Dial, limiter: ConnectionLimiter) -> None:
    dial(HEAD.replace(b"/ ", b"/long ") + b"\r\n")
    eventually(lambda: len(limiter) == 1)
    eventually(lambda: len(limiter) == 0)


def test_whoever_is_served_is_not_hurried(dial: Dial) -> None:
    assert dial(HEAD.replace(b"/ ", b"/busy ") + b"\r\n").recv(1000).startswith(b"HTTP/1.1 200")


def test_the_longest_silent_makes_room(
    dial: Dial, limiter: ConnectionLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "FIRST_REQUEST", 60.0)
    monkeypatch.setattr(door, "MOST_FROM_ONE", 3)
    busy = dial(HEAD.replace(b"/ ", b"/busy ") + b"\r\n")
    silent = [dial(b"") for _ in range(2)]
    eventually(lambda: len(limiter) == 3)
    new = dial(HEAD + b"\r\n")
    assert ended(silent[0])
    assert new.recv(1000).startswith(b"HTTP/1.1 200")
    assert busy.recv(1000).startswith(b"HTTP/1.1 200")
    monkeypatch.setattr(door, "MOST_FROM_ONE", 60)
    monkeypatch.setattr(door, "MOST", 3)
    assert [dial(b"") for _ in range(3)]
    assert ended(silent[1])


def test_no_room_at_all(dial: Dial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MOST_FROM_ONE", 1)
    busy = dial(HEAD.replace(b"/ ", b"/busy ") + b"\r\n")
    time.sleep(0.2)
    assert ended(dial(HEAD + b"\r\n"))
    assert busy.recv(1000).startswith(b"HTTP/1.1 200")


@pytest.mark.slow
def test_a_thousand_silent_sockets(guarded: Server) -> None:
    """The lab stays open to the rest, also to those at the same address."""
    with contextlib.ExitStack() as stack:
        host, _, port = guarded.url.removeprefix("http://").partition(":")
        for _ in range(1000):
            stack.enter_context(socket.create_connection((host, int(port))))
        began = time.monotonic()
        cookie = {"Cookie": owner.new_cookie(guarded.url)}
        with connect(f"{guarded.url.replace('http', 'ws')}/ws", additional_headers=cookie) as talk:
            talk.send('{"type": "new", "game": "othello"}')
            assert '"state"' in talk.recv(timeout=20)
            assert time.monotonic() - began < 5.0
            files = len(os.listdir(f"/proc/{guarded.process.pid}/fd"))
            assert files < door.MOST_FROM_ONE + 60
