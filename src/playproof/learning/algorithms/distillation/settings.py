"""The settings of distillation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.learning.setting import check_ranges, setting
from playproof.learning.settings import RunSettings
from playproof.nets.resnet import ResNetArchitecture, architecture_for

PIECES = 12  # of a side; the module with the rules needs Numba, which settings must not import
SOLVE, NOBODY = "solve", "none"  # values of ``tables`` and ``player``


@dataclass(frozen=True)
class DistillationSettings(RunSettings):
    """The settings of a distillation run: the network, the tables, the positions, learning."""

    game: str = "choko"
    observation: str = "position"
    blocks: int = setting(3, "number of residual blocks; 0: only stem and heads", least=0)
    filters: int = setting(20, "channels of each block", least=1)
    policy_rank: int = setting(
        8,
        "how many products of two planes score the pairs of squares of a jump; 0: a linear layer "
        "scores all moves",
        least=0,
    )
    # Tables
    tables: str = setting(
        SOLVE,
        "where the exact values are: a folder of tables, unix:SOCKET for those of a probe server, "
        "or solve, to solve the game in memory on the run's device first",
        form="a folder that playproof table build wrote, unix:SOCKET, or solve",
    )
    hands: int = setting(
        PIECES, "learn only positions with at most so many pieces in each hand", least=0,
        most=PIECES,
    )  # fmt: skip
    pieces: int = setting(
        2 * PIECES,
        "learn only positions with at most so many pieces in play, hands included",
        least=2, most=2 * PIECES,
    )  # fmt: skip
    # Positions
    block: int = setting(
        65_536, "positions that are drawn and labelled at once, a multiple of batch", least=2
    )
    uniform: float = setting(
        0.5,
        "share of the positions that are drawn from a random slice; the others are played",
        least=0, most=1,
    )  # fmt: skip
    slice_power: float = setting(
        0.5,
        "a slice of n positions is drawn with weight n^slice_power: 0 draws all slices alike, 1 "
        "all positions",
        least=0, most=1,
    )  # fmt: skip
    forced: float = setting(
        0.25,
        "share of the positions drawn from a slice with pieces in hand in which the mover must "
        "reply to a placement",
        least=0, most=1,
    )  # fmt: skip
    from_start: float = setting(
        0.5,
        "share of the games that start from the empty board, if the tables have it; the others "
        "start from positions of random slices",
        least=0, most=1,
    )  # fmt: skip
    player: str = setting(
        "choko-ppo-plus",
        "a net that plays two fifths of the sides in the games; the others are greedy or random",
        form="a net's name or path, or none",
    )
    # Targets
    temperature: float = setting(
        8.0,
        "in a won position, an action that wins n actions later than the quickest gets the target "
        "probability of the quickest times exp(-n / temperature); 0: only the quickest is right",
        least=0,
    )
    discount: float = setting(
        1.0,
        "the target value is the result times discount to the power of the actions to the end",
        above=0, most=1,
    )  # fmt: skip
    value_weight: float = setting(1.0, "weight of the value loss", least=0)
    # Learning
    iterations: int = 200
    steps: int = setting(100, "gradient steps in an iteration", least=1)
    batch: int = setting(
        4096, "positions in a gradient step; batch norm needs at least two", least=2
    )
    rate: float = 3e-3  # the highest rate; it rises first and then falls along a cosine
    warm: float = setting(
        0.02, "share of the run during which the learning rate rises", least=0, most=1
    )
    rate_end: float = setting(
        0.01, "learning rate at the end of the run, as a share of rate", least=0, most=1
    )
    decay: float = setting(1e-5, "weight decay: c in the loss term c * |weights|^2", least=0)
    norm: float = setting(
        2.0, "largest norm of a gradient; longer ones are scaled down to it", above=0
    )
    evaluate_every: int = 20
    evaluation_positions: int = setting(16_384, "held-out positions in an evaluation", least=2)
    # All: nets that know the values differ by less than a sample shows, and all take a fifth of the
    # time that the held-out positions take.
    yardstick_positions: int = 4200

    def check(self) -> None:
        check_ranges(self)
        if make(self.game).name != "choko":
            raise UsageError(f"game={self.game}: want choko, the only game with such tables")
        if self.observation != "position":
            raise UsageError(
                f"observation={self.observation}: want position, since exact values depend on "
                "nothing else"
            )
        if self.block % self.batch:
            raise UsageError(
                f"block={self.block}: want a multiple of batch={self.batch}, such as "
                f"{self.batch * max(1, self.block // self.batch)}"
            )
        if not self.tables:
            raise UsageError("want tables=DIR, tables=unix:SOCKET or tables=solve")
        if self.player != NOBODY:
            from playproof.nets.shipped import find

            find(self.player, make(self.game))
        self.architecture()

    def architecture(self) -> ResNetArchitecture:
        return architecture_for(
            make(self.game), self.observation, self.blocks, self.filters, self.policy_rank
        )

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
