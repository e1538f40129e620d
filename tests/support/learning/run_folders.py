"""Folders of runs, written by hand: what training leaves behind, without training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save


def metrics(
    iterations: int, *, every: int = 5, games: int = 20, level: float = 2.0
) -> list[dict[str, float]]:
    """An entropy that falls from ``level``, and an evaluation every few iterations."""
    found = []
    for number in range(1, iterations + 1):
        facts: dict[str, float] = {
            "iteration": number, "policy_loss": -0.01 * number, "value_loss": 1 / number,
            "entropy": level / number, "clipped": 0.05, "divergence": 0.003, "gradient_norm": 0.5,
        }  # fmt: skip
        if number % every == 0:
            facts |= {"earlier_wins": games // 2, "earlier_draws": games // 4}
            facts |= {"earlier_losses": games - games // 2 - games // 4}
            facts |= {"random_wins": games, "random_draws": 0, "random_losses": 0}
        found.append(facts)
    return found


def write_run(
    folder: Path,
    lines: Sequence[dict[str, Any]] = (),
    *,
    times: Sequence[dict[str, Any]] = (),
    algorithm: str = "ppo",
    preset: str = "choko-ppo-v3",
    checkpoint: bool = True,
    **settings: Any,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"game": "choko", "hidden": [64, 64], "rate": 1e-4, "iterations": 10, "seed": 1}
    facts = {
        "format": "playproof-run", "algorithm": algorithm, "preset": preset,
        "settings": whole | settings, "versions": {},
    }  # fmt: skip
    (folder / "settings.json").write_text(json.dumps(facts))
    for name, kept in (("metrics.jsonl", lines), ("times.jsonl", times)):
        if kept:
            (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in kept))
    if checkpoint:
        arrays = {"weights": np.zeros(7, np.float32), "past": np.zeros((2, 7), np.float32)}
        data = save(arrays, metadata={"format": "playproof-run", "facts": "{}"})
        (folder / "checkpoint.safetensors").write_bytes(data)
    return folder
