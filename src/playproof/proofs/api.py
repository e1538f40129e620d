"""Proving and checking from Python: what ``playproof prove`` and ``playproof check`` do.

Nothing is printed.  Progress is reported to ``on_event`` (``events``), and the outcome is
returned (``proof``).  A caller's mistake raises a ``UsageError``, a bad file a ``DataError``.
Ctrl-C stops all solvers and workers before ``KeyboardInterrupt`` is raised.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.core.errors import DataError, UsageError
from playproof.proofs.events import OnEvent, PositionsProgress, ProofEvent
from playproof.proofs.outside import OutsideProof, OutsideSolution
from playproof.proofs.proof import DimacsFile, PositionList, Proof
from playproof.proofs.prover import Prover, check_certificate, sentence_of
from playproof.proofs.questions import (
    ChokoLargest,
    OthelloReachable,
    Question,
    find_question,
    find_statement,
)
from playproof.proofs.sat.oracles import Oracle, configured
from playproof.proofs.sat.oracles import portfolio as run_portfolio
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
    solver_options: Mapping[str, int | str] | None = None,
    portfolio: bool | str | Sequence[str] = False,
    solution: str | os.PathLike[str] | None = None,
    proof: str | os.PathLike[str] | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    cubes: bool = False,
    on_event: OnEvent | None = None,
    stop: StopFlag | None = None,
    **fields: object,
) -> Proof:
    """Settle a statement: find a witness, or refute it and write a certificate.

    ``statement`` is a statement, a theorem, or a name with its fields: "othello-mobility"
    (at_least=35, size=8, empties_at_least=0 ...), "othello-reachable" (at_least=34, size=8,
    max_stones; with method="unroll" also plies and mover), "equivalence", "choko-mobility"
    (condition, lone_jump; without at_least it looks for the largest number), or the name of a
    statement registered with ``register_statement``.

    ``certificate`` is a new folder for the proof that there is no witness; ``check`` checks it
    right away.  ``solver`` is "kissat", "cadical" or, for moves of Othello, an unrolled game and
    one figure of the paper, "z3"; the default is the fastest SAT solver installed.
    ``solver_options`` are options of that solver by name, as "seed" or Kissat's "target".
    ``portfolio`` runs several solvers or settings side by side and takes the first answer: True,
    or settings such as ["kissat", "cadical", "kissat:seed=3"].

    Two files, of which "-" is standard input, hold another solver's answer to the formula of
    ``export_dimacs``: ``solution`` its model, which becomes the witness, ``proof`` its DRAT or
    LRAT, which is checked.  ``seconds`` limits each solver run, a search, or that check.
    ``cubes`` refutes a bound on moves of Othello in 231 parts; ``workers`` is the number of
    solvers that run at once on parts, by default one per core.  ``on_event`` is called with
    every event.  When another thread sets ``stop[0] = 1``, all work stops; the proof is then
    undecided, as it is when time runs out.

    >>> import playproof
    >>> proof = playproof.prove("othello-mobility", size=4, at_least=9)
    >>> print(proof.verdict, "-", proof.sentence)
    refuted - an Othello position on 4x4 with at least 9 moves
    >>> possible = playproof.prove("othello-mobility", size=4, at_least=8)
    >>> state = playproof.make("othello", size=4).position(possible.position)
    >>> possible.verdict, len(state.legal_actions())
    ('holds', 8)
    """
    folder = None if certificate is None else Path(certificate)
    if check and folder is None:
        raise UsageError("check=True needs something to check: want certificate=DIR too")
    _at_least("seconds", seconds, 0)
    _at_least("workers", workers, 1)
    question = _question(statement, fields, cubes, certified=folder is not None)
    ways = (solver, solver_options, portfolio, solution, proof, workers)
    oracle = _oracle(question, *ways, certified=folder is not None)
    prover = Prover(folder, check, oracle, seconds, workers, _or_ignored(on_event), stop)
    return _prove_with_z3(prover, question) if solver == Z3 else _prove(prover, question)


def _question(
    statement: object, fields: Mapping[str, object], cubes: bool, *, certified: bool
) -> Question:
    """The question that the arguments of ``prove`` ask."""
    if isinstance(statement, str):
        return find_question(statement, fields, cubes=cubes, certified=certified)
    if not isinstance(statement, Statement | Theorem):
        raise UsageError(f"want a Statement, a Theorem or the name of one, not {statement!r}")
    if fields or cubes:
        extra = next(iter(fields), "cubes")
        raise UsageError(f"{extra} goes with a name: {statement!r} already has its fields")
    return statement


def _oracle(
    question: Question,
    solver: str | None,
    options: Mapping[str, int | str] | None,
    settings: bool | str | Sequence[str],
    solution: str | os.PathLike[str] | None,
    proof: str | os.PathLike[str] | None,
    workers: int | None,
    *,
    certified: bool,
) -> Oracle | str | None:
    """What will answer the formulas, of all that was given; there may be only one."""
    ways = {"solution": solution, "proof": proof, "portfolio": settings or None, "solver": solver}
    used = [name for name, value in ways.items() if value is not None]
    if len(used) > 1:
        raise UsageError(f"{used[0]} and {used[1]} do not go together: leave one out")
    if options and (solver == Z3 or used not in ([], ["solver"])):
        raise UsageError("solver_options are for kissat or cadical: want solver=NAME with them")
    if solution is not None or proof is not None:
        _require_one_formula(question)
    if solution is not None:
        if certified:
            raise UsageError("a solution refutes nothing: want no certificate with it")
        return OutsideSolution(os.fspath(solution))
    if proof is not None:
        return OutsideProof(os.fspath(proof))
    if settings:
        return run_portfolio(settings, workers)
    return configured(solver, options) if options else solver


def _require_one_formula(question: Question) -> None:
    """Reject an answer from outside to a question that is more than one formula."""
    if isinstance(question, Statement):
        return
    if isinstance(question, Theorem):
        parts = len(question.statements())
        raise UsageError(
            f"{question.family} is {parts} formulas, and the file answers one: want one of its "
            "statements() (in the command --part N)"
        )
    raise UsageError(
        "this question is a search and not one formula: want "
        + ('method="unroll"' if isinstance(question, OthelloReachable) else "at_least=177")
        + ", for instance"
    )


def check(
    certificate: str | os.PathLike[str],
    /,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    plain: bool = False,
    lrat: str | os.PathLike[str] | None = None,
    on_event: OnEvent | None = None,
    stop: StopFlag | None = None,
) -> CertificateReport:
    """Check a certificate: rebuild its formulas and compare them, and check its proofs step by
    step, also with drat-trim and cake_lpr if they are installed.

    With ``plain`` each proof is checked a second time by the plain checker, which follows the
    hints that the first check found.  ``lrat`` is a folder for these proofs with hints:
    ``001.lrat`` and so on, one for each part that is verified, or ``proof.lrat``.

    ``seconds`` limits each check of each proof.  ``memory`` limits the memory used, in
    megabytes (Linux only).  ``on_event`` is called after every check.  When another thread sets
    ``stop[0] = 1``, the remaining checks are skipped and the certificate is not verified.  If
    the statement is one of your own, its class must be registered.

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
    # Loaded before the memory limit applies, which is for the proof.
    import playproof.proofs.checker.check  # noqa: F401
    from playproof.core.memory import memory_limit

    folder = Path(certificate)
    with memory_limit(memory, f"checking {folder.name}"):
        return check_certificate(
            folder, seconds, _or_ignored(on_event), Prover(stop=stop).should_stop,
            plain=plain, lrat=None if lrat is None else Path(lrat),
        )  # fmt: skip


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
    """Find up to ``count`` positions of Othello that satisfy a statement about positions.

    That is "othello-mobility" or an ``OthelloPosition`` of your own.  No position is the image
    of another.  Without ``count``, all positions are found.

    >>> from playproof.proofs import find_positions
    >>> result = find_positions("othello-mobility", 9, size=4, at_least=8)
    >>> len(result.positions), result.complete
    (3, True)
    """
    from playproof.proofs.othello.boards import position_text
    from playproof.proofs.othello.mobility import OthelloMobility, enumerate_positions
    from playproof.proofs.othello.positions import OthelloPosition

    question = _statement(statement, fields)
    if not isinstance(question, OthelloMobility | OthelloPosition):
        raise UsageError(
            "positions can be listed only for othello-mobility and for your own statements derived "
            f"from OthelloPosition, not for {question.family}"
        )
    _at_least("count", count, 1)
    notify = _or_ignored(on_event)
    enumeration = enumerate_positions(
        question, count, seconds=seconds, should_stop=Prover(stop=stop).should_stop,
        on_progress=lambda number, elapsed: notify(PositionsProgress(number, count, elapsed)),
    )  # fmt: skip
    texts = tuple(position_text(position, question.size) for position in enumeration.positions)
    return PositionList(texts, enumeration.complete, enumeration.seconds)


def export_dimacs(
    statement: Statement | str, path: str | os.PathLike[str], /, **fields: object
) -> DimacsFile:
    """Write the formula of a statement to a file, for any solver, without solving it.

    >>> import tempfile
    >>> from playproof.proofs import export_dimacs
    >>> with tempfile.TemporaryDirectory() as home:
    ...     file = export_dimacs("othello-mobility", f"{home}/no-9.cnf", size=4, at_least=9)
    ...     head = file.path.read_text().splitlines()[0]
    >>> file.variables, file.clauses, head
    (178, 484, 'c playproof: an Othello position on 4x4 with at least 9 moves')
    """
    question, file = _statement(statement, fields), Path(path)
    sentence, cnf = sentence_of(question), question.cnf
    text = question.dimacs()
    try:
        file.write_bytes(text)
    except OSError as error:
        raise DataError(f"{file} cannot be written: {error.strerror or error}") from None
    return DimacsFile(file, sentence, cnf.variables, len(cnf.clauses))


def _statement(statement: Statement | str, fields: dict[str, object]) -> Statement:
    if isinstance(statement, str):
        return find_statement(statement, fields)
    if not isinstance(statement, Statement):
        raise UsageError(f"want a statement or its name, not {statement!r}")
    if fields:
        raise UsageError(
            f"{next(iter(fields))} goes with a name: {statement!r} already has its fields"
        )
    return statement


def _prove(prover: Prover, question: Question) -> Proof:
    if isinstance(question, OthelloReachable):
        return prover.search_reachable(question)
    if isinstance(question, ChokoLargest):
        return prover.find_choko_largest(question)
    if isinstance(question, Theorem):
        return prover.prove_theorem(question)
    return prover.prove_statement(question)


def _prove_with_z3(prover: Prover, question: Question) -> Proof:
    from playproof.proofs.othello.equivalence import Equivalence
    from playproof.proofs.othello.mobility import OthelloMobility
    from playproof.proofs.othello.unrolled_game import OthelloUnroll

    if not isinstance(question, OthelloMobility | OthelloUnroll | Equivalence):
        raise UsageError("z3 can only decide moves of Othello: want another solver")
    if prover.certificate is not None:
        raise UsageError("z3 writes no certificate: want kissat or cadical")
    return prover.prove_with_z3(question)


def _at_least(name: str, value: float | None, least: int) -> None:
    if value is not None and not value >= least:
        raise UsageError(f"{name}={value}: want {least} or more")


def _or_ignored(on_event: OnEvent | None) -> OnEvent:
    return _ignore if on_event is None else on_event


def _ignore(event: ProofEvent) -> None:
    pass
