"""A lab in this process, with an empty data folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.web.server import make_app
from tests.support.web.people import ADDRESS


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("PLAYPROOF_DATA", str(folder))
    return folder


@pytest.fixture
def client(data: Path) -> Iterator[TestClient]:
    with TestClient(make_app(data), base_url=ADDRESS) as found:
        found.get("/api/catalog")
        yield found
