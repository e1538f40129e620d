"""Answers about proofs: what there is to see, proofs that are run, and certificates."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import News, Number, Reply, View
from playproof.web.protocol.replies.jobs import Job, JobState

Status = Literal["sat", "unsat", "unknown"]
LevelsEnd = Literal["nothing", "met", "stopped"]

# To look at


class Exhibit(Reply):
    """Something that is shown step by step, by its name."""

    name: str
    title: str
    about: str


class Frame(Reply):
    """A position to step through, with a line or two."""

    view: View
    text: str


class RecordFrames(Reply):
    """A game with many legal moves at its end, position by position."""

    name: str
    title: str
    about: str
    record: str
    moves: int
    frames: list[Frame]


class LemmaFrames(Reply):
    """The squares of a position filled from the centre; ``stuck`` are those that cannot be."""

    name: str
    title: str
    about: str
    frames: list[Frame]
    stuck: list[str]
    constructible: bool


class Level(Reply):
    """Positions so many discs before; ``known`` are those that play from the start reaches,
    where there are so few stones that all such are listed."""

    back: int
    stones: int | None
    positions: int
    known: int | None
    example: str | None


class Levels(Reply):
    """A position taken back level by level: until nothing is left, until it met positions that
    play reaches, or until there were too many."""

    name: str
    title: str
    about: str
    view: View
    levels: list[Level]
    end: LevelsEnd
    position: str


class LevelsOfAll(Reply):
    """The levels of all positions with 34 moves, and the job that counted them."""

    levels: list[Level]
    end: LevelsEnd
    job: str


class FoundLevels(Reply):
    """The levels of all positions with 34 moves, if a proof went through them."""

    found: LevelsOfAll | None


class DrawnPosition(Reply):
    """The picture of a position."""

    view: View


# Proofs


class ProofOffer(Reply):
    """A statement to prove; ``refutes``: the answer is a no, which has a certificate."""

    name: str
    title: str
    about: str
    takes: str
    refutes: bool


class QuestionLimits(Reply):
    """What a question of one's own may ask: boards, minutes, and by board the most squares
    that may be empty or be moves."""

    sizes: list[int]
    minutes: list[int]
    squares: dict[str, int]


class ListedProof(Reply):
    """A proof or check in a list, and what came of it."""

    id: str
    kind: str
    title: str
    state: JobState
    began: float
    seconds: float
    came: Literal["yes", "no", "verified", "rejected"] | None


class KeptCertificate(Reply):
    """A certificate that is kept here."""

    name: str
    bytes: int
    parts: int
    made: float


class Proofs(Reply):
    """What can be seen and proved, the proofs there were, and the certificates kept;
    ``problem`` says why nothing can be proved here."""

    owner: bool
    problem: str | None
    records: list[Exhibit]
    examples: list[Exhibit]
    candidates: list[Exhibit]
    offers: list[ProofOffer]
    custom: QuestionLimits
    proofs: list[ListedProof]
    certificates: list[KeptCertificate]


class Formula(Reply):
    """The size of the statement as a formula."""

    variables: int
    clauses: int


class ProofAnswer(Reply):
    """What came of it: "sat" if there is such a position, "unsat" if there is none. A search
    names no solver; ``parts`` are those of a theorem that were decided."""

    status: Status
    seconds: float
    conflicts: int | UnsetType | None = UNSET
    solver: str | UnsetType = UNSET
    parts: int | UnsetType = UNSET


class PartAnswer(Reply):
    """What a solver said of one part of a theorem; ``bytes`` is the size of its proof."""

    part: int
    says: str
    status: Status
    seconds: float
    conflicts: int | None
    variables: int
    clauses: int
    bytes: int | None


class ProofSize(Reply):
    """The size of the solver's proof."""

    bytes: int


class CountedLevels(Reply):
    """How many candidates a search backwards has, how many positions lie one stone before
    them, and so on; ``exhausted`` if nothing is left at the end."""

    counts: list[int]
    at_least: int
    size: int
    sets: int
    exhausted: bool


class CheckResult(Reply):
    """What came of one check; null if it could not be made."""

    part: str
    check: str
    passed: bool | None
    detail: str
    seconds: float


class CheckedPart(Reply):
    """What came of all checks of one part."""

    part: str
    checks: dict[str, bool | None]
    detail: str
    seconds: float


class Verdict(Reply):
    """Whether a certificate holds, and what it is about; ``good`` of its parts hold."""

    verified: bool
    title: str
    parts: int
    good: int
    theorem: bool


class LeadingGame(Reply):
    """A game that leads to such a position."""

    game: str
    size: int
    record: str


class Witness(Reply):
    """A position that shows that there is such a thing; its picture, where it can be drawn."""

    game: str
    size: int | None
    position: str
    moves: int
    view: View | None


class LiveFigures(Reply):
    """Figures of a solver that is at work."""

    solving: Number | UnsetType | None = UNSET
    conflicts: Number | UnsetType | None = UNSET
    proof_bytes: Number | UnsetType | None = UNSET
    variables: Number | UnsetType | None = UNSET
    clauses: Number | UnsetType | None = UNSET


class Proof(Reply):
    """A proof or a check as its job tells it: the question, how far it is, the answer, and
    every check. What is not known yet is null."""

    job: Job
    question: str
    theorem: str | None
    of: int
    found: list[str]
    parts: list[PartAnswer]
    checking: bool
    checks: list[CheckResult]
    checked: list[CheckedPart]
    certificate: str | None
    formula: Formula | None
    answer: ProofAnswer | None
    proof: ProofSize | None
    levels: CountedLevels | None
    verdict: Verdict | None
    record: LeadingGame | None
    witness: Witness | None
    live: LiveFigures


class ProofNews(News, tag_field="type", tag="proof"):
    """A proof or a check, told again when it has changed."""

    proof: Proof
