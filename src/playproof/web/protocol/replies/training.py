"""Answers about training runs."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import Message, News, Options, Reply
from playproof.web.protocol.replies.jobs import Job

RunState = Literal["running", "waiting", "done", "stopped", "damaged"]
# The figures of one iteration by name, as the run's method tells them.
Point = dict[str, int | float]


class EvaluationScore(Reply):
    """The mean score against an opponent, with its 95 % interval."""

    score: float | None
    interval: tuple[float | None, float | None]


class Evaluation(Reply):
    """The last evaluation of a run: by opponent, how the network did."""

    iteration: int
    scores: dict[str, EvaluationScore]


class TrainingRun(Reply):
    """How a run stands: ``iterations`` done ``of`` those it is to have, its latest figures and
    evaluation. ``net``: it can be played against; ``kept`` are iterations whose nets are there
    besides; ``updated`` is seconds ago; ``fault`` says what is damaged."""

    algorithm: str
    preset: str
    game: str
    seed: int | None
    state: RunState
    iterations: int
    of: int
    seconds_spent: float | None
    seconds_left: float | None
    evaluation: Evaluation | None
    figures: dict[str, float | None]
    id: str
    name: str
    title: str
    options: Options
    method: str
    opponents: dict[str, str]
    job: str | None
    net: bool
    kept: list[int]
    updated: float | None
    fault: str | UnsetType = UNSET


class RunRecipe(Reply):
    """A small run that the page can start: ``iterations`` at first, ``most`` at most. An
    iteration takes so many ``seconds``, measured ``here`` or elsewhere."""

    id: str
    title: str
    about: str
    iterations: int
    most: int
    seconds: float
    here: bool


class TrainingRuns(Reply):
    """All runs, the latest first, and what can be started."""

    runs: list[TrainingRun]
    recipes: list[RunRecipe]


class Curve(Reply):
    """Points of a curve, with an interval around each where there is one; null is no number."""

    x: list[int]
    y: list[float | None]
    lower: list[float | None] | UnsetType = UNSET
    upper: list[float | None] | UnsetType = UNSET


class CurvesFigure(Reply):
    """A figure with a curve for each line; ``good`` is the way in which it gets better,
    ``whole``: its axis reaches from 0 to 100 %, ``main``: it is shown at first."""

    name: str
    title: str
    about: str
    good: Literal["up", "down", ""]
    percent: bool
    whole: bool
    main: bool
    curves: list[Curve]


class ChartLine(Reply):
    """A line of a chart: one run, or the mean of several."""

    runs: list[str]
    name: str


class Chart(Reply):
    """Curves of runs up to iteration ``end``, each smoothed over ``smooth`` iterations."""

    smooth: int
    end: int
    lines: list[ChartLine]
    figures: list[CurvesFigure]


class RunMetrics(Message, tag_field="type", tag="metrics"):
    """How a run stands, and the lines of its metrics as they were written."""

    run: TrainingRun
    points: list[Point]


class WholeRun(Message, tag_field="type", tag="metrics"):
    """A run with its metrics, curves and settings; its folder for the owner."""

    run: TrainingRun
    points: list[Point]
    chart: Chart
    settings: dict[str, Any]
    folder: str | UnsetType = UNSET


class RunNews(News, tag_field="type", tag="metrics"):
    """A run, told again when it has changed; ``points`` are the metrics that came since."""

    run: TrainingRun
    points: list[Point]
    chart: Chart


class ComparedRuns(Reply):
    """Runs beside each other; ``differ`` has, by name, a setting of each of them."""

    runs: list[TrainingRun]
    differ: dict[str, list[Any]]
    chart: Chart


class EvaluationGame(Reply):
    """A game of a run's evaluations."""

    number: int
    iteration: int
    players: list[str]
    result: str
    plies: int


class EvaluationGames(Reply):
    """Games of a run's evaluations, the latest first; ``of`` is how many there are."""

    games: list[EvaluationGame]
    of: int


class StartedRun(Reply):
    """The name of a run that was started, and the job that trains it."""

    run: str
    job: Job
