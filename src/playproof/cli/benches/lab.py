"""The lab: how soon a click is answered, with the thinkers idle and with all of them at work.

A server of its own is started, as ``playproof serve`` starts it, and a client on the
same machine plays games of Go on the full board against itself, move after move.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.core.parallel.executor import cores

_BOARD = 19
_FILES = "ABCDEFGHJKLMNOPQRST"
_LONG = 30  # seconds that a search may take: longer than a measurement
_SETTLE = 5.0  # seconds for searches to be well under way


@dataclass(frozen=True)
class Answers:
    """Milliseconds from a move sent to the new state received."""

    thinking: int  # searches at work meanwhile
    times: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def slow(self) -> float:
        """95 % are quicker."""
        return statistics.quantiles(self.times, n=20)[-1]

    def to_json(self) -> dict[str, Any]:
        return {
            "searches": self.thinking,
            "clicks": len(self.times),
            "median_ms": self.median,
            "p95_ms": self.slow,
            "worst_ms": max(self.times),
        }


@dataclass(frozen=True)
class Report:
    measured: list[Answers]
    cores: int
    peer: str = ""  # the idle server is what we compare with

    @property
    def note(self) -> str:
        return f"{self.cores} cores; agents think in processes of their own"

    def to_json(self) -> dict[str, Any]:
        return {"cores": self.cores, "answers": [one.to_json() for one in self.measured]}

    def rows(self) -> list[list[str]]:
        return [
            [
                f"{one.thinking} at work" if one.thinking else "idle",
                f"{len(one.times):,}",
                f"{one.median:.1f} ms",
                f"{one.slow:.1f} ms",
                f"{max(one.times):.1f} ms",
            ]
            for one in self.measured
        ]


def measure(seconds: float, progress: Callable[[int, int], None]) -> Report:
    """Click for ``seconds`` with the thinkers idle, then as long with all of them searching."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        address = stack.enter_context(_server(folder))
        player = stack.enter_context(_person(address))
        progress(0, 2)
        idle = Answers(0, _clicks(player, seconds))
        searches = max(2, min(4, cores()))  # as many thinkers as the lab has
        for _ in range(searches):
            _search(stack.enter_context(_person(address)))
        time.sleep(_SETTLE)
        progress(1, 2)
        busy = Answers(searches, _clicks(player, min(seconds, _LONG - 2 * _SETTLE)))
    return Report([idle, busy], cores())


@contextlib.contextmanager
def _server(folder: str) -> Iterator[str]:
    """``host:port/#key=KEY`` of a lab in a process of its own."""
    command = [sys.executable, "-m", "playproof.cli.main", "serve", "--no-browser"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--folder", folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if "http://" not in line:
            raise PlayproofError("the lab did not start: try playproof serve")
        yield line.split("http://")[1].strip()
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def _person(link: str) -> Iterator[Any]:
    """A connection with a cookie of its own."""
    from websockets.sync.client import connect

    address, _, key = link.partition("/#key=")
    data = json.dumps({"key": key}).encode()
    with urllib.request.urlopen(f"http://{address}/api/enter", data) as answer:
        cookie = answer.headers["set-cookie"].split(";")[0]
    headers = {"Cookie": cookie, "Origin": f"http://{address}"}
    with connect(f"ws://{address}/ws", additional_headers=headers) as socket:
        yield socket


def _ask(socket: Any, **message: Any) -> dict[str, Any]:
    """Send a message and wait for its own answer."""
    socket.send(json.dumps({"rid": "ask", **message}))
    while True:
        answer: dict[str, Any] = json.loads(socket.recv())
        if answer.get("rid") == "ask":
            break
    if answer["type"] == "error":
        raise PlayproofError(f"the lab refused a click: {answer['msg']}")
    return answer


def _search(socket: Any) -> None:
    """A game whose first move is an agent's, who takes all the time it may."""
    _ask(socket, type="new", game="chess", seats=[f"alphabeta:time={_LONG}", "human"])


def _clicks(socket: Any, seconds: float) -> list[float]:
    """Fill full boards of Go point by point; the milliseconds of each answer."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 20:
        state = _ask(socket, type="new", game="go", variant="19x19", seats=["human", "human"])
        # Every second row: no stone is ever without a liberty.
        points = [f"{file}{row}" for row in range(1, _BOARD + 1, 2) for file in _FILES]
        for point in points:
            if time.perf_counter() >= end and len(times) >= 20:
                break
            began = time.perf_counter()
            state = _ask(socket, type="move", ver=state["ver"], c=[point])
            times.append(1e3 * (time.perf_counter() - began))
            time.sleep(0.02)  # no one clicks faster, and the server has limits
    return times
