"""Labelled positions: what the network should answer in each, and the minibatches of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.core.kernels import Words
from playproof.core.parallel.threads import share_threads
from playproof.learning.algorithms.distillation import kernels
from playproof.learning.algorithms.distillation.positions import Positions
from playproof.learning.algorithms.distillation.settings import DistillationSettings

Arrays = dict[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, eq=False)
class Lesson:
    """n positions with their targets.

    rows     (n, 3) uint64
    offsets  (n + 1,), where the legal actions of each position start
    actions  int32, the legal actions, position after position
    codes    uint8, their exact values, as in ``tables.choko.value_codes``
    policy   float32, their target probabilities
    values   (n,) float32, the target values for the mover
    """

    rows: Words
    offsets: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int32]
    codes: npt.NDArray[np.uint8]
    policy: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.rows)

    def minibatch(self, first: int, end: int, width: int) -> Arrays:
        """The positions ``first`` to ``end``, as the trainer takes them.

        words   (n, 3) int64, the rows
        places  int32, where the logit of each legal action is in a matrix (n, ``width``)
        policy  float32, the target probability of each legal action
        values  (n,) float32
        """
        listed = slice(self.offsets[first], self.offsets[end])
        places = np.empty(listed.stop - listed.start, np.int32)
        with share_threads(end - first):
            kernels.flat_indices(self.offsets, self.actions, first, end, width, places)
        return {
            "words": self.rows[first:end].view(np.int64), "places": places,
            "policy": self.policy[listed], "values": self.values[first:end],
        }  # fmt: skip


def label(positions: Positions, rows: Words, settings: DistillationSettings) -> Lesson:
    """Look positions up in the tables."""
    offsets, actions, codes = positions.truth.label(rows)
    policy, values = np.empty(len(codes), np.float32), np.empty(len(rows), np.float32)
    with share_threads(len(rows)):
        kernels.targets(offsets, codes, settings.temperature, settings.discount, policy, values)
    return Lesson(rows, offsets, actions, codes, policy, values)
