"""The settings of deep Q-learning."""

from __future__ import annotations

from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.learning.setting import setting
from playproof.learning.settings import ReinforcementSettings, mlp_architecture
from playproof.nets.mlp import Architecture


@dataclass(frozen=True)
class DqlSettings(ReinforcementSettings):
    """The settings of a deep Q-learning run; the defaults are ChokoZero's."""

    observation: str = "paper-25"
    hidden: tuple[int, ...] = (64, 64, 64)
    iterations: int = 1000
    steps: int = setting(
        200,
        "gradient steps in an iteration, which plays as many games; a multiple of games",
        least=1,
    )
    games: int = setting(
        20, "games played side by side, each time before as many gradient steps", least=1
    )
    minibatch: int = setting(64, "decisions in a gradient step", least=1)
    buffer: int = setting(
        20_000, "size of the replay buffer in decisions, at least minibatch", least=1
    )
    rate: float = 1e-3
    gamma: float = setting(
        0.99, "discount of rewards for each decision of the same player", least=0, most=1
    )
    ahead: int = setting(5, "n of the n-step returns, in decisions of the same player", least=1)
    explore: float = setting(0.1, "share of random moves", least=0, most=1)
    sync: int = setting(100, "gradient steps between updates of the target network", least=1)
    norm: float = setting(
        0.0, "largest norm of a gradient; longer ones are scaled down to it; 0: no limit", least=0
    )
    point_until: float = 0.0
    evaluate_every: int = 1

    def check(self) -> None:
        self.check_shared()
        if self.buffer < self.minibatch or self.steps % self.games:
            raise UsageError("want a buffer of a minibatch at least, and steps that games divide")

    def architecture(self) -> Architecture:
        return mlp_architecture(self, value=False)

    @property
    def steps_per_iteration(self) -> int:
        return self.steps
