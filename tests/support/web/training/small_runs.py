"""Real runs that take a second: PPO on 4x4 Othello with a tiny net."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playproof.learning.runs.run import METRICS, Run

TINY = {
    "game": "othello:size=4",
    "observation": "planes",
    "hidden": "8",
    "steps": "64",
    "games": "4",
    "epochs": "1",
    "evaluate_every": "2",
    "evaluation_games": "4",
}


def train(folder: Path, iterations: int = 4, **changes: Any) -> Run:
    """A run to its end, with the nets of every second iteration."""
    own = {**TINY, "iterations": str(iterations), **{k: str(v) for k, v in changes.items()}}
    run = Run.create(folder, "choko-ppo-v1", own)
    run.resume(checkpoint_every=1, keep_every=2)
    return run


def add_line(folder: Path, **facts: float) -> None:
    """As if the run had gone on."""
    with (folder / METRICS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(facts) + "\n")
