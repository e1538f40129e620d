"""Fixtures of the lab's tests: a lab in this process and people who talk to it; a browser, a server
for all files of a worker, and watched pages.

A file that needs an empty folder, or a lab with a code, starts a server of its own.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from playproof.web.server import make_app
from tests.support.web import browser as tools
from tests.support.web import owner
from tests.support.web.people import ADDRESS, Talker, someone

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def _chromium() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    with tools.chromium() as found:
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield found, loop
        asyncio._set_running_loop(loop)


@pytest.fixture(scope="module")
def browser(_chromium: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """Chromium, while this file is tested.

    Playwright leaves its event loop marked as the running one of this thread; other files
    may want their own, so the mark is taken away between the files that use the browser.
    """
    found, loop = _chromium
    asyncio._set_running_loop(loop)
    yield found
    asyncio._set_running_loop(None)


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
        context = browser.new_context(**{**tools.WIDE, **options})
        context.set_default_timeout(10_000)
        owner.admit_everywhere(context)
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
def _desk(browser: Browser) -> Iterator[tools.Desk]:
    found = tools.Desk(browser)
    yield found
    found.context.close()


@pytest.fixture
def desk(_desk: tools.Desk) -> Iterator[Page]:
    """The page that the tests of this file share, all by the same person."""
    yield from _desk.lend()


@pytest.fixture
def desk_problems(_desk: tools.Desk) -> tools.Problems:
    """What the shared page complains about."""
    return _desk.problems


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tools.Server]:
    """A running ``playproof serve`` for all files of this worker: a fresh browser is another
    person to it, who sees his own games alone, but the jobs, runs and tables of all."""
    with tools.running_server(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture(scope="session")
def serve(lab: tools.Server) -> str:
    """Its URL."""
    return lab.url


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tools.Server]:
    """A lab that others may join by its code, for all files of this worker."""
    folder = tmp_path_factory.mktemp("guarded")
    with tools.running_server(folder, "--host", "127.0.0.1") as server:
        yield server


@pytest.fixture(scope="session", autouse=True)
def _as_described() -> Iterator[None]:
    """Whatever a lab in this process answers over HTTP is as its own description says."""
    from starlette.testclient import TestClient

    from playproof.web.protocol.codec import encode
    from tests.support.web.description import description

    plain = TestClient.request
    texts: dict[int, tuple[Any, str]] = {}  # with the object, lest its number is given again

    def request(self: TestClient, method: str, url: Any, *rest: Any, **named: Any) -> Any:
        response = plain(self, method, url, *rest, **named)
        lab = getattr(getattr(self.app, "state", None), "lab", None)
        path = response.request.url.path
        if lab is not None and path.startswith("/api/") and not response.is_redirect:
            told = lab.openapi
            if id(told) not in texts:
                texts[id(told)] = told, encode(told).decode()
            text = texts[id(told)][1]
            media = response.headers.get("content-type", "")
            check = description(text).check
            check(response.request.method, path, response.status_code, media, response.content)
        return response

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "request", request)
        yield


@pytest.fixture(autouse=True)
def _soon() -> Iterator[None]:
    """An answer that never comes must not hold everything up."""

    def late(*_: object) -> None:
        raise TimeoutError("a test of the lab took more than three minutes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(180)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A browser of somebody on the lab's own computer."""
    with TestClient(make_app(tmp_path / "lab"), base_url=ADDRESS) as found:
        found.get("/api/catalog")
        yield found


@pytest.fixture
def other(client: TestClient) -> TestClient:
    """Somebody else's browser, at the same lab."""
    return someone(client)


@pytest.fixture
def talk(client: TestClient) -> Iterator[Talker]:
    with Talker(client) as talker:
        yield talker


@pytest.fixture
def talkers(client: TestClient) -> Iterator[Callable[[], Talker]]:
    """Makes more people, each with a connection."""
    open_: list[Talker] = []

    def make() -> Talker:
        open_.append(Talker(someone(client)).__enter__())
        return open_[-1]

    yield make
    for talker in reversed(open_):
        talker.__exit__()
