"""An algorithm of somebody else's, in NumPy alone: a linear network that drifts.

It learns nothing, but has all that an algorithm can have: columns that it declares and one that
it does not, an opponent of its own, arrays that grow and one that stays behind, folds, a meter,
small runs for the Train page, and a family of games.  It imports nothing that is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.learning.algorithm import Algorithm, Folds, Recipe
from playproof.learning.learner import Arrays, Stopped, never
from playproof.learning.metrics import Metric, Opponent
from playproof.learning.setting import check_ranges, setting
from playproof.learning.settings import RunSettings
from playproof.nets.game_families import GameFamily
from playproof.nets.mlp import Architecture, Vector


@dataclass(frozen=True)
class DriftConfig(RunSettings):
    game: str = "go:board=3x3"
    observation: str = "planes"
    iterations: int = 6
    evaluate_every: int = 2
    step: float = setting(0.1, "how far a weight drifts in an iteration", above=0)
    wide: int = setting(0, "1: the net is for any komi", least=0, most=1)
    fold: int = setting(0, "the part that is held out", least=0)

    def check(self) -> None:
        check_ranges(self)
        if self.start:
            raise UsageError("start: drifting begins anywhere")

    def architecture(self) -> Architecture:
        game = make(self.game)
        return Architecture(int(np.prod(game.observations[self.observation])), (), game.num_actions)

    @property
    def family(self) -> GameFamily | None:
        return GameFamily.of(["go:board=3x3,komi=*"]) if self.wide else None

    @property
    def steps_per_iteration(self) -> int:
        return self.architecture().parameters


class Drift:
    evaluated = None
    growing = ("trail",)

    def __init__(self, config: DriftConfig, device: str) -> None:
        config.check()
        self.settings, self.iteration = config, 0
        self.game, self.architecture = make(config.game), config.architecture()
        self.random = np.random.default_rng([config.seed, config.fold])
        start = self.random.normal(size=self.architecture.parameters)
        self.weights: Vector = start.astype(np.float32)
        self.trail: list[float] = []  # how far each iteration has led
        self.memory = np.zeros(100_000, np.float32)  # too large to travel

    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None:
        if stopped():
            return None
        drift = self.settings.step * self.random.normal(size=len(self.weights)).astype(np.float32)
        self.weights = self.weights + drift
        self.memory[: len(drift)] = drift
        self.iteration += 1
        self.trail.append(float(np.abs(drift).mean()))
        found: dict[str, Any] = {
            "iteration": self.iteration,
            "length": np.float32(self.trail[-1]),  # not JSON's own
            "share_up": float((drift > 0).mean()),
            "weight_norm": float(np.linalg.norm(self.weights)),
        }
        if self.iteration % self.settings.evaluate_every == 0:
            wins = int(self.random.integers(0, 9))
            found |= {"wall_wins": wins, "wall_draws": 2, "wall_losses": 8 - wins}
            found |= {"test_luck": float(self.random.random())}
        return found

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        arrays: Arrays = {"weights": self.weights, "trail": np.array(self.trail, np.float64)}
        arrays["memory"] = self.memory
        return arrays, {"iteration": self.iteration, "random": self.random.bit_generator.state}

    def restore(self, arrays: Arrays, metadata: dict[str, Any]) -> None:
        self.iteration, self.weights = int(metadata["iteration"]), arrays["weights"].copy()
        self.trail = arrays["trail"].tolist()
        self.memory = arrays.get("memory", np.zeros_like(self.memory)).copy()
        self.random.bit_generator.state = metadata["random"]


class Odometer:
    """How far it has come, which is all there is to measure."""

    def __init__(self, learner: Drift) -> None:
        self._learner = learner

    def __str__(self) -> str:
        return f"{sum(self._learner.trail):.1f} gone"

    def summary(self) -> list[str]:
        return [f"all in all it went {self}"]


ALGORITHM = Algorithm(
    "drift",
    "weights that drift, for want of a better idea",
    DriftConfig,
    Drift,
    metrics=(
        Metric("length", "Way of a weight", "How far it went.", "down", "way {:.3f}", main=True),
        Metric("share_up", "Share that rose", "Half of them, mostly.", percent=True),
        Metric("test_luck", "Luck", "Of the part held out.", "up", evaluation=True),
    ),
    opponents=(Opponent("wall", "a wall", "A wall makes no moves: every point is luck."),),
    panels=("wall_score", "length"),
    listed="length",
    presets={"drift": DriftConfig(), "drift-fast": DriftConfig(step=1.0)},
    preset_for=lambda game: DriftConfig(game=make(game).spec),
    recipes=(
        Recipe("drifting", "A net that drifts", "It learns nothing.", "drift", iterations=4,
               most=9, seconds=0.01, checkpoint=1, keep=2, changes={"step": "0.5"}),
    ),
    devices=("cpu",),
    stays_behind=("memory",),
    stays_behind_note="the memory stays behind",
    folds=Folds(lambda config: 3),
    meter=Odometer,
)  # fmt: skip
