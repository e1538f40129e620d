"""Estimates with intervals, and the verdicts that follow from them.

The paper gives its claims in words, often with *consistently*.  Here that word means: in at least
90 % of the situations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.bootstrap import (
    Interval,
    middle,
    ratio,
    resampled_ratios,
)
from playproof.arena.statistics.score import wilson

Floats = npt.NDArray[np.float64]

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "not decided"
UNTESTABLE = "cannot be tested"
QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
CONSISTENTLY = 0.9  # the share of situations that deserves the word
CONSISTENT_SHARE = f"{100 * CONSISTENTLY:.0f} %"


@dataclass(frozen=True)
class Estimate:
    """A figure of ours: ``value`` with its 95 % interval, from so many ``samples``.

    ``measure`` says what is estimated and for whom.  ``chance`` is the figure of a player that
    chooses at random.  Estimates that do not ``decide`` are printed beside the others.
    """

    measure: str
    value: float
    interval: Interval | None
    samples: int
    unit: str = "positions"  # what the samples are
    chance: float | None = None
    percent: bool = True
    decides: bool = True
    verdict: str = ""

    def beside(self) -> Estimate:
        """The same estimate, as one that the verdict does not depend on."""
        return replace(self, decides=False)

    def to_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "value": None if math.isnan(self.value) else self.value,
            "interval": self.interval,
            "samples": self.samples,
            "unit": self.unit,
            "chance": self.chance,
            "decides": self.decides,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class MoveDistribution:
    """A move's probability and rank in a policy, over the ways in which a position can be."""

    net: str
    ways: str
    move: str
    probability: Floats
    rank: npt.NDArray[np.int64]  # 1 is the likeliest move

    def to_json(self) -> dict[str, Any]:
        ranks, counts = np.unique(self.rank, return_counts=True)
        return {
            "net": self.net,
            "ways": self.ways,
            "count": len(self.rank),
            "move": self.move,
            "mean": float(self.probability.mean()),
            "quartiles": np.quantile(self.probability, QUARTILES).tolist(),
            "ranks": dict(zip(map(str, ranks.tolist()), counts.tolist(), strict=True)),
        }


@dataclass(frozen=True)
class ClaimResult:
    """A claim of the paper, what we measured, and the verdict."""

    name: str
    section: str
    words: str  # the paper's, in short
    test: str  # what the verdict depends on
    estimates: tuple[Estimate, ...]
    verdict: str
    why: str = ""
    distributions: tuple[MoveDistribution, ...] = ()

    @property
    def says_consistently(self) -> bool:
        return "consistently" in self.words

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "section": self.section,
            "words": self.words,
            "test": self.test,
            "verdict": self.verdict,
            "why": self.why,
            "estimates": [estimate.to_json() for estimate in self.estimates],
            "distributions": [one.to_json() for one in self.distributions],
        }


def group_sums(groups: npt.NDArray[np.int64], figures: npt.NDArray[Any], count: int) -> Floats:
    """The sum of the figures of each of ``count`` groups; ``groups[i]`` is that of figure ``i``."""
    return np.bincount(groups, figures, count).astype(np.float64)


def weighted_share(
    measure: str,
    numerators: Floats,
    denominators: Floats,
    *,
    seed: int,
    unit: str = "positions",
    chance: Floats | None = None,
    decides: bool = True,
) -> Estimate:
    """The ratio of two sums over clusters, with its bootstrap interval.

    ``chance`` has the numerators of a player that chooses at random.  If all clusters agree the
    bootstrap has no width, and the interval is that of Wilson for as many trials as clusters.
    """
    counted = np.asarray(denominators > 0)
    numerators, denominators = numerators[counted], denominators[counted]
    count = int(counted.sum())
    value = ratio(numerators, denominators)
    interval: Interval | None = None
    if count:
        interval = middle(resampled_ratios(numerators, denominators, seed=seed))
        if min(value, 1 - value) < 1e-9 and interval and interval[1] - interval[0] < 1e-9:
            interval = wilson(round(value) * count, count)
    by_chance = None if chance is None or not count else ratio(chance[counted], denominators)
    return Estimate(measure, value, interval, count, unit, by_chance, decides=decides)


def mean_of(
    measure: str,
    figures: Floats,
    *,
    seed: int,
    unit: str = "positions",
    percent: bool = True,
    chance: float | None = None,
    decides: bool = True,
) -> Estimate:
    """The mean of one figure for each cluster, with its bootstrap interval."""
    ones = np.ones(len(figures))
    estimate = weighted_share(measure, figures, ones, seed=seed, unit=unit, decides=decides)
    return replace(estimate, percent=percent, chance=chance)


def share_of(
    measure: str, kept: int, total: int, *, unit: str = "positions", decides: bool = True
) -> Estimate:
    """A share of independent trials, with the interval of Wilson."""
    value = kept / total if total else math.nan
    return Estimate(measure, value, wilson(kept, total), total, unit, decides=decides)


def difference_of_ratios(
    measure: str,
    one: tuple[Floats, Floats],
    two: tuple[Floats, Floats],
    *,
    seed: int,
) -> Estimate:
    """The first ratio of sums less the second, of two independent samples."""
    (first, first_of), (second, second_of) = (_counted(*columns) for columns in (one, two))
    samples = min(len(first), len(second))
    if not samples:
        return Estimate(measure, math.nan, None, 0)
    resampled = resampled_ratios(first, first_of, seed=seed) - resampled_ratios(
        second, second_of, seed=seed + 1
    )
    value = ratio(first, first_of) - ratio(second, second_of)
    return Estimate(measure, value, middle(resampled), samples)


def _counted(numerators: Floats, denominators: Floats) -> tuple[Floats, Floats]:
    """The clusters that have a denominator."""
    return numerators[denominators > 0], denominators[denominators > 0]


def verdict(interval: Interval | None, bound: float, *, above: bool = True) -> str:
    """Whether a figure lies on the right side of ``bound``, by its interval."""
    if interval is None:
        return UNDECIDED
    lower, upper = interval
    if above:
        return HOLDS if lower >= bound else FAILS if upper < bound else UNDECIDED
    return HOLDS if upper < bound else FAILS if lower >= bound else UNDECIDED


def judged(
    estimates: Sequence[Estimate], bound: float, *, above: bool = True
) -> tuple[tuple[Estimate, ...], str]:
    """The estimates, with a verdict on each that decides, and the verdict on all of these.

    The claim is that each of them is at least ``bound``, or below it if not ``above``.
    """
    each = tuple(
        replace(one, verdict=verdict(one.interval, bound, above=above)) if one.decides else one
        for one in estimates
    )
    return each, together([one.verdict for one in each if one.decides])


def together(verdicts: Sequence[str]) -> str:
    """The verdict on all of several claims."""
    if not verdicts:
        return UNDECIDED
    return next((one for one in (FAILS, UNDECIDED) if one in verdicts), HOLDS)
