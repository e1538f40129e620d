"""A lab in this process, and people who talk to it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.web.server import make_app
from web.server.people import ADDRESS, Talker, someone


@pytest.fixture(autouse=True)
def _soon() -> Iterator[None]:
    """An answer that never comes must not hold everything up."""

    def late(*_: object) -> None:
        raise TimeoutError("a test of the server took more than three minutes")

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
