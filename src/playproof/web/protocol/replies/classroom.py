"""Replies of the Quantum Go classroom."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import Options, Reply, View

Colour = Literal["b", "w"]
# For each of Alice's questions (rows) with each of Bob's.
Correlations = tuple[tuple[float, float], tuple[float, float]]


class KetPart(Reply):
    """A factor of the formula: the points it is about, and a sentence. A group has a number, and
    a probability for each of its points."""

    kind: Literal["empty", "single", "pair", "ghz", "w"]
    owner: int | None
    colour: Colour | None
    points: list[str]
    says: str
    text: str
    numbers: str
    number: int | UnsetType = UNSET
    probabilities: list[float] | UnsetType = UNSET


class Ket(Reply):
    """The formula of a board with letters and with numbers, whole and in parts."""

    text: str
    numbers: str
    parts: list[KetPart]


class PointState(Reply):
    """One point by itself: the probability of a stone, its density matrix (no stone, then stone;
    each entry real and imaginary), its entropy in bits, and the other points of its group.
    ``placing``: its stone was placed in this turn."""

    probability: float
    density: list[list[tuple[float, float]]]
    entropy: float
    owner: int | None
    colour: Colour | None
    group: int | None
    partners: list[str]
    entropy_label: float | UnsetType = UNSET
    placing: Literal[True] | UnsetType = UNSET


class LessonStep(Reply):
    """The question, who answers it, and why; ``ranchin`` is the number of the collapse's step."""

    number: int
    name: str
    ranchin: int | None
    who: str
    colour: Literal["b", "w", ""]
    question: str
    why: str
    points: list[str]
    choices: list[str]


class Choice(Reply):
    """The immediate effect of a move. For a placement: whether pairs collapse, and which it
    ``touches``. For a collapse: who decides about which group in which step, what stays and what
    goes, and the probability of that if chance decides."""

    name: str
    captured: list[str]
    ends_turn: bool
    collapses: bool | UnsetType = UNSET
    touches: list[int] | UnsetType = UNSET
    who: str | UnsetType = UNSET
    step: int | UnsetType = UNSET
    group: int | UnsetType | None = UNSET
    stays: list[str] | UnsetType = UNSET
    goes: list[str] | UnsetType = UNSET
    probability: float | UnsetType | None = UNSET


class Decision(Reply):
    """A decision on the way to the end of the turn."""

    name: str
    who: str
    step: int
    stays: list[str]
    goes: list[str]
    captured: list[str]
    probability: float | None
    ends_turn: bool


class Outcome(Reply):
    """What a group could become if it were touched now."""

    group: int
    owner: int
    colour: Colour
    stays: list[str]
    goes: list[str]
    probability: float


class Way(Reply):
    """A way in which the turn can go; its probability is null if somebody has a choice."""

    decisions: list[Decision]
    captured: list[str]
    probability: float | None


class Preview(Reply):
    """What may happen next: the choices, what each pair could become, and the ways in which the
    turn can go; ``whole`` if these are all. ``chosen`` is the move that they follow."""

    choices: list[Choice]
    pairs: list[Outcome]
    ways: list[Way]
    whole: bool
    chosen: str | UnsetType = UNSET


class Lesson(Reply):
    """A position of Quantum Go: its formula, its points, its step, and what may happen next."""

    title: str
    born: bool
    alpha: float
    options: Options
    position: str
    turn_position: str
    ket: Ket
    points: dict[str, PointState]
    step: LessonStep
    preview: Preview


class TourStep(Reply):
    """A step of the tour: its moves, a text, the board, and the points to ``look`` at."""

    number: int
    turn: int
    heading: str
    text: str
    moves: list[str]
    ply: int
    look: list[str]
    position: str
    view: View


class Tour(Reply):
    """The guided tour of a whole game, step by step; ``middle`` is the step that is shown first."""

    title: str
    source: str
    game: str
    options: Options
    middle: int
    steps: list[TourStep]


class ChshSettings(Reply):
    """The points that Alice (a, a2) and Bob (b, b2) measure."""

    a: str
    a2: str
    b: str
    b2: str


class ChshParties(Reply):
    """Which points belong to whom."""

    alice: list[str]
    bob: list[str]


class Collapse(Reply):
    """One collapsed board: the four answers, and their sum, 2 or -2."""

    answers: list[int]
    value: int


class Experiment(Reply):
    """``n`` collapsed boards: the mean S with its 95 % interval, how many gave +2 and -2, and the
    first of the boards."""

    n: int
    seed: int
    S: float
    low: float
    high: float
    plus: int
    minus: int
    correlations: Correlations
    first: list[Collapse]


class RealQubits(Reply):
    """S of two real qubits, which are not part of the game: at the best angles, in degrees, and
    by the angle of Bob's instruments as (degrees, S) in ``turned``."""

    S: float
    most: float
    degrees: list[float]
    correlations: Correlations
    turned: list[tuple[float, float]]


class Chsh(Reply):
    """The CHSH sum of a position, an experiment with it, and real qubits to compare. ``best``: the
    points were not chosen by the client and give the largest S."""

    settings: ChshSettings
    signs: list[int]
    best: bool
    correlations: Correlations
    S: float
    bound: float
    parties: ChshParties
    experiment: Experiment
    real: RealQubits
