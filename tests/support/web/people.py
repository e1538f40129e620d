"""Those who talk to a lab in tests: in this process, or over a real socket."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from tests.support.web import owner

ADDRESS = "http://127.0.0.1"
Message = dict[str, Any]


def someone(client: TestClient) -> TestClient:
    """Another browser at the same running lab."""
    found = TestClient(client.app, base_url=ADDRESS)
    found.portal = client.portal  # the lab lives in one loop
    found.get("/api/catalog")
    return found


class Talker:
    """A WebSocket that asks and waits for the answer; what comes between is kept."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.state: Message = {}
        self.heard: list[Message] = []
        self._rids = (f"r{n}" for n in itertools.count())

    def __enter__(self) -> Talker:
        self._session = self.client.websocket_connect("ws://127.0.0.1/ws")
        self._socket = self._session.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self._session.__exit__(None, None, None)

    def send(self, type: str, **fields: Any) -> str:
        rid = next(self._rids)
        self._socket.send_text(json.dumps({"type": type, "rid": rid, **fields}))
        return rid

    def send_text(self, text: str) -> None:
        self._socket.send_text(text)

    def receive(self) -> Message:
        message = json.loads(self._socket.receive_text())
        self.heard.append(message)
        if message["type"] == "state":
            self.state = message
        elif message["type"] == "deleted" or ("rid" not in message and message["type"] == "error"):
            self.state = {}  # out of the game
        return message

    def until(self, good: Callable[[Message], bool]) -> Message:
        """The next message that is ``good``; a test's time limit is pytest's."""
        while True:
            message = self.receive()
            if good(message):
                return message

    def ask(self, type: str, **fields: Any) -> Message:
        """Send, and wait for the answer with the same rid."""
        rid = self.send(type, **fields)
        answer = self.until(lambda m: m.get("rid") == rid and m.get("done", True))
        if answer["type"] == "error" and self.state:
            self.until(lambda m: m["type"] == "state")
        return answer

    def refused(self, type: str, **fields: Any) -> str:
        """The code of the error that a message gets."""
        answer = self.ask(type, **fields)
        assert answer["type"] == "error", answer
        assert answer["msg"] == " ".join(answer["msg"].split())
        return str(answer["code"])

    def new(self, game: str, *seats: str, **fields: Any) -> Message:
        answer = self.ask("new", game=game, seats=list(seats or ("human", "human")), **fields)
        assert answer["type"] == "state", answer
        return answer

    def move(self, *clicks: str) -> Message:
        return self.ask("move", ver=self.state["ver"], c=list(clicks))

    def settled(self) -> Message:
        """The state once no agent is thinking."""
        while self.state["thinking"]:
            self.receive()
        return self.state


def any_move(state: Message, chooser: random.Random) -> list[str]:
    """The clicks of a random legal move."""
    view = state["view"]
    buttons = [[action["id"]] for action in view["actions"]]
    moves = [move["c"] for move in view["legal"]] or buttons
    return list(chooser.choice(moves))


# A real server, in a process of its own


class Server:
    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "playproof", "serve", "--no-browser", "--port", "0",
             "--folder", str(folder), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.printed = ""
        for line in self.process.stdout:
            self.printed += line
            found = re.search(r"https?://\S+", line)
            if found:
                self.url = found[0]
                break
        else:
            raise AssertionError(self.printed)
        self.base = owner.learn(self.url)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()
            raise


@contextlib.contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Server]:
    server = Server(folder, *arguments)
    try:
        yield server
    finally:
        server.stop()


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                stat = Path(f"/proc/{entry}/stat").read_text()
                if int(stat.rpartition(")")[2].split()[1]) == pid:
                    found.append(int(entry))
    return found


def eventually(good: Callable[[], Any], seconds: float = 20.0) -> Any:
    """What ``good`` gives once it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = good()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s")
