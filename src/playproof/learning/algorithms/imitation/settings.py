"""The settings of imitation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.learning.setting import check_ranges, setting
from playproof.learning.settings import RunSettings
from playproof.nets.resnet import ResNetArchitecture, architecture_for


@dataclass(frozen=True)
class ImitationSettings(RunSettings):
    """The settings of an imitation run.

    The loss is (v - v')^2 - pi log p + c |theta|^2, as in *Reinforcement Learning in Chess* (Chu,
    Li and Loh), except for c, which is 5 there and pulls every weight to zero."""

    game: str = "chess"
    observation: str = "full"
    blocks: int = setting(6, "number of residual blocks; 0: only stem and heads", least=0)
    filters: int = setting(64, "channels of each block", least=1)
    data: str = setting(
        "",
        "folders of positions, with commas between them",
        form="folders that playproof data wrote",
    )
    fold: int = setting(0, "the fold of the data that is held out", least=0)
    iterations: int = 300
    steps: int = setting(100, "gradient steps in an iteration", least=1)
    batch: int = setting(
        1024, "positions in a gradient step; batch norm needs at least two", least=2
    )
    rate: float = 2e-3  # the highest rate; it rises first and then falls along a cosine
    warm: float = setting(
        0.03, "share of the run during which the learning rate rises", least=0, most=1
    )
    rate_end: float = setting(
        0.01, "learning rate at the end of the run, as a share of rate", least=0, most=1
    )
    decay: float = setting(1e-4, "weight decay: c in the loss term c * |weights|^2", least=0)
    value_weight: float = setting(1.0, "weight of the value loss", least=0)
    labelled: float = setting(
        0.5,
        "share of a batch from folders with labels, if data names folders with and without",
        least=0, most=1,
    )  # fmt: skip
    temperature: float = setting(
        0.25,
        "a move that is worse by so many pawns gets an e times smaller target probability",
        above=0,
    )
    mirrored: float = setting(
        0.0, "share of the positions without castling rights that are mirrored", least=0, most=1
    )
    evaluate_every: int = 25
    evaluation_positions: int = setting(
        16384, "held-out positions of each kind in an evaluation", least=1
    )

    def check(self) -> None:
        check_ranges(self)
        if self.game != "chess":
            raise UsageError(f"game={self.game}: want chess, the only game with stored positions")
        if not self.data:
            raise UsageError("want data=DIR, a folder that playproof data build or label wrote")
        self.architecture()

    def architecture(self) -> ResNetArchitecture:
        return architecture_for(make(self.game), self.observation, self.blocks, self.filters)

    @property
    def steps_per_iteration(self) -> int:
        return self.steps * self.batch

    def rate_at(self, step: int) -> float:
        """The rate of a step: linear warm-up, then cosine decay (Loshchilov and Hutter, 2017)."""
        done = step / (self.iterations * self.steps)
        if done < self.warm:
            return self.rate * (step + 1) / (self.iterations * self.steps * self.warm + 1)
        share = (done - self.warm) / max(1.0 - self.warm, 1e-9)
        left = self.rate_end + (1.0 - self.rate_end) * 0.5 * (1.0 + math.cos(math.pi * share))
        return self.rate * left
