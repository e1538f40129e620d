"""``evolution``: a learning algorithm in NumPy alone, for any game.

Mutants of a linear network play against it, and it moves towards those that win: evolution
strategies (Salimans and others, 2017).

    python docs/examples/evolution.py

trains it on 4x4 Othello for some seconds.  CONTRIBUTING.md explains each part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import playproof
from playproof.core.errors import UsageError
from playproof.learning.algorithm import Algorithm
from playproof.learning.evaluation import Evaluation, compare, evaluate
from playproof.learning.learner import Arrays, Stopped, never
from playproof.learning.metrics import RANDOM, Metric, earlier
from playproof.learning.runs.run import Run
from playproof.learning.setting import check_ranges, setting
from playproof.learning.settings import RunSettings
from playproof.nets.architectures import forward_of
from playproof.nets.mlp import Architecture, Vector


@dataclass(frozen=True)
class EvolutionConfig(RunSettings):
    """The settings; seed, length, rate and more are in the base class."""

    game: str = "othello:size=4"
    observation: str = "planes"
    iterations: int = 40
    rate: float = 0.2
    evaluate_every: int = 10
    mutants: int = setting(20, "mutants of an iteration, an even number", least=2)
    spread: float = setting(0.2, "standard deviation of a mutation", above=0)
    games: int = setting(40, "games of a mutant against the network it comes from", least=2)
    evaluation_games: int = setting(200, "games against each opponent in an evaluation", least=1)

    def check(self) -> None:
        check_ranges(self)
        if self.mutants % 2:
            raise UsageError(f"mutants={self.mutants}: want an even number")
        self.architecture()

    def architecture(self) -> Architecture:
        game = playproof.make(self.game)
        game.observation_kind(self.observation)  # its error lists the observations
        return Architecture(
            math.prod(game.observations[self.observation]), (), game.num_actions, value=False
        )

    @property
    def steps_per_iteration(self) -> int:
        return self.mutants * self.games


class Evolution:
    """A run in memory: everything that the next iteration depends on."""

    growing: tuple[str, ...] = ()  # no array of its state changes shape

    def __init__(self, settings: EvolutionConfig, device: str) -> None:
        settings.check()
        self.settings, self.iteration = settings, 0
        self.game, self.architecture = playproof.make(settings.game), settings.architecture()
        self.weights: Vector = settings.starting_weights()
        self.before = self.weights
        self.random = np.random.default_rng(settings.seed)
        self.evaluated: Evaluation | None = None

    def iterate(self, stopped: Stopped = never) -> dict[str, float]:
        s, self.evaluated = self.settings, None
        half = self.random.normal(size=(s.mutants // 2, len(self.weights)))
        mutations = np.concatenate([half, -half])  # each with its opposite
        scores = np.array([self._score(s.spread * mutation) for mutation in mutations])
        step = (scores - scores.mean()) @ mutations / (s.mutants * s.spread)
        self.before, self.weights = self.weights, (self.weights + s.rate * step).astype(np.float32)
        self.iteration += 1
        metrics = {
            "iteration": self.iteration,
            "fittest": float(scores.max()),
            "step": float(s.rate * np.linalg.norm(step)),
        }
        if s.evaluate_every and self.iteration % s.evaluate_every == 0:
            self.evaluated = evaluate(self, self.before, s.evaluation_games, back=1)
            metrics |= self.evaluated.metrics()
        return metrics

    def _score(self, mutation: Any) -> float:
        """The points per game of a mutant against the network itself, 0 to 1."""
        nets = [
            forward_of(self.architecture, weights)
            for weights in ((self.weights + mutation).astype(np.float32), self.weights)
        ]
        seed = int(self.random.integers(2**63))
        result, _ = compare(self.game, self.settings.observation, *nets, self.settings.games, seed)
        return result.score

    # A run that was killed continues from here to the same weights.

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        arrays: Arrays = {"weights": self.weights, "before": self.before}
        return arrays, {"iteration": self.iteration, "random": self.random.bit_generator.state}

    def restore(self, arrays: Arrays, metadata: dict[str, Any]) -> None:
        self.weights, self.before = arrays["weights"].copy(), arrays["before"].copy()
        self.iteration, self.random.bit_generator.state = metadata["iteration"], metadata["random"]


EVOLUTION = Algorithm(
    name="evolution",
    summary="mutation and selection, without any gradient",
    config=EvolutionConfig,
    make=Evolution,
    metrics=(
        Metric(
            "fittest",
            "Score of the fittest mutant",
            "Points of the best mutant against the network it comes from. 50 % is even.",
            line="fittest {:.0%}",
            percent=True,
            main=True,
        ),
        Metric("step", "Length of a step", "How far the network moved in an iteration."),
    ),
    opponents=(RANDOM, earlier("itself an iteration earlier")),
    listed="fittest",
    presets={"evolution": EvolutionConfig()},
    preset_for=lambda game: EvolutionConfig(game=playproof.make(game).spec),
    devices=("cpu",),
)


def main() -> None:
    playproof.register_algorithm(EVOLUTION)
    with TemporaryDirectory() as folder:
        run = Run.create(Path(folder), "evolution", {"iterations": "20"})
        run.resume()
        last = run.metrics()[-1]
    print(f"better than random: {last['random_wins'] > 1.3 * last['random_losses']}")


if __name__ == "__main__":
    main()
