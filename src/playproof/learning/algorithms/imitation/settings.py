"""What a run of imitation is made of."""

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
    """The loss is (v - v')^2 - pi log p + c |theta|^2, as in *Reinforcement Learning in Chess*
    (Chu, Li and Loh) but for c, which is 5 there and pulls every weight to nought."""

    game: str = "chess"
    observation: str = "full"
    blocks: int = setting(6, "residual blocks; 0: stem and heads alone", least=0)
    filters: int = setting(64, "channels of a block", least=1)
    data: str = setting(
        "",
        "folders of positions, with commas between them",
        form="folders that playproof data made",
    )
    fold: int = setting(0, "the part of the data that is held out", least=0)
    iterations: int = 300
    steps: int = setting(100, "gradient steps in an iteration", least=1)
    batch: int = setting(
        1024, "positions in a gradient step; two at least, for the norm's variance", least=2
    )
    rate: float = 2e-3  # the highest; it rises first and then sinks along a cosine
    warm: float = setting(0.03, "share of the run in which the rate rises", least=0, most=1)
    rate_end: float = setting(
        0.01, "share of the rate that is left at the end of the run", least=0, most=1
    )
    decay: float = setting(1e-4, "c of c * |weights|^2", least=0)
    value_weight: float = setting(1.0, "weight of the value's loss", least=0)
    labelled: float = setting(
        0.5, "share of a batch from labelled folders, where there are both kinds", least=0, most=1
    )
    temperature: float = setting(
        0.25, "pawns by which a labelled move may be worse and be e times rarer", above=0
    )
    mirrored: float = setting(
        0.0, "share of positions that are shown in a mirror, if nobody may castle", least=0, most=1
    )
    evaluate_every: int = 25
    evaluation_positions: int = setting(
        16384, "held-out positions of each kind in an evaluation", least=1
    )

    def check(self) -> None:
        check_ranges(self)
        if self.game != "chess":
            raise UsageError(f"game={self.game}: positions of games are kept for chess alone")
        if not self.data:
            raise UsageError("want data=DIR, a folder that playproof data build or label made")
        self.architecture()

    def architecture(self) -> ResNetArchitecture:
        return architecture_for(make(self.game), self.observation, self.blocks, self.filters)

    @property
    def steps_per_iteration(self) -> int:
        return self.steps * self.batch

    def rate_at(self, step: int) -> float:
        """In a straight line up, then down along half a wave (Loshchilov and Hutter, 2017)."""
        done = step / (self.iterations * self.steps)
        if done < self.warm:
            return self.rate * (step + 1) / (self.iterations * self.steps * self.warm + 1)
        share = (done - self.warm) / max(1.0 - self.warm, 1e-9)
        left = self.rate_end + (1.0 - self.rate_end) * 0.5 * (1.0 + math.cos(math.pi * share))
        return self.rate * left
