"""Simulations of several searches in flight, which select, evaluate and back up in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playproof.core.parallel.threads import share_threads

if TYPE_CHECKING:
    from playproof.search.mcts.search import TreeSearch


class PhaseTimes:
    """Seconds spent in each phase, and the number of leaves evaluated."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.leaves = 0

    def add(self, phase: str, since: float) -> float:
        """Add the time since ``since`` to a phase; returns the time now."""
        now = time.perf_counter()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now - since
        return now


def simulate(
    searches: Sequence[TreeSearch],
    *,
    times: PhaseTimes | None = None,
    stopped: Callable[[], object] = lambda: False,
) -> None:
    """Run all trees to their number of simulations, or until ``stopped()`` is true.

    ``stopped`` is called in every round. With two searches, the leaves of one are selected while
    those of the other are evaluated.
    """
    times = PhaseTimes() if times is None else times
    waiting = [False] * len(searches)
    with share_threads(max(map(len, searches))):
        while True:
            busy = False
            for k, search in enumerate(searches):
                assert search.evaluator is not None
                now = time.perf_counter()
                if waiting[k]:
                    evaluation = search.evaluator.result()
                    now = times.add("wait", now)
                    search.backup(evaluation)
                    now = times.add("backup", now)
                    waiting[k] = False
                if not search.needs_simulations or stopped():
                    continue
                busy = True
                leaves = search.select()
                now = times.add("select", now)
                count = len(leaves.present)
                if count:
                    times.leaves += count
                    search.evaluator.submit(leaves)
                    waiting[k] = True
                    times.add("submit", now)
            if not busy and not any(waiting):
                return
