"""What every run's settings have: the game, what is seen, a length, a seed; and what those of
self-play for small networks have beside: the network, rewards, games of evaluation."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.core.playouts import derive_seed
from playproof.core.registry import make
from playproof.learning.rewards import Rewards
from playproof.nets.kinds import AnyArchitecture, in_words, starting_weights
from playproof.nets.mlp import Architecture, Vector


@dataclass(frozen=True)
class RunSettings(ABC):
    """The part of a run's settings that does not depend on the algorithm."""

    game: str = "choko"
    observation: str = "paper-26"
    iterations: int = 1000
    rate: float = 1e-3
    start: str = ""  # a net to begin with, by name or path, instead of chance
    evaluate_every: int = 50
    seed: int = 1

    @abstractmethod
    def check(self) -> None:
        """A UsageError for what cannot be run."""

    @abstractmethod
    def architecture(self) -> AnyArchitecture:
        """The network that is trained."""

    @property
    def win(self) -> float:
        """What a won game is worth in the network's values."""
        return 1.0

    def starting_weights(self) -> Vector:
        """A net's, or by the seed."""
        if not self.start:
            return starting_weights(self.architecture(), derive_seed(self.seed, 2))
        from playproof.nets.shipped import find

        net, own = find(self.start, make(self.game)), self.architecture()
        if (net.architecture, net.observation) != (own, self.observation):
            raise UsageError(
                f"start={self.start}: that net sees {net.observation} and has layers of "
                f"{in_words(net.architecture)}, this run {self.observation} and {in_words(own)}"
            )
        return net.weights.copy()

    def check_whole(self, *names: str) -> None:
        """The part of ``check`` that is about counts."""
        for name in names:
            if getattr(self, name) < 1:
                raise UsageError(f"{name}={getattr(self, name)}: want 1 or more")


@dataclass(frozen=True)
class Schooling(RunSettings):
    """What PPO and deep Q-learning share."""

    hidden: tuple[int, ...] = (64, 64, 64)
    point_reward: float = 0.1  # for a point of the game: a captured piece
    point_until: float = 0.5  # share of the run at which that has sunk to 0; 0: it stays
    win_reward: float = 2.0
    draw_reward: float = 0.0
    loss_reward: float = -2.0
    evaluation_games: int = 200

    @abstractmethod
    def architecture(self) -> Architecture:
        """The network that is trained."""

    @property
    def win(self) -> float:
        return self.win_reward

    def point_reward_at(self, iteration: int) -> float:
        if not self.point_until:
            return self.point_reward
        share = iteration / (self.iterations * self.point_until)
        return self.point_reward * max(0.0, 1.0 - share)

    def check_numbers(self, *whole: str) -> None:
        """The part of ``check`` that all share; ``whole`` are further counts."""
        self.check_whole("iterations", "evaluation_games", *whole)
        if not self.rate > 0 or not 0 <= self.point_until <= 1:
            raise UsageError("want a rate above 0 and point_until from 0 to 1")
        if not self.win_reward > 0:
            raise UsageError(f"win_reward={self.win_reward}: want more than 0")
        sizes_of(self, value=True)
        if make(self.game).has_chance:
            raise UsageError(f"{self.game} has moves of chance, and nobody learns from these yet")

    def rewards_at(self, iteration: int) -> Rewards:
        return Rewards(
            self.point_reward_at(iteration), self.win_reward, self.loss_reward, self.draw_reward
        )


def sizes_of(settings: Schooling, *, value: bool) -> Architecture:
    """The network for the settings' game and observation."""
    game = make(settings.game)
    if settings.observation not in game.observations:
        raise UsageError(
            f"{game.name} has no observation {settings.observation!r}: "
            f"want one of {', '.join(game.observations)}"
        )
    inputs = math.prod(game.observations[settings.observation])
    return Architecture(inputs, tuple(settings.hidden), game.num_actions, value)
