"""Resampled intervals, and McNemar's test."""

from __future__ import annotations

import math

import numpy as np
import pytest

from playproof.arena.statistics import bootstrap


def test_sums_are_of_as_many_clusters_as_there_are() -> None:
    clusters = np.stack([np.ones(30), np.arange(30.0)], axis=1)
    sums = bootstrap.resampled_sums(clusters, 1, 500)
    assert sums.shape == (500, 2)
    assert (sums[:, 0] == 30).all()
    assert sums[:, 1].mean() == pytest.approx(clusters[:, 1].sum(), rel=0.02)
    # The variance of a sum of n draws is n times that of one.
    assert sums[:, 1].var() == pytest.approx(30 * np.arange(30).var(), rel=0.25)
    assert np.array_equal(sums, bootstrap.resampled_sums(clusters, 1, 500))
    assert not np.array_equal(sums, bootstrap.resampled_sums(clusters, 2, 500))


def test_many_clusters_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    clusters = np.ones((50, 1))
    monkeypatch.setattr(bootstrap, "_CELLS", 120)
    assert bootstrap.resampled_sums(clusters, 1, 9).tolist() == [[50.0]] * 9


def test_an_interval_holds_the_true_share_nineteen_times_in_twenty() -> None:
    rng = np.random.default_rng(3)
    held = 0
    for trial in range(200):
        good = (rng.random(80) < 0.7).astype(float)
        ratios = bootstrap.resampled_ratios(good, np.ones(80), seed=trial, resamples=300)
        interval = bootstrap.middle(ratios)
        assert interval is not None
        held += interval[0] <= 0.7 <= interval[1]
    assert 178 <= held <= 199


def test_what_is_not_defined_is_left_out() -> None:
    assert bootstrap.middle(np.array([math.nan, 1.0, 1.0])) == (1.0, 1.0)
    assert bootstrap.middle(np.array([math.nan])) is None
    assert math.isnan(bootstrap.ratio(np.zeros(2), np.zeros(2)))


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [(0, 0, 1.0), (5, 0, 0.0625), (0, 5, 0.0625), (8, 2, 0.109375), (3, 3, 1.0)],
)
def test_mcnemar(gained: int, lost: int, p: float) -> None:
    assert bootstrap.mcnemar(gained, lost) == pytest.approx(p)
