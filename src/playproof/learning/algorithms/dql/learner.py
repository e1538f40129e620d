"""Deep Q-learning (Mnih et al., 2015) by self-play, as in ChokoZero.

A network gives a value to every action, and both sides play the best one, but
for a share of moves at random.  Decisions are kept with what came of them; each
gradient step takes some at random, and for each step a game is played.  Games
are played side by side, so some games and as many steps take turns.
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
_SHARP = 0.05  # temperature of evaluation games: nearly always the best action, but not one game


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
        """One iteration; what there is to say about it.  It is short: nobody stops it."""
        s = self.settings
        self.evaluated = None
        while not self.replay.full:
            self._play()
        self.earlier = self.weights.copy()
        told = np.zeros(4)
        for _ in range(s.steps // s.games):
            self._play()
            told += self._learn(s.games) * (s.games / s.steps)
        self.iteration += 1
        facts: dict[str, float] = {
            "iteration": self.iteration,
            "loss": float(told[compiled.LOSS]),
            "value": float(told[compiled.VALUE]),
            "goal": float(told[compiled.GOAL]),
            "gradient_norm": float(told[compiled.GRADIENT_NORM]),
        }
        if s.evaluate_every and self.iteration % s.evaluate_every == 0:
            facts |= self.evaluation()
        return facts

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
        """Some gradient steps; means of what they tell."""
        s, kept, moments = self.settings, self.replay.kept, self.moments
        order = self.random.integers(0, len(self.replay), steps * s.minibatch)
        settings = np.array(
            [s.gamma**s.ahead, s.rate, *_BETAS, _EPSILON, s.norm or np.inf], np.float64
        )
        sizes = self.architecture
        scratch = np.empty(scratch_length(sizes.widths, sizes.actions, s.minibatch), np.float32)
        told, means = np.zeros(4), np.zeros(4)
        done = compiled.updates(
            self.weights, self.target, moments.first, moments.second, moments.steps,
            np.array(sizes.widths, np.int64), sizes.actions, kept.observations, kept.chosen,
            kept.rewards, kept.later, kept.counts, kept.legal, order, s.minibatch, s.sync,
            settings, scratch, np.empty_like(self.weights), np.empty(s.minibatch, np.float32),
            told, means,
        )  # fmt: skip
        if done < steps:
            raise PlayproofError(
                f"the gradient of step {moments.steps[0] + 1} is not finite: "
                "want a lower learning rate, or look for rewards that are not numbers"
            )
        return means

    def evaluation(self) -> dict[str, float]:
        """Against itself an iteration ago, and against a random player."""
        self.evaluated = evaluate(
            self, self.earlier, self.settings.evaluation_games, back=1, temperature=_SHARP
        )
        return self.evaluated.facts()

    # Checkpoints

    growing: tuple[str, ...] = ("kept.legal",)  # arrays whose shape may change

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, facts) from which the run goes on exactly as it would have."""
        kept = {f"kept.{name}": array for name, array in self.replay.state().items()}
        return kept | {
            "weights": self.weights, "target": self.target, "earlier": self.earlier,
            "adam.first": self.moments.first, "adam.second": self.moments.second,
            "adam.steps": self.moments.steps,
        }, {
            "iteration": self.iteration,
            "added": self.replay.added,
            "random": self.random.bit_generator.state,
        }  # fmt: skip

    def restore(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        self.iteration = int(facts["iteration"])
        for name in ("weights", "target", "earlier"):
            setattr(self, name, arrays[name].copy())
        self.moments = Moments(
            arrays["adam.first"].copy(), arrays["adam.second"].copy(), arrays["adam.steps"].copy()
        )
        kept = {
            name.removeprefix("kept."): array
            for name, array in arrays.items()
            if name.startswith("kept.")
        }
        self.replay.restore(kept, int(facts["added"]))
        self.random.bit_generator.state = facts["random"]
