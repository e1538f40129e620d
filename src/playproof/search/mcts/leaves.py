"""Who values the leaves of many trees: one protocol for networks on a CPU or a GPU, and for a
function of somebody's own.

``submit`` hands over the leaves that a search has just selected, ``result`` gives priors of
their actions and values.  In between a GPU works on its own, and the CPU can select the leaves
of another forest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.search.evaluators import Evaluation, Evaluator, evaluate

Floats = npt.NDArray[np.float32]
Reals = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Leaves:
    """Rows for all leaves that a round may have; some of them are empty."""

    observations: Floats  # (rows, inputs) what the movers see; stale where there is no leaf
    counts: Counts  # (rows,) legal actions, 0 where there is no leaf
    legal: LegalLists  # of all rows
    places: Counts  # where each listed action lies in a matrix (rows, num_actions)
    signs: Reals  # (rows,) 1 for the first player's leaves, -1 for the second's
    batch_of: Callable[[Counts], Batch]  # positions of some rows, with their past

    @cached_property
    def present(self) -> Counts:
        """The rows that hold a leaf."""
        return np.flatnonzero(self.counts)

    @cached_property
    def present_legal(self) -> LegalLists:
        """Their legal actions: those of all rows, since the others have none."""
        ends = self.legal.offsets[1:][self.present]
        return LegalLists(np.concatenate([np.zeros(1, np.int64), ends]), self.legal.actions)

    def spread(self, values: Reals) -> Reals:
        """Values of the present rows as those of all; 0 where there is no leaf."""
        out = np.zeros(len(self.counts))
        out[self.present] = values
        return out


class LeafEvaluator(Protocol):
    """Values leaves, perhaps while others are selected.

    ``observation`` names what it wants to see of a leaf, None for nothing; it is written to
    what ``buffer`` gives, (rows, inputs) float32.  The evaluation has priors of all listed
    actions end to end, and values (rows,) from the first player's side.
    """

    @property
    def observation(self) -> str | None: ...
    def buffer(self, rows: int, inputs: int) -> Floats: ...
    def submit(self, leaves: Leaves) -> None: ...
    def result(self) -> Evaluation: ...


class AtOnce(ABC):
    """A LeafEvaluator that answers when it is asked: ``evaluate_leaves`` is all it needs."""

    observation: str | None = None

    def __init__(self) -> None:
        self._leaves: Leaves | None = None

    def buffer(self, rows: int, inputs: int) -> Floats:
        return np.zeros((rows, inputs), np.float32)

    def submit(self, leaves: Leaves) -> None:
        self._leaves = leaves

    def result(self) -> Evaluation:
        assert self._leaves is not None
        leaves, self._leaves = self._leaves, None
        return self.evaluate_leaves(leaves)

    @abstractmethod
    def evaluate_leaves(self, leaves: Leaves) -> Evaluation:
        """Priors of the listed actions end to end, and values of all rows."""


class CallbackEvaluator(AtOnce):
    """A function of (batch, legal), which sees leaves as positions with their past."""

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__()
        self._evaluator = evaluator

    def evaluate_leaves(self, leaves: Leaves) -> Evaluation:
        batch = leaves.batch_of(leaves.present)
        priors, values = evaluate(self._evaluator, batch, leaves.present_legal)
        return Evaluation(priors, leaves.spread(values))
