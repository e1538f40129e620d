"""A lab that is killed in the middle of games loses nothing, and the page finds the next one;
``make verify`` has twenty kills, with jobs.

Jobs whose lab is killed are tested in ``tests/web/jobs``.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.web import owner
from tests.support.web.browser import Problems
from tests.support.web.e2e import playing
from tests.support.web.load import killing

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = playing.expect
BROKEN = "The connection to the lab is lost"
MOVES = 30  # acknowledged before the kill


@pytest.mark.slow
def test_no_move_that_was_shown_is_lost(page: Page, tmp_path: Path, problems: Problems) -> None:
    problems.allow("WebSocket|ERR_CONNECTION|ERR_SOCKET")
    mark = secrets.token_hex(8)
    # Playwright has the loop of this thread.
    with ThreadPoolExecutor(1) as others, killing.laboratory(tmp_path, mark) as lab:
        owner.admit(page.context, lab.base)
        playing.open_play(page, lab.base)
        id = playing.start(page, "othello", level="Expert")
        assert playing.await_turn(page)
        players = killing.come(lab)
        games = others.submit(asyncio.run, killing.play(lab.base, players))
        end = time.monotonic() + playing.PATIENCE / 1000
        while sum(player.acknowledged for player in players) < MOVES:
            assert not games.done(), "a line broke before the lab was killed"
            assert time.monotonic() < end, "the players do not get on"
            time.sleep(0.01)
        playing.point(page, "d3").click()
        playing.await_moves(page, 1)
        expect(playing.status(page)).to_have_text("The computer is thinking.")
        lab.end(signal.SIGKILL)  # as a power cut would: no one is asked, nothing is written
        games.result(playing.PATIENCE / 1000)
    expect(page.get_by_text(BROKEN)).to_be_visible(timeout=playing.PATIENCE)
    killing.await_nothing(mark)  # engines whose lab is gone end by themselves

    port = lab.base.rpartition(":")[2]
    with ThreadPoolExecutor(1) as others, killing.laboratory(tmp_path, mark, port=port) as lab:
        # The page finds it by itself, and the computer moves: it was its turn.
        expect(page.get_by_text(BROKEN)).to_be_hidden(timeout=playing.PATIENCE)
        assert playing.await_turn(page)
        assert playing.moves(page)[0] == "d3"
        assert playing.moved(page) == 2
        playing.click_a_move(page, random.Random(1))
        held = playing.state(page, lab.base, id)["moves"]
        assert held[:3] == playing.moves(page)[:3]
        others.submit(asyncio.run, killing.come_back(lab.base, players)).result()
        page.close()  # before the lab goes, whose absence it would report
    killing.await_nothing(mark)
