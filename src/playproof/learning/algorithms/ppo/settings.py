"""The settings of proximal policy optimisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.learning.setting import setting
from playproof.learning.settings import ReinforcementSettings, mlp_architecture
from playproof.nets.mlp import Architecture

if TYPE_CHECKING:
    from playproof.learning.algorithms.ppo.update import UpdateSettings


@dataclass(frozen=True)
class PpoSettings(ReinforcementSettings):
    """The settings of a PPO run; the defaults are those of ChokoZero's third agent."""

    added_later: ClassVar[tuple[str, ...]] = ("normalise",)

    iterations: int = 4000
    evaluate_every: int = 10
    steps: int = setting(8192, "decisions recorded in an iteration", least=1)
    epochs: int = setting(12, "passes over the decisions of an iteration", least=1)
    minibatch: int = setting(128, "decisions in a gradient step", least=1)
    rate: float = 1e-4
    rate_end: float = setting(
        1.0, "learning rate at the end of the run, as a share of rate", least=0
    )
    gamma: float = setting(
        0.99, "discount of rewards for each decision of the same player", least=0, most=1
    )
    decay: float = setting(
        0.95, "lambda of generalised advantage estimation (GAE)", least=0, most=1
    )
    normalise: int = setting(
        1,
        "1: the advantages of an iteration are scaled to mean 0 and deviation 1; 0: they stay as "
        "they are",
        form="0 or 1",
        least=0,
        most=1,
    )
    clip: float = setting(
        0.2, "how far from 1 the ratio of new to old probability is clipped", above=0
    )
    value_weight: float = setting(0.5, "weight of the value loss", least=0)
    entropy_weight: float = setting(0.01, "weight of the entropy bonus", least=0)
    entropy_end: float = setting(
        1.0, "entropy weight at the end of the run, as a share of entropy_weight", least=0
    )
    norm: float = setting(
        0.5, "largest norm of a gradient; longer ones are scaled down to it", above=0
    )
    ancestor_every: int = setting(
        500,
        "iterations after which a copy joins the ancestors to play against; 0: only self-play",
        least=0,
    )
    itself: float = setting(
        0.0,
        "share of games that the network plays against itself once it has ancestors",
        least=0,
        most=1,
    )
    symmetries: int = setting(
        0, "1: positions are rotated and mirrored at random", form="0 or 1", least=0, most=1
    )
    games: int = setting(64, "games played side by side", least=1)

    def check(self) -> None:
        self.check_shared()
        if self.symmetries and make(self.game).uses_history:
            raise UsageError(
                f"the rules of {self.game} depend on past positions: want symmetries=0"
            )

    def architecture(self) -> Architecture:
        return mlp_architecture(self, value=True)

    @property
    def steps_per_iteration(self) -> int:
        return self.steps

    def update_at(self, iteration: int) -> UpdateSettings:
        """The settings of one iteration's update; the rate and the entropy weight fall linearly."""
        from playproof.learning.algorithms.ppo.update import UpdateSettings

        share = iteration / self.iterations
        return UpdateSettings(
            clip=self.clip, value_weight=self.value_weight, norm=self.norm,
            entropy_weight=self.entropy_weight * (1.0 - share * (1.0 - self.entropy_end)),
            rate=self.rate * (1.0 - share * (1.0 - self.rate_end)),
        )  # fmt: skip
