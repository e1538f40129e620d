"""What every run's settings have: the game, what is seen, a length, a seed; and what those of
self-play for small networks have beside: the network, rewards, games of evaluation."""

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
    from playproof.nets.families import GameFamily


@dataclass(frozen=True)
class RunSettings(ABC):
    """The part of a run's settings that does not depend on the algorithm.

    An algorithm's own settings are a frozen dataclass derived from this one, each declared by
    ``setting(default, meaning, ...)``."""

    # Settings that runs of an earlier version do not have: such a run has their defaults.
    added_later: ClassVar[tuple[str, ...]] = ()

    game: str = setting(
        "choko", "the game to learn, by its spec", form="a game such as choko or othello:size=6"
    )
    observation: str = setting(
        "paper-26",
        "what the network sees: one of the game's observations",
        form="a name that playproof games lists",
    )
    iterations: int = setting(1000, "iterations of the run", least=1)
    rate: float = setting(
        1e-3, "learning rate; where it changes over the run, the highest", above=0
    )
    start: str = setting(
        "", "a net to begin with instead of random weights", form="empty, or a net's name or path"
    )
    evaluate_every: int = setting(50, "iterations between two evaluations; 0 for none", least=0)
    seed: int = setting(1, "the seed of everything that is drawn", least=0)

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

    @property
    def family(self) -> GameFamily | None:
        """The games that the network is trained for; None: ``game`` alone.  Settings of an
        algorithm whose self-play mixes games override this, and the run's nets say it."""
        return None

    @property
    def steps_per_iteration(self) -> int:
        """Decisions or positions that an iteration learns from; 0 where that is not known
        before.  The line of progress says how many go by in a second."""
        return 0

    def starting_weights(self) -> Vector:
        """A net's, or by the seed."""
        if not self.start:
            from playproof.core.bits import derive_seed  # Numba: settings are listed without

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
class Schooling(RunSettings):
    """What PPO and deep Q-learning share."""

    added_later: ClassVar[tuple[str, ...]] = ("reward",)

    hidden: tuple[int, ...] = setting(
        (64, 64, 64), "widths of the hidden layers", form="whole numbers with / between them"
    )
    reward: str = setting(
        "points", "what is rewarded on the way, times point_reward: the game's points, or your own",
        form="points, or a name given to register_reward",
    )  # fmt: skip
    point_reward: float = setting(
        0.1, "what a gained point is worth (in Choko a captured piece): see reward"
    )
    point_until: float = setting(
        0.5, "share of the run after which point_reward has sunk to 0; 0: it stays", least=0, most=1
    )
    win_reward: float = setting(2.0, "what a won game is worth", above=0)
    draw_reward: float = setting(0.0, "what a drawn game is worth")
    loss_reward: float = setting(
        -2.0, "what a lost game is worth, in place of what its last decision gained"
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
        """The part of ``check`` that all share."""
        from playproof.learning.rewards import find_reward

        check_ranges(self)
        find_reward(self.reward)
        sizes_of(self, value=True)
        if make(self.game).has_chance:
            raise UsageError(f"{self.game} has moves of chance, and nobody learns from these yet")

    def rewards_at(self, iteration: int) -> Rewards:
        from playproof.learning.rewards import Rewards, find_reward

        return Rewards(
            self.point_reward_at(iteration), self.win_reward, self.loss_reward, self.draw_reward,
            find_reward(self.reward),
        )  # fmt: skip


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
