"""Simulations of several searches in flight: select, evaluate, back up, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playproof.core.parallel.threads import sharing

if TYPE_CHECKING:
    from playproof.search.mcts.search import TreeSearch


class PhaseTimes:
    """Seconds by phase, and leaves evaluated."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.leaves = 0

    def add(self, phase: str, since: float) -> float:
        now = time.perf_counter()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now - since
        return now


def simulate(
    searches: Sequence[TreeSearch],
    *,
    times: PhaseTimes | None = None,
    stopped: Callable[[], object] = lambda: False,
) -> None:
    """Grow all trees to their goals, or until ``stopped``, which is asked in every round.

    With two searches, leaves of one are selected while the other's are evaluated.
    """
    times = PhaseTimes() if times is None else times
    waiting = [False] * len(searches)
    with sharing(max(map(len, searches))):
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
                if not search.wants_more or stopped():
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
