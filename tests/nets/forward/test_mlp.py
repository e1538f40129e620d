"""The legal-only forward pass beside dense ones, and what every policy keeps to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof import Batch, UsageError, make
from playproof.core.batch import LegalLists
from playproof.nets.forward.dot_product import dot
from playproof.nets.forward.mlp import Forward, choose_actions, softmax
from playproof.nets.mlp import Architecture, starting_weights
from tests.support.nets.made_nets import dense, masked_softmax, middle, random_net

NETS = [
    ("choko", "paper-26", (64, 64, 64), True),
    ("choko", "paper-25", (64, 64), True),
    ("choko", "planes", (7, 33), False),
    ("choko", "paper-26", (), True),
    ("othello", "planes", (20,), True),
    ("go:board=5x5", "planes", (16, 1, 16), True),
]


def sample_batch(
    name: str, observation: str, size: int = 150
) -> tuple[Batch, np.ndarray, LegalLists]:
    batch = middle(make(name), size)
    return batch, batch.observe(observation), batch.legal_lists()


@pytest.mark.parametrize(("name", "observation", "hidden", "value"), NETS)
def test_forward_is_the_dense_forward_under_a_mask(
    name: str, observation: str, hidden: tuple[int, ...], value: bool
) -> None:
    net = random_net(name, observation, hidden, value=value, scale=2.0)
    batch, observations, legal = sample_batch(name, observation)
    mask = batch.legal_mask()
    forward = Forward(net.architecture, net.weights)
    logits, values = dense(net, observations)
    rows = np.repeat(np.arange(len(batch)), np.diff(legal.offsets))
    if values is None:  # of a Q-network: the best legal one
        values = np.where(mask, logits, -np.inf).max(axis=1)
    output = forward.logits(observations, legal)
    np.testing.assert_allclose(output.policy, logits[rows, legal.actions], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(output.values, values, rtol=1e-5, atol=1e-5)
    output = forward.policy(observations, legal)
    expected = masked_softmax(logits, mask)[rows, legal.actions]
    np.testing.assert_allclose(output.policy, expected, atol=1e-5)
    np.testing.assert_allclose(output.values, values, rtol=1e-5, atol=1e-5)


def test_forward_is_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    net = random_net(scale=2.0)
    batch, observations, legal = sample_batch("choko", "paper-26")
    layers, at = [], 0
    for _, outputs, inputs in net.architecture.layers():
        layer = torch.nn.Linear(inputs, outputs)
        size = outputs * (inputs + 1)
        vector = torch.from_numpy(net.weights[at : at + size])
        torch.nn.utils.vector_to_parameters(vector, layer.parameters())
        layers.append(layer)
        at += size
    *hidden, actions, value = layers
    with torch.no_grad():
        h = torch.from_numpy(observations)
        for layer in hidden:
            h = torch.relu(layer(h))
        logits = actions(h).masked_fill(~torch.from_numpy(batch.legal_mask()), -torch.inf)
        policy, values = torch.softmax(logits, 1).numpy(), value(h)[:, 0].numpy()
    output = Forward(net.architecture, net.weights).policy(observations, legal)
    rows = np.repeat(np.arange(len(batch)), np.diff(legal.offsets))
    np.testing.assert_allclose(output.policy, policy[rows, legal.actions], atol=1e-5)
    np.testing.assert_allclose(output.values, values, rtol=1e-5, atol=1e-5)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(rows=st.lists(st.integers(0, 199), min_size=1, max_size=300))
def test_a_row_does_not_look_at_its_neighbours(rows: list[int]) -> None:
    net = random_net()
    batch, observations, legal = sample_batch("choko", "paper-26", 200)
    forward = Forward(net.architecture, net.weights)
    everywhere = forward.policy(observations, legal)
    part = batch.take(rows)
    output = forward.policy(part.observe("paper-26"), part.legal_lists())
    expected = [everywhere.policy[legal.offsets[row] : legal.offsets[row + 1]] for row in rows]
    assert np.array_equal(output.policy, np.concatenate(expected))  # to the last bit
    assert np.array_equal(output.values, everywhere.values[rows])


def test_a_row_without_bounds_leaves_nothing_to_the_next() -> None:
    sizes = Architecture(26, (8, 33), 30)
    forward = Forward(sizes, 3 * starting_weights(sizes, 1))
    observations = np.ones((2, 26), np.float32)
    observations[0] = 3e38
    legal = LegalLists(np.array([0, 30, 60]), np.tile(np.arange(30, dtype=np.int32), 2))
    output = forward.logits(observations, legal)
    assert not np.isfinite(output.values[0])
    alone = forward.logits(observations[1:], LegalLists(legal.offsets[:2], legal.actions[:30]))
    assert np.array_equal(output.policy[30:], alone.policy)
    assert np.isfinite(alone.policy).all()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    counts=st.lists(st.integers(0, 30), min_size=1, max_size=40),
    temperature=st.floats(0.01, 100),
    size=st.floats(0.01, 1e4),
    seed=st.integers(0, 99),
)
def test_probabilities_sum_to_1_and_choices_are_legal(
    counts: list[int], temperature: float, size: float, seed: int
) -> None:
    chooser = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    actions = chooser.integers(0, 1000, offsets[-1]).astype(np.int32)
    legal = LegalLists(offsets, actions)
    logits = (size * chooser.normal(size=offsets[-1])).astype(np.float32)
    policy = softmax(legal, logits, temperature=temperature)
    assert (policy >= 0).all()
    words = chooser.integers(0, 2**64, len(counts), dtype=np.uint64)
    drawn = choose_actions(legal, policy, words)
    best = choose_actions(legal, policy, words, greedy=True)
    for row, count in enumerate(counts):
        mine = policy[offsets[row] : offsets[row + 1]]
        if not count:
            assert drawn[row] == best[row] == -1
            continue
        assert mine.sum() == pytest.approx(1.0, abs=1e-5)
        assert drawn[row] in legal.of(row)[mine > 0]
        assert best[row] == legal.of(row)[np.argmax(mine)]


def test_choices_are_drawn_by_their_probability() -> None:
    n, odds = 20_000, np.array([0.0, 0.5, 0.2, 0.0, 0.3, 0.0], np.float32)
    legal = LegalLists(
        np.arange(n + 1, dtype=np.int64) * 6, np.tile(np.arange(6, dtype=np.int32), n)
    )
    words = np.random.default_rng(1).integers(0, 2**64, n, dtype=np.uint64)
    drawn = choose_actions(legal, np.tile(odds, n), words)
    assert np.bincount(drawn, minlength=6) / n == pytest.approx(odds, abs=0.015)
    # The ends of the range of words are actions with some probability, even where rounding
    # leaves a little over.
    ends = np.where(np.arange(n) % 2, np.uint64(2**64 - 1), np.uint64(0))
    short = np.tile(odds * np.float32(0.99), n)
    assert choose_actions(legal, short, ends)[:2].tolist() == [1, 4]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(n=st.integers(0, 70), at=st.integers(0, 20), seed=st.integers(0, 99))
def test_a_product_is_the_one_that_is_written_in_python(n: int, at: int, seed: int) -> None:
    """Compiled, through a head of one row, to the last bit."""
    chooser = np.random.default_rng(seed)
    vector, weights = (chooser.normal(size=100).astype(np.float32) for _ in range(2))
    expected = dot(vector, weights, at, n)
    assert expected == pytest.approx(float(vector[:n] @ weights[at : at + n]), abs=1e-4)
    if n:
        sizes = Architecture(n, (), 1, value=False)
        net = Forward(sizes, np.concatenate([weights[at : at + n], [0]]).astype(np.float32))
        legal = LegalLists(np.array([0, 1]), np.array([0], np.int32))
        assert net.logits(vector[None, :n], legal).policy[0] == expected


@pytest.mark.parametrize("value", [True, False])
def test_networks_that_answer_together_answer_as_alone(value: bool) -> None:
    batch, observations, legal = sample_batch("choko", "paper-26", 90)
    sizes = Architecture(26, (24, 17), 2625, value)
    nets = [Forward(sizes, starting_weights(sizes, seed)) for seed in range(3)]
    which = np.random.default_rng(1).integers(0, 3, len(batch))
    together = Forward.stack(nets).logits(observations, legal, which)
    for number, net in enumerate(nets):
        alone = net.logits(observations, legal)
        rows = np.repeat(which == number, np.diff(legal.offsets))
        assert (together.policy[rows] == alone.policy[rows]).all()
        assert (together.values[which == number] == alone.values[which == number]).all()
    with pytest.raises(UsageError, match="a network below 3 for each of 90 rows"):
        Forward.stack(nets).logits(observations, legal, which + 1)
    other = Architecture(26, (24,), 2625, value)
    with pytest.raises(UsageError, match="one architecture"):
        Forward.stack([nets[0], Forward(other, starting_weights(other, 1))])


def test_what_does_not_fit_is_refused() -> None:
    sizes = Architecture(26, (8,), 30)
    net = Forward(sizes, starting_weights(sizes, 1))
    legal = LegalLists(np.array([0, 1]), np.array([29], np.int32))
    net.logits(np.zeros((1, 26), np.float32), legal)
    with pytest.raises(UsageError, match="want 26 inputs for each of 1 rows"):
        net.logits(np.zeros((1, 25), np.float32), legal)
    for action in (30, -1):
        wrong = legal._replace(actions=np.array([action], np.int32))
        with pytest.raises(UsageError, match="actions 0 to 29 was asked for others"):
            net.logits(np.zeros((1, 26), np.float32), wrong)
    with pytest.raises(UsageError, match="parameters cannot have weights of shape"):
        Forward(sizes, starting_weights(sizes, 1)[1:])
    for temperature in (0.0, -1.0, float("nan")):
        with pytest.raises(UsageError, match="is not above 0"):
            softmax(legal, np.zeros(1, np.float32), temperature=temperature)
