"""Replies about proofs: examples to step through, proofs that are run, and certificates."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from playproof.proofs.events import SolverStatus
from playproof.web.protocol.replies.base import News, Number, Reply, View
from playproof.web.protocol.replies.jobs import Job, JobState

LevelsEnd = Literal["nothing", "met", "stopped"]

# Examples


class ExampleSummary(Reply):
    """An example that can be stepped through; ``name`` is its address."""

    name: str
    title: str
    about: str


class Frame(Reply):
    """One position of an example, with one or two sentences."""

    view: View
    text: str


class RecordFrames(Reply):
    """A game that ends with many legal moves, position by position."""

    name: str
    title: str
    about: str
    record: str
    moves: int
    frames: list[Frame]


class CensusTotal(Reply):
    """The reachable positions with 33 moves and this number of stones, up to symmetry."""

    stones: int
    candidates: int
    reachable: int
    black: int
    white: int


class CensusPosition(Reply):
    """A position with 33 moves; ``name`` is the address of its game.

    ``squares`` has 64 letters: X for Black, O for White, * for a legal move and - for the rest."""

    name: str
    stones: int
    colour: str
    squares: str
    record: str


class CensusOverview(Reply):
    """All positions with 33 legal moves that a game reaches."""

    totals: list[CensusTotal]
    positions: list[CensusPosition]


class LemmaFrames(Reply):
    """The squares of a position, filled from the centre; ``stuck`` are those that cannot be."""

    name: str
    title: str
    about: str
    frames: list[Frame]
    stuck: list[str]
    constructible: bool


class RetrogradeLevel(Reply):
    """The positions that lie ``back`` discs earlier.

    ``known`` counts those that play from the start reaches; it is null where there are too many
    stones to know. ``example`` is one of the positions."""

    back: int
    stones: int | None
    positions: int
    known: int | None
    example: str | None


class RetrogradeLevels(Reply):
    """A position taken back level by level.

    The end is "nothing" if no position is left, "met" if play from the start reaches the last
    level, and "stopped" if there were too many positions."""

    name: str
    title: str
    about: str
    view: View
    levels: list[RetrogradeLevel]
    end: LevelsEnd
    position: str


class AllLevels(Reply):
    """The levels of all positions with 34 moves together, and the job that counted them."""

    levels: list[RetrogradeLevel]
    end: LevelsEnd
    job: str


class ProvedLevels(Reply):
    """The levels of all positions with 34 moves, or null if no proof has counted them here."""

    found: AllLevels | None


class PositionPicture(Reply):
    """The picture of a position."""

    view: View


# Proofs


class ProofOffer(Reply):
    """A statement to prove; with ``refutes`` the answer is no, and there is a certificate."""

    name: str
    title: str
    about: str
    takes: str
    refutes: bool


class QuestionLimits(Reply):
    """The limits of your own question: sizes of the board, minutes, and for each size the largest
    number of moves or empty squares."""

    sizes: list[int]
    minutes: list[int]
    squares: dict[str, int]


class ProofSummary(Reply):
    """A proof or check in the list; ``came`` is its outcome."""

    id: str
    kind: str
    title: str
    state: JobState
    began: float
    seconds: float
    came: Literal["yes", "no", "verified", "rejected"] | None


class CertificateSummary(Reply):
    """A certificate that is kept here; ``made`` is the time of its creation."""

    name: str
    bytes: int
    parts: int
    made: float


class ProofsOverview(Reply):
    """What can be seen and proved, the proofs there were, and the certificates kept;
    ``problem`` says why nothing can be proved here."""

    owner: bool
    problem: str | None
    records: list[ExampleSummary]
    examples: list[ExampleSummary]
    candidates: list[ExampleSummary]
    offers: list[ProofOffer]
    custom: QuestionLimits
    proofs: list[ProofSummary]
    certificates: list[CertificateSummary]


class FormulaSize(Reply):
    """The size of the statement as a formula."""

    variables: int
    clauses: int


class ProofAnswer(Reply):
    """The answer: "sat" if there is such a position, "unsat" if there is none.

    A search has no solver; ``parts`` counts the parts of a theorem that were decided."""

    status: SolverStatus
    seconds: float
    conflicts: int | UnsetType | None = UNSET
    solver: str | UnsetType = UNSET
    parts: int | UnsetType = UNSET


class PartAnswer(Reply):
    """A solver's answer to one part of a theorem; ``bytes`` is the size of its proof."""

    part: int
    says: str
    status: SolverStatus
    seconds: float
    conflicts: int | None
    variables: int
    clauses: int
    bytes: int | None


class ProofSize(Reply):
    """The size of the solver's proof."""

    bytes: int


class CountedLevels(Reply):
    """The number of candidates of a backward search, of the positions one stone before them, and
    so on; ``exhausted`` if the last level is empty."""

    counts: list[int]
    at_least: int
    size: int
    sets: int
    exhausted: bool


class CheckResult(Reply):
    """The outcome of one check; ``passed`` is null if it could not be run."""

    part: str
    check: str
    passed: bool | None
    detail: str
    seconds: float


class PartCheckResult(Reply):
    """The outcome of all checks of one part."""

    part: str
    checks: dict[str, bool | None]
    detail: str
    seconds: float


class CertificateVerdict(Reply):
    """The verdict on a certificate; ``good`` counts its verified parts.

    ``assumes`` are the assumptions that the title does not mention."""

    verified: bool
    title: str
    parts: int
    good: int
    theorem: bool
    assumes: list[str] | UnsetType = UNSET


class WitnessRecord(Reply):
    """A game that leads to a witness."""

    game: str
    size: int
    record: str


class WitnessPosition(Reply):
    """A position that is a witness, with its picture if it can be drawn."""

    game: str
    size: int | None
    position: str
    moves: int
    view: View | None


class SolverFigures(Reply):
    """Figures of a running solver."""

    solving: Number | UnsetType | None = UNSET
    conflicts: Number | UnsetType | None = UNSET
    proof_bytes: Number | UnsetType | None = UNSET
    variables: Number | UnsetType | None = UNSET
    clauses: Number | UnsetType | None = UNSET


class ProofState(Reply):
    """The state of a proof or a check: question, progress, answer, and every check.

    Whatever is not known yet is null. ``of`` is the number of parts, and ``found`` has the
    results of a search, line by line."""

    job: Job
    question: str
    theorem: str | None
    of: int
    found: list[str]
    parts: list[PartAnswer]
    checking: bool
    checks: list[CheckResult]
    checked: list[PartCheckResult]
    certificate: str | None
    formula: FormulaSize | None
    answer: ProofAnswer | None
    proof: ProofSize | None
    levels: CountedLevels | None
    verdict: CertificateVerdict | None
    record: WitnessRecord | None
    witness: WitnessPosition | None
    live: SolverFigures


class ProofNews(News, tag_field="type", tag="proof"):
    """A proof or a check that has changed."""

    proof: ProofState
