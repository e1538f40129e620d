"""What the tests of learning share."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.learning.runs import tensorboard as events


@pytest.fixture(autouse=True)
def _legs_follow_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A leg waits for the next second, so that TensorBoard reads its events after those of the leg
    before: where nobody reads them, a second lost."""

    def has_files(folder: Path) -> bool:
        return any(folder.glob("events.*"))

    if request.path.name != "test_tensorboard.py":
        monkeypatch.setattr(events, "_wait_for_a_later_name", has_files)
