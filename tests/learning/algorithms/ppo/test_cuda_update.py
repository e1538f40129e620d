"""The update for a GPU, on the CPU: the same steps as the compiled one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from playproof.core.errors import PlayproofError, UsageError
from playproof.learning.algorithms.ppo.update import Updater, UpdateSettings
from playproof.learning.optim.adam import Moments
from playproof.nets.mlp import Architecture, starting_weights
from tests.support.learning.random_samples import random_samples

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing to run on a GPU")

SIZES = Architecture(26, (32, 16), 300)
DEVICE = "cpu:0"  # PyTorch's steps, where the compiled ones would be taken else


def updaters(settings: UpdateSettings | None = None) -> list[Updater]:
    from playproof.learning.algorithms.ppo.cuda_update import DeviceUpdater

    weights = starting_weights(SIZES, 3)
    return [
        Updater(SIZES, weights.copy(), settings, minibatch=32),
        DeviceUpdater(SIZES, weights.copy(), settings, minibatch=32, device=DEVICE),
    ]


def off(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(ours))


@pytest.mark.parametrize("norm", [0.05, 1e6])
def test_the_same_steps_as_the_compiled_update(norm: float) -> None:
    settings = UpdateSettings(rate=1e-3, norm=norm)
    start, pair = starting_weights(SIZES, 3), updaters(settings)
    for run in range(3):  # more samples than at first, and other settings
        samples = random_samples(SIZES, 96 + 64 * run, seed=run)
        order = np.random.default_rng(run).permutation(len(samples))[:96]
        told = []
        for updater in pair:
            updater.settings = replace(settings, rate=1e-3 / (run + 1), entropy_weight=0.02 * run)
            told.append(updater.run(samples, order))
        for name in told[0].__dataclass_fields__:
            expected = getattr(told[0], name)
            assert getattr(told[1], name) == pytest.approx(expected, rel=1e-4, abs=1e-6), name
    compiled, ours = pair
    assert off(compiled.parameters - start, ours.parameters - start) < 1e-4
    for moment in ("first", "second"):
        assert off(getattr(compiled.moments, moment), getattr(ours.moments, moment)) < 1e-5
    assert ours.moments.steps[0] == compiled.moments.steps[0] == 9


def test_it_goes_on_from_moments() -> None:
    from playproof.learning.algorithms.ppo.cuda_update import DeviceUpdater

    samples, order = random_samples(SIZES, 64, seed=1), np.arange(64)
    through, first = updaters()[1], updaters()[1]
    through.run(samples, np.concatenate([order, order]))
    first.run(samples, order)
    kept = first.moments
    again = DeviceUpdater(
        SIZES, first.parameters.copy(), minibatch=32, device=DEVICE,
        moments=Moments(kept.first.copy(), kept.second.copy(), kept.steps.copy()),
    )  # fmt: skip
    again.run(samples, order)
    assert off(through.parameters, again.parameters) < 1e-7
    assert again.moments.steps[0] == 4


def test_a_gradient_that_is_no_number_keeps_the_last_good_state() -> None:
    updater = updaters()[1]
    updater.run(random_samples(SIZES, 64, seed=1), np.arange(64))
    kept = updater.parameters.copy()
    spoilt = random_samples(SIZES, 64, seed=2)
    spoilt.returns[40] = np.nan
    with pytest.raises(PlayproofError, match="is not finite"):
        updater.run(spoilt, np.arange(64))
    assert (updater.parameters == kept).all()
    updater.run(random_samples(SIZES, 64, seed=3), np.arange(64))
    assert np.isfinite(updater.parameters).all()


def test_less_than_a_minibatch_is_refused() -> None:
    with pytest.raises(UsageError, match="at least a minibatch of 32"):
        updaters()[1].run(random_samples(SIZES, 64, seed=1), np.arange(20))
