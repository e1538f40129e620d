"""What a worker sends is checked where it arrives, before any of it becomes part of a certificate.

A worker is whatever decides one statement: a solver's process here, or a program on another
machine.  It may be wrong, or not be what it says it is.
"""

from __future__ import annotations

from pathlib import Path

from playproof.core.errors import DataError, PlayproofError, UsageError, one_line, one_of
from playproof.proofs.certificates.files import FORMULA, PROOF, STATEMENT, read_once
from playproof.proofs.fields import read_fields, read_name
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, SolverAnswer
from playproof.proofs.statements import Decision, Statement

_CHEAP_BYTES = 2**20  # a proof of this size is checked as it arrives; larger ones are parsed
_CHEAP_SECONDS = 2.0  # for that check, which decides nothing if it takes longer


def accept(statement: Statement, decision: object, draft: Path | None = None) -> Decision:
    """The decision of a worker on ``statement``, checked; raises a DataError if it lies.

    ``draft`` is the folder in which the bundle is written, if there is to be one.
    """
    if not isinstance(decision, Decision) or not isinstance(decision.answer, SolverAnswer):
        raise DataError(f"want a decision, not {type(decision).__name__}")
    answer = decision.answer
    if type(decision.statement) is not type(statement) or decision.statement != statement:
        raise DataError("it decided another statement")
    if answer.status not in (SAT, UNSAT, UNKNOWN):
        raise DataError(f"want sat, unsat or unknown, not {answer.status!a:.40}")
    if answer.status == SAT:
        _check_witness(statement, decision)
    elif answer.model is not None or decision.witness is not None:
        raise DataError(f"{answer.status} comes with a witness")
    if answer.status == UNSAT and draft is not None:
        if answer.proof != draft / PROOF:
            raise DataError("its proof is not where it was wanted")
        _check_files(statement, draft)
    return decision


def _check_witness(statement: Statement, decision: Decision) -> None:
    """Check that a model satisfies the formula that is rebuilt here."""
    model, cnf = decision.answer.model, statement.cnf
    if not isinstance(model, tuple) or not all(type(literal) is int for literal in model):
        raise DataError("sat comes without a model")
    true = set(model)
    if any(-literal in true for literal in model):
        raise DataError("its model makes a variable both true and false")
    if not all(any(literal in true for literal in clause) for clause in cnf.clauses):
        raise DataError("its model breaks a clause of the formula")
    if decision.witness != cnf.decode(model):
        raise DataError("its witness is not that of its model")


def _check_files(statement: Statement, draft: Path) -> None:
    """Check that the files are the statement, its formula, and a proof."""
    if read_once(draft / STATEMENT) != (statement.json() + "\n").encode():
        raise DataError(f"{STATEMENT} is of another statement")
    formula = statement.dimacs()
    if read_once(draft / FORMULA) != formula:
        raise DataError(f"{FORMULA} is not the statement's formula")
    _check_proof(formula, read_once(draft / PROOF))


def _check_proof(formula: bytes, proof: bytes) -> None:
    """Check that a proof can be parsed, and a short one that it refutes the formula."""
    from playproof.proofs.checker.check import check
    from playproof.proofs.checker.parse import looks_binary, read_proof

    if len(proof) > _CHEAP_BYTES:
        read_proof(proof, looks_binary(proof))
        return
    verdict = check(formula, proof, seconds=_CHEAP_SECONDS)
    if verdict.finished and not verdict.verified:
        raise DataError(f"{PROOF} is no proof of it: {verdict.reason}")


def accept_part(name: str, statement: Statement, decision: object, draft: Path | None) -> Decision:
    """``accept`` for a part of a theorem: an error names the part and the worker."""
    answer = getattr(decision, "answer", None)
    solver = getattr(answer, "solver", None)
    try:
        return accept(statement, decision, draft)
    except PlayproofError as error:
        worker = f"{solver!a:.40}" if isinstance(solver, str) else "its worker"
        where = f"part {name}, " if name else ""
        raise DataError(f"{where}sent by {worker}: {one_line(error)}") from None


def require_rereadable(statement: Statement) -> None:
    """Reject a statement that would not be read back as it is, or whose name belongs to another.

    Its certificate would be about something else.
    """
    from playproof.proofs import registry

    family = statement.family
    if family in registry.builtin_names() and type(statement) is not registry.find(family):
        label = type(statement).__name__
        raise UsageError(f"{label} calls itself {family}, as a built-in statement: want a new name")
    name, data = read_name(statement.json(), "statement")
    again = read_fields(type(statement), "statement", name, data)
    if name != family or again != statement:
        fields = one_of([*data]) or "its fields"
        raise UsageError(f"{family} is not read back from its JSON as it is: see {fields}")
