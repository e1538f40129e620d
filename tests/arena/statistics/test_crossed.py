"""Means of crossed designs: worked examples, and the coverage of their intervals in simulations
whose true mean is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from playproof.arena.statistics.crossed import crossed_mean
from playproof.arena.statistics.student import student_quantile
from playproof.core.errors import UsageError

SIMULATIONS = 400


# Worked examples


def test_one_factor_is_students_interval() -> None:
    values = [0.4, 0.5, 0.7, 0.6]
    mean = crossed_mean(values)
    error = np.std(values, ddof=1) / 2
    assert (mean.mean, mean.error) == (pytest.approx(0.55), pytest.approx(error))
    lower, upper = mean.interval() or (0.0, 0.0)
    assert upper - 0.55 == pytest.approx(0.55 - lower) == pytest.approx(student_quantile(3) * error)


def test_rows_and_columns_by_hand() -> None:
    # Row means 0.3 and 0.7, column means 0.4 and 0.6; an interaction of 0.05 in every cell.
    mean = crossed_mean([[0.25, 0.35], [0.55, 0.85]])
    rows, columns, interaction = 4 * 0.2**2, 4 * 0.1**2, 4 * 0.05**2
    assert mean.squares == (pytest.approx(rows), pytest.approx(columns))
    assert mean.error == pytest.approx(math.sqrt((rows + columns - interaction) / 4))


def test_the_error_does_not_fall_below_that_of_one_factor() -> None:
    # Only an interaction: the unbiased variance would be negative.
    mean = crossed_mean([[0.0, 1.0], [1.0, 0.0]])
    assert mean.squares == (0.0, 0.0)
    assert mean.error == 0.0
    mean = crossed_mean([[0.1, 1.0], [1.0, 0.0]])
    assert mean.error == pytest.approx(math.sqrt(max(mean.squares) / 4)) != 0.0


def test_a_quantile_is_weighted_by_what_varies() -> None:
    # Only rows vary, and there are two of them: one degree of freedom, however many columns.
    rows = np.repeat([[0.4], [0.6]], 50, axis=1)
    lower, upper = crossed_mean(rows).interval() or (0.0, 0.0)
    assert (upper - lower) / 2 == pytest.approx(student_quantile(1) * 0.1)
    assert crossed_mean(np.full((3, 4), 0.5)).interval() == (0.5, 0.5)


def test_one_level_gives_no_interval() -> None:
    mean = crossed_mean([[0.2, 0.4, 0.6]])
    assert (mean.mean, mean.error, mean.interval()) == (pytest.approx(0.4), None, None)


def test_what_cannot_be_a_design_is_refused() -> None:
    for values in (0.5, [], np.zeros((3, 0))):
        with pytest.raises(UsageError, match="want one factor or more, none empty"):
            crossed_mean(values)
    with pytest.raises(UsageError, match="makes no sense: want 0 < it < 1"):
        crossed_mean([0.1, 0.2]).interval(1.0)


# Simulations


def coverage(rows: int, columns: int, *, row: float, column: float, both: float) -> tuple:
    """(share of intervals that hold the true mean, median width) over 20 openings.

    ``row``, ``column`` and ``both`` are the standard deviations of nets and their interaction."""
    random = np.random.default_rng(7)
    covered, widths = 0, []
    for _ in range(SIMULATIONS):
        cells = 0.5 + random.normal(0.0, row, (rows, 1, 1)) + random.normal(0.0, 0.25, (
            rows, columns, 20))  # fmt: skip
        cells += random.normal(0.0, column, (1, columns, 1))
        cells += random.normal(0.0, both, (rows, columns, 1))
        cells += random.normal(0.0, 0.05, (1, 1, 20))  # openings
        lower, upper = crossed_mean(cells).interval() or (0.0, 0.0)
        covered += lower <= 0.5 <= upper
        widths.append(upper - lower)
    return covered / SIMULATIONS, float(np.median(widths))


@pytest.mark.parametrize(
    ("row", "column", "both"),
    [(0.06, 0.06, 0.03), (0.06, 0.0, 0.03), (0.1, 0.02, 0.05), (0.1, 0.1, 0.0)],
)
def test_coverage_with_five_seeds_of_each(row: float, column: float, both: float) -> None:
    """95 % intervals hold the truth a little too often: 1,000 simulations of these four give 97.6,
    95.6, 95.8 and 98.0 %."""
    share, _ = coverage(5, 5, row=row, column=column, both=both)
    assert 0.93 <= share <= 0.995


def test_coverage_with_few_and_unequal_numbers_of_seeds() -> None:
    shares, widths = zip(
        *(coverage(n, m, row=0.06, column=0.06, both=0.03) for n, m in ((2, 2), (3, 3), (5, 5))),
        strict=True,
    )
    assert all(share >= 0.93 for share in shares)
    assert widths[0] > 2 * widths[1] > 2 * widths[2]  # fewer seeds, wider intervals
    assert coverage(2, 5, row=0.06, column=0.02, both=0.03)[0] >= 0.93


def test_coverage_where_results_of_games_are_wins_and_draws() -> None:
    """Strengths on a logistic scale and pairs of games that end 0, 1/2 or 1: not normal at all."""
    random = np.random.default_rng(11)
    spread = np.linspace(-6.0, 6.0, 2001)
    weight = np.exp(-(spread**2) / 2)
    scale = math.hypot(0.35, 0.35, 0.2)
    truth = float((weight / (1.0 + np.exp(-0.5 - scale * spread))).sum() / weight.sum())
    covered = 0
    for _ in range(SIMULATIONS):
        strength = (
            0.5
            + random.normal(0.0, 0.35, (5, 1, 1))
            + random.normal(0.0, 0.35, (1, 5, 1))
            + random.normal(0.0, 0.2, (1, 1, 50))
        )
        games = random.random((2, 5, 5, 50)) < 1.0 / (1.0 + np.exp(-strength))
        lower, upper = crossed_mean(games.mean(axis=0)).interval() or (0.0, 0.0)
        covered += lower <= truth <= upper
    assert 0.93 <= covered / SIMULATIONS <= 0.995
