"""A lab in this process whose data folder has two small runs in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from playproof.web.server import make_app
from tests.support.web.people import ADDRESS
from tests.support.web.training.small_runs import train


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs made once: ``one`` and, with another seed and rate, ``two``."""
    folder = tmp_path_factory.mktemp("trained")
    train(folder / "one", seed=1)
    train(folder / "two", seed=2, rate=0.003)
    return folder


@pytest.fixture
def data(tmp_path: Path, trained: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(trained, folder / "runs")
    monkeypatch.setenv("PLAYPROOF_DATA", str(folder))
    return folder


@pytest.fixture
def client(data: Path) -> Iterator[TestClient]:
    with TestClient(make_app(data), base_url=ADDRESS) as found:
        found.get("/api/catalog")
        yield found
