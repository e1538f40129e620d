"""Play: start, move, hint, undo, resign, look back, save, invite."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.web.pages.lab import (
    legal,
    moves,
    open_play,
    point,
    start,
    status,
    wait_for_moves,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

FINISHED = (
    "c4c5c6e3f6b4f2b7a3e6e7b5a8a4b6d6c7f5g6g1a5d7b3a6c3f7g8d8c8h6h5f8e2e1h7g4f3h8d1b8f1h3g7e8a7g3f4"
    "g5d3c2h4a2a1g2h1d2h2--b1c1b2"
)


def test_opens_with_a_game_that_can_be_played_at_once(desk: Page, serve: str) -> None:
    desk.goto(f"{serve}/#/play")
    status(desk, "Your turn")
    assert desk.get_by_role("heading", level=1).inner_text() == "Play Othello"
    point(desk, "d3").click()
    wait_for_moves(desk, 2)
    status(desk, "Your turn")
    assert moves(desk)[0] == "d3"
    # The last unfinished game is there again for who comes back.
    here = desk.url
    desk.goto(f"{serve}/#/rules/othello")
    desk.goto(f"{serve}/#/play")
    desk.wait_for_url(here)
    wait_for_moves(desk, 2)


def test_hint_undo_and_resign(desk: Page, serve: str) -> None:
    open_play(desk, serve)
    start(desk, "othello")
    status(desk, "Your turn")
    desk.get_by_test_id("hint").click()
    line = desk.get_by_test_id("hint-line")
    line.filter(has_text=re.compile(r"Hint: \w\d\. Black's chances: \d+%")).wait_for()
    named = line.inner_text().split()[1].rstrip(".")
    assert named in ("d3", "c4", "f5", "e6")

    point(desk, named).click()
    wait_for_moves(desk, 2)
    status(desk, "Your turn")
    desk.get_by_test_id("undo").click()
    desk.get_by_test_id("where").filter(has_text="No move yet").wait_for()
    assert moves(desk) == []
    desk.get_by_test_id("redo").click()
    wait_for_moves(desk, 2)
    assert moves(desk)[0] == named
    assert desk.get_by_test_id("redo").get_attribute("aria-disabled") == "true"

    desk.get_by_test_id("resign").click()
    desk.get_by_role("button", name="Cancel").click()
    status(desk, "Your turn")
    desk.get_by_test_id("resign").click()
    desk.get_by_test_id("confirm").click()
    status(desk, "White wins. Black resigned.")
    assert desk.get_by_test_id("resign").get_attribute("aria-disabled") == "true"
    desk.get_by_test_id("again").click()
    status(desk, "Your turn")


@pytest.mark.slow
def test_looking_back_is_not_dragged_forward(desk: Page, serve: str) -> None:
    open_play(desk, serve)
    start(desk, "othello", level="Expert")  # takes its time
    point(desk, "d3").click()
    status(desk, "The computer is thinking")
    desk.get_by_test_id("go-first").click()
    desk.get_by_test_id("where").filter(has_text="Looking at 0 of 1").wait_for()
    wait_for_moves(desk, 2)
    assert desk.get_by_test_id("where").inner_text() == "Looking at 0 of 2"
    assert legal(desk).count() == 0
    desk.get_by_role("button", name="Go to move 1, d3").click()
    desk.get_by_test_id("where").filter(has_text="Looking at 1 of 2").wait_for()
    desk.get_by_test_id("follow").click()
    status(desk, "Your turn")
    desk.keyboard.press(",")
    desk.get_by_test_id("where").filter(has_text="Looking at 1 of 2").wait_for()
    desk.keyboard.press(".")
    status(desk, "Your turn")


def test_two_people_on_one_screen(desk: Page, serve: str) -> None:
    open_play(desk, serve)
    start(desk, "choko", against="beside")
    for name, at in (("Blue", "C3"), ("Red", "B2"), ("Blue", "A1")):
        status(desk, f"{name}'s turn")
        point(desk, at).click()
    status(desk, "Red's turn")
    assert moves(desk) == ["C3", "B2", "A1"]


def test_an_open_seat_has_an_address(desk: Page, serve: str) -> None:
    """It is gone to, and the seat is taken, in ``tests/web/e2e/test_together.py``."""
    open_play(desk, serve)
    start(desk, "othello", against="open")
    status(desk, "Waiting for a second player")
    id = desk.url.rpartition("/")[2]
    address = desk.get_by_label("Address").input_value()
    assert address.startswith(serve)
    assert address.endswith(f"/play/{id}")


def test_side_clock_and_seed(desk: Page, serve: str) -> None:
    open_play(desk, serve)
    form = desk.get_by_test_id("new-game")
    form.get_by_label("You play").select_option(label="White, second")
    form.get_by_label("Clock").select_option(label="5 minutes, 3 seconds a move")
    form.get_by_text("More").click()
    form.get_by_label("Seed").fill("7")
    start(desk, "othello")
    status(desk, "Your turn")
    assert len(moves(desk)) == 1
    clock = desk.get_by_test_id("seat-1").get_by_role("timer")
    desk.wait_for_function(
        "() => document.querySelector('[data-testid=seat-1] [role=timer]').textContent < '5:00'"
    )
    assert clock.inner_text().startswith("4:5")


def test_records_are_saved_in_every_format(desk: Page, serve: str) -> None:
    open_play(desk, serve)
    start(desk, "chess", against="beside")
    point(desk, "e2").click()
    point(desk, "e4").click()
    wait_for_moves(desk, 1)
    menu = desk.get_by_test_id("save")
    menu.locator("summary").click()
    texts = {}
    for label in ("Record (JSON)", "Moves (text)", "PGN, for chess programs", "Picture (SVG)"):
        with desk.expect_download() as waiting:
            menu.get_by_role("link", name=label).click()
        texts[label] = waiting.value.path().read_text(encoding="utf-8")
    assert '"moves": ["e2e4"]' in texts["Record (JSON)"]
    assert "e4" in texts["Moves (text)"]
    assert "1. e4" in texts["PGN, for chess programs"]
    assert texts["Picture (SVG)"].startswith("<svg")


def test_a_game_that_is_not_there(desk: Page, serve: str) -> None:
    desk.goto(f"{serve}/#/play/nosuchgame22")
    desk.get_by_role("heading", level=1, name="This game is not here").wait_for()
    start(desk, "othello")
    status(desk, "Your turn")


def test_a_finished_game_of_othello_has_its_answer_in_words(desk: Page, serve: str) -> None:
    open_play(desk, serve)
    game = desk.request.post(
        f"{serve}/api/games",
        data={"game": "othello", "text": FINISHED, "seats": ["human", "human"]},
        headers={"Origin": serve},
    ).json()
    asked: list[str] = []
    desk.on("request", lambda request: asked.append(request.url))
    desk.goto(f"{serve}/#/play/{game['id']}")
    desk.get_by_test_id("to-truth").click()
    answer = desk.get_by_test_id("hint-line")
    answer.filter(has_text="The game is over: Black wins 43 to 21.").wait_for()
    assert not [url for url in asked if "/api/truth" in url]
    desk.get_by_test_id("go-back").click()
    desk.get_by_test_id("to-truth").click()
    desk.get_by_test_id("ending-value").filter(has_text="Black wins by 22.").wait_for(
        timeout=60_000
    )
