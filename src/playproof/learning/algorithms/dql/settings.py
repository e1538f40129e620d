"""What a run of deep Q-learning is made of."""

from __future__ import annotations

from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.learning.setting import setting
from playproof.learning.settings import Schooling, sizes_of
from playproof.nets.mlp import Architecture


@dataclass(frozen=True)
class DqlSettings(Schooling):
    """What a run is made of; the defaults are ChokoZero's."""

    observation: str = "paper-25"
    hidden: tuple[int, ...] = (64, 64, 64)
    iterations: int = 1000
    steps: int = setting(
        200, "gradient steps in an iteration, and as many games; a multiple of games", least=1
    )
    games: int = setting(20, "games played side by side, before as many steps", least=1)
    minibatch: int = setting(64, "decisions in a gradient step", least=1)
    buffer: int = setting(20_000, "decisions kept, a minibatch at least", least=1)
    rate: float = 1e-3
    gamma: float = setting(
        0.99, "discount of a reward for each of the player's own decisions", least=0, most=1
    )
    ahead: int = setting(5, "own decisions from one to the one that it is valued by", least=1)
    explore: float = setting(0.1, "share of moves at random", least=0, most=1)
    sync: int = setting(100, "steps after which the frozen copy is renewed", least=1)
    norm: float = setting(0.0, "gradients are cut to this length; 0: never", least=0)
    point_until: float = 0.0
    evaluate_every: int = 20

    def check(self) -> None:
        self.check_shared()
        if self.buffer < self.minibatch or self.steps % self.games:
            raise UsageError("want a buffer of a minibatch at least, and steps that games divide")

    def architecture(self) -> Architecture:
        return sizes_of(self, value=False)

    @property
    def steps_per_iteration(self) -> int:
        return self.steps
