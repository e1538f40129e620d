"""Statements: small descriptions from which a formula is rebuilt to the byte.

A statement says what is to be found.  A model of its formula is a witness that
it exists.  A proof that there is no model is worth only as much as the
translation from the statement to the formula, so the translation is short and
deterministic.  ``registry`` maps names to statements.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from playproof.core.errors import UsageError
from playproof.proofs.events import OnEvent
from playproof.proofs.fields import hexadecimal, write_fields
from playproof.proofs.sat.cnf import Cnf, Problem
from playproof.proofs.sat.oracles import Oracle, configured, oracle_of
from playproof.proofs.sat.solvers import ShouldStop, SolverAnswer


@dataclass(frozen=True)
class Statement:
    """Base class of all statements.

    A subclass is a frozen dataclass with ``family`` (its name), ``problem`` and ``sentence``.
    Its fields are written to JSON.
    """

    family: ClassVar[str]
    reserved: ClassVar[tuple[str, ...]] = ()  # more options of ``prove``, which no field may have

    def problem(self) -> Problem:
        """The circuit and its requirements."""
        raise TypeError(f"{type(self).__name__} does not define problem()")

    def sentence(self) -> str:
        """What a model would be, in one readable line."""
        raise TypeError(f"{type(self).__name__} does not define sentence()")

    def assumptions(self) -> list[str]:
        """What a model must be beyond what ``sentence`` says, in readable lines.

        They are printed beside the sentence and are no part of the formula.  Together the two must
        show every field, so that no field can hide an assumption.  The default lists all fields.
        """
        lines = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            text = json.dumps(hexadecimal(value) if field.metadata.get("words") else value)
            lines.append(f"{field.name} = {text}")
        return lines

    def describe(self, witness: dict[str, int]) -> str:
        """Text that shows a witness to a person; ``witness`` maps each named word to its value."""
        lines = []
        for name, value in witness.items():
            places = self.cnf.places.get(name, ())
            chosen = [place for bit, place in enumerate(places) if value >> bit & 1]
            lines.append("  ".join((name, f"{value:#x}", " ".join(chosen))).rstrip())
        return "\n".join(lines)

    @functools.cached_property
    def cnf(self) -> Cnf:
        """The formula of ``problem()``, encoded once."""
        problem = self.problem()
        if not isinstance(problem, Problem):
            label = f"{type(self).__name__}.problem()"
            raise UsageError(f"{label} must return a Problem, not {type(problem).__name__}")
        return problem.encode()

    def dimacs(self) -> bytes:
        """The formula as a DIMACS file: the same bytes for the same statement in any process."""
        return self.cnf.dimacs([f"playproof: {self.sentence()}", self.json()])

    def json(self) -> str:
        """The statement as one line of JSON; words are written in hexadecimal."""
        return write_fields(self, "statement", self.family)


def assumptions_of(statement: Statement) -> tuple[str, ...]:
    """The statement's assumptions, each checked to be one printable line."""
    lines = tuple(statement.assumptions())
    for line in lines:
        if not isinstance(line, str) or not line.isprintable():
            label = f"{type(statement).__name__}.assumptions()"
            raise UsageError(f"{label} must return printable lines, not {line!a:.80}")
    return lines


def claim_of(statement: Statement) -> str:
    """What a certificate of the statement says."""
    return f"there is no such thing: {statement.sentence()}"


@dataclass(frozen=True)
class Decision:
    """A statement with a solver's answer."""

    statement: Statement
    answer: SolverAnswer
    witness: dict[str, int] | None  # the value of each named word


def decide(
    statement: Statement,
    *,
    solver: Oracle | str | None = None,
    proof: Path | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    on_progress: OnEvent | None = None,
    should_stop: ShouldStop | None = None,
) -> Decision:
    """Ask a solver for a witness of the statement.

    ``solver`` is its name, by default the fastest installed, or any oracle (``sat.oracles``).
    ``proof`` is the file for the DRAT proof that there is no witness.  ``seed`` goes with the name
    of a solver and changes its random choices.  The other options are those of
    ``Oracle.solve``.
    """
    cnf = statement.cnf
    if seed is not None and (solver is None or isinstance(solver, str)):
        solver = configured(solver, {"seed": seed})
    answer = oracle_of(solver).solve(
        cnf, proof=proof, seconds=seconds, on_progress=on_progress, should_stop=should_stop
    )
    witness = None if answer.model is None else cnf.decode(answer.model)
    return Decision(statement, answer, witness)
