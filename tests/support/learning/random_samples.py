"""Samples made at random, for the update of PPO."""

from __future__ import annotations

import numpy as np

from playproof.core.batch import LegalLists
from playproof.learning.algorithms.ppo.update import Samples
from playproof.nets.mlp import Architecture


def random_samples(
    architecture: Architecture,
    n: int,
    seed: int,
    *,
    counts: tuple[int, int] = (1, 36),
    spread: float = 0.5,
    kind: type = np.float32,
) -> Samples:
    """``n`` samples with ``counts`` legal actions, the first inclusive and the last too.

    Old log-probabilities lie about those of uniform play, off by a normal
    number times ``spread``: a larger one means more clipped ratios.
    """
    chooser = np.random.default_rng(seed)
    sizes = chooser.integers(counts[0], counts[1] + 1, n)
    lists = [chooser.choice(architecture.actions, size, replace=False) for size in sizes]
    return Samples(
        observations=chooser.integers(0, 3, (n, architecture.inputs)).astype(kind),
        legal=LegalLists(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([[], *lists]).astype(np.int32),
        ),
        chosen=chooser.integers(0, sizes).astype(np.int64),
        old=(-np.log(sizes) + spread * chooser.normal(size=n)).astype(kind),
        advantages=chooser.normal(size=n).astype(kind),
        returns=chooser.normal(size=n).astype(kind),
    )
