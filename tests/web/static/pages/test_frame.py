"""The frame of the pages: coming in, finding one's way, light and dark, keys, the line."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests.support.web.axe import violations
from tests.support.web.browser import STATIC, Problems
from tests.support.web.pages.lab import moves, open_play, point, start, wait_for_moves

if TYPE_CHECKING:
    from playwright.sync_api import Page

LARGEST_LOAD = 300_000  # bytes of everything, compressed


def theme(page: Page) -> str:
    return str(page.evaluate("document.documentElement.dataset.theme"))


def test_pages_are_one_click_away(desk: Page, serve: str) -> None:
    """All of them are, in ``tests/web/pages/test_home.py``."""
    desk.goto(serve)
    desk.get_by_role("heading", level=1, name="Play it. Teach it. Prove it.").wait_for()
    for link, heading in (
        ("Truth", "Choko is solved"),
        ("Rules", "How to play Othello"),
        ("Play", "Play Othello"),
    ):
        desk.get_by_role("navigation", name="Pages").get_by_role("link", name=link).click()
        desk.get_by_role("heading", level=1, name=heading, exact=True).wait_for()
        current = desk.locator("#nav [aria-current=page]").all_inner_texts()
        assert current == [link]
    desk.go_back()
    desk.get_by_role("heading", level=1, name="How to play Othello").wait_for()


def test_everything_there_is_to_load_is_small() -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert files
    assert sum(len(gzip.compress(path.read_bytes(), 6)) for path in files) < LARGEST_LOAD


def test_light_and_dark(desk: Page, serve: str) -> None:
    page = desk
    open_play(page, serve)
    page.emulate_media(color_scheme="dark")
    page.locator("html[data-theme=dark]").wait_for()
    knob = page.get_by_role("button", name="Dark colours")
    assert knob.get_attribute("aria-pressed") == "true"
    knob.click()
    assert theme(page) == "light"
    page.reload()
    page.get_by_test_id("new-game").wait_for()
    assert theme(page) == "light"  # the choice outlives the visit
    assert knob.get_attribute("aria-pressed") == "false"


@pytest.mark.slow
def test_keyboard_list_and_its_switch(desk: Page, serve: str) -> None:
    open_play(desk, serve)
    start(desk, "othello", against="beside")
    point(desk, "d3").click()
    wait_for_moves(desk, 1)
    desk.get_by_role("heading", level=1).click()
    desk.keyboard.press("?")
    dialog = desk.get_by_role("dialog", name="Keyboard shortcuts")
    dialog.wait_for()
    assert violations(desk) == []
    dialog.get_by_label("Single keys work").uncheck()
    desk.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    desk.keyboard.press("u")
    desk.keyboard.press("?")
    assert desk.get_by_role("dialog").count() == 0
    assert moves(desk) == ["d3"]
    desk.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_label("Single keys work").check()
    dialog.get_by_role("button", name="Close").click()
    desk.keyboard.press("u")
    desk.get_by_test_id("where").filter(has_text="No move yet").wait_for()


def test_the_first_tab_skips_to_the_page(desk: Page, serve: str) -> None:
    page = desk
    open_play(page, serve)
    page.reload()  # nothing has the focus
    page.get_by_test_id("new-game").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert "#/play" in page.url


def test_an_unknown_address_leads_home(desk: Page, serve: str) -> None:
    desk.goto(f"{serve}/#/nowhere")
    desk.get_by_test_id("door-play").wait_for()


def test_without_a_server_the_page_says_so(desk: Page, serve: str, desk_problems: Problems) -> None:
    desk_problems.allow("ERR_FAILED")
    desk.goto(f"{serve}/#/rules/go")
    desk.route("**/api/**", lambda route: route.abort())
    desk.reload()
    desk.get_by_role("heading", level=1, name="The lab does not answer").wait_for()
    desk.unroute("**/api/**")
    desk.get_by_role("button", name="Try again").click()
    desk.get_by_role("heading", level=1, name="How to play Go").wait_for()
