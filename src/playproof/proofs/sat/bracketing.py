"""The largest number for which a statement has a witness, by bisection between SAT and UNSAT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playproof.proofs.events import PortfolioProgress, ProofEvent, SolverProgress
from playproof.proofs.sat.oracles import Oracle
from playproof.proofs.sat.solvers import UNKNOWN, ShouldStop
from playproof.proofs.statements import Decision, Statement, decide


@dataclass(frozen=True)
class Maximum:
    """The largest value, with a witness for it and the refutation of one more."""

    value: int | None  # None if the time ran out first
    best: Decision | None  # with the witness of the largest value
    refuted: Decision | None  # of the least bound that was refuted
    seconds: float


def maximum(
    statement: Callable[[int], Statement],
    value: Callable[[dict[str, int]], int],
    *,
    above: int,
    solver: Oracle | str | None = None,
    seconds: float | None = None,
    on_progress: Callable[[int, int, float], None] | None = None,
    should_stop: ShouldStop | None = None,
) -> Maximum:
    """Halve the gap between the best witness of ``statement(bound)`` and the least bound refuted.

    ``value(witness)`` is the value that a witness really has.  The maximum is at least
    0 and less than ``above``.  ``on_progress(reached, refuted, seconds)`` is called with
    the bounds so far.
    """
    low, high = 0, above
    best = refuted = None
    elapsed = 0.0

    def report(seconds: float) -> None:
        if on_progress is not None:
            on_progress(low, high, elapsed + seconds)

    def on_solver(event: ProofEvent) -> None:
        if isinstance(event, SolverProgress | PortfolioProgress):
            report(event.seconds)

    while high - low > 1:
        middle = (low + high) // 2
        remaining = None if seconds is None else seconds - elapsed
        decision = decide(
            statement(middle), solver=solver, seconds=remaining, should_stop=should_stop,
            on_progress=on_solver,
        )  # fmt: skip
        if decision.answer.status == UNKNOWN:
            return Maximum(None, best, refuted, elapsed + decision.answer.seconds)
        if decision.witness is not None:
            best, low = decision, value(decision.witness)
        else:
            refuted, high = decision, middle
        elapsed += decision.answer.seconds
        report(0.0)
    return Maximum(low, best, refuted, elapsed)
