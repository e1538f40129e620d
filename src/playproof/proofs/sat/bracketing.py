"""The largest number for which a statement has a witness, between SAT and UNSAT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playproof.proofs.sat.solvers import UNKNOWN, Stopped
from playproof.proofs.statements import Decision, Statement, decide


@dataclass(frozen=True)
class Maximum:
    """The largest value: a witness for it, and the refutation of one more."""

    value: int | None  # None if the time ran out first
    best: Decision | None  # the witness with the largest value found
    refuted: Decision | None  # the least bound that was refuted
    seconds: float


def maximum(
    statement: Callable[[int], Statement],
    value: Callable[[dict[str, int]], int],
    *,
    above: int,
    solver: str | None = None,
    seconds: float | None = None,
    on_progress: Callable[[int, int, float], None] | None = None,
    stopped: Stopped | None = None,
) -> Maximum:
    """Halve the gap between the best witness of ``statement(bound)`` and the least bound refuted.

    ``value(witness)`` is how much a witness really has.  Something has at least
    0, and nothing has ``above``.  ``on_progress(reached, refuted, seconds)`` is told
    the bounds so far.
    """
    low, high = 0, above
    best = refuted = None
    spent = 0.0

    def report(seconds: float) -> None:
        if on_progress is not None:
            on_progress(low, high, spent + seconds)

    while high - low > 1:
        asked = statement((low + high) // 2)
        left = None if seconds is None else seconds - spent
        decision = decide(
            asked, solver=solver, seconds=left, stopped=stopped,
            on_progress=lambda now: report(now.seconds),
        )  # fmt: skip
        if decision.answer.status == UNKNOWN:
            return Maximum(None, best, refuted, spent + decision.answer.seconds)
        if decision.witness is not None:
            best, low = decision, value(decision.witness)
        else:
            refuted, high = decision, (low + high) // 2
        spent += decision.answer.seconds
        report(0.0)
    return Maximum(low, best, refuted, spent)
