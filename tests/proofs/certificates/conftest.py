"""Certificates that the tests change: each test gets copies of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from playproof.proofs.certificates.write import write_bundle, write_chain
from playproof.proofs.othello.mobility import OthelloMobility
from tests.support.proofs.certificates import IMPOSSIBLE, small_theorem


@pytest.fixture(scope="package")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("originals")
    write_bundle(folder / "bundle", IMPOSSIBLE)
    write_bundle(folder / "other", OthelloMobility(21, 6))
    write_chain(folder / "chain", small_theorem(), workers=2)
    return folder


@pytest.fixture
def bundle(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "bundle", tmp_path / "bundle"))


@pytest.fixture
def chain(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "chain", tmp_path / "chain"))
