"""What tests of the documentation leave behind: nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from docs.reading import EXAMPLES
from playproof.core import registry


@pytest.fixture(autouse=True)
def _leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Examples can be imported, and the games they register are forgotten again."""
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    for name in ("NO_COLOR", "FORCE_COLOR", "PLAYPROOF_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    yield
    for example in EXAMPLES.glob("*.py"):
        sys.modules.pop(example.stem, None)
