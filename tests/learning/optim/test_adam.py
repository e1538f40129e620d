"""Steps of Adam beside PyTorch's, alone and at the end of PPO's gradients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from playproof.core.errors import PlayproofError
from playproof.learning.algorithms.ppo.torch_update import DenseUpdater
from playproof.learning.algorithms.ppo.update import Updater, UpdateSettings
from playproof.learning.optim.adam import Moments, adam_step
from playproof.nets.mlp import Architecture, starting_weights
from tests.support.learning.random_samples import random_samples

torch = pytest.importorskip("torch", reason="PyTorch is not installed: no Adam to compare with")

V1 = Architecture(25, (64, 64), 2625)


def off(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))


@pytest.mark.parametrize(("kind", "bound"), [(np.float32, 1e-5), (np.float64, 1e-12)])
@pytest.mark.parametrize("limit", [0.5, 1e6])
def test_twenty_steps_as_pytorch_takes_them(kind: type, bound: float, limit: float) -> None:
    """The steps themselves are compared, which are small beside the parameters.

    Some numbers have a gradient seldom: their moments must decay in between.
    """
    chooser = np.random.default_rng(7)
    start = chooser.normal(size=5003).astype(kind)
    ours, moments = start.copy(), Moments.start(start)
    theirs = torch.nn.Parameter(torch.tensor(start))
    adam = torch.optim.Adam([theirs], lr=1e-3)
    for step in range(20):
        gradient = (chooser.normal(size=5003) * 10.0 ** chooser.integers(-6, 1, 5003)).astype(kind)
        gradient[step % 5 :: 3] = 0
        norm = adam_step(
            ours, gradient, moments.first, moments.second, moments.steps, 1e-3, (0.9, 0.999),
            1e-8, limit,
        )  # fmt: skip
        theirs.grad = torch.tensor(gradient)
        expected = torch.nn.utils.clip_grad_norm_([theirs], limit)
        adam.step()
        assert norm == pytest.approx(float(expected), rel=1e-5)
        assert (norm > limit) == (limit == 0.5)
    state = adam.state[theirs]
    assert moments.steps[0] == 20
    assert off(moments.first, state["exp_avg"].numpy()) < bound
    assert off(moments.second, state["exp_avg_sq"].numpy()) < bound
    # Subtraction leaves the rounding of the parameters themselves, a matter of their size.
    steps, expected_steps = ours - start, theirs.detach().numpy() - start
    slack = 1e-4 if kind is np.float32 else 1e-10
    assert off(steps, expected_steps) < slack
    assert off(ours, theirs.detach().numpy()) < bound


def test_moments_that_fade_never_become_subnormal() -> None:
    parameters, gradient = np.ones(64, np.float32), np.full(64, 1e-3, np.float32)
    moments = Moments.start(parameters)
    for step in range(3000):
        adam_step(
            parameters, gradient if step == 0 else np.zeros_like(gradient), moments.first,
            moments.second, moments.steps, 1e-3, (0.9, 0.999), 1e-8, 0.5,
        )  # fmt: skip
    assert not moments.first.any()
    assert (moments.second > np.finfo(np.float32).tiny).all()


@pytest.mark.parametrize(("kind", "bound"), [(np.float64, 1e-8), (np.float32, 1e-5)])
def test_two_epochs_as_pytorch_goes_through_them(kind: type, bound: float) -> None:
    settings = UpdateSettings(rate=1e-3, norm=0.05)  # the clip is active
    samples = random_samples(V1, 310, 5, kind=kind)
    start = starting_weights(V1, 5).astype(kind)
    updater = Updater(V1, start.copy(), settings, minibatch=64)
    reference = DenseUpdater(V1, start.astype(np.float64), settings)
    dense = reference.tensors(samples)
    chooser = np.random.default_rng(5)
    told = []
    for _ in range(2):
        order = chooser.permutation(310)
        statistics = updater.run(samples, order)
        assert statistics.gradient_norm > 0.05
        for at in range(0, 310, 64):  # the last minibatch is smaller
            picked = torch.tensor(order[at : at + 64])
            minibatch = {name: tensor[picked] for name, tensor in dense.items()}
            told.append(reference.gradient(minibatch)[1])
            reference.step(minibatch)
        expected = {name: np.mean([getattr(s, name) for s in told[-5:]]) for name in vars(told[0])}
        for name, value in expected.items():
            found = getattr(statistics, name)
            assert found == pytest.approx(value, rel=1e-3, abs=1e-5), name
    assert updater.moments.steps[0] == 10
    assert off(updater.parameters, reference.parameters()) < bound


def test_the_same_order_gives_the_same_bits_in_one_piece_or_two() -> None:
    samples, start = random_samples(V1, 256, 8), starting_weights(V1, 8)
    whole = Updater(V1, start.copy(), minibatch=64)
    whole.run(samples, np.arange(256))
    half = Updater(V1, start.copy(), minibatch=64)
    half.run(samples, np.arange(128))
    other = Updater(V1, half.parameters.copy(), minibatch=64, moments=half.moments)
    other.run(samples, np.arange(128, 256))
    assert (whole.parameters == other.parameters).all()
    assert (whole.moments.second == other.moments.second).all()


def test_a_number_that_is_none_stops_before_it_does_harm() -> None:
    samples = random_samples(V1, 128, 9)
    returns = samples.returns.copy()
    returns[100] = np.nan
    good = Updater(V1, starting_weights(V1, 9), minibatch=64)
    good.run(samples, np.arange(64))
    updater = Updater(V1, starting_weights(V1, 9), minibatch=64)
    with pytest.raises(PlayproofError, match="step 2 is not finite"):
        updater.run(replace(samples, returns=returns), np.arange(128))
    assert (updater.parameters == good.parameters).all()
    assert (updater.moments.first == good.moments.first).all()
    assert updater.moments.steps[0] == 1
