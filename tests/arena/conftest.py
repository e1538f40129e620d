"""What the tests of the arena share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena import hostile
from playproof.agents import registry
from playproof.arena import referee


@pytest.fixture
def hostile_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hostile agents can be named, until the test is over."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    hostile.register_all()


@pytest.fixture(autouse=True, scope="module")
def processes_end() -> Iterator[None]:
    """Those of a file: a game between the same players finds theirs still there."""
    yield
    referee.leave_all()
