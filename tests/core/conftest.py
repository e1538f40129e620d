"""The book of jobs in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.core.jobs.index import Book


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def book(data: Path) -> Book:
    return Book(data)
