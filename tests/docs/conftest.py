"""What tests of the documentation leave behind: nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from playproof.agents import registry as agents
from playproof.core import plugins as loading
from playproof.core import registry
from playproof.learning import registry as algorithms
from playproof.proofs import registry as statements
from tests.support.docs.reading import EXAMPLES


@pytest.fixture(autouse=True)
def _leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Examples can be imported, and what they register is forgotten again."""
    monkeypatch.syspath_prepend(EXAMPLES)
    for known in (registry, agents, algorithms, statements):
        monkeypatch.setattr(known, "_registered", dict(known._registered))
    monkeypatch.setattr(loading, "_loaded", set())
    for name in ("NO_COLOR", "FORCE_COLOR", "PLAYPROOF_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    yield
    for example in EXAMPLES.glob("*.py"):
        sys.modules.pop(example.stem, None)
