"""A lab whose folder holds small tables of Choko, and nobody else's tables in sight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.tables.choko import store as choko_store
from playproof.web.pages.truth.evaluate import Oracle
from playproof.web.server import make_app
from tests.support.tables import small_tables

ADDRESS = "http://127.0.0.1"


@pytest.fixture(autouse=True)
def _no_other_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Those of whoever runs the tests."""
    monkeypatch.setattr(choko_store, "default_folder", lambda lone_jump: tmp_path / "nobody's")


@pytest.fixture
def oracle() -> Oracle:
    """It knows all positions with six pieces in play, and what is shipped."""
    return Oracle(lambda lone_jump: [small_tables.folder(lone_jump)])


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    small_tables.copied(tmp_path / "lab" / "tables" / "choko", "*.distance")
    with TestClient(make_app(tmp_path / "lab"), base_url=ADDRESS) as found:
        found.get("/api/catalog")
        yield found
