"""Advantages beside the recursion written out, on timelines that lie mixed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof.core.errors import UsageError
from playproof.learning.algorithms.ppo.advantages import advantages, normalised


def naive(rewards, values, ended, next_value, gamma, decay, at=0):
    """The advantage of decision ``at`` of one timeline, by its definition."""
    last = at == len(rewards) - 1
    following = 0.0 if ended[at] else next_value if last else values[at + 1]
    step = rewards[at] + gamma * following - values[at]
    if ended[at] or last:
        return step
    return step + gamma * decay * naive(rewards, values, ended, next_value, gamma, decay, at + 1)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 6), st.integers(0, 60), st.integers(0, 2**20),
    st.sampled_from([(0.99, 0.95), (1.0, 1.0), (0.9, 0.0), (0.5, 0.7)]),
)  # fmt: skip
def test_mixed_timelines_as_each_alone(lines, n, seed, discounts) -> None:
    gamma, decay = discounts
    chooser = np.random.default_rng(seed)
    timelines = chooser.integers(0, lines, n)
    rewards, values = chooser.normal(size=n), chooser.normal(size=n)
    ended, next_values = chooser.random(n) < 0.2, chooser.normal(size=lines)
    kept = next_values.copy()
    found, returns = advantages(
        timelines, rewards, values, ended, next_values, gamma=gamma, decay=decay
    )
    assert (next_values == kept).all()
    assert returns == pytest.approx(found + values)
    for line in range(lines):
        own = np.flatnonzero(timelines == line)
        for at, i in enumerate(own):
            expected = naive(
                rewards[own], values[own], ended[own], next_values[line], gamma, decay, at
            )
            assert found[i] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_two_players_by_hand() -> None:
    """One game of four plies; the second player's loss does not touch the first's timeline."""
    found, returns = advantages(
        np.array([0, 1, 0, 1]),
        np.array([0.0, 0.0, 2.0, -2.0], np.float32),
        np.array([0.5, 0.25, 1.0, -1.0], np.float32),
        np.array([False, False, True, True]),
        np.array([9.0, 9.0], np.float32),  # both ended: must not be used
    )
    assert found.dtype == np.float32
    first = 0.99 * 1.0 - 0.5 + 0.99 * 0.95 * 1.0
    second = 0.99 * -1.0 - 0.25 + 0.99 * 0.95 * -1.0
    assert found == pytest.approx([first, second, 1.0, -1.0], rel=1e-6)
    assert returns == pytest.approx([first + 0.5, second + 0.25, 2.0, -2.0], rel=1e-6)


def test_normalised_advantages() -> None:
    gains = np.random.default_rng(1).normal(3, 5, 1000).astype(np.float32)
    made = normalised(gains)
    assert made.dtype == np.float32
    assert made.mean() == pytest.approx(0, abs=1e-6)
    assert made.std() == pytest.approx(1, rel=1e-5)
    assert not normalised(np.full(4, 2.0)).any()


def test_timelines_that_do_not_fit() -> None:
    ones = np.ones(3)
    with pytest.raises(UsageError, match="below 2"):
        advantages(np.array([0, 1, 2]), ones, ones, ones > 2, np.zeros(2))
    with pytest.raises(UsageError, match="must be 3"):
        advantages(np.array([0, 1, 1]), ones[:2], ones, ones > 2, np.zeros(2))
