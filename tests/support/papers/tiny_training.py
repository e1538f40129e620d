"""Settings with which all of ChokoZero's nets are trained in a second or two."""

from __future__ import annotations

from pathlib import Path

_SMALL = {
    "iterations": "2", "evaluate_every": "1", "evaluation_games": "4", "steps": "40",
    "games": "4", "minibatch": "8",
}  # fmt: skip


def tiny(preset: str, folder: Path, *, small: bool, seed: int | None) -> dict[str, str]:
    """In place of ``chokozero.train.settings``."""
    more = {"buffer": "64"} if preset == "choko-dql" else {}
    return _SMALL | more | ({} if seed is None else {"seed": str(seed)})
