"""Prove and check from Python: what ``playproof prove`` and ``playproof check`` do.

Nothing is printed.  What goes on is told to ``on_event`` (``events``), what came of it is given
back (``proof``).  A mistake of the caller is a ``UsageError``, a file that is no good a
``DataError``; Ctrl-C ends solvers and workers before it is raised.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.core.errors import DataError, UsageError
from playproof.proofs.events import OnEvent, PositionsProgress
from playproof.proofs.proof import DimacsFile, PositionList, Proof
from playproof.proofs.prover import Prover, check_certificate, sentence_of
from playproof.proofs.questions import ChokoLargest, OthelloReachable, named, named_statement
from playproof.proofs.statements import Statement
from playproof.proofs.theorems import Theorem

if TYPE_CHECKING:
    from playproof.core.stopping import StopFlag
    from playproof.proofs.certificates.report import CertificateReport

Z3 = "z3"


def prove(
    statement: Statement | Theorem | str,
    /,
    *,
    certificate: str | os.PathLike[str] | None = None,
    check: bool = False,
    solver: str | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    cubes: bool = False,
    on_event: OnEvent | None = None,
    stop: StopFlag | None = None,
    **fields: object,
) -> Proof:
    """Settle a statement: find a witness, or refute it and leave a certificate.

    ``statement`` is a statement, a theorem, or a name with its fields: "othello-mobility"
    (at_least=35, size=8, empties_at_least=0 ...), "othello-reachable" (at_least=34, size=8,
    max_stones, or with method="unroll" plies and mover), "equivalence", "choko-mobility"
    (condition, lone_jump; the largest number is sought if at_least is not given), or one that
    ``register_statement`` has made known.

    ``certificate`` is a new folder for the proof of what is refuted; ``check`` checks it at
    once.  ``solver`` is "kissat", "cadical" or, for moves of Othello, "z3"; the quickest SAT
    solver there is if not given.  ``seconds`` limits one solver's work, or a whole search.
    ``cubes`` refutes a bound on moves of Othello in 231 parts; ``workers`` are the solvers that
    run at once on parts, one for each core if not given.  ``on_event`` hears of every step.
    ``stop`` ends all work when another thread sets ``stop[0] = 1``: then, as when time runs out,
    the proof is undecided.

    >>> import playproof
    >>> proof = playproof.prove("othello-mobility", size=4, at_least=9)
    >>> print(proof.verdict, "-", proof.sentence)
    refuted - an Othello position on 4x4 with at least 9 moves
    >>> found = playproof.prove("othello-mobility", size=4, at_least=8)
    >>> state = playproof.make("othello", size=4).position(found.position)
    >>> found.verdict, len(state.legal_actions())
    ('holds', 8)
    """
    folder = None if certificate is None else Path(certificate)
    if check and folder is None:
        raise UsageError("check=True needs something to check: want certificate=DIR too")
    _at_least("seconds", seconds, 0)
    _at_least("workers", workers, 1)
    if isinstance(statement, str):
        question = named(statement, fields, cubes=cubes, certified=folder is not None)
    elif isinstance(statement, Statement | Theorem):
        if fields or cubes:
            extra = next(iter(fields), "cubes")
            raise UsageError(f"{extra} goes with a name: {statement!r} has its fields already")
        question = statement
    else:
        raise UsageError(f"want a statement, a theorem or a name, not {statement!r}")
    prover = Prover(folder, check, solver, seconds, workers, _heard(on_event), stop)
    if solver == Z3:
        return _by_z3(prover, question)
    if isinstance(question, OthelloReachable):
        return prover.reachable(question)
    if isinstance(question, ChokoLargest):
        return prover.choko_largest(question)
    if isinstance(question, Theorem):
        return prover.theorem(question)
    return prover.statement(question)


def check(
    certificate: str | os.PathLike[str],
    /,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_event: OnEvent | None = None,
    stop: StopFlag | None = None,
) -> CertificateReport:
    """Check a certificate: its formulas are rebuilt and compared, its proofs checked step by
    step, by drat-trim and cake_lpr too where they are installed.

    ``seconds`` limits each check of each proof.  ``memory`` limits what it may take, in
    megabytes, on Linux.  ``on_event`` hears of every check.  When another thread sets ``stop[0]
    = 1``, the rest is not checked, and so not verified.  A certificate of a statement of one's
    own needs its class to be registered.

    >>> import playproof, tempfile
    >>> home = tempfile.TemporaryDirectory()
    >>> folder = f"{home.name}/no-9"
    >>> proof = playproof.prove("othello-mobility", size=4, at_least=9, certificate=folder)
    >>> report = playproof.check(folder)
    >>> report.verified, report.title
    (True, 'an Othello position on 4x4 with at least 9 moves')
    >>> [check.name for check in report.parts[0].checks if check.passed][:3]
    ['manifest', 'formula', 'proof']
    """
    import playproof.proofs.checker.check  # noqa: F401  # what it takes to load is not the proof's
    from playproof.core.memory import memory_limit

    folder = Path(certificate)
    with memory_limit(memory, f"checking {folder.name}"):
        return check_certificate(folder, seconds, _heard(on_event), Prover(stop=stop).stopped)


def find_positions(
    statement: Statement | str = "othello-mobility",
    /,
    count: int | None = None,
    *,
    seconds: float | None = None,
    on_event: OnEvent | None = None,
    stop: StopFlag | None = None,
    **fields: object,
) -> PositionList:
    """Up to ``count`` positions of Othello that a statement about moves asks for, all if not
    given, none the image of another.

    >>> from playproof.proofs import find_positions
    >>> found = find_positions("othello-mobility", 9, size=4, at_least=8)
    >>> len(found.positions), found.complete
    (3, True)
    """
    from playproof.proofs.othello.boards import position_text
    from playproof.proofs.othello.mobility import OthelloMobility, enumerate_positions

    asked = _statement(statement, fields)
    if not isinstance(asked, OthelloMobility):
        raise UsageError(f"positions are found of othello-mobility, not of {asked.family}")
    _at_least("count", count, 1)
    tell = _heard(on_event)
    found = enumerate_positions(
        asked, count, seconds=seconds, stopped=Prover(stop=stop).stopped,
        on_progress=lambda number, now: tell(PositionsProgress(number, count, now)),
    )  # fmt: skip
    texts = tuple(position_text(position, asked.size) for position in found.positions)
    return PositionList(texts, found.complete, found.seconds)


def export_dimacs(
    statement: Statement | str, path: str | os.PathLike[str], /, **fields: object
) -> DimacsFile:
    """Write the formula of a statement, for a solver of one's choice, and do not solve it.

    >>> import tempfile
    >>> from playproof.proofs import export_dimacs
    >>> with tempfile.TemporaryDirectory() as home:
    ...     file = export_dimacs("othello-mobility", f"{home}/no-9.cnf", size=4, at_least=9)
    ...     head = file.path.read_text().splitlines()[0]
    >>> file.variables, file.clauses, head
    (188, 491, 'c playproof: an Othello position on 4x4 with at least 9 moves')
    """
    asked, file = _statement(statement, fields), Path(path)
    sentence, cnf = sentence_of(asked), asked.cnf
    text = asked.dimacs()
    try:
        file.write_bytes(text)
    except OSError as error:
        raise DataError(f"{file} cannot be written: {error.strerror or error}") from None
    return DimacsFile(file, sentence, cnf.variables, len(cnf.clauses))


def _statement(statement: Statement | str, fields: dict[str, object]) -> Statement:
    if isinstance(statement, str):
        return named_statement(statement, fields)
    if not isinstance(statement, Statement):
        raise UsageError(f"want a statement or its name, not {statement!r}")
    if fields:
        raise UsageError(
            f"{next(iter(fields))} goes with a name: {statement!r} has its fields already"
        )
    return statement


def _by_z3(prover: Prover, question: object) -> Proof:
    from playproof.proofs.othello.mobility import OthelloMobility

    if not isinstance(question, OthelloMobility):
        raise UsageError("z3 is asked about moves of Othello alone: want another solver")
    if prover.certificate is not None:
        raise UsageError("z3 writes no certificate: want kissat or cadical")
    return prover.by_z3(question)


def _at_least(name: str, value: float | None, least: int) -> None:
    if value is not None and not value >= least:
        raise UsageError(f"{name}={value}: want {least} or more")


def _heard(on_event: OnEvent | None) -> OnEvent:
    return (lambda event: None) if on_event is None else on_event
