"""The mean of a crossed design: every level of each factor meets every level of the others.

Several nets of one kind each play several nets of another from the same openings.  The score of net
i against net j from opening k is ``values[i, j, k]``.  If the claim is about the *kinds* and not
about these very nets, all three factors are samples: other training runs, and other openings, would
have given other scores.  Cells of one row share a net, so they are not independent, and a
thousand games between two nets say no more about the kinds than these two nets can.

The model has random effects, as in the analysis of variance (Cornfield and Tukey, 1956).  For a set
S of factors, MS(S) is the mean square of its effects, and N the number of cells.  Then

    Var(mean) = (1 / N) * sum over the sets S, not empty, of (-1)^(|S| + 1) * MS(S)

is unbiased.  For one factor it is the usual variance of a mean, for two it is (MS(rows) +
MS(columns) - MS(interaction)) / N.  It is never taken to be less than the largest mean square of a
single factor, over N.  The interval is the mean and this standard error times the mean of Student's
quantiles for levels - 1 degrees of freedom, weighted by the factors' mean squares (Cochran and Cox,
1957).  That is exact for one factor and rather too wide for several: in 1,000 simulations each,
95 % intervals from 5 x 5 nets and 20 openings held the truth in 95.6 to 98.0 % of the cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from playproof.arena.statistics.student import student_quantile
from playproof.core.errors import UsageError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CrossedMean:
    """The mean of a crossed design and its standard error.

    ``levels`` and ``squares`` are the number of levels and the mean square of each factor.  The
    error is None, and ``squares`` is empty, if a factor has a single level: a sample of one does
    not show how it varies.
    """

    mean: float
    levels: tuple[int, ...]
    error: float | None = None
    squares: tuple[float, ...] = ()

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """(lower, upper) for the mean over all levels there could be; None if it is unknown."""
        if not 0.0 < confidence < 1.0:
            raise UsageError(f"a confidence of {confidence} makes no sense: want 0 < it < 1")
        if self.error is None:
            return None
        quantiles = [student_quantile(levels - 1, confidence) for levels in self.levels]
        weights = self.squares if any(self.squares) else (1.0,) * len(quantiles)
        weighted = math.fsum(w * q for w, q in zip(weights, quantiles, strict=True))
        reach = self.error * weighted / math.fsum(weights)
        return self.mean - reach, self.mean + reach


def crossed_mean(values: npt.ArrayLike) -> CrossedMean:
    """The mean of ``values``, an array whose axes are the factors, each a sample of levels."""
    cells = np.asarray(values, dtype=np.float64)
    if not cells.ndim or not cells.size:
        raise UsageError(f"values of shape {cells.shape}: want one factor or more, none empty")
    mean = float(cells.mean())
    if min(cells.shape) < 2:
        return CrossedMean(mean, cells.shape)
    squares = dict(_mean_squares(cells))
    single = tuple(squares[axis,] for axis in range(cells.ndim))
    unbiased = math.fsum(
        square if len(axes) % 2 else -square for axes, square in squares.items()
    )  # fmt: skip
    error = math.sqrt(max(unbiased, *single) / cells.size)
    return CrossedMean(mean, cells.shape, error, single)


def _mean_squares(cells: Floats) -> Iterator[tuple[tuple[int, ...], float]]:
    """The mean square of every set of axes that is not empty."""
    for count in range(1, cells.ndim + 1):
        for axes in combinations(range(cells.ndim), count):
            others = tuple(axis for axis in range(cells.ndim) if axis not in axes)
            effects: Floats = cells.mean(axis=others, keepdims=True)
            # What remains without the means over each axis of the set is the effect of the whole
            # set: for rows and columns, their interaction.
            for axis in axes:
                effects = effects - effects.mean(axis=axis, keepdims=True)
            freedom = math.prod(cells.shape[axis] - 1 for axis in axes)
            repeats = math.prod(cells.shape[axis] for axis in others)
            yield axes, repeats * float(np.square(effects).sum()) / freedom
