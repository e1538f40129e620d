"""Intervals by resampling (the bootstrap of Efron, 1979), and the test of McNemar (1947).

What is resampled are *clusters*: positions, or whole games if several positions come from one game
and are therefore alike.  Every interval is the middle 95 % of the resampled figures, and depends on
the seed only.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Interval = tuple[float, float]

RESAMPLES = 2000
_CELLS = 4_000_000  # counts drawn at once
_TAILS = (2.5, 97.5)  # percentiles


def ratio(numerators: Floats, denominators: Floats) -> float:
    """The sum of the numerators over that of the denominators; NaN without any."""
    total = float(np.sum(denominators))
    return float(np.sum(numerators)) / total if total else math.nan


def resampled_ratios(
    numerators: Floats, denominators: Floats, *, seed: int, resamples: int = RESAMPLES
) -> Floats:
    """The ratio of sums in each of many resamples.  Each cluster is one entry of both arrays."""
    sums = resampled_sums(np.stack([numerators, denominators], axis=1), seed, resamples)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def resampled_sums(clusters: Floats, seed: int, resamples: int = RESAMPLES) -> Floats:
    """The column sums, (resamples, columns), of as many clusters drawn with replacement as there
    are; ``clusters`` is (clusters, columns)."""
    rng = np.random.default_rng(seed)
    count = len(clusters)
    sums = np.zeros((resamples, clusters.shape[1]))
    step = max(1, _CELLS // max(count, 1))
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        draws = rng.multinomial(count, np.full(count, 1.0 / count), size=rows)
        sums[first : first + rows] = draws @ clusters
    return sums


def middle(figures: Floats) -> Interval | None:
    """The middle 95 % of resampled figures; those that are not defined are left out.

    None if no figure is defined.
    """
    defined = figures[np.isfinite(figures)]
    if not len(defined):
        return None
    lower, upper = np.percentile(defined, _TAILS)
    return float(lower), float(upper)


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided p-value of McNemar's test.

    ``gained`` and ``lost`` count the positions in which only the one or only the other of two
    players is right.  If both are equally good, each is as likely as the other.
    """
    total, fewer = gained + lost, min(gained, lost)
    tail: float = sum(math.comb(total, k) for k in range(fewer + 1)) / 2**total
    return min(1.0, 2 * tail)
