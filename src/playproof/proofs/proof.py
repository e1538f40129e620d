"""What the functions of ``api`` give back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playproof.proofs.events import Status

if TYPE_CHECKING:
    from playproof.proofs.certificates.report import CertificateReport
    from playproof.proofs.othello.pipeline import ReachabilityResult
    from playproof.proofs.statements import Decision


@dataclass(frozen=True)
class Proof:
    """What ``prove`` found about a statement or a theorem.

    A statement says that there is something: it *holds* if there is a witness and is *refuted*
    if there can be none.  A theorem holds if all its parts are refuted, and is refuted by a
    part that has a witness.  *Undecided* means that time ran out, or that it was stopped.

    >>> import playproof
    >>> playproof.prove("othello-mobility", size=4, at_least=9).verdict
    'refuted'
    """

    sentence: str
    """What was to be settled, as one line."""
    verdict: Literal["holds", "refuted", "undecided"]
    status: Status
    """What the solver or the search said: sat if there is a witness, unsat if there is none."""
    seconds: float
    """Of solving and searching; what is checked afterwards not included."""
    decisions: tuple[Decision, ...] = ()
    """Each statement that a solver was asked about, with its answer; one for every part of a
    theorem, in order, up to the first that is not refuted."""
    position: str | None = None
    """A witness that is a position, as its game writes it."""
    records: tuple[str, ...] = ()
    """Witnesses that are games, as the game writes their moves."""
    largest: int | None = None
    """The largest number, where that was asked for; ``position`` has so many."""
    search: ReachabilityResult | None = None
    """The steps of the search for reachable positions."""
    certificate: Path | None = None
    """The folder of the certificate, if one was written."""
    report: CertificateReport | None = None
    """What the check of the certificate found, if it was checked."""

    @property
    def holds(self) -> bool | None:
        """Whether the sentence is true; None if that is not decided."""
        return {"holds": True, "refuted": False, "undecided": None}[self.verdict]

    @property
    def witness(self) -> dict[str, int] | None:
        """The value of every named word of the statement that has a witness."""
        return self.decisions[-1].witness if self.decisions else None

    @property
    def record(self) -> str | None:
        """The first of ``records``."""
        return self.records[0] if self.records else None

    @property
    def verified(self) -> bool | None:
        """Whether the certificate holds; None if none was checked."""
        return None if self.report is None else self.report.verified


@dataclass(frozen=True)
class PositionList:
    """Positions that a statement asks for, none the image of another."""

    positions: tuple[str, ...]
    """As their game writes them."""
    complete: bool
    """Whether there are no others."""
    seconds: float


@dataclass(frozen=True)
class DimacsFile:
    """A formula that was written to a file."""

    path: Path
    sentence: str
    """What a model of the formula would show."""
    variables: int
    clauses: int
