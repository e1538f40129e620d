"""Evaluators of the leaves of many trees: one protocol for networks and for Python functions.

``submit`` takes the leaves that a search has just selected, and ``result`` returns the priors of
their actions and their values. In between a GPU works on its own, and the CPU can select the
leaves of another forest.
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
    """The selected leaves of one round: a row for each possible leaf, some of them empty."""

    observations: Floats  # (rows, inputs) from the mover's side; stale where there is no leaf
    counts: Counts  # (rows,) number of legal actions, 0 where there is no leaf
    legal: LegalLists  # of all rows
    places: Counts  # the index of each listed action in a flat (rows, num_actions) array
    signs: Reals  # (rows,) 1 for the first player's leaves, -1 for the second's
    batch_of: Callable[[Counts], Batch]  # the positions of some rows, with their past

    @cached_property
    def present(self) -> Counts:
        """The rows that hold a leaf."""
        return np.flatnonzero(self.counts)

    @cached_property
    def present_legal(self) -> LegalLists:
        """The legal actions of the present rows; those of all rows, since the others have none."""
        ends = self.legal.offsets[1:][self.present]
        return LegalLists(np.concatenate([np.zeros(1, np.int64), ends]), self.legal.actions)

    def scatter(self, values: Reals) -> Reals:
        """(rows,) the values of the present rows in their places, and 0 in the others."""
        out = np.zeros(len(self.counts))
        out[self.present] = values
        return out


class LeafEvaluator(Protocol):
    """Evaluates leaves, possibly while other leaves are selected.

    ``observation`` names the observation that the evaluator needs, or None. A search writes it to
    the array (rows, inputs) float32 that ``buffer`` returns. The evaluation has the priors of all
    listed actions end to end, and values (rows,) from the first player's side.
    """

    @property
    def observation(self) -> str | None: ...
    def buffer(self, rows: int, inputs: int) -> Floats: ...
    def submit(self, leaves: Leaves) -> None: ...
    def result(self) -> Evaluation: ...


class SynchronousEvaluator(ABC):
    """Base class of evaluators that compute in ``result``, by ``evaluate_leaves``."""

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
        """The priors of the listed actions end to end, and the values of all rows."""


class CallbackEvaluator(SynchronousEvaluator):
    """A Python function of (batch, legal) as an evaluator of leaves.

    The batch holds the leaves as positions with their past.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__()
        self._evaluator = evaluator

    def evaluate_leaves(self, leaves: Leaves) -> Evaluation:
        batch = leaves.batch_of(leaves.present)
        priors, values = evaluate(self._evaluator, batch, leaves.present_legal)
        return Evaluation(priors, leaves.scatter(values))
