"""The figures of training runs as curves over iterations, with 95 % intervals.

Figures have the names of ``metrics.jsonl``.  The counts of an evaluation become shares of its
games, and scores such as ``random_score`` are added, in which a draw is half a point.  A single
evaluation has Wilson's interval (1927), the mean of several seeds Student's (1908).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.score import wilson
from playproof.arena.statistics.student import student_quantile
from playproof.core.errors import UsageError
from playproof.learning.metrics import RESULTS, parse_result_name
from playproof.learning.runs.log import Metrics, RunLog

Floats = npt.NDArray[np.float64]

_POINTS = {"wins": (1.0, 0.0, 0.0), "draws": (0.0, 1.0, 0.0), "losses": (0.0, 0.0, 1.0),
           "score": (1.0, 0.5, 0.0)}  # fmt: skip
MIN_SEEDS = 2  # for an interval


@dataclass(frozen=True)
class Curve:
    """A figure over iterations; all arrays are float64[n]."""

    iterations: Floats
    values: Floats
    lower: Floats | None = None  # ends of the 95 % interval; None where it is unknown
    upper: Floats | None = None
    runs: int = 1  # the number of runs that it is the mean of
    games: Floats | None = None  # games that each value is based on, for results of evaluations

    def __len__(self) -> int:
        return len(self.iterations)

    def to_json(self) -> dict[str, Any]:
        """The curve as plain lists, with None for values that are not finite."""
        data: dict[str, Any] = {"runs": self.runs, "iterations": self.iterations.tolist()}
        columns = {"values": self.values, "lower": self.lower, "upper": self.upper}
        for name, column in columns.items():
            if column is not None:
                data[name] = [x if math.isfinite(x) else None for x in column.tolist()]
        return data


# Figures of one iteration


def evaluated_opponents(metrics: Mapping[str, float]) -> list[str]:
    """The opponents of an iteration's evaluation: names with wins, draws and losses."""
    names = [name.removesuffix("_wins") for name in metrics if name.endswith("_wins")]
    return [name for name in names if all(f"{name}_{kind}" in metrics for kind in RESULTS)]


def figures(metrics: Mapping[str, float]) -> Metrics:
    """The metrics of an iteration, with results of games as shares, and scores added."""
    shares = {name: value for name, value in metrics.items() if name != "iteration"}
    for name in evaluated_opponents(metrics):
        counts = _counts(metrics, name)
        games = sum(counts)
        for kind, points in _POINTS.items():
            won = math.fsum(a * b for a, b in zip(points, counts, strict=True))
            shares[f"{name}_{kind}"] = won / games if games else math.nan
    return shares


def _counts(metrics: Mapping[str, float], opponent: str) -> tuple[float, float, float]:
    wins, draws, losses = (metrics[f"{opponent}_{result}"] for result in RESULTS)
    return wins, draws, losses


def figure_names(logs: Iterable[RunLog]) -> list[str]:
    """The names of all figures of some runs, in the order of their first appearance."""
    names: dict[str, None] = {}
    for log in logs:
        # Only some iterations are evaluated, so look at one of each set of columns.
        for metrics in {tuple(metrics): metrics for metrics in log.metrics}.values():
            names.update(dict.fromkeys(figures(metrics)))
    return list(names)


def is_result(name: str) -> bool:
    """Whether a figure is a share of an evaluation's games or points, from 0 to 1."""
    return parse_result_name(name) is not None


# Curves


def curve(log: RunLog, name: str, smooth: int = 1) -> Curve:
    """The curve of a figure in one run; empty if the run does not have it.

    Values are means over ``smooth`` iterations around each one.  The games of several evaluations
    are then pooled, which makes their intervals narrower."""
    if smooth < 1:
        raise UsageError(f"smoothing over {smooth} iterations makes no sense: want 1 or more")
    result = parse_result_name(name)
    if result is not None and any(result[0] in evaluated_opponents(line) for line in log.metrics):
        return _share_curve(log, *result, smooth)
    rows = [(metrics["iteration"], metrics[name]) for metrics in log.metrics if name in metrics]
    iterations, values = _columns(rows, 2)
    sound = np.isfinite(values)  # a value that is NaN must not spoil those around it
    sums, counts = _window_sums(iterations, smooth, np.stack([np.where(sound, values, 0.0), sound]))
    with np.errstate(invalid="ignore"):
        return Curve(iterations, sums / counts)


def _share_curve(log: RunLog, opponent: str, kind: str, smooth: int) -> Curve:
    rows = [
        (metrics["iteration"], *_counts(metrics, opponent))
        for metrics in log.metrics
        if opponent in evaluated_opponents(metrics)
    ]
    iterations, *counts = _columns(rows, 4)
    pooled = _window_sums(iterations, smooth, np.stack(counts))
    games, points = pooled.sum(axis=0), np.array(_POINTS[kind]) @ pooled
    lower, upper = _wilson(points, games)
    with np.errstate(invalid="ignore"):
        return Curve(iterations, points / games, lower, upper, games=games)


def _wilson(points: Floats, games: Floats) -> Floats:
    """(lower, upper) of Wilson's intervals for points out of games.

    A draw is half a point, so points vary less than wins and losses would, and the interval is
    rather too wide than too narrow."""
    pairs = zip(points.tolist(), games.tolist(), strict=True)
    return _columns([wilson(won, played) for won, played in pairs], 2)


def _columns(rows: Sequence[tuple[float, ...]], count: int) -> Floats:
    return np.array(rows, np.float64).reshape(-1, count).T


def _window_sums(iterations: Floats, smooth: int, columns: Floats) -> Floats:
    """Sums of columns, float64[k, n], over a window of ``smooth`` iterations around each one.

    The window is symmetric, so it shrinks towards both ends of the run, where a lopsided one would
    bias the curve."""
    if smooth == 1 or not len(iterations):
        return columns
    reach = np.minimum(
        smooth // 2, np.minimum(iterations - iterations[0], iterations[-1] - iterations)
    )
    start = np.searchsorted(iterations, iterations - reach, side="left")
    end = np.searchsorted(iterations, iterations + reach, side="right")
    sums = np.concatenate([np.zeros((len(columns), 1)), np.cumsum(columns, axis=1)], axis=1)
    windows: Floats = sums[:, end] - sums[:, start]
    return windows


def mean_curve(logs: Sequence[RunLog], name: str, smooth: int = 1) -> Curve:
    """The curve of a figure, or its mean over several seeds, up to where all of them have come."""
    curves = [one for one in (curve(log, name, smooth) for log in logs) if len(one)]
    if len(curves) < MIN_SEEDS:
        return curves[0] if curves else curve(logs[0], name, smooth)
    shared = curves[0].iterations
    for other in curves[1:]:
        shared = np.intersect1d(shared, other.iterations, assume_unique=True)
    curves = [_restrict(one, shared) for one in curves]
    rows = np.stack([one.values for one in curves])
    values = rows.mean(axis=0)
    reach = student_quantile(len(rows) - 1) * rows.std(axis=0, ddof=1) / math.sqrt(len(rows))
    mean = Curve(shared, values, values - reach, values + reach, len(rows))
    games = [one.games for one in curves if one.games is not None]
    if len(games) < len(curves):
        return mean
    played = np.stack(games)
    total = played.sum(axis=0)
    # Seeds that agree by chance must not give a narrower interval than their games allow.
    least, most = _wilson((rows * played).sum(axis=0), total)
    lower = np.minimum(np.maximum(values - reach, 0.0), least)
    upper = np.maximum(np.minimum(values + reach, 1.0), most)
    return replace(mean, lower=lower, upper=upper, games=total)


def _restrict(whole: Curve, iterations: Floats) -> Curve:
    """The values of a curve at some iterations, without intervals."""
    at = np.isin(whole.iterations, iterations)
    games = None if whole.games is None else whole.games[at]
    return Curve(whole.iterations[at], whole.values[at], games=games)


def group_seeds(logs: Iterable[RunLog]) -> list[list[RunLog]]:
    """Group runs that differ only in their seeds; every other run is a group of its own."""
    by_settings: dict[Any, list[RunLog]] = {}
    for log in logs:
        # Two runs with the same seed are the same run, and say nothing about variation.
        key: Any = log.same_but_seed
        while any(other.seed == log.seed for other in by_settings.get(key, ())):
            key = (key, "again")
        by_settings.setdefault(key, []).append(log)
    return list(by_settings.values())
