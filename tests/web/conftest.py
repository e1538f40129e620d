"""Fixtures of the page's tests: one browser a file, watched pages, a server a file.

A browser lives for one file and not for the session: Playwright keeps an event
loop running in the thread of the tests, and other files may want their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from web import browser as tools

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with tools.chromium() as found:
        yield found


@pytest.fixture
def problems() -> Iterator[tools.Problems]:
    """What the pages of this test complained about; what is left at the end fails it."""
    watched = tools.Problems()
    yield watched
    assert watched.left() == []


@pytest.fixture
def open_page(browser: Browser, problems: tools.Problems) -> Iterator[Callable[..., Page]]:
    """Makes a watched page in a context of its own: ``open_page(**PHONE)``,
    ``open_page(color_scheme="dark")``; each call is another person's browser."""
    contexts = []

    def make(**options: Any) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = browser.new_context(**options)
        context.set_default_timeout(10_000)
        problems.watch(context)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    return open_page()


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a running ``playproof serve``, with an empty folder, for this file."""
    with tools.running_server(tmp_path_factory.mktemp("lab")) as server:
        yield server.url
