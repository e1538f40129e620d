"""What version 0.1 made, copied to where a test may do with it what it likes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playproof.agents import registry as agents
from playproof.core import plugins
from playproof.core import registry as games
from playproof.proofs import registry as statements
from tests.cli.conftest import playproof
from tests.support.compatibility.made import ANNA, MADE
from tests.support.docs.reading import EXAMPLES

__all__ = ["playproof"]

Copy = Callable[[str], Path]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    """``copy("runs")``: the old folder, or what is in the old archive, now the current folder.

    Jobs and games go to an empty data folder; paths that are stored lead to the copies.
    """
    monkeypatch.setenv("PLAYPROOF_DATA", str(tmp_path / "empty-data"))

    def make(name: str) -> Path:
        archive, target = MADE / f"{name}.tar.xz", tmp_path / name
        if archive.exists():
            shutil.unpack_archive(archive, tmp_path)
        else:
            shutil.copytree(MADE / name, target)
        for file in target.rglob("*"):
            if file.suffix in (".json", ".txt") and ANNA in (text := file.read_text("utf-8")):
                file.write_text(text.replace(ANNA, str(target)), "utf-8")
        monkeypatch.chdir(target)
        return target

    return make


@pytest.fixture
def forget_loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test loads from files is forgotten after it."""
    for module in (games, agents, statements):
        monkeypatch.setattr(module, "_registered", dict(module._registered))
    monkeypatch.setattr(plugins, "_loaded", set())
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, module in list(sys.modules.items()):  # other tests import today's examples
        if Path(getattr(module, "__file__", None) or "").parent == EXAMPLES:
            monkeypatch.delitem(sys.modules, name)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if "." not in name:
            del sys.modules[name]
