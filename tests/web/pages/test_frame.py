"""The frame of the pages: coming in, finding one's way, light and dark, keys, the line."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from web.browser import (
    PHONE,
    STATIC,
    Problems,
    Server,
    running_server,
    scrolls_sideways,
    violations,
)
from web.pages.lab import moves, open_play, point, start, status, wait_for_moves

if TYPE_CHECKING:
    from playwright.sync_api import Page

LARGEST_LOAD = 300_000  # bytes of everything, compressed


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A lab that asks for a join code."""
    with running_server(tmp_path_factory.mktemp("guarded"), "--host", "127.0.0.1") as server:
        yield server


def theme(page: Page) -> str:
    return str(page.evaluate("document.documentElement.dataset.theme"))


def test_every_page_is_one_click_away(page: Page, serve: str) -> None:
    page.goto(serve)
    page.get_by_role("heading", level=1, name="Play it. Teach it. Prove it.").wait_for()
    for link, heading in (
        ("Truth", "Choko is solved"),
        ("Papers", "Papers"),
        ("Analyse", "Analyse Othello"),
        ("Games", "Games"),
        ("Rules", "How to play Othello"),
        ("Play", "Play Othello"),
    ):
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=link).click()
        page.get_by_role("heading", level=1, name=heading, exact=True).wait_for()
        current = page.locator("#nav [aria-current=page]").all_inner_texts()
        assert current == [link]
    page.go_back()
    page.get_by_role("heading", level=1, name="How to play Othello").wait_for()


def test_the_first_load_is_small(page: Page, serve: str) -> None:
    sizes: dict[str, int] = {}

    def weigh(url: str, body: bytes) -> None:
        sizes[url] = len(gzip.compress(body, 6))

    page.on("requestfinished", lambda r: weigh(r.url, r.response().body()))  # type: ignore[union-attr]
    open_play(page, serve)
    status(page, "Your turn")
    page.wait_for_load_state("networkidle")
    assert any(url.endswith("board.js") for url in sizes)
    assert sum(sizes.values()) < LARGEST_LOAD
    # And so is everything there is, pages not yet opened among it.
    everything = [path for path in STATIC.rglob("*") if path.is_file()]
    assert sum(len(gzip.compress(path.read_bytes(), 6)) for path in everything) < LARGEST_LOAD


def test_light_and_dark(open_page: Callable[..., Page], serve: str) -> None:
    page = open_page(color_scheme="dark")
    open_play(page, serve)
    assert theme(page) == "dark"
    knob = page.get_by_role("button", name="Dark colours")
    assert knob.get_attribute("aria-pressed") == "true"
    knob.click()
    assert theme(page) == "light"
    page.reload()
    page.get_by_test_id("new-game").wait_for()
    assert theme(page) == "light"  # the choice outlives the visit
    assert knob.get_attribute("aria-pressed") == "false"


def test_keyboard_list_and_its_switch(page: Page, serve: str) -> None:
    open_play(page, serve)
    start(page, "othello", against="beside")
    point(page, "d3").click()
    wait_for_moves(page, 1)
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    dialog.wait_for()
    assert violations(page) == []
    dialog.get_by_label("Single keys work").uncheck()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    page.keyboard.press("u")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").count() == 0
    assert moves(page) == ["d3"]
    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_label("Single keys work").check()
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("u")
    page.get_by_test_id("where").filter(has_text="No move yet").wait_for()


def test_the_first_tab_skips_to_the_page(page: Page, serve: str) -> None:
    open_play(page, serve)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert "#/play" in page.url


def test_an_unknown_address_leads_home(page: Page, serve: str) -> None:
    page.goto(f"{serve}/#/nowhere")
    page.get_by_test_id("door-play").wait_for()


def test_the_join_code_is_asked_for(
    open_page: Callable[..., Page], guarded: Server, problems: Problems
) -> None:
    problems.allow("403")
    owner = open_page()
    owner.goto(guarded.printed)
    owner.get_by_test_id("begin-play").click()
    status(owner, "Your turn")
    assert "key=" not in owner.url
    start(owner, "othello", against="open")
    code = owner.get_by_test_id("code").inner_text()
    assert re.fullmatch(r"[A-Z2-9]{6}", code)
    qr = owner.get_by_role("img", name="QR code")
    qr.wait_for()
    assert qr.evaluate("async (img) => { await img.decode(); return img.naturalWidth }") > 0
    assert violations(owner) == []

    guest = open_page(**PHONE)
    guest.goto(f"{guarded.url}/#/play/{owner.url.rpartition('/')[2]}")
    guest.get_by_role("heading", level=1, name="Join the lab").wait_for()
    assert violations(guest) == []
    assert not scrolls_sideways(guest)
    field = guest.get_by_label("Join code")
    field.fill("AAAAAA")
    guest.get_by_role("button", name="Join").click()
    guest.get_by_role("alert").filter(has_text="not the join code").wait_for()
    field.fill(code.lower())
    guest.get_by_role("button", name="Join").click()
    guest.get_by_test_id("sit-1").click()
    status(owner, "Your turn")

    # The address on the invitation brings its code along.
    start(owner, "choko", against="open")
    other = open_page()
    other.goto(owner.get_by_label("Address").input_value())
    other.get_by_test_id("sit-1").click()
    status(owner, "Your turn")
    assert "code=" not in other.url


def test_without_a_server_the_page_says_so(page: Page, serve: str, problems: Problems) -> None:
    problems.allow("ERR_FAILED")
    page.route("**/api/**", lambda route: route.abort())
    page.goto(serve)
    page.get_by_role("heading", level=1, name="The lab does not answer").wait_for()
    assert page.get_by_role("button", name="Try again").is_visible()
