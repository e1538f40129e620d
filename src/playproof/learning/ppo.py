"""Proximal policy optimisation (Schulman et al., 2017) by self-play, as in ChokoZero.

An iteration plays until enough decisions are recorded, and then goes over them
several times in minibatches.  Opponents are the learner itself, or frozen
ancestors of it.  The presets follow ChokoZero's text and code; where these
differ or slip, ``docs/papers`` says what was chosen.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import UsageError
from playproof.core.playouts import derive_seed
from playproof.core.registry import make
from playproof.learning.adam import Moments
from playproof.learning.evaluation import compare
from playproof.learning.ppo_update import Updater, UpdateSettings
from playproof.learning.rollout import Rewards, Rollout
from playproof.nets.forward import Forward
from playproof.nets.mlp import Architecture, Vector, starting_weights

BACK = 10  # iterations: the net of so long ago is the one to compare with


@dataclass(frozen=True)
class PpoSettings:
    """What a run is made of; the defaults are ChokoZero's third agent."""

    game: str = "choko"
    observation: str = "paper-26"
    hidden: tuple[int, ...] = (64, 64, 64)
    iterations: int = 4000
    steps: int = 8192  # decisions recorded in an iteration
    epochs: int = 12
    minibatch: int = 128
    rate: float = 1e-4
    gamma: float = 0.99
    decay: float = 0.95  # lambda of the advantage estimate
    clip: float = 0.2
    value_weight: float = 0.5
    entropy_weight: float = 0.01
    norm: float = 0.5
    ancestor_every: int = 500  # iterations between ancestors; 0: pure self-play
    games: int = 64  # played side by side
    point_reward: float = 0.1  # for a point of the game: a captured piece
    point_until: float = 0.5  # share of the run at which that has sunk to 0; 0: it stays
    win_reward: float = 2.0
    loss_reward: float = -2.0
    evaluate_every: int = 50
    evaluation_games: int = 200
    seed: int = 1

    def check(self) -> None:
        """A UsageError for what cannot be run."""
        whole = ("iterations", "steps", "epochs", "minibatch", "games")
        for name in whole:
            if getattr(self, name) < 1:
                raise UsageError(f"{name}={getattr(self, name)}: want 1 or more")
        if self.rate <= 0 or not 0 <= self.point_until <= 1:
            raise UsageError("want a rate above 0 and point_until from 0 to 1")
        self.architecture()

    def architecture(self) -> Architecture:
        game = make(self.game)
        if self.observation not in game.observations:
            raise UsageError(
                f"{game.name} has no observation {self.observation!r}: "
                f"want one of {', '.join(game.observations)}"
            )
        inputs = math.prod(game.observations[self.observation])
        return Architecture(inputs, tuple(self.hidden), game.num_actions)

    def point_reward_at(self, iteration: int) -> float:
        if not self.point_until:
            return self.point_reward
        share = iteration / (self.iterations * self.point_until)
        return self.point_reward * max(0.0, 1.0 - share)


PRESETS = {
    "choko-ppo-v1": PpoSettings(
        observation="paper-25", hidden=(64, 64), iterations=5000, steps=4096, epochs=6,
        minibatch=64, ancestor_every=0, point_until=0.0,
    ),
    "choko-ppo-v2": PpoSettings(
        observation="paper-25", hidden=(64, 64), iterations=3000, point_until=0.0
    ),
    "choko-ppo-v3": PpoSettings(),
}  # fmt: skip


class Ppo:
    """A run in memory: everything that the next iteration depends on."""

    def __init__(self, settings: PpoSettings) -> None:
        settings.check()
        self.settings, self.iteration = settings, 0
        self.game = make(settings.game)
        self.architecture = settings.architecture()
        weights = starting_weights(self.architecture, derive_seed(settings.seed, 2))
        self._start(weights, None)
        self.rollout = Rollout(
            self.game, settings.observation, settings.games,
            ancestors=settings.ancestor_every > 0, seed=derive_seed(settings.seed, 3),
        )  # fmt: skip
        self.pool: list[Vector] = []
        self.past: deque[Vector] = deque([weights.copy()], maxlen=BACK + 1)
        self._shuffler = np.random.default_rng(derive_seed(settings.seed, 4))

    def _start(self, weights: Vector, moments: Moments | None) -> None:
        s = self.settings
        update = UpdateSettings(
            clip=s.clip, value_weight=s.value_weight, entropy_weight=s.entropy_weight,
            rate=s.rate, norm=s.norm,
        )  # fmt: skip
        self.updater = Updater(
            self.architecture, weights, update, minibatch=s.minibatch, moments=moments
        )

    @property
    def weights(self) -> Vector:
        return self.updater.parameters

    def iterate(self) -> dict[str, float]:
        """One iteration; what there is to say about it."""
        s = self.settings
        rewards = Rewards(s.point_reward_at(self.iteration), s.win_reward, s.loss_reward)
        samples = self.rollout.collect(
            Forward(self.architecture, self.weights),
            [Forward(self.architecture, weights) for weights in self.pool],
            s.steps, rewards, gamma=s.gamma, decay=s.decay,
        )  # fmt: skip
        orders = [self._shuffler.permutation(len(samples))[: s.steps] for _ in range(s.epochs)]
        told = self.updater.run(samples, np.concatenate(orders))
        self.iteration += 1
        if s.ancestor_every and self.iteration % s.ancestor_every == 0:
            self.pool.append(self.weights.copy())
        self.past.append(self.weights.copy())
        facts: dict[str, float] = {
            "iteration": self.iteration,
            "policy_loss": told.policy_loss,
            "value_loss": told.value_loss,
            "entropy": told.entropy,
            "clipped": told.clipped,
            "divergence": told.divergence,
            "gradient_norm": told.gradient_norm,
        }
        if s.evaluate_every and self.iteration % s.evaluate_every == 0:
            facts |= self.evaluation()
        return facts

    def evaluation(self) -> dict[str, float]:
        """Against itself ten iterations ago, and against a random player."""
        s, now = self.settings, Forward(self.architecture, self.weights)
        seed = derive_seed(s.seed, 1000 + self.iteration)
        facts: dict[str, float] = {}
        for name, other in (
            ("earlier", Forward(self.architecture, self.past[0])),
            ("random", None),
        ):
            found = compare(self.game, s.observation, now, other, s.evaluation_games, seed)
            facts |= {
                f"{name}_wins": found.wins, f"{name}_draws": found.draws,
                f"{name}_losses": found.losses,
            }  # fmt: skip
        return facts

    # Checkpoints

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, facts) from which the run goes on exactly as it would have."""
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

    def restore(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        self.iteration = int(facts["iteration"])
        moments = Moments(
            arrays["adam.first"].copy(), arrays["adam.second"].copy(), arrays["adam.steps"].copy()
        )
        self._start(arrays["weights"].copy(), moments)
        self.pool = [weights.copy() for weights in arrays["pool"]]
        self.past = deque((weights.copy() for weights in arrays["past"]), maxlen=BACK + 1)
        games = {
            name.removeprefix("games."): array
            for name, array in arrays.items()
            if name.startswith("games.")
        }
        self.rollout.restore(games, facts["games_random"])
        self._shuffler.bit_generator.state = facts["shuffler"]
