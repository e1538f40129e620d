"""Who judges the leaves of many trees: a network on the CPU or on a GPU, or games to the end.

``begin`` hands over the leaves that trees have just looked at, ``finish`` gives
priors of their actions and values.  In between a GPU works on its own, and the
CPU can look after other trees.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from playproof.core.batch import LegalLists
from playproof.core.threads import sharing
from playproof.search.evaluators import Evaluator, evaluate
from playproof.search.many_trees import ManyTrees, softmax

if TYPE_CHECKING:
    from playproof.nets.forward import Answer

Floats = npt.NDArray[np.float32]
Reals = npt.NDArray[np.float64]


class Forwarding(Protocol):
    """What a network must do: logits of legal actions, and values for the movers."""

    def logits(self, observations: Floats, legal: LegalLists) -> Answer: ...


class Judge(Protocol):
    def begin(self, slot: int, trees: ManyTrees) -> None: ...
    def finish(self, slot: int, trees: ManyTrees) -> tuple[Floats, Reals]: ...


class NetJudge:
    """A network that answers at once; ``win`` is what a won game is worth in its values."""

    def __init__(self, forward: Forwarding, win: float = 1.0) -> None:
        self._forward, self._win = forward, win
        self._answers: dict[int, tuple[Floats, Reals]] = {}

    def begin(self, slot: int, trees: ManyTrees) -> None:
        rows = np.flatnonzero(trees.counts)
        offsets = np.concatenate([[0], trees.legal.offsets[1:][rows]])
        legal = LegalLists(offsets, trees.legal.actions)
        seen = trees.planes if len(rows) == len(trees.counts) else trees.planes[rows]
        logits, own = self._forward.logits(seen, legal)
        values = np.zeros(len(trees.counts))
        values[rows] = np.clip(own.astype(np.float64) / self._win, -1.0, 1.0) * trees.signs[rows]
        self._answers[slot] = softmax(offsets, logits), values

    def finish(self, slot: int, trees: ManyTrees) -> tuple[Floats, Reals]:
        return self._answers.pop(slot)


class EvaluatorJudge:
    """Any evaluator, such as one that plays to the end; it sees the leaves with their pasts."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._answers: dict[int, tuple[Floats, Reals]] = {}

    def begin(self, slot: int, trees: ManyTrees) -> None:
        batch, rows = trees.leaf_batch()
        legal = LegalLists(
            np.concatenate([[0], trees.legal.offsets[1:][rows]]), trees.legal.actions
        )
        found = evaluate(self._evaluator, batch, legal)
        values = np.zeros(len(trees))
        values[rows] = found.values
        self._answers[slot] = found.priors, values

    def finish(self, slot: int, trees: ManyTrees) -> tuple[Floats, Reals]:
        return self._answers.pop(slot)


class Spent:
    """Seconds by what they were spent on, and leaves judged."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.leaves = 0

    def add(self, what: str, since: float) -> float:
        now = time.perf_counter()
        self.seconds[what] = self.seconds.get(what, 0.0) + now - since
        return now


def grow(
    forests: Sequence[ManyTrees],
    judges: Sequence[Judge],
    spent: Spent | None = None,
    stopped: Callable[[], object] = lambda: False,
) -> None:
    """Grow all trees to their goals, or until ``stopped``; forest k has judge k and its slot k.

    With two forests, one is looked after while the other's leaves are judged."""
    spent = Spent() if spent is None else spent
    waiting = [False] * len(forests)
    with sharing(max(map(len, forests))):
        while True:
            busy = False
            for slot, (trees, judge) in enumerate(zip(forests, judges, strict=True)):
                now = time.perf_counter()
                if waiting[slot]:
                    answer: tuple[Any, Any] = judge.finish(slot, trees)
                    now = spent.add("wait", now)
                    trees.back_up(*answer)
                    now = spent.add("back up", now)
                    waiting[slot] = False
                if not trees.wants_more or stopped():
                    continue
                busy = True
                leaves = trees.look()
                now = spent.add("look", now)
                if leaves:
                    spent.leaves += leaves
                    judge.begin(slot, trees)
                    waiting[slot] = True
                    spent.add("launch", now)
            if not busy and not any(waiting):
                return
