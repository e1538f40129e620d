"""The compiled gradient of PPO beside autograd's, and the statistics with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof.core.batch import LegalLists
from playproof.core.errors import UsageError
from playproof.learning.algorithms.ppo.torch_update import DenseUpdater
from playproof.learning.algorithms.ppo.update import Samples, Updater, UpdateSettings
from playproof.learning.optim.adam import Moments
from playproof.nets.mlp import Architecture, parts_of, starting_weights
from tests.support.learning.random_samples import random_samples
from tests.support.longer import longer

pytest.importorskip("torch", reason="PyTorch is not installed: no autograd to compare with")

V3 = Architecture(26, (64, 64, 64), 2625)


def off(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The difference's norm over the norm."""
    return float(np.linalg.norm(ours - theirs) / max(np.linalg.norm(theirs), 1e-12))


def both(architecture, samples, weights, loss=None, kind=np.float64):
    """Our gradient and statistics in ``kind``, and autograd's in double precision."""
    reference = DenseUpdater(architecture, weights.astype(np.float64), loss)
    ours = Updater(architecture, weights.astype(kind), loss).gradient(samples)
    return *ours, *reference.gradient(reference.tensors(samples))


architectures = st.builds(
    Architecture,
    inputs=st.integers(1, 9),
    hidden=st.lists(st.integers(1, 21), max_size=3).map(tuple),
    actions=st.integers(1, 100),
    value=st.booleans(),
)
losses = st.builds(
    UpdateSettings,
    clip=st.floats(0.05, 0.5),
    value_weight=st.sampled_from([0.0, 0.05, 0.5]),
    entropy_weight=st.sampled_from([0.0, 0.01, 0.3]),
)


@settings(max_examples=longer(25, 200), deadline=None)
@given(architectures, losses, st.integers(1, 13), st.integers(0, 2**20), st.data())
def test_any_network_and_loss_as_autograd_has_it(architecture, loss, n, seed, data) -> None:
    few = data.draw(st.integers(1, architecture.actions))
    many = data.draw(st.integers(few, architecture.actions))
    spread = data.draw(st.sampled_from([0.0, 0.1, 1.0]))
    samples = random_samples(
        architecture, n, seed, counts=(few, many), spread=spread, kind=np.float64
    )
    weights = starting_weights(architecture, seed)
    ours, told, theirs, expected = both(architecture, samples, weights, loss)
    assert np.linalg.norm(ours - theirs) <= 1e-9 * np.linalg.norm(theirs) + 1e-15
    for name, value in vars(expected).items():
        assert getattr(told, name) == pytest.approx(value, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("value", [True, False])
def test_single_precision_stays_within_a_millionth(seed: int, value: bool) -> None:
    architecture = Architecture(26, (64, 64, 64), 2625, value)
    samples = random_samples(architecture, 128, seed, counts=(1, 100), spread=0.3)
    ours, told, theirs, expected = both(
        architecture, samples, starting_weights(architecture, seed), kind=np.float32
    )
    assert ours.dtype == np.float32
    assert 0.1 < expected.clipped < 0.9  # both kinds are there
    assert off(ours, theirs) < 1e-6
    for name, number in vars(expected).items():
        assert getattr(told, name) == pytest.approx(number, rel=1e-5, abs=1e-6), name


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_every_part_of_the_vector_is_right_by_itself(kind: type) -> None:
    """The head is most of the vector: its norm must not hide the layers below."""
    samples = random_samples(V3, 128, 11, spread=0.3)
    ours, _, theirs, _ = both(V3, samples, starting_weights(V3, 11), kind=kind)
    own, other = parts_of(V3, ours), parts_of(V3, theirs)  # type: ignore[arg-type]
    bound = 2e-6 if kind is np.float32 else 1e-12
    assert {name: off(own[name], other[name]) < bound for name in own} == dict.fromkeys(own, True)


def test_sure_policies_and_large_weights() -> None:
    """Logits far apart: nothing overflows, and nought times a logarithm is nought."""
    architecture = Architecture(6, (16, 16), 40)
    weights = 20 * starting_weights(architecture, 1)
    samples = random_samples(architecture, 32, 1, counts=(1, 40), kind=np.float64)
    ours, told, theirs, expected = both(architecture, samples, weights)
    assert np.isfinite(ours).all()
    assert off(ours, theirs) < 1e-9
    assert told.entropy == pytest.approx(expected.entropy, abs=1e-12)
    single, _ = Updater(architecture, weights).gradient(samples)
    assert np.isfinite(single).all()


def test_a_forced_move_teaches_the_value_alone() -> None:
    samples = random_samples(V3, 16, 3, counts=(1, 1))
    gradient, told = Updater(V3, starting_weights(V3, 3)).gradient(samples)
    parts = parts_of(V3, gradient)  # type: ignore[arg-type]
    assert not parts["actions.weight"].any()
    assert not parts["actions.bias"].any()
    assert parts["value.weight"].any()
    assert told.entropy == 0


def test_rows_of_actions_that_no_sample_may_play_are_nought() -> None:
    samples = random_samples(V3, 20, 4)
    gradient, _ = Updater(V3, starting_weights(V3, 4)).gradient(samples)
    rows = parts_of(V3, gradient)["actions.weight"]  # type: ignore[arg-type]
    touched = np.flatnonzero(np.abs(rows).sum(axis=1))
    assert set(touched) == set(samples.legal.actions)


def one_sample(old: float, advantage: float) -> Samples:
    return Samples(
        observations=np.ones((1, 2)),
        legal=LegalLists(np.array([0, 2]), np.array([0, 1], np.int32)),
        chosen=np.array([0]),
        old=np.array([old]),
        advantages=np.array([advantage]),
        returns=np.zeros(1),
    )


@pytest.mark.parametrize(
    ("ratio", "advantage", "learns"),
    [(1.5, 1, False), (1.5, -1, True), (0.5, 1, True), (0.5, -1, False), (1.1, 1, True)],
)
def test_a_clipped_ratio_teaches_only_the_way_back(ratio, advantage, learns) -> None:
    """By hand: two equal logits, so the new probability is a half."""
    architecture = Architecture(2, (), 2, value=False)
    loss = UpdateSettings(entropy_weight=0.0)
    updater = Updater(architecture, np.zeros(architecture.parameters), loss)
    gradient, told = updater.gradient(one_sample(np.log(0.5 / ratio), advantage))
    bias = parts_of(architecture, gradient)["actions.bias"]  # type: ignore[arg-type]
    pull = -ratio * advantage * 0.5 if learns else 0.0
    assert bias == pytest.approx([pull, -pull])
    clipped = min(ratio * advantage, min(max(ratio, 0.8), 1.2) * advantage)
    assert told.policy_loss == pytest.approx(-clipped)
    assert told.clipped == (abs(ratio - 1) > 0.2)
    assert told.entropy == pytest.approx(np.log(2))
    assert told.divergence == pytest.approx(ratio - 1 - np.log(ratio))


def test_a_mistake_in_the_samples_is_one_clear_line() -> None:
    samples, updater = random_samples(V3, 8, 5), Updater(V3, starting_weights(V3, 5))
    legal = samples.legal
    wrong = [
        replace(samples, observations=samples.observations[:, :25]),
        replace(samples, returns=samples.returns[:7]),
        replace(samples, chosen=np.diff(legal.offsets)),
        replace(samples, chosen=samples.chosen - 100),
        replace(samples, legal=LegalLists(legal.offsets, legal.actions + 2625)),
        replace(samples, legal=LegalLists(legal.offsets, legal.actions[:-1])),
    ]
    for bad in wrong:
        with pytest.raises(UsageError):
            updater.gradient(bad)
    with pytest.raises(UsageError, match="outside of the 8"):
        updater.run(samples, np.array([8]))
    with pytest.raises(UsageError, match="180738"):
        Updater(V3, np.zeros(3, np.float32))
    with pytest.raises(UsageError, match="float16"):
        Updater(V3, np.zeros(180738, np.float16))
    with pytest.raises(UsageError, match="not 3 of float32"):
        Updater(V3, starting_weights(V3, 5), moments=Moments.start(np.zeros(3, np.float32)))
    with pytest.raises(UsageError, match="nothing to learn from"):
        updater.run(random_samples(V3, 0, 5), np.arange(0))
