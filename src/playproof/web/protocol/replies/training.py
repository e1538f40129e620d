"""Replies about training runs."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from playproof.web.protocol.replies.base import Message, News, Options, Reply
from playproof.web.protocol.replies.jobs import Job

RunState = Literal["running", "waiting", "done", "stopped", "damaged"]
# The metrics of one iteration by name, as its algorithm wrote them.
Point = dict[str, int | float]


class EvaluationScore(Reply):
    """The mean score against an opponent, with its 95 % interval."""

    score: float | None
    interval: tuple[float | None, float | None]


class RunEvaluation(Reply):
    """The last evaluation of a run: its iteration, and the scores by opponent."""

    iteration: int
    scores: dict[str, EvaluationScore]


class TrainingRun(Reply):
    """The progress of a run: ``iterations`` done out of ``of``, its latest figures and
    evaluation. ``net``: its latest net can be played in the lab; ``kept`` are the iterations whose
    nets are kept as well; ``updated`` is the age of its files in seconds; ``fault`` says what is
    damaged."""

    algorithm: str
    preset: str
    game: str
    seed: int | None
    state: RunState
    iterations: int
    of: int
    seconds_spent: float | None
    seconds_left: float | None
    evaluation: RunEvaluation | None
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
    """A small run that the page can start: ``iterations`` by default, ``most`` at most. An
    iteration takes ``seconds``, measured ``here`` or on another machine."""

    id: str
    title: str
    about: str
    iterations: int
    most: int
    seconds: float
    here: bool


class TrainingRuns(Reply):
    """All runs, the latest first, and the small runs that can be started."""

    runs: list[TrainingRun]
    recipes: list[RunRecipe]


class CurvePoints(Reply):
    """The points of a curve, with their intervals if there are any; null is not finite."""

    x: list[int]
    y: list[float | None]
    lower: list[float | None] | UnsetType = UNSET
    upper: list[float | None] | UnsetType = UNSET


class CurvesFigure(Reply):
    """A figure with a curve for each line. ``good`` is the direction of improvement; ``whole``:
    its axis goes from 0 to 100 %; ``main``: it is shown first."""

    name: str
    title: str
    about: str
    good: Literal["up", "down", ""]
    percent: bool
    whole: bool
    main: bool
    curves: list[CurvePoints]


class ChartLine(Reply):
    """A line of a chart: one run, or the mean of several."""

    runs: list[str]
    name: str


class RunChart(Reply):
    """The curves of runs up to iteration ``end``, each smoothed over ``smooth`` iterations."""

    smooth: int
    end: int
    lines: list[ChartLine]
    figures: list[CurvesFigure]


class RunMetrics(Message, tag_field="type", tag="metrics"):
    """The progress of a run, and the lines of its metrics as they were written."""

    run: TrainingRun
    points: list[Point]


class WholeRun(Message, tag_field="type", tag="metrics"):
    """A run with its metrics, curves and settings; the owner gets its folder too."""

    run: TrainingRun
    points: list[Point]
    chart: RunChart
    settings: dict[str, Any]
    folder: str | UnsetType = UNSET


class RunNews(News, tag_field="type", tag="metrics"):
    """A run that has changed; ``points`` are the metrics written since the last news."""

    run: TrainingRun
    points: list[Point]
    chart: RunChart


class ComparedRuns(Reply):
    """Runs side by side; ``differ`` has each setting that differs, with its value in every run."""

    runs: list[TrainingRun]
    differ: dict[str, list[Any]]
    chart: RunChart


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
    """The name of the started run, and the job that trains it."""

    run: str
    job: Job
