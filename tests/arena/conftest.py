"""What the tests of the arena share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from playproof.agents import registry
from playproof.arena import referee
from tests.support.arena import hostile
from tests.support.arena.players_here import players_here


@pytest.fixture
def hostile_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hostile agents can be named, until the test is over."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    hostile.register_all()


@pytest.fixture
def here(hostile_agents: None) -> Iterator[None]:
    """The players, the hostile ones too, sit in this process."""
    with players_here():
        yield


@pytest.fixture(autouse=True, scope="module")
def processes_end() -> Iterator[None]:
    """Those of a file: a game between the same players finds theirs still there."""
    yield
    referee.close_player_processes()
