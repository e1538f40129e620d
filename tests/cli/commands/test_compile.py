"""``playproof compile``: what it prints and refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playproof.core import compile_ahead
from playproof.core.compile_ahead import KernelModule
from tests.support.cli.running import Answer


def test_the_command_says_what_it_compiled_and_what_it_could_not(
    playproof: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [
        KernelModule("playproof.learning.optim.adam", 1),
        KernelModule("playproof.learning.nothing", 1),
    ]
    monkeypatch.setattr(compile_ahead, "kernel_modules", lambda games: some)
    answer = playproof("compile", "--processes", "1", "--json").json()
    assert (answer["modules"], answer["processes"]) == (2, 1)
    assert answer["failures"] == [
        "playproof.learning.nothing: ModuleNotFoundError: No module named "
        "'playproof.learning.nothing'"
    ]


def test_a_wrong_name_is_told_in_a_line(playproof: Callable[..., Answer]) -> None:
    answer = playproof("compile", "otello")
    assert answer.code == 2
    assert "otello" in answer.err
    assert answer.err.count("\n") == 1
