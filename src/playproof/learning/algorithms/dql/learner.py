"""Deep Q-learning (Mnih et al., 2015) by self-play, as in ChokoZero: the training loop.

A network gives a value to every action.  Both sides play the action with the highest value, except
for a share of random moves.  Decisions are stored in a replay with their rewards, and a gradient
step learns a random minibatch of them.  There are as many steps as games: a batch of games and as
many steps alternate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.bits import derive_seed
from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.learning.algorithms.dql import kernels as compiled
from playproof.learning.algorithms.dql.replay import Counts, Floats, Replay, play
from playproof.learning.algorithms.dql.settings import DqlSettings
from playproof.learning.evaluation import Evaluation, evaluate
from playproof.learning.learner import Stopped, never
from playproof.learning.optim.adam import Moments
from playproof.learning.optim.trunk import scratch_length
from playproof.nets.forward.mlp import Forward, choose_actions
from playproof.nets.mlp import Vector

_BETAS, _EPSILON = (0.9, 0.999), 1e-8  # Adam's
# Temperature of evaluation games: nearly always the best action, yet games differ.
_EVALUATION_TEMPERATURE = 0.05


class Dql:
    """A run in memory: everything that the next iteration depends on."""

    def __init__(self, settings: DqlSettings) -> None:
        settings.check()
        self.settings, self.iteration = settings, 0
        self.game = make(settings.game)
        self.architecture = settings.architecture()
        self.weights: Vector = settings.starting_weights()
        self.target, self.earlier = self.weights.copy(), self.weights.copy()
        self.moments = Moments.start(self.weights)
        self.replay = Replay(settings.buffer, self.architecture.inputs)
        self.random = np.random.default_rng(derive_seed(settings.seed, 4))
        self.evaluated: Evaluation | None = None

    def iterate(self, stopped: Stopped = never) -> dict[str, float]:
        """Do one iteration; its metrics.  It is too short to be stopped halfway."""
        s = self.settings
        self.evaluated = None
        while not self.replay.full:
            self._play()
        self.earlier = self.weights.copy()
        statistics = np.zeros(4)
        for _ in range(s.steps // s.games):
            self._play()
            statistics += self._learn(s.games) * (s.games / s.steps)
        self.iteration += 1
        metrics: dict[str, float] = {
            "iteration": self.iteration,
            "loss": float(statistics[compiled.LOSS]),
            "value": float(statistics[compiled.VALUE]),
            "goal": float(statistics[compiled.GOAL]),
            "gradient_norm": float(statistics[compiled.GRADIENT_NORM]),
        }
        if s.evaluate_every and self.iteration % s.evaluate_every == 0:
            metrics |= self.evaluation()
        return metrics

    def _play(self) -> None:
        s, learner = self.settings, Forward(self.architecture, self.weights)

        def choose(batch: Batch, seen: Floats, legal: LegalLists) -> Counts:
            best = choose_actions(
                legal, learner.logits(seen, legal).policy, batch.words(), greedy=True
            )
            stray = self.random.random(len(batch)) < s.explore
            return np.where(stray, batch.random_actions(), best)

        seed = int(self.random.integers(2**63))
        self.replay.add(
            play(
                self.game,
                s.observation,
                s.games,
                choose,
                s.rewards_at(self.iteration),
                s.ahead,
                seed,
            )
        )

    def _learn(self, steps: int) -> npt.NDArray[np.float64]:
        """Take some gradient steps; the means of their statistics."""
        s, decisions, moments = self.settings, self.replay.decisions, self.moments
        order = self.random.integers(0, len(self.replay), steps * s.minibatch)
        settings = np.array(
            [s.gamma**s.ahead, s.rate, *_BETAS, _EPSILON, s.norm or np.inf], np.float64
        )
        sizes = self.architecture
        scratch = np.empty(scratch_length(sizes.widths, sizes.actions, s.minibatch), np.float32)
        last, means = np.zeros(4), np.zeros(4)
        done = compiled.updates(
            self.weights, self.target, moments.first, moments.second, moments.steps,
            np.array(sizes.widths, np.int64), sizes.actions, decisions.observations,
            decisions.chosen, decisions.rewards, decisions.later, decisions.counts,
            decisions.legal, order, s.minibatch, s.sync, settings, scratch,
            np.empty_like(self.weights), np.empty(s.minibatch, np.float32), last, means,
        )  # fmt: skip
        if done < steps:
            raise PlayproofError(
                f"the gradient of step {moments.steps[0] + 1} is not finite: "
                "want a lower learning rate, or look for rewards that are not numbers"
            )
        return means

    def evaluation(self) -> dict[str, float]:
        """Play itself an iteration ago and a random player; the results as metrics."""
        self.evaluated = evaluate(
            self, self.earlier, self.settings.evaluation_games, back=1,
            temperature=_EVALUATION_TEMPERATURE,
        )  # fmt: skip
        return self.evaluated.metrics()

    # Checkpoints

    growing: tuple[str, ...] = ("kept.legal",)  # arrays whose shape may change

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, metadata) from which the run continues exactly as it would have."""
        decisions = {f"kept.{name}": array for name, array in self.replay.state().items()}
        return decisions | {
            "weights": self.weights, "target": self.target, "earlier": self.earlier,
            "adam.first": self.moments.first, "adam.second": self.moments.second,
            "adam.steps": self.moments.steps,
        }, {
            "iteration": self.iteration,
            "added": self.replay.added,
            "random": self.random.bit_generator.state,
        }  # fmt: skip

    def restore(self, arrays: dict[str, npt.NDArray[Any]], metadata: dict[str, Any]) -> None:
        self.iteration = int(metadata["iteration"])
        for name in ("weights", "target", "earlier"):
            setattr(self, name, arrays[name].copy())
        self.moments = Moments(
            arrays["adam.first"].copy(), arrays["adam.second"].copy(), arrays["adam.steps"].copy()
        )
        decisions = {
            name.removeprefix("kept."): array
            for name, array in arrays.items()
            if name.startswith("kept.")
        }
        self.replay.restore(decisions, int(metadata["added"]))
        self.random.bit_generator.state = metadata["random"]
