"""Oracles: what may be asked whether a formula is satisfiable.

``ConfiguredSolver`` is a solver with its options, ``Portfolio`` runs several side by side.
``proofs.outside`` has answers of other people's solvers.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from playproof.core import spec
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.parallel.executor import cores
from playproof.proofs.events import OnEvent, PortfolioProgress, SolverProgress
from playproof.proofs.sat import solvers
from playproof.proofs.sat.cnf import Cnf
from playproof.proofs.sat.options import default_portfolio, read_options, split_portfolio
from playproof.proofs.sat.solvers import UNKNOWN, ShouldStop, SolverAnswer, choose_solver

_REPORT_SECONDS = 0.1  # between two reports of a portfolio's progress


class Oracle(Protocol):
    """Whatever says whether a formula is satisfiable."""

    def solve(
        self,
        formula: Cnf,
        *,
        proof: Path | None = None,
        seconds: float | None = None,
        on_progress: OnEvent | None = None,
        should_stop: ShouldStop | None = None,
    ) -> SolverAnswer:
        """Decide a formula; ``proof`` is the file for the DRAT proof that there is no model.

        After ``seconds``, or when ``should_stop()``, the answer is ``unknown``.
        """


@dataclass(frozen=True)
class ConfiguredSolver:
    """An installed solver with options."""

    name: str
    options: Mapping[str, int] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The solver and its options as text: ``kissat:target=2,seed=3``."""
        return spec.write(self.name, self.options)

    def solve(
        self,
        formula: Cnf,
        *,
        proof: Path | None = None,
        seconds: float | None = None,
        on_progress: OnEvent | None = None,
        should_stop: ShouldStop | None = None,
    ) -> SolverAnswer:
        return solvers.solve(
            formula, solver=self.name, options=self.options, proof=proof, seconds=seconds,
            on_progress=on_progress, should_stop=should_stop,
        )  # fmt: skip


def configured(name: str | None, options: Mapping[str, object] | None = None) -> ConfiguredSolver:
    """The solver of that name, by default the fastest installed, with these options."""
    solver = choose_solver(name)
    return ConfiguredSolver(solver, read_options(solver, options or {}))


def oracle_of(solver: Oracle | str | None) -> Oracle:
    """The oracle itself, or the solver of that name, by default the fastest installed."""
    return configured(solver) if solver is None or isinstance(solver, str) else solver


@dataclass(frozen=True)
class Portfolio:
    """Several solvers or settings side by side; the first definite answer counts."""

    solvers: tuple[ConfiguredSolver, ...]

    def solve(
        self,
        formula: Cnf,
        *,
        proof: Path | None = None,
        seconds: float | None = None,
        on_progress: OnEvent | None = None,
        should_stop: ShouldStop | None = None,
    ) -> SolverAnswer:
        with contextlib.ExitStack() as cleanup:
            drafts: list[Path | None] = [None for _ in self.solvers]
            if proof is not None:
                drafts = [proof.with_name(f"{proof.name}.{i}") for i in range(len(self.solvers))]
            for draft in drafts:
                if draft is not None:
                    cleanup.callback(draft.unlink, missing_ok=True)
            answer = _Race(self.solvers, on_progress, should_stop).run(formula, drafts, seconds)
            if answer.proof is not None and proof is not None:
                answer.proof.replace(proof)
                answer = replace(answer, proof=proof)
        return answer


class _Race:
    """One formula, decided by several solvers at once."""

    def __init__(
        self,
        solvers: Sequence[ConfiguredSolver],
        on_progress: OnEvent | None,
        should_stop: ShouldStop | None,
    ) -> None:
        self.solvers, self.on_progress, self.should_stop = solvers, on_progress, should_stop
        self.conflicts: dict[str, int | None] = {solver.label: None for solver in solvers}
        self.seconds = 0.0
        self.is_over = threading.Event()

    def run(
        self, formula: Cnf, drafts: Sequence[Path | None], seconds: float | None
    ) -> SolverAnswer:
        def solve(number: int) -> SolverAnswer:
            solver = self.solvers[number]
            return solver.solve(
                formula, proof=drafts[number], seconds=seconds, should_stop=self._should_stop,
                on_progress=self._note(solver.label),
            )  # fmt: skip

        # Solvers are processes of their own, so threads are enough to wait for them.
        pool = ThreadPoolExecutor(len(self.solvers))
        try:
            futures = [pool.submit(solve, number) for number in range(len(self.solvers))]
            self._wait(futures)
        finally:
            self.is_over.set()
            pool.shutdown(cancel_futures=True)
        return self._winner(futures)

    def _should_stop(self) -> bool:
        return self.is_over.is_set() or (self.should_stop is not None and self.should_stop())

    def _note(self, label: str) -> Callable[[object], None]:
        def note(event: object) -> None:
            if isinstance(event, SolverProgress):
                self.conflicts[label] = event.conflicts
                self.seconds = max(self.seconds, event.seconds)

        return note

    def _wait(self, futures: Sequence[Future[SolverAnswer]]) -> None:
        """Wait for the first definite answer, or for the end of all solvers."""
        running = set(futures)
        while running and not any(map(_is_definite, set(futures) - running)):
            _, running = wait(running, _REPORT_SECONDS, return_when=FIRST_COMPLETED)
            if self.on_progress is not None:
                self.on_progress(PortfolioProgress(self.seconds, dict(self.conflicts)))

    def _winner(self, futures: Sequence[Future[SolverAnswer]]) -> SolverAnswer:
        futures = [future for future in futures if not future.cancelled()]
        answers = [future.result() for future in futures if future.exception() is None]
        definite = [answer for answer in answers if answer.status != UNKNOWN]
        if len({answer.status for answer in definite}) > 1:
            verdicts = ", ".join(f"{answer.solver} says {answer.status}" for answer in definite)
            raise PlayproofError(f"the solvers contradict each other: {verdicts}")
        if definite:
            return min(definite, key=lambda answer: answer.seconds)
        if len(answers) < len(futures):
            raise next(error for future in futures if (error := future.exception()) is not None)
        return answers[0]


def _is_definite(future: Future[SolverAnswer]) -> bool:
    return future.exception() is None and future.result().status != UNKNOWN


def portfolio(settings: str | Sequence[str] | bool, workers: int | None = None) -> Portfolio:
    """The solvers that ``settings`` lists: ``kissat,cadical,kissat:target=2,seed=3``.

    "default", or True, stands for ``workers`` settings, by default one per core and at least 2.
    """
    if settings is True or settings == "default":
        settings = default_portfolio(max(2, cores()) if workers is None else workers)
    texts = split_portfolio(settings) if isinstance(settings, str) else list(settings or ())
    members = [configured(*spec.parse(text)) for text in texts]
    if not members:
        raise UsageError("a portfolio needs settings: want kissat,cadical for instance")
    labels = [member.label for member in members]
    for label in labels:
        if labels.count(label) > 1:
            raise UsageError(f"the portfolio has {label} twice: want different seeds, for instance")
    if workers is not None and len(members) > workers:
        raise UsageError(
            f"a portfolio of {len(members)} solvers needs as many workers, not {workers}"
        )
    return Portfolio(tuple(members))
