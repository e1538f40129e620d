"""Kernels are compiled ahead: all of them, or those that some games need."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof import UsageError
from playproof.core import compile_ahead
from playproof.core.compile_ahead import KernelModule, families, kernel_modules

SOURCE = Path(compile_ahead.__file__).parents[1]


def names(*games: str) -> set[str]:
    return {module.name for module in kernel_modules(games)}


def test_every_module_with_kernels_is_found() -> None:
    every = names()
    assert {"playproof.games.chess.kernels", "playproof.search.mcts.kernels"} <= every
    assert "playproof.core.compile_ahead" not in every  # it only speaks of kernels
    assert len(every) == sum(
        any(line.startswith("@kernel(") for line in file.read_text("utf-8").splitlines())
        for file in SOURCE.rglob("*.py")
    )


def test_a_game_is_compiled_without_the_others() -> None:
    othello = names("othello")
    assert {"playproof.games.othello.kernels", "playproof.search.mcts.kernels"} <= othello
    assert not any("choko" in name or "chess" in name or "quantum" in name for name in othello)
    quantum = names("quantum-go:board=5x5")
    assert {"playproof.games.go.kernels", "playproof.games.quantum_go.turn"} <= quantum
    assert "playproof.games.quantum_go.turn" not in names("go")
    assert names("othello", "chess") == othello | names("chess")
    with pytest.raises(UsageError, match="otello"):
        names("otello")


def test_the_longest_come_first_and_what_shares_code_stays_together() -> None:
    parts = families(
        [
            KernelModule("playproof.games.chess.kernels", 900),
            KernelModule("playproof.search.mcts.kernels", 10),
            KernelModule("playproof.search.othello_endgame.kernels", 10),
            KernelModule("playproof.search.othello_endgame.lanes", 10),
            KernelModule("playproof.core.perft", 500),
        ]
    )
    assert [sorted(part) for part in parts] == [
        ["playproof.search.mcts.kernels"],
        ["playproof.games.chess.kernels"],
        ["playproof.core.perft"],
        ["playproof.search.othello_endgame.kernels", "playproof.search.othello_endgame.lanes"],
    ]
