"""Statements about positions of Othello, asked of reachable positions only."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.core.errors import UsageError
from playproof.proofs import events
from playproof.proofs.certificates.files import check_empty
from playproof.proofs.events import OnEvent, ProofEvent, SolverStatus
from playproof.proofs.proof import Proof
from playproof.proofs.prover import Prover, sentence_of
from playproof.proofs.questions import find_statement
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT
from playproof.proofs.statements import Statement

if TYPE_CHECKING:
    from playproof.core.stopping import StopFlag
    from playproof.proofs.othello.positions import OthelloPosition
    from playproof.proofs.othello.reachable_models import ModelSearch


def prove_reachable(
    statement: Statement | str,
    /,
    *,
    certificate: str | os.PathLike[str] | None = None,
    check: bool = False,
    solver: str | None = None,
    seconds: float | None = None,
    on_event: OnEvent | None = None,
    stop: StopFlag | None = None,
    **fields: object,
) -> Proof:
    """Settle whether a *reachable* position of Othello satisfies a statement.

    ``statement`` is an ``OthelloPosition``, or the name of a registered one with its fields.  If
    it holds, the result has a ``position`` and the ``record`` of a game that leads there.  If it
    is refuted, it is so *by search*: the backward search found every candidate unreachable
    (``models.unreachable``), and a solver says that there is no other.  With ``certificate``,
    the formula of the last placements before such a position is then refuted as well.  That
    certificate rests on neither search nor solver.

    ``seconds`` limits the search, not the writing of the certificate.
    """
    question = _position_statement(statement, fields)
    folder = None if certificate is None else Path(certificate)
    if check and folder is None:
        raise UsageError("check=True needs something to check: want certificate=DIR too")
    if seconds is not None and not seconds >= 0:
        raise UsageError(f"seconds={seconds}: want 0 or more")
    if folder is not None:
        check_empty(folder)
    notify = _ignore if on_event is None else on_event
    sentence = reachable_sentence(question)
    notify(events.ProofStarted(sentence))
    proof = _search(question, sentence, seconds, notify, stop)
    if folder is None or proof.status != UNSAT or proof.models is None:
        return proof
    certifiable = proof.models.certifiable(stop)
    if certifiable is None:
        notify(events.SearchFinding("no certificate: too many positions lead to the candidates"))
        return proof
    certified = Prover(folder, check, solver, None, None, notify, stop).prove_statement(certifiable)
    if certified.status != UNSAT:
        return proof
    return replace(
        certified, sentence=sentence, models=proof.models,
        seconds=proof.seconds + certified.seconds,
    )  # fmt: skip


def reachable_sentence(statement: OthelloPosition) -> str:
    """The statement's sentence about a reachable position."""
    sentence = sentence_of(replace(statement, placements=None))
    return f"a reachable {sentence.removeprefix('an ')}"


def _position_statement(statement: Statement | str, fields: dict[str, object]) -> OthelloPosition:
    from playproof.proofs.othello.positions import OthelloPosition

    if isinstance(statement, str):
        statement = find_statement(statement, fields)
    elif fields:
        extra = next(iter(fields))
        raise UsageError(f"{extra} goes with a name: {statement!r} already has its fields")
    if not isinstance(statement, OthelloPosition):
        name = getattr(statement, "family", repr(statement))
        raise UsageError(
            f"{name} is no OthelloPosition: want one (for numbers of moves: othello-reachable)"
        )
    return statement


def _search(
    statement: OthelloPosition,
    sentence: str,
    seconds: float | None,
    notify: OnEvent,
    stop: StopFlag | None,
) -> Proof:
    from playproof.proofs.othello.reachable_models import search

    result = search(
        statement, seconds=seconds, stop=stop,
        on_progress=lambda unreachable, undecided, elapsed: notify(
            events.PositionsProgress(unreachable + undecided, None, elapsed)
        ),
    )  # fmt: skip
    status: SolverStatus = UNKNOWN if result.exists is None else SAT if result.exists else UNSAT
    notify(events.SearchFinding(_candidates_line(result)))
    notify(events.SearchAnswered(status, round(result.seconds, 2)))
    proof = Proof(sentence, "undecided", status, result.seconds, models=result)
    if result.reachable is None:
        return proof if result.exists is None else replace(proof, verdict="refuted")
    record = result.reachable.record
    notify(events.RecordFound("othello", statement.size, record))
    return replace(proof, verdict="holds", position=result.reachable.position, records=(record,))


def _candidates_line(result: ModelSearch) -> str:
    """How many candidates were decided, in one line."""
    undecided = f", {result.undecided:,} undecided" if result.undecided else ""
    return f"candidates: {len(result.unreachable):,} unreachable{undecided}"


def _ignore(event: ProofEvent) -> None:
    pass
