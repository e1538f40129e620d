"""How fast a run learns, and how long it waits for positions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.learning.algorithms.distillation.learner import Distillation


class LearningSpeed:
    """The positions that a learner has learned from per second, since the meter was made."""

    def __init__(self, learner: Distillation) -> None:
        self._learner, self._started = learner, time.perf_counter()

    @property
    def positions(self) -> float:
        """Positions per second."""
        return self._learner.positions_learned / self._seconds

    @property
    def waiting(self) -> float:
        """The share of the time in which the learner waited for labelled positions."""
        return self._learner.seconds_waited / self._seconds

    @property
    def _seconds(self) -> float:
        return max(time.perf_counter() - self._started, 1e-9)

    def __str__(self) -> str:
        return f"{self.positions:,.0f} positions/s, {self.waiting:.0%} of the time waiting"

    def summary(self) -> list[str]:
        return [f"learned from {self}"]
