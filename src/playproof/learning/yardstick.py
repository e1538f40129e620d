"""The yardstick of a network: how often its policy alone keeps the value of solved positions.

The positions are a fixed sample of the set that comes with the package.  A network is asked about
all of them in one batch, and its likeliest move counts, so no random number is drawn.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from playproof.arena.evaluate_positions import sample_evenly
from playproof.arena.yardstick.critical import CriticalPosition, rows_of
from playproof.arena.yardstick.measure import ALL, summary
from playproof.arena.yardstick.positions import find_shipped
from playproof.core.batch import Batch, LegalLists
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.nets.architectures import AnyArchitecture, ForwardPass, forward_of
from playproof.nets.mlp import Vector
from playproof.nets.resnet import ResNetArchitecture

if TYPE_CHECKING:
    from playproof.learning.settings import RunSettings

SAMPLE_SEED = 1  # of the sample, the same for all runs; --seed of the command yardstick


@dataclass(frozen=True)
class PolicyYardstick:
    """Positions with exact values, as a network sees them.

    ``keeps[i]`` says whether the action ``legal.actions[i]`` keeps the value of its position."""

    positions: tuple[CriticalPosition, ...]
    observations: npt.NDArray[np.float32]  # (n, inputs)
    legal: LegalLists
    keeps: npt.NDArray[np.bool_]  # (number of legal actions,)

    @classmethod
    def of(
        cls, game: Game, positions: Sequence[CriticalPosition], observation: str
    ) -> PolicyYardstick:
        """``game`` is that of the set, which has no cap on actions."""
        batch = Batch(game, rows_of(game, positions))
        legal = batch.legal_lists()
        keeps = np.empty(len(legal.actions), np.bool_)
        for row, one in enumerate(positions):
            # Values are in rising order of actions, lists are in any order.
            places = legal.offsets[row] + np.argsort(legal.of(row))
            keeps[places] = [one.keeps(move) for move in range(len(one.values))]
        seen = batch.observe(observation).reshape(len(batch), -1)
        return cls(tuple(positions), seen, legal, keeps)

    def kept(self, network: ForwardPass) -> npt.NDArray[np.bool_]:
        """In which positions the network's likeliest move keeps the value, (n,)."""
        logits = network.logits(self.observations, self.legal).policy
        ends = self.legal.offsets[1:]
        starts = self.legal.offsets[:-1]
        best = [
            start + int(np.argmax(logits[start:end]))
            for start, end in zip(starts, ends, strict=True)
        ]
        return self.keeps[best]

    def metrics(self, network: ForwardPass) -> dict[str, float]:
        """The shares of value kept, in all and by phase: ``kept``, ``kept_opening`` and so on."""
        results = summary(self.positions, self.kept(network).tolist())
        names = {ALL: "kept"} | {phase: f"kept_{phase}" for phase in results if phase != ALL}
        return {
            name: share
            for phase, name in names.items()
            if (share := results[phase].kept.mean) is not None
        }


def measure_policy(game: Game, settings: RunSettings, network: ForwardPass) -> dict[str, float]:
    """The metrics of a network in training; none if its game has no yardstick."""
    if not settings.yardstick_positions:
        return {}
    yardstick = _shipped_sample(game.spec, settings.observation, settings.yardstick_positions)
    return {} if yardstick is None else yardstick.metrics(network)


def policy_network(architecture: AnyArchitecture, weights: Vector, device: str) -> ForwardPass:
    """A network to measure: a residual one on its GPU, in 16 bits as in play; others on the CPU."""
    residual = isinstance(architecture, ResNetArchitecture)
    on_gpu = residual and device.startswith("cuda")
    return forward_of(architecture, weights, device="cuda" if on_gpu else "cpu", half=True)


@functools.lru_cache(maxsize=4)
def _shipped_sample(spec: str, observation: str, count: int) -> PolicyYardstick | None:
    yardstick = find_shipped(make(spec))
    if yardstick is None:
        return None
    chosen = sample_evenly([one.phase for one in yardstick.positions], count, SAMPLE_SEED)
    positions = [yardstick.positions[index] for index in chosen]
    return PolicyYardstick.of(yardstick.game, positions, observation)
