"""The lab: the time from a click to its answer, with idle engines and with all of them searching.

The benchmark starts a server as ``playproof serve`` does, and a client on the same
machine plays games of Go on the full board against itself.
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
_SEARCH_SECONDS = 30  # longer than a measurement
_SETTLE_SECONDS = 5.0  # until searches are well under way


@dataclass(frozen=True)
class ClickTimes:
    """Milliseconds from sending a move to receiving the new state."""

    searches: int  # running at the same time
    times: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def percentile_95(self) -> float:
        return statistics.quantiles(self.times, n=20)[-1]

    def to_json(self) -> dict[str, Any]:
        return {
            "searches": self.searches,
            "clicks": len(self.times),
            "median_ms": self.median,
            "p95_ms": self.percentile_95,
            "worst_ms": max(self.times),
        }


@dataclass(frozen=True)
class LabReport:
    measurements: list[ClickTimes]
    cores: int
    peer: str = ""  # none: the idle server is the comparison

    @property
    def note(self) -> str:
        return f"{self.cores} cores; agents think in processes of their own"

    def to_json(self) -> dict[str, Any]:
        return {"cores": self.cores, "answers": [entry.to_json() for entry in self.measurements]}

    def rows(self) -> list[list[str]]:
        return [
            [
                f"{entry.searches} at work" if entry.searches else "idle",
                f"{len(entry.times):,}",
                f"{entry.median:.1f} ms",
                f"{entry.percentile_95:.1f} ms",
                f"{max(entry.times):.1f} ms",
            ]
            for entry in self.measurements
        ]


def measure(seconds: float, progress: Callable[[int, int], None]) -> LabReport:
    """Click for ``seconds`` with idle engines, then as long with all of them searching."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        address = stack.enter_context(_server(folder))
        client = stack.enter_context(_client(address))
        progress(0, 2)
        idle = ClickTimes(0, _clicks(client, seconds))
        searches = max(2, min(4, cores()))  # the size of the lab's engine pool
        for _ in range(searches):
            _search(stack.enter_context(_client(address)))
        time.sleep(_SETTLE_SECONDS)
        progress(1, 2)
        busy = ClickTimes(
            searches, _clicks(client, min(seconds, _SEARCH_SECONDS - 2 * _SETTLE_SECONDS))
        )
    return LabReport([idle, busy], cores())


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
def _client(link: str) -> Iterator[Any]:
    """A connection with its own cookie."""
    from websockets.sync.client import connect

    address, _, key = link.partition("/#key=")
    data = json.dumps({"key": key}).encode()
    with urllib.request.urlopen(f"http://{address}/api/enter", data) as answer:
        cookie = answer.headers["set-cookie"].split(";")[0]
    headers = {"Cookie": cookie, "Origin": f"http://{address}"}
    with connect(f"ws://{address}/ws", additional_headers=headers) as socket:
        yield socket


def _ask(socket: Any, **message: Any) -> dict[str, Any]:
    """Send a message and wait for its answer."""
    socket.send(json.dumps({"rid": "ask", **message}))
    while True:
        answer: dict[str, Any] = json.loads(socket.recv())
        if answer.get("rid") == "ask":
            break
    if answer["type"] == "error":
        raise PlayproofError(f"the lab refused a click: {answer['msg']}")
    return answer


def _search(socket: Any) -> None:
    """Start a game in which an agent moves first and uses all its time."""
    _ask(socket, type="new", game="chess", seats=[f"alphabeta:time={_SEARCH_SECONDS}", "human"])


def _clicks(socket: Any, seconds: float) -> list[float]:
    """Fill full boards of Go point by point; returns the milliseconds of each answer."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 20:
        state = _ask(socket, type="new", game="go", variant="19x19", seats=["human", "human"])
        # Every second row, so that every stone keeps a liberty.
        points = [f"{file}{row}" for row in range(1, _BOARD + 1, 2) for file in _FILES]
        for point in points:
            if time.perf_counter() >= end and len(times) >= 20:
                break
            began = time.perf_counter()
            state = _ask(socket, type="move", ver=state["ver"], c=[point])
            times.append(1e3 * (time.perf_counter() - began))
            time.sleep(0.02)  # people do not click faster, and the server limits the rate
    return times
