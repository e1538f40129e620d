"""Small tables to learn from."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.store import DISTANCE, FileStore


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of all positions with up to four pieces in play, hands included."""
    out = tmp_path_factory.mktemp("tables")
    device = Cpu()
    build(plan_build(False, DISTANCE, pieces=4), device, FileStore(out, False, DISTANCE, device))
    return out
