"""What all tests share: an order that keeps every core busy, and a data folder of their own."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest_plugins = ["tests.durations"]

# Folders with long files, which start servers, browsers and processes, run first.  A worker that
# started one of them last would leave the others without work.
LONG = ("web", "arena", "cli", "docs", "installed", "conformance", "proofs", "learning", "tables")


def pytest_configure() -> None:
    # A job that a script put into the background ignores Ctrl-C, and so would all that it starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collectstart() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """Keep the million objects imported and collected so far out of garbage collection, which would
    take a twelfth of the time."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {Path(__file__).parent / folder: place for place, folder in enumerate(LONG)}

    def place(item: pytest.Item) -> int:
        return min((places[p] for p in item.path.parents if p in places), default=len(LONG))

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let commands of this and other processes write games, jobs and runs to a temporary folder."""
    before = os.environ.get("PLAYPROOF_DATA")
    os.environ["PLAYPROOF_DATA"] = str(tmp_path_factory.mktemp("data"))
    yield
    if before is None:
        del os.environ["PLAYPROOF_DATA"]
    else:
        os.environ["PLAYPROOF_DATA"] = before
