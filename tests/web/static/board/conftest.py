"""A page with one board on it, and hands to use it with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import playproof
from playproof.core.view import View
from tests.support.web import browser as tools

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

PAGES = Path(__file__).parent / "pages"


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with tools.static_site(PAGES) as url:
        yield url


class BoardPage:
    """A board in a browser: ``show`` a position, click, and read what it says."""

    def __init__(self, page: Page, url: str = "") -> None:
        """Without ``url`` the page is there already, and its board gives way to a new one."""
        self.page = page
        if url:
            page.goto(f"{url}/board.html")
        else:
            page.evaluate("renew()")

    def show(self, view: View | str, moves: str = "", **changes: Any) -> dict[str, Any]:
        """Show a View, or a game by name after some moves; its JSON."""
        if isinstance(view, str):
            view = playproof.make(view).start().play(moves).view()
        data = {**view.to_json(), **changes}
        self.page.evaluate("async (view) => { board.view = view; await null; }", data)
        return data

    def set(self, **properties: Any) -> None:
        self.page.evaluate("async (p) => { Object.assign(board, p); await null; }", properties)

    def point(self, at: str) -> Locator:
        return self.page.locator(f'play-board button[data-at="{at}"]')

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def click(self, *points: str) -> None:
        for at in points:
            self.point(at).click()

    def tap(self, *points: str) -> None:
        for at in points:
            self.point(at).tap()

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self) -> str:
        """The point that has the focus, or the words of another button."""
        return self.page.evaluate(
            "(() => { const e = board.shadowRoot.activeElement; "
            "return e ? e.dataset.at ?? e.textContent : ''; })()"
        )

    def said(self, name: str) -> list[Any]:
        """The details of the board's events of that name."""
        return self.page.evaluate(
            "(name) => said.filter(([n]) => n === name).map(([, d]) => d)", name
        )

    def moves(self) -> list[list[str]]:
        return [detail["c"] for detail in self.said("move")]

    def text(self, part: str) -> str:
        return self.page.locator(f"play-board .{part}").inner_text()

    def live(self) -> str:
        return self.page.evaluate("board.shadowRoot.querySelector('.live').textContent")

    def label(self, at: str) -> str | None:
        return self.point(at).get_attribute("aria-label")

    def marks(self) -> str:
        """What the page draws over the picture, as SVG text."""
        return self.page.evaluate("board.shadowRoot.querySelector('.marks').innerHTML")


class Shared(tools.Desk):
    """A page that the tests of a file use one after another, each with a new board."""

    def __init__(self, browser: Browser, url: str, options: dict[str, Any]) -> None:
        super().__init__(browser, **options)
        self.size = options["viewport"]
        BoardPage(self.page, url)

    def lend_board(self) -> Iterator[BoardPage]:
        self.page.set_viewport_size(self.size)
        self.page.mouse.move(0, 0)
        for page in self.lend():
            yield BoardPage(page)


@pytest.fixture(scope="module")
def desk_page(browser: Browser, site: str) -> Iterator[Shared]:
    shared = Shared(browser, site, tools.WIDE)
    yield shared
    shared.context.close()


@pytest.fixture(scope="module")
def phone_page(browser: Browser, site: str) -> Iterator[Shared]:
    shared = Shared(browser, site, tools.PHONE)
    yield shared
    shared.context.close()


@pytest.fixture
def board(desk_page: Shared) -> Iterator[BoardPage]:
    yield from desk_page.lend_board()


@pytest.fixture
def phone(phone_page: Shared) -> Iterator[BoardPage]:
    yield from phone_page.lend_board()
