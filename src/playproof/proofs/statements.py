"""Statements: small descriptions from which a formula is rebuilt to the byte.

A statement says what is looked for.  A model of its formula is a witness that
it exists; a proof that there is none is worth exactly as much as the way from
the statement to the formula, so that way is short and free of choices.
``registry`` knows statements by name.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from playproof.core.errors import UsageError
from playproof.proofs.fields import write_fields
from playproof.proofs.sat.cnf import Cnf, Problem
from playproof.proofs.sat.solvers import Progress, SolverAnswer, Stopped, solve


@dataclass(frozen=True)
class Statement:
    """What statements share.  A statement of one's own is a frozen dataclass derived from
    this, with ``family``, its name, ``problem`` and ``sentence``; its fields are the JSON's."""

    family: ClassVar[str]

    def problem(self) -> Problem:
        """The circuit and what is asked of it."""
        raise TypeError(f"{type(self).__name__} says nothing")

    def sentence(self) -> str:
        """What a model would show, as one line for a person."""
        raise TypeError(f"{type(self).__name__} says nothing")

    def describe(self, witness: dict[str, int]) -> str:
        """A witness, given as the value of each named word, for a person."""
        lines = []
        for name, value in witness.items():
            places = self.cnf.places.get(name, ())
            chosen = [place for bit, place in enumerate(places) if value >> bit & 1]
            lines.append("  ".join((name, f"{value:#x}", " ".join(chosen))).rstrip())
        return "\n".join(lines)

    @functools.cached_property
    def cnf(self) -> Cnf:
        problem = self.problem()
        if not isinstance(problem, Problem):
            label = f"{type(self).__name__}.problem()"
            raise UsageError(f"{label} must return a Problem, not {type(problem).__name__}")
        return problem.encode()

    def dimacs(self) -> bytes:
        """The formula: the same bytes for the same statement, in any process."""
        return self.cnf.dimacs([f"playproof: {self.sentence()}", self.json()])

    def json(self) -> str:
        """One line of JSON; words are written in hexadecimal."""
        return write_fields(self, "statement", self.family)


@dataclass(frozen=True)
class Decision:
    """A statement with a solver's answer; the witness is the value of each named word."""

    statement: Statement
    answer: SolverAnswer
    witness: dict[str, int] | None


def decide(
    statement: Statement,
    *,
    solver: str | None = None,
    proof: Path | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    on_progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> Decision:
    """Ask a solver for a witness of the statement."""
    cnf = statement.cnf
    answer = solve(
        cnf, solver=solver, proof=proof, seconds=seconds, seed=seed, on_progress=on_progress,
        stopped=stopped,
    )  # fmt: skip
    witness = None if answer.model is None else cnf.decode(answer.model)
    return Decision(statement, answer, witness)
