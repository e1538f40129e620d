"""Settings with which all of ChokoZero's nets are trained in a second or two."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from playproof.learning.runs.run import Run
from playproof.nets import files, shipped
from tests.support.learning.run_folders import metrics

_SMALL = {
    "iterations": "2", "evaluate_every": "1", "evaluation_games": "4", "steps": "40",
    "games": "4", "minibatch": "8",
}  # fmt: skip


def tiny(preset: str, folder: Path, *, small: bool, seed: int | None) -> dict[str, str]:
    """In place of ``chokozero.train.settings``."""
    more = {"buffer": "64"} if preset == "choko-dql" else {}
    return _SMALL | more | ({} if seed is None else {"seed": str(seed)})


def tiny_run(folder: Path, preset: str, seed: int, *, noise: int = 0, **changes: str) -> Path:
    """A finished run with a net of its own, without training: weights of the shipped net, changed
    by ``noise``."""
    settings = {**tiny(preset, folder, small=False, seed=seed), **changes}
    run = Run.create(folder, preset, settings)
    lines = metrics(run.settings.iterations, every=1)
    (folder / "metrics.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    net = shipped.find(preset.removesuffix("-literal"))
    random = np.random.default_rng(noise or seed)
    weights = net.weights + 0.01 * random.standard_normal(len(net.weights)).astype(np.float32)
    metadata = {"iterations": run.settings.iterations, "seed": seed}
    changed = files.Net(net.architecture, weights, net.game, net.observation, metadata)
    files.save(changed, folder / "net.safetensors")
    return folder
