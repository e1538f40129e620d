"""Proximal policy optimisation (Schulman et al., 2017) by self-play, as in ChokoZero.

An iteration plays until enough decisions are recorded, and then trains on them several times in
minibatches.  Opponents are the learner itself or its frozen ancestors.  The presets follow
ChokoZero's text and code; where these differ or are wrong, ``docs/papers`` says what was chosen.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.bits import derive_seed
from playproof.core.registry import make
from playproof.learning.algorithms.ppo.rollout import Rollout
from playproof.learning.algorithms.ppo.settings import PpoSettings
from playproof.learning.algorithms.ppo.update import Updater
from playproof.learning.evaluation import Evaluation, evaluate
from playproof.learning.learner import Stopped, never
from playproof.learning.optim.adam import Moments
from playproof.nets.forward.mlp import Forward
from playproof.nets.mlp import Vector

_BACK = 10  # iterations between the net and the earlier one that evaluations compare it with


class Ppo:
    """A run in memory: everything that the next iteration depends on.

    ``device`` is where updates are computed: by compiled code on the CPU ("cpu"), or by PyTorch
    on a GPU ("cuda").
    """

    growing: tuple[str, ...] = ("pool", "past", "games.pasts")  # arrays whose shape may change

    def __init__(self, settings: PpoSettings, *, device: str = "cpu") -> None:
        settings.check()
        self.settings, self.iteration, self.device = settings, 0, device
        self.evaluated: Evaluation | None = None
        self.game = make(settings.game)
        self.architecture = settings.architecture()
        weights = settings.starting_weights()
        self._make_updater(weights, None)
        self.rollout = Rollout(
            self.game, settings.observation, settings.games,
            ancestors=settings.ancestor_every > 0, seed=derive_seed(settings.seed, 3),
            itself=settings.itself, symmetries=bool(settings.symmetries),
        )  # fmt: skip
        # A trained net to start from is the first ancestor.
        self.pool: list[Vector] = [weights.copy()] if settings.start else []
        self.past: deque[Vector] = deque([weights.copy()], maxlen=_BACK + 1)
        self._shuffler = np.random.default_rng(derive_seed(settings.seed, 4))

    def _make_updater(self, weights: Vector, moments: Moments | None) -> None:
        make_updater: Callable[..., Updater] = Updater
        if self.device != "cpu":
            from playproof.learning.algorithms.ppo.cuda_update import DeviceUpdater

            make_updater = functools.partial(DeviceUpdater, device=self.device)
        self.updater: Updater = make_updater(
            self.architecture, weights, self.settings.update_at(self.iteration),
            minibatch=self.settings.minibatch, moments=moments,
        )  # fmt: skip

    @property
    def weights(self) -> Vector:
        return self.updater.parameters

    def iterate(self, stopped: Stopped = never) -> dict[str, float]:
        """Do one iteration; its metrics.  It is too short to be stopped halfway."""
        s, self.evaluated = self.settings, None
        samples = self.rollout.collect(
            Forward(self.architecture, self.weights),
            [Forward(self.architecture, weights) for weights in self.pool],
            s.steps, s.rewards_at(self.iteration), gamma=s.gamma, decay=s.decay,
            normalise=bool(s.normalise),
        )  # fmt: skip
        orders = [self._shuffler.permutation(len(samples))[: s.steps] for _ in range(s.epochs)]
        self.updater.settings = s.update_at(self.iteration)
        statistics = self.updater.run(samples, np.concatenate(orders))
        self.iteration += 1
        if s.ancestor_every and self.iteration % s.ancestor_every == 0:
            self.pool.append(self.weights.copy())
        self.past.append(self.weights.copy())
        metrics: dict[str, float] = {
            "iteration": self.iteration,
            "policy_loss": statistics.policy_loss,
            "value_loss": statistics.value_loss,
            "entropy": statistics.entropy,
            "clipped": statistics.clipped,
            "divergence": statistics.divergence,
            "gradient_norm": statistics.gradient_norm,
        }
        if s.evaluate_every and self.iteration % s.evaluate_every == 0:
            metrics |= self.evaluation()
        return metrics

    def evaluation(self) -> dict[str, float]:
        """Play itself ten iterations ago and a random player; the results as metrics."""
        self.evaluated = evaluate(self, self.past[0], self.settings.evaluation_games, back=_BACK)
        return self.evaluated.metrics()

    # Checkpoints

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, metadata) from which the run continues exactly as it would have."""
        arrays, games_random = self.rollout.state()
        moments = self.updater.moments
        nothing = np.zeros((0, len(self.weights)), np.float32)
        out = {f"games.{name}": array for name, array in arrays.items()} | {
            "weights": self.weights, "adam.first": moments.first, "adam.second": moments.second,
            "adam.steps": moments.steps, "pool": np.stack(self.pool) if self.pool else nothing,
            "past": np.stack(list(self.past)),
        }  # fmt: skip
        return out, {
            "iteration": self.iteration,
            "games_random": games_random,
            "shuffler": self._shuffler.bit_generator.state,
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]], metadata: dict[str, Any]) -> None:
        self.iteration = int(metadata["iteration"])
        moments = Moments(
            arrays["adam.first"].copy(), arrays["adam.second"].copy(), arrays["adam.steps"].copy()
        )
        self._make_updater(arrays["weights"].copy(), moments)
        self.pool = [weights.copy() for weights in arrays["pool"]]
        self.past = deque((weights.copy() for weights in arrays["past"]), maxlen=_BACK + 1)
        games = {
            name.removeprefix("games."): array
            for name, array in arrays.items()
            if name.startswith("games.")
        }
        self.rollout.restore(games, metadata["games_random"])
        self._shuffler.bit_generator.state = metadata["shuffler"]
