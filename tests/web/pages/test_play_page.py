"""Play: start, move, hint, undo, resign, look back, save, invite."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from web.browser import PHONE, scrolls_sideways
from web.pages.lab import (
    TITLES,
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


def test_opens_with_a_game_that_can_be_played_at_once(page: Page, serve: str) -> None:
    page.goto(f"{serve}/#/play")
    status(page, "Your turn")
    assert page.get_by_role("heading", level=1).inner_text() == "Play Othello"
    point(page, "d3").click()
    wait_for_moves(page, 2)
    status(page, "Your turn")
    assert moves(page)[0] == "d3"
    # The last unfinished game is there again for who comes back.
    here = page.url
    page.goto(f"{serve}/#/rules/othello")
    page.goto(f"{serve}/#/play")
    page.wait_for_url(here)
    wait_for_moves(page, 2)


@pytest.mark.parametrize("game", list(TITLES))
def test_each_game_by_clicks_against_an_agent(page: Page, serve: str, game: str) -> None:
    open_play(page, serve)
    start(page, game)
    for turn in (1, 2):
        status(page, "Your turn")
        before = len(moves(page))
        legal(page).nth(turn).click()
        if game == "chess":
            legal(page).first.click()
        wait_for_moves(page, before + 1)
    status(page, "Your turn")
    assert page.get_by_test_id("rules").get_attribute("href") == f"#/rules/{game}"


def test_hint_undo_and_resign(page: Page, serve: str) -> None:
    open_play(page, serve)
    start(page, "othello")
    status(page, "Your turn")
    page.get_by_test_id("hint").click()
    line = page.get_by_test_id("hint-line")
    line.filter(has_text=re.compile(r"Hint: \w\d\. Black's chances: \d+%")).wait_for()
    named = line.inner_text().split()[1].rstrip(".")
    assert named in ("d3", "c4", "f5", "e6")

    point(page, named).click()
    wait_for_moves(page, 2)
    status(page, "Your turn")
    page.get_by_test_id("undo").click()
    page.get_by_test_id("where").filter(has_text="No move yet").wait_for()
    assert moves(page) == []
    page.get_by_test_id("redo").click()
    wait_for_moves(page, 2)
    assert moves(page)[0] == named
    assert page.get_by_test_id("redo").get_attribute("aria-disabled") == "true"

    page.get_by_test_id("resign").click()
    page.get_by_role("button", name="Cancel").click()
    status(page, "Your turn")
    page.get_by_test_id("resign").click()
    page.get_by_test_id("confirm").click()
    status(page, "White wins. Black resigned.")
    assert page.get_by_test_id("resign").get_attribute("aria-disabled") == "true"
    page.get_by_test_id("again").click()
    status(page, "Your turn")


def test_looking_back_is_not_dragged_forward(page: Page, serve: str) -> None:
    open_play(page, serve)
    start(page, "othello", level="Expert")  # takes its time
    point(page, "d3").click()
    status(page, "The computer is thinking")
    page.get_by_test_id("go-first").click()
    page.get_by_test_id("where").filter(has_text="Looking at 0 of 1").wait_for()
    wait_for_moves(page, 2)
    assert page.get_by_test_id("where").inner_text() == "Looking at 0 of 2"
    assert legal(page).count() == 0
    page.get_by_role("button", name="Go to move 1, d3").click()
    page.get_by_test_id("where").filter(has_text="Looking at 1 of 2").wait_for()
    page.get_by_test_id("follow").click()
    status(page, "Your turn")
    page.keyboard.press(",")
    page.get_by_test_id("where").filter(has_text="Looking at 1 of 2").wait_for()
    page.keyboard.press(".")
    status(page, "Your turn")


def test_two_people_on_one_screen(page: Page, serve: str) -> None:
    open_play(page, serve)
    start(page, "choko", against="beside")
    for name, at in (("Blue", "C3"), ("Red", "B2"), ("Blue", "A1")):
        status(page, f"{name}'s turn")
        point(page, at).click()
    status(page, "Red's turn")
    assert moves(page) == ["C3", "B2", "A1"]


def test_an_open_seat_is_taken_by_another_person(
    open_page: Callable[..., Page], serve: str
) -> None:
    first, second = open_page(), open_page()
    open_play(first, serve)
    start(first, "othello", against="open")
    status(first, "Waiting for a second player")
    address = first.get_by_label("Address").input_value()
    assert address.startswith(serve)
    second.goto(address)
    second.get_by_test_id("sit-1").click()
    status(first, "Your turn")
    point(first, "f5").click()
    status(second, "Your turn")
    point(second, "d6").click()
    status(first, "Your turn")
    assert moves(first) == moves(second) == ["f5", "d6"]


def test_side_clock_and_seed(page: Page, serve: str) -> None:
    open_play(page, serve)
    form = page.get_by_test_id("new-game")
    form.get_by_label("You play").select_option(label="White, second")
    form.get_by_label("Clock").select_option(label="5 minutes, 3 seconds a move")
    form.get_by_text("More").click()
    form.get_by_label("Seed").fill("7")
    start(page, "othello")
    status(page, "Your turn")
    assert len(moves(page)) == 1
    clock = page.get_by_test_id("seat-1").get_by_role("timer")
    page.wait_for_function(
        "() => document.querySelector('[data-testid=seat-1] [role=timer]').textContent < '5:00'"
    )
    assert clock.inner_text().startswith("4:5")


def test_records_are_saved_in_every_format(page: Page, serve: str) -> None:
    open_play(page, serve)
    start(page, "chess", against="beside")
    point(page, "e2").click()
    point(page, "e4").click()
    wait_for_moves(page, 1)
    menu = page.get_by_test_id("save")
    menu.locator("summary").click()
    texts = {}
    for label in ("Record (JSON)", "Moves (text)", "PGN, for chess programs", "Picture (SVG)"):
        with page.expect_download() as waiting:
            menu.get_by_role("link", name=label).click()
        texts[label] = waiting.value.path().read_text(encoding="utf-8")
    assert '"moves": ["e2e4"]' in texts["Record (JSON)"]
    assert "e4" in texts["Moves (text)"]
    assert "1. e4" in texts["PGN, for chess programs"]
    assert texts["Picture (SVG)"].startswith("<svg")


def test_reload_keeps_the_game(page: Page, serve: str) -> None:
    open_play(page, serve)
    start(page, "choko", against="beside")
    point(page, "C3").click()
    wait_for_moves(page, 1)
    page.reload()
    wait_for_moves(page, 1)
    status(page, "Red's turn")


def test_a_game_that_is_not_there(page: Page, serve: str) -> None:
    page.goto(f"{serve}/#/play/nosuchgame22")
    page.get_by_role("heading", level=1, name="This game is not here").wait_for()
    start(page, "othello")
    status(page, "Your turn")


def test_play_fits_a_phone(open_page: Callable[..., Page], serve: str) -> None:
    page = open_page(**PHONE)
    open_play(page, serve)
    for game in TITLES:
        start(page, game, against="beside")
        assert not scrolls_sideways(page), game
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, a, select, input, summary")]
          .filter((one) => !one.closest(".unseen, .skip, footer") && one.checkVisibility())
          .map((one) => [one.closest("label") ?? one].map((on) => on.getBoundingClientRect())
            .map((box) => [one.outerHTML.slice(0, 80), box.width, box.height])[0])
          .filter(([, width, height]) => width > 0 && (width < 40 || height < 40))"""
    )
    assert small == []
