"""What a run of imitation is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.learning.settings import RunSettings
from playproof.nets.resnet import ResNetArchitecture, architecture_for


@dataclass(frozen=True)
class ImitationSettings(RunSettings):
    """The loss is (v - v')^2 - pi log p + c |theta|^2, as in *Reinforcement Learning in Chess*
    (Chu, Li and Loh) but for c, which is 5 there and pulls every weight to nought."""

    game: str = "chess"
    observation: str = "full"
    blocks: int = 6
    filters: int = 64
    data: str = ""  # folders of positions, with commas between them
    fold: int = 0  # the part that is held out
    iterations: int = 300
    steps: int = 100  # of the optimiser, in an iteration
    batch: int = 1024  # positions in a step
    rate: float = 2e-3  # the highest; it rises first and then sinks along a cosine
    warm: float = 0.03  # share of the run in which the rate rises
    rate_end: float = 0.01  # share of the rate that is left at the end
    decay: float = 1e-4  # c
    value_weight: float = 1.0
    labelled: float = 0.5  # share of a batch from labelled folders, where there are both kinds
    temperature: float = 0.25  # pawns by which a labelled move may be worse and be e times rarer
    mirrored: float = 0.0  # share of positions that are shown in a mirror, if nobody may castle
    evaluate_every: int = 25
    evaluation_positions: int = 16384  # held out, of each kind

    def check(self) -> None:
        self.check_whole("iterations", "steps", "batch", "filters", "evaluation_positions")
        if self.game != "chess":
            raise UsageError(f"game={self.game}: positions of games are kept for chess alone")
        if not self.data:
            raise UsageError("want data=DIR, a folder that playproof data build or label made")
        if self.batch < 2:
            raise UsageError(f"batch={self.batch}: want 2 or more, for the norm's variance")
        for name in ("warm", "rate_end", "labelled", "mirrored"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name}={getattr(self, name)}: want 0 to 1")
        for name in ("rate", "temperature"):
            if not 0 < getattr(self, name) < math.inf:
                raise UsageError(f"{name}={getattr(self, name)}: want more than 0")
        for name in ("decay", "value_weight"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UsageError(f"{name}={getattr(self, name)}: want 0 or more")
        self.architecture()

    def architecture(self) -> ResNetArchitecture:
        return architecture_for(make(self.game), self.observation, self.blocks, self.filters)

    def rate_at(self, step: int) -> float:
        """In a straight line up, then down along half a wave (Loshchilov and Hutter, 2017)."""
        done = step / (self.iterations * self.steps)
        if done < self.warm:
            return self.rate * (step + 1) / (self.iterations * self.steps * self.warm + 1)
        share = (done - self.warm) / max(1.0 - self.warm, 1e-9)
        left = self.rate_end + (1.0 - self.rate_end) * 0.5 * (1.0 + math.cos(math.pi * share))
        return self.rate * left
