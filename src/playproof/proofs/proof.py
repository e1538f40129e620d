"""The results that the functions of ``api`` return."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playproof.proofs.events import SolverStatus

if TYPE_CHECKING:
    from playproof.proofs.certificates.report import CertificateReport
    from playproof.proofs.othello.pipeline import ReachabilityResult
    from playproof.proofs.othello.reachable_models import ModelSearch
    from playproof.proofs.statements import Decision


@dataclass(frozen=True)
class Proof:
    """The result of ``prove`` for a statement or a theorem.

    A statement says that something exists: it *holds* if there is a witness and is *refuted*
    if there can be none.  A theorem holds if all its parts are refuted; a part that has a
    witness refutes it.  *Undecided* means that time ran out or that the proof was stopped.

    >>> import playproof
    >>> playproof.prove("othello-mobility", size=4, at_least=9).verdict
    'refuted'
    """

    sentence: str
    """The statement or theorem in one line."""
    verdict: Literal["holds", "refuted", "undecided"]
    status: SolverStatus
    """The answer of the solver or the search: sat if there is a witness, unsat if there is none."""
    seconds: float
    """Time spent solving and searching, without the check of the certificate."""
    decisions: tuple[Decision, ...] = ()
    """Each statement that a solver decided, with its answer.  For a theorem there is one for
    each part, in order, up to the first that is not refuted."""
    position: str | None = None
    """The witness, if it is a position, in the notation of its game."""
    records: tuple[str, ...] = ()
    """The witnesses, if they are games, as move records in the notation of the game."""
    largest: int | None = None
    """The largest number, if the question was for that; ``position`` attains it."""
    search: ReachabilityResult | None = None
    """The steps of the search for reachable positions."""
    models: ModelSearch | None = None
    """The candidates of ``prove_reachable``."""
    certificate: Path | None = None
    """The folder of the certificate, if one was written."""
    report: CertificateReport | None = None
    """The report on the certificate, if it was checked."""

    @property
    def holds(self) -> bool | None:
        """Whether the sentence is true; None if undecided."""
        return {"holds": True, "refuted": False, "undecided": None}[self.verdict]

    @property
    def witness(self) -> dict[str, int] | None:
        """The values of the statement's named words in the witness; None without a witness."""
        return self.decisions[-1].witness if self.decisions else None

    @property
    def record(self) -> str | None:
        """The first of ``records``, or None."""
        return self.records[0] if self.records else None

    @property
    def verified(self) -> bool | None:
        """Whether the certificate was verified; None if none was checked."""
        return None if self.report is None else self.report.verified


@dataclass(frozen=True)
class PositionList:
    """Positions that satisfy a statement, none the image of another."""

    positions: tuple[str, ...]
    """The positions in the notation of their game."""
    complete: bool
    """Whether these are all positions, up to symmetry."""
    seconds: float


@dataclass(frozen=True)
class DimacsFile:
    """A formula that was written to a file."""

    path: Path
    sentence: str
    """What a model of the formula would be, in one line."""
    variables: int
    clauses: int
