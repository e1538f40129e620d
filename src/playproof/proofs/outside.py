"""Answers from outside: models and proofs that any other solver found, from files.

``playproof prove STATEMENT --dimacs FILE`` writes a formula; another solver's answer to it comes
back here.  Nothing in these files is trusted.  A model must satisfy every clause, and a proof
must pass our checker.
"""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from playproof.core.errors import DataError, PlayproofError
from playproof.proofs.events import CheckProgress, OnEvent, OutsideProofVerified
from playproof.proofs.sat.cnf import Clause, Cnf
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, ShouldStop, SolverAnswer

SOLVER = "outside"  # the name of the solver whose answer comes from a file
STDIN = "-"

_LITERAL = re.compile(r"-?\d{1,10}")
_VERDICTS = {
    "SATISFIABLE": SAT, "SAT": SAT, "UNSATISFIABLE": UNSAT, "UNSAT": UNSAT,
    "UNKNOWN": UNKNOWN, "INDETERMINATE": UNKNOWN, "INDET": UNKNOWN,
}  # fmt: skip
_WANT = "want a solver's lines 's SATISFIABLE' and 'v 1 -2 ... 0', or minisat's result file"
_HEAD = 1 << 20  # bytes of a proof that have its first step, whatever comments come before
_LITERALS_SHOWN = 12  # of a clause in a message


def _read(file: str) -> bytes:
    try:
        if file == STDIN:
            buffer = getattr(sys.stdin, "buffer", None)  # a stream of text alone has none
            return sys.stdin.read().encode() if buffer is None else bytes(buffer.read())
        return Path(file).read_bytes()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}") from None


def _label(file: str) -> str:
    return "standard input" if file == STDIN else Path(file).name


# Models


@dataclass(frozen=True)
class OutsideSolution:
    """A model from a file, in the format of the SAT competitions or of minisat; "-" is stdin."""

    file: str

    def solve(
        self,
        formula: Cnf,
        *,
        proof: Path | None = None,
        seconds: float | None = None,
        on_progress: OnEvent | None = None,
        should_stop: ShouldStop | None = None,
    ) -> SolverAnswer:
        start = time.perf_counter()
        label = _label(self.file)
        model = read_model(_read(self.file), label, formula.variables)
        check_model(formula, model, label)
        elapsed = time.perf_counter() - start
        return SolverAnswer(SAT, model, None, elapsed, SOLVER, label)


def read_model(data: bytes, name: str, variables: int) -> tuple[int, ...]:
    """The literals of the model in a solver's output; a DataError says what is wrong with it.

    Variables may be left out.
    """
    verdict: str | None = None
    literals: dict[int, None] = {}
    ended = has_values = False
    for number, line in enumerate(data.decode("latin-1").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("c"):
            continue
        where = f"{name}, line {number}"
        status = words[1:] if words[0] == "s" else words
        if len(status) == 1 and status[0] in _VERDICTS:
            if verdict not in (None, _VERDICTS[status[0]]):
                raise DataError(f"{where}: it says {status[0]} after it said otherwise")
            verdict = _VERDICTS[status[0]]
            continue
        values = words[1:] if words[0] == "v" else words
        if not all(_LITERAL.fullmatch(word) for word in values):
            raise DataError(f"{where}: {line.strip()[:40]!a} is no answer: {_WANT}")
        has_values = True
        for literal in map(int, values):
            if ended:
                raise DataError(f"{where}: {literal} comes after the 0 that ends the model")
            if abs(literal) > variables:
                raise DataError(f"{where}: the formula has {variables} variables and no {literal}")
            if -literal in literals and literal:
                raise DataError(f"{where}: variable {abs(literal)} is both true and false")
            ended = literal == 0
            if literal:
                literals[literal] = None
    if verdict == UNSAT:
        raise DataError(f"{name} says that there is no model: that needs a proof, --proof FILE")
    if verdict == UNKNOWN or not has_values:
        raise DataError(f"{name} has no model: {_WANT}")
    return tuple(literals)


def check_model(formula: Cnf, model: tuple[int, ...], name: str) -> None:
    """Check that a model satisfies every clause; a DataError names the first that it does not."""
    true = set(model)
    for number, clause in enumerate(formula.clauses, 1):
        if true.isdisjoint(clause):
            false = all(-literal in true for literal in clause)
            fault = "is false" if false else "is left open"
            raise DataError(
                f"{name} is no model of this statement: clause {number}, {_shown(clause)}, {fault}"
            )


def _shown(clause: Clause) -> str:
    more = " ..." if len(clause) > _LITERALS_SHOWN else ""
    return " ".join(map(str, clause[:_LITERALS_SHOWN])) + more


# Proofs


class _Verified(NamedTuple):
    form: Literal["DRAT", "LRAT"]
    lemmas: int
    drat: bytes


class _Unfinished(Exception):
    """The check ran out of time or was stopped."""


@dataclass(frozen=True)
class OutsideProof:
    """A proof from a file, in DRAT (text or binary) or LRAT (text), for our checker to check."""

    file: str

    def solve(
        self,
        formula: Cnf,
        *,
        proof: Path | None = None,
        seconds: float | None = None,
        on_progress: OnEvent | None = None,
        should_stop: ShouldStop | None = None,
    ) -> SolverAnswer:
        # Loaded before the time starts, which is for the proof.
        import playproof.proofs.checker.check
        import playproof.proofs.checker.lrat  # noqa: F401

        label = _label(self.file)
        data = _read(self.file)
        start = time.perf_counter()
        check = _ProofCheck(formula.dimacs(), label, seconds, on_progress, should_stop)
        try:
            verified = check.run(data)
        except _Unfinished:
            elapsed = time.perf_counter() - start
            return SolverAnswer(UNKNOWN, None, None, elapsed, SOLVER, label)
        elapsed = time.perf_counter() - start
        if on_progress is not None:
            on_progress(
                OutsideProofVerified(
                    label, verified.form, verified.lemmas, len(data), round(elapsed, 2)
                )
            )
        if proof is not None:
            proof.write_bytes(verified.drat)
        return SolverAnswer(UNSAT, None, proof, elapsed, SOLVER, label)


class _ProofCheck:
    """The check of one proof from outside, within a time limit."""

    def __init__(
        self,
        formula: bytes,
        name: str,
        seconds: float | None,
        on_progress: OnEvent | None,
        should_stop: ShouldStop | None,
    ) -> None:
        self.formula, self.name = formula, name
        self.end = None if seconds is None else time.perf_counter() + seconds
        self.on_progress, self.should_stop = on_progress, should_stop

    def run(self, data: bytes) -> _Verified:
        """Check a proof of either form; raises a DataError if it is wrong."""
        try:
            return self._lrat(data) if looks_lrat(data) else self._drat(data)
        except PlayproofError as error:
            form = "; LRAT must be text" if str(error).startswith("binary proof") else ""
            raise DataError(f"{self.name} is no proof of this statement: {error}{form}") from None

    def _drat(self, data: bytes) -> _Verified:
        from playproof.proofs.checker.check import check

        verdict = check(self.formula, data, seconds=self._remaining(), on_progress=self._report)
        self._require(verdict.verified, verdict.finished, verdict.reason)
        return _Verified("DRAT", verdict.lemmas, data)

    def _lrat(self, data: bytes) -> _Verified:
        from playproof.proofs.checker.lrat import check, without_hints

        verdict = check(self.formula, data, seconds=self._remaining(), on_progress=self._report)
        self._require(verdict.verified, verdict.finished, verdict.reason)
        # A certificate holds DRAT, which is checked in its own right.
        drat = self._drat(without_hints(self.formula, data)).drat
        return _Verified("LRAT", verdict.lemmas, drat)

    def _remaining(self) -> float | None:
        if self.end is None:
            return None
        remaining = self.end - time.perf_counter()
        if remaining <= 0:
            raise _Unfinished
        return remaining

    def _report(self, done: int, steps: int) -> None:
        if self.should_stop is not None and self.should_stop():
            raise _Unfinished
        if self.on_progress is not None:
            self.on_progress(CheckProgress("", "proof", done / max(1, steps)))

    def _require(self, verified: bool, finished: bool, reason: str) -> None:
        if not finished:
            raise _Unfinished
        if not verified:
            raise DataError(reason)


def looks_lrat(data: bytes) -> bool:
    """Whether a proof is LRAT in text: its first step has two zeros, or deletes by number."""
    if b"\0" in data:  # a binary proof
        return False
    for line in data[:_HEAD].splitlines():
        words = line.split()
        if words and words[0] != b"c":
            return words[1:2] == [b"d"] or words.count(b"0") == 2
    return False
