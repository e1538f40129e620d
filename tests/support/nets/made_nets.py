"""Networks with weights out of a hat, positions to ask them about, and the same sums in NumPy."""

from __future__ import annotations

import math

import numpy as np

from playproof import Batch, Game, make
from playproof.nets.files import Net
from playproof.nets.mlp import Architecture, parts_of, starting_weights


def random_net(
    game: str = "choko",
    observation: str = "paper-26",
    hidden: tuple[int, ...] = (64, 64, 64),
    *,
    value: bool = True,
    seed: int = 1,
    scale: float = 3.0,
) -> Net:
    """``scale`` above 1 makes it decided: the priors of a fresh network are all but equal."""
    made = make(game)
    inputs = math.prod(made.observations[observation])
    sizes = Architecture(inputs, hidden, made.num_actions, value)
    return Net(sizes, scale * starting_weights(sizes, seed), made.spec, observation)


def middle(game: Game, size: int, *, seed: int = 1) -> Batch:
    """Games of many lengths, none over, none at a turn of chance."""
    batch = Batch.start(game, 2 * size, seed=seed)
    stops = np.random.default_rng(seed).integers(0, 40, len(batch))
    for ply in range(40):
        batch.apply(np.where(ply < stops, batch.random_actions(), -1), check=False)
    rows = np.flatnonzero(~batch.finished() & (batch.players() >= 0))[:size]
    assert len(rows) == size
    return batch.take(rows)


def dense(net: Net, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """All logits (n, actions) and the values (n,), by NumPy in double precision."""
    parts = parts_of(net.architecture, net.weights)
    h = observations.reshape(len(observations), -1).astype(np.float64)
    for layer in range(len(net.architecture.hidden)):
        h = np.maximum(h @ parts[f"hidden.{layer}.weight"].T + parts[f"hidden.{layer}.bias"], 0)
    logits = h @ parts["actions.weight"].T + parts["actions.bias"]
    if not net.architecture.value:
        return logits, None
    return logits, h @ parts["value.weight"][0] + parts["value.bias"][0]


def masked_softmax(logits: np.ndarray, mask: np.ndarray) -> np.ndarray:
    logits = np.where(mask, logits, -np.inf)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
