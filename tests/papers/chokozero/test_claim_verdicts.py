"""Verdicts follow from intervals; a verdict on many figures from the worst of them."""

from __future__ import annotations

import numpy as np
import pytest

from playproof.papers.chokozero.claims.results import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Estimate,
    difference_of_ratios,
    judged,
    mean_of,
    weighted_share,
)


def estimate(lower: float, upper: float, *, decides: bool = True) -> Estimate:
    return Estimate("", (lower + upper) / 2, (lower, upper), 10, decides=decides)


@pytest.mark.parametrize(
    ("intervals", "verdict"),
    [
        ([(0.91, 0.95), (0.9, 1.0)], HOLDS),
        ([(0.91, 0.95), (0.85, 0.95)], UNDECIDED),
        ([(0.91, 0.95), (0.85, 0.95), (0.2, 0.3)], FAILS),
        ([], UNDECIDED),
    ],
)
def test_all_figures_must_clear_the_bound(
    intervals: list[tuple[float, float]], verdict: str
) -> None:
    beside = estimate(0.0, 0.1, decides=False)
    each, result = judged([*(estimate(*one) for one in intervals), beside], 0.9)
    assert result == verdict
    assert each[-1].verdict == ""


def test_a_figure_may_have_to_be_below() -> None:
    assert judged([estimate(-0.3, -0.1)], 0.0, above=False)[1] == HOLDS
    assert judged([estimate(-0.3, 0.1)], 0.0, above=False)[1] == UNDECIDED
    assert judged([estimate(0.1, 0.3)], 0.0, above=False)[1] == FAILS


def test_shares_are_weighted_and_have_intervals() -> None:
    rng = np.random.default_rng(1)
    weights = rng.random(400)
    good = weights * (rng.random(400) < 0.7)
    one = weighted_share("", good, weights, seed=1, chance=weights / 4)
    assert one.value == pytest.approx(good.sum() / weights.sum())
    assert one.interval is not None
    error = 1.96 * np.sqrt(((good - one.value * weights) ** 2).sum()) / weights.sum()
    assert one.interval == pytest.approx((one.value - error, one.value + error), abs=0.01)
    assert one.chance == pytest.approx(0.25)
    assert weighted_share("", good, weights, seed=1) == weighted_share("", good, weights, seed=1)


def test_what_never_fails_still_has_an_interval() -> None:
    one = mean_of("", np.ones(20), seed=1)
    assert (one.value, one.interval) == (1.0, pytest.approx((0.8389, 1.0), abs=1e-3))
    none = weighted_share("", np.zeros(3), np.zeros(3), seed=1, chance=np.zeros(3))
    assert (none.samples, none.interval, none.chance) == (0, None, None)


def test_two_samples_are_compared() -> None:
    rng = np.random.default_rng(2)
    high, low = (rng.random(500) < share for share in (0.8, 0.6))
    ones = np.ones(500)
    one = difference_of_ratios("", (high * 1.0, ones), (low * 1.0, ones), seed=1)
    assert one.value == pytest.approx(high.mean() - low.mean())
    assert one.interval is not None
    width = 2 * 1.96 * np.sqrt((0.8 * 0.2 + 0.6 * 0.4) / 500)
    assert one.interval[1] - one.interval[0] == pytest.approx(width, rel=0.15)
