"""A run of self-play that is cut anywhere goes on: with its whole state to the same weights, with
its weights alone from a replay that is filled first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from learning.test_alphazero import TINY
from playproof import UsageError
from playproof.learning.alphazero import AlphaZero
from playproof.learning.alphazero_settings import AlphaZeroSettings


def started(settings: AlphaZeroSettings, overlap: bool) -> AlphaZero:
    run = AlphaZero(settings)
    run.overlaps = overlap  # as on a GPU
    return run


def after(asked: int) -> Callable[[], bool]:
    """Says stop when it is asked so many times."""
    left = [asked]

    def stopped() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stopped


@pytest.mark.parametrize("overlap", [False, True])
def test_cut_in_the_middle_of_iterations_it_comes_to_the_same_weights(overlap: bool) -> None:
    settings = replace(TINY, evaluate_every=2)
    whole = started(settings, overlap)
    lines = [whole.iterate() for _ in range(settings.iterations)]
    cuts, cut = 0, started(settings, overlap)
    told = []
    dice = np.random.default_rng(1)
    while cut.iteration < settings.iterations:
        metrics = cut.iterate(after(int(dice.integers(1, 40))))
        if metrics is not None:
            told.append(metrics)
            continue
        cuts += 1
        arrays, facts = cut.state()
        cut = started(settings, overlap)
        cut.restore(arrays, facts)
    assert cuts > 3
    assert told == lines
    arrays, facts = whole.state()
    again, facts_again = cut.state()
    assert facts == facts_again
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, again[name], err_msg=name)


def test_games_that_run_beside_learning_are_by_the_net_before() -> None:
    run = started(TINY, True)
    first = run.iterate()
    assert first is not None
    assert "policy_loss" not in first  # there was nothing to learn from yet
    weights = run.teacher.weights
    second = run.iterate()
    assert second is not None
    assert second["policy_loss"] > 0
    assert not np.array_equal(run.teacher.weights, weights)


def test_weights_alone_go_on_with_a_replay_that_is_filled_before_they_learn() -> None:
    run = started(replace(TINY, replay=400), False)
    run.iterate()
    arrays, facts = run.state()
    carried = {k: a for k, a in arrays.items() if not k.startswith(AlphaZero.stays_behind)}
    assert not any(name.startswith(("games", "replay")) for name in carried)
    other = started(replace(TINY, replay=400), False)
    other.restore(carried, facts)
    assert (other.iteration, len(other.replay)) == (1, 0)
    np.testing.assert_array_equal(other.teacher.weights, run.teacher.weights)
    assert other.settings.rate_at(other.iteration) == run.settings.rate_at(run.iteration)
    assert not np.array_equal(other.play.batch.seeds, started(TINY, False).play.batch.seeds)
    metrics = other.iterate()
    assert metrics is not None
    assert metrics["iteration"] == 2
    assert metrics["replay"] >= 200  # half of the replay, by several rounds of games
    assert metrics["positions"] >= 200


def test_how_much_must_be_there_before_learning_can_be_set() -> None:
    run = started(replace(TINY, learning_starts=100), False)
    metrics = run.iterate()
    assert metrics is not None
    assert metrics["positions"] >= 100
    with pytest.raises(UsageError, match="learning_starts=151: want 0 to 150, half of the replay"):
        AlphaZero(replace(TINY, learning_starts=151))
