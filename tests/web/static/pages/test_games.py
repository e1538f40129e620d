"""Games: what was played is listed, goes on, is downloaded, and can be thrown away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.web.pages.lab import open_play, point, start, status, wait_for_moves

if TYPE_CHECKING:
    from playwright.sync_api import Page


def played(page: Page, url: str) -> str:
    """A game of Choko with one move, seen in the list; its id."""
    open_play(page, url)
    start(page, "choko", against="beside")
    point(page, "C3").click()
    wait_for_moves(page, 1)
    id = page.url.rpartition("/")[2]
    page.get_by_role("link", name="Games").click()
    page.get_by_role("heading", level=1, name="Games").wait_for()
    page.get_by_test_id(f"game-{id}").wait_for()
    return id


def test_a_game_is_listed_goes_on_and_is_deleted(desk: Page, serve: str) -> None:
    id = played(desk, serve)
    item = desk.get_by_test_id(f"game-{id}")
    assert "Choko" in item.inner_text()
    assert "1 move, not finished" in item.inner_text()
    item.get_by_role("link", name="Continue").click()
    status(desk, "Red's turn")
    desk.get_by_role("link", name="Games").click()

    item.locator("summary").click()
    with desk.expect_download() as waiting:
        item.get_by_role("link", name="Moves (text)").click()
    assert waiting.value.path().read_text() == "C3\n"

    item.get_by_role("button", name="Delete").click()
    desk.get_by_role("button", name="Cancel").click()
    assert item.count() == 1
    item.get_by_role("button", name="Delete").click()
    desk.get_by_test_id("confirm").click()
    item.wait_for(state="detached")


@pytest.mark.slow
def test_a_finished_game_says_how_it_ended(desk: Page, serve: str) -> None:
    open_play(desk, serve)
    start(desk, "othello", against="beside")
    desk.get_by_test_id("resign").click()
    desk.get_by_test_id("confirm").click()
    status(desk, "White wins. Black resigned.")
    id = desk.url.rpartition("/")[2]
    desk.get_by_role("link", name="Games").click()
    item = desk.get_by_test_id(f"game-{id}")
    item.get_by_text("White wins. Black resigned.").wait_for()
    item.get_by_role("link", name="View").click()
    desk.get_by_test_id("analyse").click()
    desk.get_by_role("heading", level=1, name="Analyse Othello").wait_for()


def test_nothing_yet(desk: Page, serve: str) -> None:
    desk.route("**/api/games", lambda route: route.fulfill(json=[]))
    desk.goto(f"{serve}/#/games")
    desk.get_by_text("No games yet").wait_for()
    desk.unroute_all()
