"""What the tests of the pages do over and over, by names that a person would see."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

TITLES = {
    "othello": "Othello",
    "choko": "Choko",
    "quantum-go": "Quantum Go",
    "chess": "Chess",
    "go": "Go",
}


def open_play(page: Page, url: str) -> None:
    """The page Play with a board that can be moved on."""
    page.goto(f"{url}/#/play")
    page.get_by_test_id("new-game").wait_for()


def start(page: Page, game: str, *, level: str | None = None, against: str | None = None) -> None:
    """A new game by the form."""
    form = page.get_by_test_id("new-game")
    before = page.url
    form.get_by_role("radio", name=TITLES[game], exact=True).check()
    form.get_by_label("Against").select_option(against or "agent")
    if level:
        form.get_by_label("Level").select_option(label=level)
    # The page of the game before may look like the new one: it must be gone.
    form.evaluate("(form) => { form.dataset.last = ''; }")
    page.get_by_test_id("start").click()
    page.wait_for_function("before => location.href !== before", arg=before)
    page.locator("[data-last]").wait_for(state="detached")
    page.get_by_role("heading", level=1, name=f"Play {TITLES[game]}", exact=True).wait_for()


def legal(page: Page) -> Locator:
    """The points that may be clicked now."""
    return page.locator('play-board button[aria-label*="legal"]')


def point(page: Page, at: str) -> Locator:
    return page.locator(f'play-board button[data-at="{at}"]')


def status(page: Page, text: str) -> None:
    """Wait until the page says ``text`` about the game."""
    page.get_by_test_id("status").filter(has_text=text).wait_for()


def moves(page: Page) -> list[str]:
    """The names in the list of moves."""
    return page.get_by_test_id("moves").locator(".mono").all_inner_texts()


def wait_for_moves(page: Page, count: int) -> None:
    page.wait_for_function(
        "count => document.querySelectorAll('[data-testid=moves] li').length >= count", arg=count
    )
