"""The events of a running proof: one frozen dataclass for each kind of event.

``prove`` and ``check`` pass events to ``on_event``.  The command prints them and its job
stores them; the lab's page shows the stored ones.

A *step* is finished and is kept as a line of the job's ``steps.jsonl``.  *Progress* describes
the present moment, and the next progress event replaces it.  ``event_json`` converts events
to and from the JSON that jobs store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from playproof.proofs.progress import BoundsProgress as BoundsProgress
from playproof.proofs.progress import CheckProgress as CheckProgress
from playproof.proofs.progress import PartsProgress as PartsProgress
from playproof.proofs.progress import PortfolioProgress as PortfolioProgress
from playproof.proofs.progress import PositionsProgress as PositionsProgress
from playproof.proofs.progress import ProofEvent as ProofEvent
from playproof.proofs.progress import ProofProgress as ProofProgress
from playproof.proofs.progress import SolverProgress as SolverProgress

SolverStatus = Literal["sat", "unsat", "unknown"]
"""A solver's answer: there is a witness, there is none, or it was stopped before it had one."""

_MARKS = {True: "ok", False: "rejected", None: "not run"}


@dataclass(frozen=True)
class ProofStep(ProofEvent):
    """An event that a job keeps, as a line of its steps."""


OnEvent = Callable[[ProofEvent], None]


# Questions


@dataclass(frozen=True)
class _QuestionEvent(ProofStep):
    sentence: str = field(metadata={"json": None})
    parts: int = 1  # statements to decide
    certificate: str | None = None  # name of the folder, if a certificate is to be written
    # What the statement assumes beyond its sentence; part of the same question.
    assumes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def text(self) -> str:
        return self.sentence

    @classmethod
    def read_text(cls, text: str) -> dict[str, object]:
        return {"sentence": text}


@dataclass(frozen=True)
class ProofStarted(_QuestionEvent):
    """Work on a statement or theorem has started.

    A job that is run again starts over; its events before this one are obsolete.
    """

    what: ClassVar[str] = "begin"


@dataclass(frozen=True)
class TheoremStarted(_QuestionEvent):
    """A search has ended, and the theorem for its certificate is proved next."""

    what: ClassVar[str] = "follow"


@dataclass(frozen=True)
class FormulaBuilt(ProofStep):
    """The statement has been encoded in CNF; the solver starts next."""

    what: ClassVar[str] = "formula"

    variables: int
    clauses: int

    @property
    def text(self) -> str:
        return f"formula: {self.variables:,} variables, {self.clauses:,} clauses"


# Answers


@dataclass(frozen=True)
class SolverAnswered(ProofStep):
    """A solver's answer to one statement."""

    what: ClassVar[str] = "answer"

    status: SolverStatus
    seconds: float  # of solving, to hundredths
    conflicts: int | None  # dead ends of the search, if the solver reports them
    solver: str  # name and version

    @property
    def text(self) -> str:
        counted = "" if self.conflicts is None else f", {self.conflicts:,} conflicts"
        return f"{self.status} after {self.seconds:.1f} s by {self.solver}{counted}"


@dataclass(frozen=True)
class TheoremAnswered(ProofStep):
    """The outcome of all parts of a theorem: "unsat" if all are refuted, so that it holds.

    Otherwise it is the solver's answer to the first part that was not refuted.
    """

    what: ClassVar[str] = "answer"

    status: SolverStatus
    seconds: float  # of solving, all parts together, to hundredths
    solver: str  # name and version
    conflicts: int | None  # all parts together
    parts: int  # decided

    @property
    def text(self) -> str:
        return f"{self.status} in {self.parts} parts, {self.seconds:.1f} s of solving"


@dataclass(frozen=True)
class SearchAnswered(ProofStep):
    """The outcome of a search for reachable positions: "sat" if there is one."""

    what: ClassVar[str] = "answer"

    status: SolverStatus
    seconds: float  # of all steps of the search, to hundredths

    @property
    def text(self) -> str:
        return f"{self.status} after {self.seconds:.1f} s"


@dataclass(frozen=True)
class ProofWritten(ProofStep):
    """The size of the solver's proof that there is no witness."""

    what: ClassVar[str] = "proof"

    proof_bytes: int = field(metadata={"json": "bytes"})
    of_parts: bool = field(default=False, metadata={"json": None})  # the sum over a theorem's parts

    @property
    def text(self) -> str:
        return f"proof{'s' if self.of_parts else ''}: {self.proof_bytes / 1e6:.1f} MB"

    @classmethod
    def read_text(cls, text: str) -> dict[str, object]:
        return {"of_parts": text.startswith("proofs")}


@dataclass(frozen=True)
class OutsideProofVerified(ProofStep):
    """A proof from a file, by whatever solver, has been checked: the formula has no model."""

    what: ClassVar[str] = "outside-proof"

    file: str
    form: Literal["DRAT", "LRAT"]
    lemmas: int  # in the proof
    proof_bytes: int = field(metadata={"json": "bytes"})
    seconds: float  # of the check, to hundredths

    @property
    def text(self) -> str:
        return f"{self.file}: {self.form}, {self.lemmas:,} lemmas, proof verified"


@dataclass(frozen=True)
class PartAnswered(ProofStep):
    """A solver's answer to one part of a theorem."""

    what: ClassVar[str] = "part"

    part: int  # from 1
    sentence: str = field(metadata={"json": "says"})
    status: SolverStatus
    seconds: float  # of solving, to hundredths
    conflicts: int | None
    variables: int
    clauses: int
    proof_bytes: int | None = field(metadata={"json": "bytes"})
    parts: int = field(metadata={"json": None})  # of the theorem

    @property
    def text(self) -> str:
        return f"part {self.part} of {self.parts}: {self.status} after {self.seconds:.1f} s"

    @classmethod
    def read_text(cls, text: str) -> dict[str, object]:
        count = re.match(r"part \d+ of (\d{1,9}): ", text)
        return {"parts": int(count[1]) if count else 0}


# Witnesses and findings


@dataclass(frozen=True)
class WitnessFound(ProofStep):
    """A position that is a witness of the statement."""

    what: ClassVar[str] = "witness"

    game: str
    size: int | None  # of the board, if the game has several
    position: str  # in the notation of the game
    moves: int  # legal moves, counted by the game

    @property
    def text(self) -> str:
        return f"found: {self.moves} moves in {self.position}"


@dataclass(frozen=True)
class RecordFound(ProofStep):
    """A game that leads to a witness of the statement."""

    what: ClassVar[str] = "record"

    game: str
    size: int  # of the board
    record: str  # moves in the notation of the game

    @property
    def text(self) -> str:
        return f"found: {self.record}"


@dataclass(frozen=True)
class LargestFound(ProofStep):
    """The largest number of legal actions, with a position that attains it; one more is refuted."""

    what: ClassVar[str] = "largest"

    game: str
    largest: int
    position: str  # in the notation of the game
    seconds: float  # of solving, to hundredths

    @property
    def text(self) -> str:
        return f"largest: {self.largest} legal actions in {self.position}"


@dataclass(frozen=True)
class SearchFinding(ProofStep):
    """The result of one stage of the search for reachable positions, in one line."""

    what: ClassVar[str] = "found"

    line: str = field(metadata={"json": None})

    @property
    def text(self) -> str:
        return self.line

    @classmethod
    def read_text(cls, text: str) -> dict[str, object]:
        return {"line": text}


@dataclass(frozen=True)
class LevelsCounted(ProofStep):
    """The levels of the backward search: how many candidates there are, and how many positions
    lie one stone before them, two stones before them, and so on."""

    what: ClassVar[str] = "levels"

    counts: tuple[int, ...]
    at_least: int  # legal moves of the candidates
    size: int  # of the board
    sets: int  # of occupied squares, up to symmetry
    exhausted: bool  # the last level is empty, so no candidate is reachable

    @property
    def text(self) -> str:
        return f"levels backwards: {', '.join(f'{n:,}' for n in self.counts)}"


# Checks of a certificate


@dataclass(frozen=True)
class CheckStarted(ProofStep):
    """The check of a certificate has started."""

    what: ClassVar[str] = "checking"

    @property
    def text(self) -> str:
        return "checking the certificate"


@dataclass(frozen=True)
class CheckFinished(ProofStep):
    """The outcome of one check."""

    what: ClassVar[str] = "check"

    part: str  # "001" ... of a chain; "" for the whole certificate
    check: str  # manifest, formula, proof, plain, lrat, drat-trim, cake_lpr or theorem
    passed: bool | None  # None if it could not be run
    detail: str
    seconds: float  # to hundredths

    @property
    def text(self) -> str:
        return f"{self.check}: {_MARKS[self.passed]}, {self.detail}"


@dataclass(frozen=True)
class PartChecked(ProofStep):
    """The outcome of all checks of one part of a chain."""

    what: ClassVar[str] = "checked"

    part: str  # "001" ...
    checks: Mapping[str, bool | None]  # by name: passed, rejected (False) or not run (None)
    detail: str  # "CHECK: what is wrong" for the first rejected check; "" if there is none
    seconds: float  # of all checks, to hundredths

    @property
    def text(self) -> str:
        check, colon, why = self.detail.partition(": ")
        return f"part {self.part}: {f'{check} rejected, {why}' if colon else 'ok'}"


@dataclass(frozen=True)
class CertificateChecked(ProofStep):
    """The verdict on a certificate."""

    what: ClassVar[str] = "verdict"

    verified: bool
    title: str  # sentence of the statement or theorem
    parts: int
    good: int  # parts that are verified
    theorem: bool  # whether it is a chain, whose parts must be those that its theorem needs
    assumes: tuple[str, ...] = field(default=(), compare=False)  # beyond the title

    @property
    def text(self) -> str:
        return "verified" if self.verified else "NOT VERIFIED"


EVENTS: tuple[type[ProofEvent], ...] = (
    ProofStarted, TheoremStarted, FormulaBuilt, SolverAnswered, TheoremAnswered, SearchAnswered,
    ProofWritten, OutsideProofVerified, PartAnswered, WitnessFound, RecordFound, LargestFound,
    SearchFinding, LevelsCounted, CheckStarted, CheckFinished, PartChecked, CertificateChecked,
    SolverProgress, PortfolioProgress, PartsProgress, BoundsProgress, PositionsProgress,
    CheckProgress,
)  # fmt: skip
