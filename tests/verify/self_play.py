"""Self-play at length: perfect play from scratch with several seeds, and a run that is killed
often or cut into legs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from playproof.learning.runs.run import Run
from tests.support.learning import exact_play
from tests.verify import legs

_PERFECT = {
    "othello:size=4": (0, 1),
    "go:board=3x3,komi=8.5,ko=simple": (0,),
}
_SETTINGS = {
    "iterations": "12", "games": "16", "positions": "200", "simulations": "8", "seed": "3",
    "evaluate_every": "4", "evaluation_games": "8", "evaluation_simulations": "4",
}  # fmt: skip


def _perfect(spec: str, seed: int) -> str:
    before, after, took = exact_play.learn(spec, _PERFECT[spec], 40, seed)
    assert not after, f"{spec}, seed {seed}: {len(after)} positions given away, such as {after[0]}"
    return f"from {before} errors to none in {took} iterations"


def _killed() -> str:
    """A run that is killed at any moment ends with the same weights, replay and metrics."""
    with tempfile.TemporaryDirectory() as home:
        alone = Run.create(Path(home) / "alone", "alphazero:othello:size=4", _SETTINGS)
        alone.resume(checkpoint_every=1)
        cut = Run.create(Path(home) / "cut", "alphazero:othello:size=4", _SETTINGS)
        kills, rng = 0, np.random.default_rng(1)
        words = ["train", "--resume", "--checkpoint", "1", "--out"]
        while cut.restore_learner().iteration < alone.settings.iterations:
            process = subprocess.Popen(
                [sys.executable, "-m", "playproof", *words, str(cut.folder)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            before, began = cut.restore_learner().iteration, time.monotonic()
            while cut.restore_learner().iteration < before + 2 and process.poll() is None:
                assert time.monotonic() - began < 300
                time.sleep(float(rng.uniform(0.05, 0.5)))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
            process.wait()
        one, two = alone.restore_learner().state()[0], cut.restore_learner().state()[0]
        assert set(one) == set(two)
        for name, array in one.items():
            np.testing.assert_array_equal(array, two[name], err_msg=name)
        assert alone.metrics() == cut.metrics()
    return f"{kills} kills, the same weights, replay and metrics"


def pieces() -> dict[str, Callable[[], str]]:
    seeds: dict[str, Callable[[], str]] = {
        f"{spec}, seed {seed}": partial(_perfect, spec, seed)
        for spec in _PERFECT
        for seed in (1, 2, 3)
    }
    return seeds | {"killed": _killed, "in five legs": legs.five_legs}
