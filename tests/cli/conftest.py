"""The command line inside this process: many calls for the price of one start."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from playproof.cli.main import main
from tests.support.cli.running import DECORATIONS, Answer


@pytest.fixture
def playproof(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Answer]:
    """``playproof("show", "othello", stdin="")``: what the command answers."""
    for variable in DECORATIONS:
        monkeypatch.delenv(variable, raising=False)

    def call(*arguments: str, stdin: str = "") -> Answer:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        code = main(arguments)
        told = capsys.readouterr()
        return Answer(code, told.out, told.err)

    return call


@pytest.fixture
def proof_files(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables and candidates are made here, whatever the user's cache holds."""
    home = tmp_path_factory.getbasetemp() / "proofs"
    for module in ("census.candidates", "retrograde.forward"):
        monkeypatch.setattr(f"playproof.proofs.othello.{module}.cache_folder", lambda: home)
