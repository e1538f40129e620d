"""A hostile client is refused or cut off, and a well-behaved one does not notice."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.support.web import owner
from tests.support.web.people import Server, eventually, running

QUICK = 2.0  # seconds for an answer; a loaded machine gets its time


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("lab")) as found:
        yield found


@contextlib.contextmanager
def hostile(server: Server, cookie: str = "", **options: Any) -> Iterator[ClientConnection]:
    address = server.base.replace("http", "ws") + "/ws"
    headers = {"Cookie": cookie or owner.new_cookie(server.base)}
    # What was sent and is not read any more would hold up the farewell for ten seconds.
    with connect(
        address, max_size=None, close_timeout=1, additional_headers=headers, **options
    ) as socket:
        yield socket


class Good(threading.Thread):
    """Plays on while the other one rages; how long its answers took."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self.server = server
        self.times: list[float] = []
        self.error: BaseException | None = None
        self.done = threading.Event()

    def run(self) -> None:
        try:
            with hostile(self.server) as socket:
                state = self._ask(socket, {"type": "new", "game": "othello"})
                while not self.done.is_set():
                    began = time.monotonic()
                    move = {"type": "move", "ver": state["ver"], "c": ["d3"]}
                    state = self._ask(socket, move)
                    assert state["moves"] == ["d3"]
                    state = self._ask(socket, {"type": "undo", "ver": state["ver"]})
                    self.times.append(time.monotonic() - began)
                    time.sleep(0.1)  # well within what one connection may send
        except BaseException as error:
            self.error = error

    def _ask(self, socket: ClientConnection, message: dict[str, Any]) -> dict[str, Any]:
        socket.send(json.dumps({**message, "rid": "x"}))
        while True:
            answer = json.loads(socket.recv(timeout=20))
            if answer.get("rid") == "x":
                assert answer["type"] == "state", answer
                return dict(answer)


@pytest.fixture(autouse=True)
def good(server: Server) -> Iterator[Good]:
    """Every attack here has a bystander, who must not notice."""
    bystander = Good(server)
    bystander.start()
    eventually(lambda: bystander.times or bystander.error)
    yield bystander
    bystander.done.set()
    bystander.join(30)
    assert bystander.error is None
    assert len(bystander.times) >= 1
    assert sorted(bystander.times)[len(bystander.times) // 2] < QUICK


def closed_with(socket: ClientConnection) -> int:
    """The code that the server hung up with."""
    with contextlib.suppress(TimeoutError):
        while True:
            try:
                socket.recv(timeout=10)
            except ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 1006
    raise AssertionError("still open")


def send_all(socket: ClientConnection, messages: list[str]) -> None:
    with contextlib.suppress(ConnectionClosed):
        for message in messages:
            socket.send(message)


def test_garbage(server: Server) -> None:
    with hostile(server) as socket:
        send_all(socket, ["\x00garbage", "{}", "[]", "null", '{"type": 1}'] * 10)
        assert closed_with(socket) == 1008


def test_bytes(server: Server) -> None:
    with hostile(server) as socket:
        socket.send(b"\xff\xfe" * 100)
        assert closed_with(socket) == 1008


def test_ten_megabytes(server: Server) -> None:
    with hostile(server) as socket:
        send_all(socket, ["x" * 10_000_000])
        assert closed_with(socket) in (1009, 1006)


def test_ten_megabytes_over_http(server: Server) -> None:
    # The server may hang up while we still send.
    with contextlib.suppress(httpx.TransportError), owner.client(server.base) as client:
        answer = client.post("/api/games", content=b"x" * 10_000_000)
        assert answer.status_code == 413


def test_deep_and_odd_json(server: Server) -> None:
    with hostile(server) as socket:
        odd = [
            '{"a":' * 9_000 + "1" + "}" * 9_000,
            "[" * 60_000,
            '{"type": "new", "game": "othello", "seed": ' + "9" * 4_000 + "}",
            '{"type": "new", "game": "\\ud800"}',
            '{"type": "ping", "rid": "\\udfff"}',
        ]
        for text in odd:
            socket.send(text)
            answer = json.loads(socket.recv(timeout=20))
            assert answer["type"] in ("error", "pong")
        socket.send('{"type": "ping"}')
        assert json.loads(socket.recv(timeout=20)) == {"type": "pong"}


def test_ten_thousand_messages_a_second(server: Server) -> None:
    with hostile(server) as socket:
        send_all(socket, ['{"type": "ping"}'] * 10_000)
        assert closed_with(socket) in (1008, 1006)


def test_one_who_never_reads(server: Server) -> None:
    with hostile(server, max_queue=1) as socket:
        socket.send(json.dumps({"type": "new", "game": "go", "variant": "19x19"}))
        for _ in range(3):
            send_all(socket, ['{"type": "goto", "ply": 0}'] * 100)
            time.sleep(0.5)
        assert closed_with(socket) in (1008, 1013, 1006)


def test_moves_for_others_seats(server: Server) -> None:
    with owner.client(server.base) as player, hostile(server) as socket:
        state = player.post(
            "/api/games", json={"game": "othello", "seats": ["human", "open"]}
        ).json()
        socket.send(json.dumps({"type": "join", "id": state["id"]}))
        socket.recv(timeout=20)
        for kind, more in (("move", {"c": ["d3"]}), ("resign", {}), ("undo", {})):
            message = {"type": kind, "ver": state["ver"], "rid": kind, **more}
            socket.send(json.dumps(message))
            while (answer := json.loads(socket.recv(timeout=20))).get("rid") != kind:
                pass
            assert answer["code"] in ("turn", "illegal")
        after = player.get(f"/api/games/{state['id']}").json()
        assert (after["moves"], after["result"]) == ([], "*")


def test_more_connections_than_there_is_room_for(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        sockets = []
        cookie = owner.new_cookie(server.base)
        for _ in range(30):
            sockets.append(stack.enter_context(hostile(server, cookie)))
        refused = json.loads(sockets[-1].recv(timeout=20))
        assert (refused["code"], closed_with(sockets[-1])) == ("limit", 1013)


def test_wrong_requests(server: Server) -> None:
    """Bytes that are no HTTP at all, and a request that never ends."""
    import socket

    host, port = server.base.removeprefix("http://").split(":")
    slow = socket.create_connection((host, int(port)))
    slow.sendall(b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{")
    raw = socket.create_connection((host, int(port)))
    raw.sendall(b"\x16\x03\x01\x00 garbage\r\n\r\n")
    raw.settimeout(20)
    assert b"400" in raw.recv(1000)
    assert httpx.get(f"{server.base}/api/join").status_code == 200
    raw.close()
    slow.close()
