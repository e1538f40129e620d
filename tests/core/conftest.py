"""A data folder for each test, and the index of its jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.core.jobs.index import JobIndex


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def index(data: Path) -> JobIndex:
    return JobIndex(data)
