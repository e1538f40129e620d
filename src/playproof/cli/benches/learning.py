"""PPO's update on one core: ours, of legal actions only, against a dense one in PyTorch.

Both take the same steps on the same samples of random games of Choko, with the
observation and network of ChokoZero's V3, in minibatches of 128.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from playproof.cli.benches.peers import best_rate, one_core
from playproof.core.batch import Batch, LegalLists
from playproof.core.registry import make
from playproof.learning.algorithms.ppo.torch_update import DenseUpdater
from playproof.learning.algorithms.ppo.update import Samples, Updater
from playproof.nets.mlp import Architecture, starting_weights

_GAMES = 256
_SAMPLES = 4096
_MINIBATCH = 128
_MIXING = 200  # plies until the games of the batch are in all stages
_SEED = 1
_V3 = Architecture(inputs=26, hidden=(64, 64, 64), actions=2625)


@dataclass(frozen=True)
class LearningReport:
    """Rates are samples per CPU second, the best of several rounds."""

    parameters: int
    minibatch: int
    legal_actions: float  # mean per sample
    samples_per_second: float
    dense_samples_per_second: float | None  # PyTorch's, None if it is not installed
    peer: str | None

    @property
    def ratio(self) -> float | None:
        dense = self.dense_samples_per_second
        return self.samples_per_second / dense if dense else None

    def to_json(self) -> dict[str, Any]:
        data = asdict(self)
        data["torch"] = data.pop("peer")
        return {**data, "ratio": self.ratio}

    def rows(self) -> list[list[str]]:
        rows = [("playproof", "legal actions", self.samples_per_second, self.ratio)]
        if self.dense_samples_per_second:
            rows.append(("PyTorch", "all actions", self.dense_samples_per_second, None))
        return [
            [
                engine,
                what,
                f"{1e3 * self.minibatch / rate:.3f} ms",
                f"{rate:,.0f}",
                f"{ratio:,.1f}x" if ratio else "",
            ]
            for engine, what, rate, ratio in rows
        ]


def _samples() -> Samples:
    """Samples from random games of Choko; chosen actions, advantages and returns are invented."""
    chooser = np.random.default_rng(_SEED)
    batch = Batch.start(make("choko"), _GAMES, seed=_SEED)
    observations, offsets, actions = [], [np.zeros(1, np.int64)], []
    for ply in range(_MIXING + _SAMPLES // _GAMES):
        if ply >= _MIXING:
            lists = batch.legal_lists()
            observations.append(batch.observe("paper-26").reshape(_GAMES, -1))
            offsets.append(lists.offsets[1:] + offsets[-1][-1])
            actions.append(lists.actions)
        batch.apply(batch.random_actions(), check=False)
        batch.reset_finished()
    legal = LegalLists(np.concatenate(offsets), np.concatenate(actions))
    counts = np.diff(legal.offsets)
    return Samples(
        observations=np.concatenate(observations),
        legal=legal,
        chosen=chooser.integers(0, counts),
        old=(-np.log(counts) + 0.1 * chooser.normal(size=_SAMPLES)).astype(np.float32),
        advantages=chooser.normal(size=_SAMPLES).astype(np.float32),
        returns=chooser.normal(size=_SAMPLES).astype(np.float32),
    )


def _ours(samples: Samples, seconds: float) -> float:
    updater = Updater(_V3, starting_weights(_V3, _SEED), minibatch=_MINIBATCH)
    order = np.random.default_rng(_SEED).permutation(_SAMPLES)

    def work() -> int:
        updater.run(samples, order)
        return _SAMPLES

    return best_rate(work, seconds)


def _dense(samples: Samples, seconds: float) -> float:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    updater = DenseUpdater(_V3, starting_weights(_V3, _SEED))
    tensors_of_all = updater.tensors(samples)
    order = torch.tensor(np.random.default_rng(_SEED).permutation(_SAMPLES))
    at = 0

    def work() -> int:
        nonlocal at
        picked = order[at : at + _MINIBATCH]
        updater.step({name: tensor[picked] for name, tensor in tensors_of_all.items()})
        at = (at + _MINIBATCH) % _SAMPLES
        return _MINIBATCH

    try:
        return best_rate(work, seconds)
    finally:
        torch.set_num_threads(threads)


def measure(seconds: float, progress: Callable[[int, int], None]) -> LearningReport:
    """Measure both on one core, each for about ``seconds``."""
    samples = _samples()
    dense = peer = None
    with one_core():
        progress(0, 2)
        ours = _ours(samples, seconds)
        progress(1, 2)
        if find_spec("torch"):
            import torch

            dense, peer = _dense(samples, seconds), str(torch.__version__)
    return LearningReport(
        parameters=_V3.parameters,
        minibatch=_MINIBATCH,
        legal_actions=float(np.diff(samples.legal.offsets).mean()),
        samples_per_second=ours,
        dense_samples_per_second=dense,
        peer=peer,
    )
