"""Every question of the Othello paper that more than one solver can decide, put to all of them.

The paper concludes that an SMT solver (z3) failed where a SAT solver (Kissat) on a formula of its
own succeeded.  Here z3 gets bit vectors and calls the same rules (``proofs/sat/smt.py``); CaDiCaL
and Kissat get the same formula.  Times are CPU seconds, so that other work on the machine changes
them little; the limit is in seconds of the clock, as everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from playproof.core.errors import PlayproofError, UsageError, one_of
from playproof.proofs.events import SolverStatus
from playproof.proofs.othello.equivalence import FIGURES, Equivalence
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.unrolled_game import OthelloUnroll, plies_that_suffice
from playproof.proofs.sat import smt, solvers
from playproof.proofs.statements import Statement, decide
from playproof.proofs.theorems import Theorem

Z3 = "z3"
SOLVERS = (Z3, *solvers.SOLVERS)
PLIES = 42  # of the paper's unrolled game


@dataclass(frozen=True)
class Question:
    """A question for all solvers and the answer that it has."""

    name: str
    text: str  # one line for a person
    build: Callable[[], Statement | Theorem]
    status: SolverStatus  # sat or unsat
    parts: bool = False  # a theorem in parts, which are encoded for SAT alone


@dataclass(frozen=True)
class SolverRun:
    """What one solver said to one question."""

    question: Question
    solver: str
    version: str
    status: SolverStatus | None  # unknown: not within the limit; None: it has no encoding
    seconds: float  # by the clock
    cpu_seconds: float

    @property
    def is_wrong(self) -> bool:
        return self.status in (solvers.SAT, solvers.UNSAT) and self.status != self.question.status


def _unreachable() -> Theorem:
    """The theorem that 34 moves are not reachable, for the sets that the search finds."""
    from playproof.proofs.othello.pipeline import search

    return search(34).theorem()


def _unrolled(at_least: int, size: int) -> Statement:
    return OthelloUnroll(at_least, plies_that_suffice(size, at_least), size)


def _mobility(
    name: str, text: str, status: SolverStatus, at_least: int, size: int = 8, empties: int = 0
) -> Question:
    return Question(name, text, partial(OthelloMobility, at_least, size, empties), status)


QUESTIONS = (
    _mobility("34", "34 moves, any position", solvers.SAT, 34),
    _mobility("35", "35 moves, any position", solvers.UNSAT, 35),
    _mobility("33-38", "33 moves, 38 empty squares", solvers.SAT, 33, empties=38),
    _mobility("34-37", "34 moves, 37 empty squares", solvers.SAT, 34, empties=37),
    _mobility("34-38", "34 moves, 38 empty squares", solvers.UNSAT, 34, empties=38),
    _mobility("33-39", "33 moves, 39 empty squares", solvers.UNSAT, 33, empties=39),
    _mobility("6x6-20", "6x6: 20 moves, any position", solvers.SAT, 20, 6),
    _mobility("6x6-21", "6x6: 21 moves, any position", solvers.UNSAT, 21, 6),
    *(
        Question(
            f"figure-{number}", f"Figure {number} differs from our rules",
            partial(Equivalence, number), solvers.UNSAT,
        )
        for number in FIGURES
    ),
    Question(
        "4x4-6", "4x4, the game unrolled: 6 moves", partial(_unrolled, 6, 4), solvers.SAT
    ),
    Question(
        "4x4-7", "4x4, the game unrolled: 7 moves", partial(_unrolled, 7, 4), solvers.UNSAT
    ),
    Question(
        "unrolled", f"8x8, the game unrolled over {PLIES} plies: 34 moves",
        partial(OthelloUnroll, 34, PLIES), solvers.UNSAT,
    ),
    Question(
        "unreachable", "34 moves in a game, in the 32 parts of the certificate", _unreachable,
        solvers.UNSAT, parts=True,
    ),
)  # fmt: skip


def chosen(only: Sequence[str]) -> list[Question]:
    """The questions with these names; all without names."""
    names = [question.name for question in QUESTIONS]
    for name in only:
        if name not in names:
            raise UsageError(f"there is no question {name!r} for solvers: want {one_of(names)}")
    return [question for question in QUESTIONS if not only or question.name in only]


def compare(
    questions: Sequence[Question], seconds: float, available: Sequence[str] | None = None
) -> Iterator[SolverRun]:
    """Put each question to each solver, one at a time, with a limit for each run."""
    for question in questions:
        subject: Statement | Theorem | None = None  # built once, and not before it is needed
        for solver in installed() if available is None else available:
            if solver == Z3 and question.parts:
                yield SolverRun(question, solver, "", None, 0.0, 0.0)
                continue
            subject = question.build() if subject is None else subject
            yield _run(question, subject, solver, seconds)


def installed() -> list[str]:
    """The solvers that are installed, z3 first."""
    try:
        import z3  # type: ignore[import-untyped]  # noqa: F401
    except ImportError:
        found = solvers.available()
    else:
        found = [Z3, *solvers.available()]
    if not found:
        raise PlayproofError("no solver is installed: pip install 'playproof[prove]'")
    return found


def _run(
    question: Question, subject: Statement | Theorem, solver: str, seconds: float
) -> SolverRun:
    began = _cpu_seconds()
    if isinstance(subject, Theorem):
        from playproof.proofs.certificates.write import refute

        decisions = refute(subject, solver=solver, seconds=seconds)
        answer = decisions[-1].answer
        status, version = answer.status, answer.version
        elapsed = sum(decision.answer.seconds for decision in decisions)
    elif solver == Z3:
        assert isinstance(subject, smt.SmtStatement)
        bit_vectors = smt.decide(subject, seconds)
        status, version = bit_vectors.status, bit_vectors.version
        elapsed = bit_vectors.seconds
    else:
        answer = decide(subject, solver=solver, seconds=seconds).answer
        status, version, elapsed = answer.status, answer.version, answer.seconds
    return SolverRun(question, solver, version, status, elapsed, _cpu_seconds() - began)


def _cpu_seconds() -> float:
    """The CPU seconds of this process and of those that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
