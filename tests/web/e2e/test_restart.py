"""A server that is killed in the middle of a game loses nothing, and the page finds the next."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from web.browser import Problems, Server, running_server
from web.e2e import playing

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = playing.expect
BROKEN = "The line to the lab is broken"


def test_a_killed_server_loses_nothing(page: Page, tmp_path: Path, problems: Problems) -> None:
    problems.allow("WebSocket|ERR_CONNECTION|ERR_SOCKET")
    with running_server(tmp_path) as server:
        playing.open_play(page, server.url)
        id = playing.start(page, "othello", level="Expert")
        assert playing.await_turn(page)
        playing.point(page, "d3").click()
        playing.await_moves(page, 1)
        expect(playing.status(page)).to_have_text("The computer is thinking.")
        thinkers = _children(server)
        assert thinkers
        _kill(server)
        port = server.url.rpartition(":")[2]
    expect(page.get_by_text(BROKEN)).to_be_visible(timeout=playing.PATIENCE)
    _await_end(thinkers)
    with running_server(tmp_path, "--port", port) as server:
        # The page finds it by itself, and the computer moves: it was its turn.
        expect(page.get_by_text(BROKEN)).to_be_hidden(timeout=playing.PATIENCE)
        assert playing.await_turn(page)
        assert playing.moves(page)[0] == "d3"
        assert playing.moved(page) == 2
        playing.click_a_move(page, random.Random(1))
        held = playing.state(page, server.url, id)["moves"]
        assert held[:3] == playing.moves(page)[:3]
        page.close()  # before the server goes, whose absence it would report


def _children(server: Server) -> list[int]:
    listed = subprocess.run(
        ["ps", "--ppid", str(server.process.pid), "-o", "pid="],
        capture_output=True,
        text=True,
        check=False,
    )
    return [int(text) for text in listed.stdout.split()]


def _kill(server: Server) -> None:
    """As a power cut would: no one is asked, nothing is written."""
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()


def _await_end(pids: list[int]) -> None:
    """A thinker whose server is gone ends by itself."""
    end = time.monotonic() + playing.PATIENCE / 1000
    while time.monotonic() < end:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return
        time.sleep(0.05)
    pytest.fail(f"thinkers outlive their server: {pids}")
