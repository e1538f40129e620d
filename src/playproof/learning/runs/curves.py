"""What a run tells, as curves over its iterations, with 95 % intervals.

A figure has the name that it has in ``metrics.jsonl``.  Counts of an evaluation
become shares of its games, and ``earlier_score`` and ``random_score`` are added:
a draw is half a point.  A single evaluation has Wilson's interval (1927), the
mean of several seeds Student's (1908).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.score import wilson
from playproof.core.errors import UsageError
from playproof.learning.metrics import RESULTS, result_of
from playproof.learning.runs.log import Facts, RunLog

Floats = npt.NDArray[np.float64]

_POINTS = {"wins": (1.0, 0.0, 0.0), "draws": (0.0, 1.0, 0.0), "losses": (0.0, 0.0, 1.0),
           "score": (1.0, 0.5, 0.0)}  # fmt: skip
LEAST_SEEDS = 2  # for an interval


@dataclass(frozen=True)
class Curve:
    """A figure over iterations, all float64[n]; ``lower`` and ``upper`` are the ends of
    its 95 % interval, None where nothing is known about it.  ``runs`` it is the mean of,
    ``games`` it was found by, if it is of evaluations."""

    iterations: Floats
    values: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    runs: int = 1
    games: Floats | None = None

    def __len__(self) -> int:
        return len(self.iterations)

    def to_json(self) -> dict[str, Any]:
        """Plain lists; None is what is not a number."""
        found: dict[str, Any] = {"runs": self.runs, "iterations": self.iterations.tolist()}
        columns = {"values": self.values, "lower": self.lower, "upper": self.upper}
        for name, column in columns.items():
            if column is not None:
                found[name] = [x if math.isfinite(x) else None for x in column.tolist()]
        return found


# Figures of one iteration


def opponents(facts: Mapping[str, float]) -> list[str]:
    """Whom the network was tried against: names whose wins, draws and losses are told."""
    names = [name.removesuffix("_wins") for name in facts if name.endswith("_wins")]
    return [name for name in names if all(f"{name}_{result}" in facts for result in RESULTS)]


def figures(facts: Mapping[str, float]) -> Facts:
    """What an iteration tells, evaluations as shares of their games."""
    found = {name: value for name, value in facts.items() if name != "iteration"}
    for name in opponents(facts):
        counts = _counts(facts, name)
        games = sum(counts)
        for kind, points in _POINTS.items():
            won = math.fsum(a * b for a, b in zip(points, counts, strict=True))
            found[f"{name}_{kind}"] = won / games if games else math.nan
    return found


def _counts(facts: Mapping[str, float], opponent: str) -> tuple[float, float, float]:
    wins, draws, losses = (facts[f"{opponent}_{result}"] for result in RESULTS)
    return wins, draws, losses


def names(logs: Iterable[RunLog]) -> list[str]:
    """Every figure that some run tells, in the order in which they are met."""
    found: dict[str, None] = {}
    for log in logs:
        # Not every iteration is evaluated; all that are tell the same.
        for facts in {tuple(facts): facts for facts in log.metrics}.values():
            found.update(dict.fromkeys(figures(facts)))
    return list(found)


def is_result(name: str) -> bool:
    """Whether a figure is of evaluations: a share of games or points, from 0 to 1."""
    return result_of(name) is not None


# Curves


def curve(log: RunLog, name: str, smooth: int = 1) -> Curve:
    """A figure of one run; empty if the run does not tell it.

    ``smooth`` takes the mean over so many iterations around each.  Evaluations are
    then taken together, game by game, and their intervals are narrower for it."""
    if smooth < 1:
        raise UsageError(f"smoothing over {smooth} iterations makes no sense: want 1 or more")
    asked = result_of(name)
    if asked is not None and any(asked[0] in opponents(facts) for facts in log.metrics):
        return _share_curve(log, *asked, smooth)
    told = [(facts["iteration"], facts[name]) for facts in log.metrics if name in facts]
    iterations, values = _columns(told, 2)
    sound = np.isfinite(values)  # a loss that was none must not spoil those around it
    sums, counts = _around(iterations, smooth, np.stack([np.where(sound, values, 0.0), sound]))
    with np.errstate(invalid="ignore"):
        return Curve(iterations, sums / counts)


def _share_curve(log: RunLog, opponent: str, kind: str, smooth: int) -> Curve:
    told = [
        (facts["iteration"], *_counts(facts, opponent))
        for facts in log.metrics
        if opponent in opponents(facts)
    ]
    iterations, *counts = _columns(told, 4)
    pooled = _around(iterations, smooth, np.stack(counts))
    games, points = pooled.sum(axis=0), np.array(_POINTS[kind]) @ pooled
    lower, upper = _wilson(points, games)
    with np.errstate(invalid="ignore"):
        return Curve(iterations, points / games, lower, upper, games=games)


def _wilson(points: Floats, games: Floats) -> Floats:
    """(lower, upper).  A draw is half a point, so that points vary less than wins and
    losses alone would, and the interval is no narrower than it should be."""
    pairs = zip(points.tolist(), games.tolist(), strict=True)
    return _columns([wilson(won, played) for won, played in pairs], 2)


def _columns(rows: Sequence[tuple[float, ...]], count: int) -> Floats:
    return np.array(rows, np.float64).reshape(-1, count).T


def _around(iterations: Floats, smooth: int, columns: Floats) -> Floats:
    """Sums of columns, float64[k, n], over ``smooth`` iterations around each one, as many
    before it as after; fewer where the run begins and ends, so that no end leans inwards."""
    if smooth == 1 or not len(iterations):
        return columns
    reach = np.minimum(
        smooth // 2, np.minimum(iterations - iterations[0], iterations[-1] - iterations)
    )
    begin = np.searchsorted(iterations, iterations - reach, side="left")
    end = np.searchsorted(iterations, iterations + reach, side="right")
    sums = np.concatenate([np.zeros((len(columns), 1)), np.cumsum(columns, axis=1)], axis=1)
    found: Floats = sums[:, end] - sums[:, begin]
    return found


def together(logs: Sequence[RunLog], name: str, smooth: int = 1) -> Curve:
    """A figure of one run, or its mean over the seeds of one, as far as all have come."""
    curves = [made for made in (curve(log, name, smooth) for log in logs) if len(made)]
    if len(curves) < LEAST_SEEDS:
        return curves[0] if curves else curve(logs[0], name, smooth)
    shared = curves[0].iterations
    for other in curves[1:]:
        shared = np.intersect1d(shared, other.iterations, assume_unique=True)
    cut = [_cut(made, shared) for made in curves]
    rows = np.stack([made.values for made in cut])
    mean = rows.mean(axis=0)
    reach = student(len(rows) - 1) * rows.std(axis=0, ddof=1) / math.sqrt(len(rows))
    found = Curve(shared, mean, mean - reach, mean + reach, len(rows))
    games = [made.games for made in cut if made.games is not None]
    if len(games) < len(cut):
        return found
    played = np.stack(games)
    total = played.sum(axis=0)
    # Seeds that agree by chance must not claim more than so many games can tell.
    least, most = _wilson((rows * played).sum(axis=0), total)
    lower = np.minimum(np.maximum(mean - reach, 0.0), least)
    upper = np.maximum(np.minimum(mean + reach, 1.0), most)
    return replace(found, lower=lower, upper=upper, games=total)


def _cut(made: Curve, iterations: Floats) -> Curve:
    """The values at some iterations, without intervals."""
    at = np.isin(made.iterations, iterations)
    games = None if made.games is None else made.games[at]
    return Curve(made.iterations[at], made.values[at], games=games)


def groups(logs: Iterable[RunLog]) -> list[list[RunLog]]:
    """Runs that are seeds of the same thing together; each other run alone."""
    found: dict[Any, list[RunLog]] = {}
    for log in logs:
        # The same seed twice is the same run twice, which says nothing about chance.
        key: Any = log.same_but_seed
        while any(other.seed == log.seed for other in found.get(key, ())):
            key = (key, "again")
        found.setdefault(key, []).append(log)
    return list(found.values())


# Student's quantile


@lru_cache
def student(freedom: int, confidence: float = 0.95) -> float:
    """How many standard errors an interval reaches to each side of a mean of
    ``freedom`` + 1 measurements: 12.7 for two, 2.78 for five."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < confidence else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """The chance that Student's t is at most √freedom · tan(angle) away from 0, for a whole
    number of degrees of freedom (Abramowitz and Stegun, 1964, 26.7.3 and 26.7.4)."""
    odd = freedom % 2
    cosine = math.cos(angle)
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(1 + odd, freedom - 2, 2):
        term *= k / (k + 1) * cosine * cosine
        total += term
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total
