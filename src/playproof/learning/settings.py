"""Settings that algorithms share: those of every run, and those of learning from rewards."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.learning.setting import check_ranges, setting
from playproof.nets.architectures import AnyArchitecture, describe, starting_weights
from playproof.nets.mlp import Architecture, Vector

if TYPE_CHECKING:
    from playproof.learning.rewards import Rewards
    from playproof.nets.game_families import GameFamily


@dataclass(frozen=True)
class RunSettings(ABC):
    """The settings that every run has, whatever its algorithm.

    An algorithm's own settings are a frozen dataclass derived from this one, in which each field
    is declared by ``setting(default, meaning, ...)``."""

    # Settings that older runs do not have: when such a run is opened, they take their defaults.
    # Those of the classes that a class is derived from need not be repeated.
    added_later: ClassVar[tuple[str, ...]] = ("yardstick_positions",)

    game: str = setting(
        "choko", "the game to learn, by its spec", form="a game such as choko or othello:size=6"
    )
    observation: str = setting(
        "paper-26",
        "what the network sees: one of the game's observations",
        form="a name that playproof games lists",
    )
    iterations: int = setting(1000, "number of iterations", least=1)
    rate: float = setting(
        1e-3, "learning rate, or the highest one if it changes during the run", above=0
    )
    start: str = setting(
        "", "a net to start from instead of random weights", form="empty, or a net's name or path"
    )
    evaluate_every: int = setting(
        50, "iterations from one evaluation to the next; 0: no evaluations", least=0
    )
    seed: int = setting(1, "seed of all random numbers", least=0)
    yardstick_positions: int = setting(
        600,
        "in an evaluation, for a game that has a yardstick (Choko): solved positions in which the "
        "policy alone is asked for its move; 0: none",
        least=0,
    )

    @classmethod
    def optional_names(cls) -> set[str]:
        """The names of the settings that older runs may lack."""
        return {name for base in cls.__mro__ for name in vars(base).get("added_later", ())}

    @abstractmethod
    def check(self) -> None:
        """Raise a UsageError if these settings cannot be run."""

    @abstractmethod
    def architecture(self) -> AnyArchitecture:
        """The network that is trained."""

    @property
    def win(self) -> float:
        """What a won game is worth in the network's values."""
        return 1.0

    @property
    def family(self) -> GameFamily | None:
        """The games that the network is trained for; None means ``game`` alone.

        An algorithm whose self-play mixes games overrides this; the run's nets record it."""
        return None

    @property
    def steps_per_iteration(self) -> int:
        """Decisions or positions that an iteration learns from; 0 where that is not known.

        The progress line shows how many are done per second."""
        return 0

    def starting_weights(self) -> Vector:
        """The weights of the net ``start``, or random ones drawn from the seed."""
        if not self.start:
            from playproof.core.bits import derive_seed  # lazy: listing settings needs no Numba

            return starting_weights(self.architecture(), derive_seed(self.seed, 2))
        from playproof.nets.shipped import find

        net, own = find(self.start, make(self.game)), self.architecture()
        if (net.architecture, net.observation) != (own, self.observation):
            raise UsageError(
                f"start={self.start}: that net sees {net.observation} and has layers of "
                f"{describe(net.architecture)}, this run {self.observation} and {describe(own)}"
            )
        return net.weights.copy()


@dataclass(frozen=True)
class ReinforcementSettings(RunSettings):
    """Settings shared by the algorithms that learn from rewards: PPO and deep Q-learning."""

    added_later: ClassVar[tuple[str, ...]] = ("reward",)

    hidden: tuple[int, ...] = setting(
        (64, 64, 64), "widths of the hidden layers", form="whole numbers with / between them"
    )
    reward: str = setting(
        "points",
        "what is rewarded during a game: the points gained, or a reward of your own",
        form="points, or a name given to register_reward",
    )  # fmt: skip
    point_reward: float = setting(
        0.1, "reward for each point (in Choko, a captured piece); scales a reward of your own too"
    )
    point_until: float = setting(
        0.5,
        "share of the run over which point_reward falls to 0; with 2 the run ends when half of it "
        "is left; 0: it never falls",
        least=0, most=100,
    )  # fmt: skip
    win_reward: float = setting(2.0, "reward for winning a game", above=0)
    draw_reward: float = setting(0.0, "reward for drawing a game")
    loss_reward: float = setting(
        -2.0, "reward for losing a game; it replaces what the last decision gained"
    )
    evaluation_games: int = setting(200, "games against each opponent in an evaluation", least=1)

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

    def check_shared(self) -> None:
        """Check the settings declared here; subclasses call it from ``check``."""
        from playproof.learning.rewards import find_reward

        check_ranges(self)
        find_reward(self.reward)
        mlp_architecture(self, value=True)
        if make(self.game).has_chance:
            raise UsageError(
                f"{self.game} has chance moves: want a game without, or an alphazero: preset"
            )

    def rewards_at(self, iteration: int) -> Rewards:
        from playproof.learning.rewards import Rewards, find_reward

        return Rewards(
            self.point_reward_at(iteration), self.win_reward, self.loss_reward, self.draw_reward,
            find_reward(self.reward),
        )  # fmt: skip


def mlp_architecture(settings: ReinforcementSettings, *, value: bool) -> Architecture:
    """The network for the settings' game, observation and hidden layers."""
    game = make(settings.game)
    if settings.observation not in game.observations:
        raise UsageError(
            f"{game.name} has no observation {settings.observation!r}: "
            f"want one of {', '.join(game.observations)}"
        )
    inputs = math.prod(game.observations[settings.observation])
    return Architecture(inputs, tuple(settings.hidden), game.num_actions, value)
