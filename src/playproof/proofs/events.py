"""What a proof tells while it is under way: one frozen class for each kind of event.

``prove`` and ``check`` hand events to ``on_event``.  The command prints them, the job that it
is stores them, and the lab's page draws them from there.

A *step* is finished and stays: a line of the job's ``steps.jsonl``.  *Progress* is the figure
of a moment, which the next one replaces.  ``event_json`` writes and reads what jobs store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

Status = Literal["sat", "unsat", "unknown"]
"""What a solver says: there is a witness, there is none, the time ran out."""

_MARKS = {True: "ok", False: "rejected", None: "not run"}


@dataclass(frozen=True)
class ProofEvent:
    """What all events share.  In JSON a field has its own name or that of its metadata "json";
    where that is None, the text holds the value and ``read_text`` finds it there."""

    what: ClassVar[str]
    """The kind of the event in JSON."""

    @property
    def text(self) -> str:
        """The event as one line for people."""
        raise TypeError(f"{type(self).__name__} says nothing")

    @classmethod
    def read_text(cls, text: str) -> dict[str, object]:
        """The fields that the text alone holds."""
        return {}


@dataclass(frozen=True)
class ProofStep(ProofEvent):
    """An event that is kept: a line in the story of a proof."""


@dataclass(frozen=True)
class ProofProgress(ProofEvent):
    """How far it is at this moment."""


OnEvent = Callable[[ProofEvent], None]


# Questions


@dataclass(frozen=True)
class _Question(ProofStep):
    sentence: str = field(metadata={"json": None})
    parts: int = 1  # statements to decide
    certificate: str | None = None  # name of the folder, if one is wanted

    @property
    def text(self) -> str:
        return self.sentence

    @classmethod
    def read_text(cls, text: str) -> dict[str, object]:
        return {"sentence": text}


@dataclass(frozen=True)
class ProofStarted(_Question):
    """A statement or theorem is to be settled.  A job that is run again starts again: what it
    told before counts no more."""

    what: ClassVar[str] = "begin"


@dataclass(frozen=True)
class TheoremStarted(_Question):
    """The theorem that a search has led to is to be proved, for its certificate."""

    what: ClassVar[str] = "follow"


@dataclass(frozen=True)
class FormulaBuilt(ProofStep):
    """The statement as a formula in CNF; a solver begins with it now."""

    what: ClassVar[str] = "formula"

    variables: int
    clauses: int

    @property
    def text(self) -> str:
        return f"formula: {self.variables:,} variables, {self.clauses:,} clauses"


# Answers


@dataclass(frozen=True)
class SolverAnswered(ProofStep):
    """What a solver said of one statement."""

    what: ClassVar[str] = "answer"

    status: Status
    seconds: float  # of solving, to hundredths
    conflicts: int | None  # dead ends met, if the solver counts them
    solver: str  # name and version

    @property
    def text(self) -> str:
        counted = "" if self.conflicts is None else f", {self.conflicts:,} conflicts"
        return f"{self.status} after {self.seconds:.1f} s by {self.solver}{counted}"


@dataclass(frozen=True)
class TheoremAnswered(ProofStep):
    """What came of all parts of a theorem: "unsat" if all are refuted, so that it holds;
    else what the solver said of the part that it stopped at."""

    what: ClassVar[str] = "answer"

    status: Status
    seconds: float  # of solving, all parts together, to hundredths
    solver: str  # name and version
    conflicts: int | None  # all parts together
    parts: int  # decided

    @property
    def text(self) -> str:
        return f"{self.status} in {self.parts} parts, {self.seconds:.1f} s of solving"


@dataclass(frozen=True)
class SearchAnswered(ProofStep):
    """Whether the search found a reachable position: "sat" if so."""

    what: ClassVar[str] = "answer"

    status: Status
    seconds: float  # of all steps of the search, to hundredths

    @property
    def text(self) -> str:
        return f"{self.status} after {self.seconds:.1f} s"


@dataclass(frozen=True)
class ProofWritten(ProofStep):
    """The size of the solver's proof that there is no witness."""

    what: ClassVar[str] = "proof"

    proof_bytes: int = field(metadata={"json": "bytes"})
    of_parts: bool = field(default=False, metadata={"json": None})  # of all parts of a theorem

    @property
    def text(self) -> str:
        return f"proof{'s' if self.of_parts else ''}: {self.proof_bytes / 1e6:.1f} MB"

    @classmethod
    def read_text(cls, text: str) -> dict[str, object]:
        return {"of_parts": text.startswith("proofs")}


@dataclass(frozen=True)
class PartAnswered(ProofStep):
    """What a solver said of one part of a theorem."""

    what: ClassVar[str] = "part"

    part: int  # from 1
    sentence: str = field(metadata={"json": "says"})
    status: Status
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


# What there is


@dataclass(frozen=True)
class WitnessFound(ProofStep):
    """A position that shows that there is such a thing."""

    what: ClassVar[str] = "witness"

    game: str
    size: int | None  # of the board, where the game has several
    position: str  # as the game writes it
    moves: int  # legal ones, counted by the game

    @property
    def text(self) -> str:
        return f"found: {self.moves} moves in {self.position}"


@dataclass(frozen=True)
class RecordFound(ProofStep):
    """A game that leads to such a position."""

    what: ClassVar[str] = "record"

    game: str
    size: int  # of the board
    record: str  # moves as the game writes them

    @property
    def text(self) -> str:
        return f"found: {self.record}"


@dataclass(frozen=True)
class LargestFound(ProofStep):
    """The largest number of legal actions, with a position that has them; one more is refuted."""

    what: ClassVar[str] = "largest"

    game: str
    largest: int
    position: str  # as the game writes it
    seconds: float  # of solving, to hundredths

    @property
    def text(self) -> str:
        return f"largest: {self.largest} legal actions in {self.position}"


@dataclass(frozen=True)
class SearchFinding(ProofStep):
    """A line about a stage of the search for reachable positions that is done."""

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
    """Candidates of the search backwards: how many there are, and how many positions lie one
    stone before them, two stones, and so on."""

    what: ClassVar[str] = "levels"

    counts: tuple[int, ...]
    at_least: int  # legal moves of the candidates
    size: int  # of the board
    sets: int  # of occupied squares, up to symmetry
    exhausted: bool  # nothing is left at the end, so that none is reachable

    @property
    def text(self) -> str:
        return f"levels backwards: {', '.join(f'{n:,}' for n in self.counts)}"


# Checks of a certificate


@dataclass(frozen=True)
class CheckStarted(ProofStep):
    """A certificate is to be checked."""

    what: ClassVar[str] = "checking"

    @property
    def text(self) -> str:
        return "checking the certificate"


@dataclass(frozen=True)
class CheckFinished(ProofStep):
    """What came of one check."""

    what: ClassVar[str] = "check"

    part: str  # "001" ... of a chain; "" for the whole
    check: str  # manifest, formula, proof, drat-trim, cake_lpr or theorem
    passed: bool | None  # None if it could not be made
    detail: str
    seconds: float  # to hundredths

    @property
    def text(self) -> str:
        return f"{self.check}: {_MARKS[self.passed]}, {self.detail}"


@dataclass(frozen=True)
class PartChecked(ProofStep):
    """What came of all checks of one part of a chain."""

    what: ClassVar[str] = "checked"

    part: str  # "001" ...
    checks: Mapping[str, bool | None]  # by name: passed, rejected (False) or not made (None)
    detail: str  # "check: what is wrong" of the first that was rejected; "" if none was
    seconds: float  # of all checks, to hundredths

    @property
    def text(self) -> str:
        check, colon, why = self.detail.partition(": ")
        return f"part {self.part}: {f'{check} rejected, {why}' if colon else 'ok'}"


@dataclass(frozen=True)
class CertificateChecked(ProofStep):
    """Whether a certificate holds, and what it is about."""

    what: ClassVar[str] = "verdict"

    verified: bool
    title: str  # sentence of the statement or theorem
    parts: int
    good: int  # parts that hold
    theorem: bool  # a chain, whose parts must be those that its theorem needs

    @property
    def text(self) -> str:
        return "verified" if self.verified else "NOT VERIFIED"


# Progress


@dataclass(frozen=True)
class SolverProgress(ProofProgress):
    """How far a running solver is, some times a second."""

    what: ClassVar[str] = "solving"

    seconds: float
    conflicts: int | None  # None if the solver does not tell
    proof_bytes: int | None  # written so far, if a proof is wanted

    @property
    def text(self) -> str:
        return f"solving, {self.seconds:.0f} s"


@dataclass(frozen=True)
class PartsProgress(ProofProgress):
    """How many parts of a theorem are refuted."""

    what: ClassVar[str] = "parts"

    done: int
    parts: int

    @property
    def text(self) -> str:
        return f"{self.done} of {self.parts} parts are refuted"


@dataclass(frozen=True)
class BoundsProgress(ProofProgress):
    """Where the largest number lies: ``reached`` or more, and less than ``refuted``."""

    what: ClassVar[str] = "bounds"

    reached: int
    refuted: int
    seconds: float

    @property
    def text(self) -> str:
        return f"{self.reached} to {self.refuted - 1}, {self.seconds:.0f} s"


@dataclass(frozen=True)
class PositionsProgress(ProofProgress):
    """How many positions are found, of so many that are wanted (None: all)."""

    what: ClassVar[str] = "positions"

    found: int
    wanted: int | None
    seconds: float

    @property
    def text(self) -> str:
        return f"{self.found} positions, {self.seconds:.0f} s"


@dataclass(frozen=True)
class CheckProgress(ProofProgress):
    """How much of a check is done."""

    what: ClassVar[str] = "share"

    part: str  # "001" ... of a chain; "" for the whole
    check: str
    share: float  # 0 to 1

    @property
    def text(self) -> str:
        return f"{self.part} {self.check} {self.share:.0%}"


EVENTS: tuple[type[ProofEvent], ...] = (
    ProofStarted, TheoremStarted, FormulaBuilt, SolverAnswered, TheoremAnswered, SearchAnswered,
    ProofWritten, PartAnswered, WitnessFound, RecordFound, LargestFound, SearchFinding,
    LevelsCounted, CheckStarted, CheckFinished, PartChecked, CertificateChecked, SolverProgress,
    PartsProgress, BoundsProgress, PositionsProgress, CheckProgress,
)  # fmt: skip
