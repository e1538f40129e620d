"""Measures a network on held-out positions: accuracy, errors and calibration.

Calibration (Guo et al., 2017): where a network gives its first move 70 %, that move should be
right in 70 of 100 positions; where it expects a value of 0.4, the mean result should be 0.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.learning.algorithms.imitation.loss import losses, predict
from playproof.learning.algorithms.imitation.minibatches import Indices, PositionSources, tensors_of

BINS = 10
_BATCH = 2048  # positions evaluated at once

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reliability:
    """Predictions in bins: how many, the mean prediction, and the mean of what was observed."""

    counts: Floats  # (BINS,)
    predicted: Floats  # (BINS,)
    observed: Floats  # (BINS,)

    @classmethod
    def of(cls, predicted: Floats, observed: Floats, low: float) -> Reliability:
        """Sort predictions, (n,), into equal bins from ``low`` to 1."""
        place = np.clip(((predicted - low) / (1.0 - low) * BINS).astype(np.int64), 0, BINS - 1)
        counts = np.bincount(place, minlength=BINS).astype(np.float64)
        divisors = np.maximum(counts, 1.0)
        sums = [
            np.bincount(place, column, minlength=BINS) / divisors
            for column in (predicted, observed)
        ]
        return cls(counts, sums[0], sums[1])

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of prediction and observation."""
        return float(
            (self.counts * np.abs(self.predicted - self.observed)).sum() / self.counts.sum()
        )

    def to_json(self) -> list[dict[str, float]]:
        columns = zip(
            self.counts.tolist(), self.predicted.tolist(), self.observed.tolist(), strict=True
        )
        return [
            {"positions": int(n), "said": predicted, "was": observed}
            for n, predicted, observed in columns
            if n
        ]


@dataclass(frozen=True)
class HeldOutReport:
    """A network measured on held-out positions of one folder.

    The right move is the one that was played; in a labelled folder it is the engine's first."""

    positions: int
    top1: float
    top3: float
    policy_loss: float
    value_error: float  # mean square
    policy: Reliability
    value: Reliability

    def metrics(self, prefix: str) -> dict[str, float]:
        """The figures as metrics: ``PREFIX_top1`` and so on."""
        return {
            f"{prefix}_top1": self.top1,
            f"{prefix}_top3": self.top3,
            f"{prefix}_policy_loss": self.policy_loss,
            f"{prefix}_value_error": self.value_error,
            f"{prefix}_policy_calibration": self.policy.error,
            f"{prefix}_value_calibration": self.value.error,
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "positions": self.positions,
            **{name.removeprefix("test_"): value for name, value in self.metrics("test").items()},
            "policy_bins": self.policy.to_json(),
            "value_bins": self.value.to_json(),
        }


def held_out_indices(sources: PositionSources, number: int, most: int) -> Indices:
    """The indices of up to ``most`` held-out positions of a folder, evenly spread."""
    test = sources.parts[number].test
    return test[np.linspace(0, len(test) - 1, min(most, len(test))).astype(np.int64)]


def evaluate_module(
    module: Any,
    sources: PositionSources,
    number: int,
    indices: Indices,
    observation: str,
    *,
    half: bool,
) -> HeldOutReport:
    """Measure a module on positions of one folder; it must be in evaluation mode."""
    import torch

    device = next(module.parameters()).device
    columns: list[list[Any]] = [[] for _ in range(5)]
    sums = np.zeros(2)
    for start in range(0, len(indices), _BATCH):
        part = indices[start : start + _BATCH]
        nothing = np.zeros(0, np.int64)
        chosen = [part if i == number else nothing for i in range(len(sources.parts))]
        minibatch = tensors_of(sources.assemble(chosen), pinned=False).to(device)
        right = minibatch.slots[:, 0].long()
        with torch.inference_mode():
            logs, values = predict(module, minibatch, observation, half)
            sums += [float(loss) * len(part) for loss in losses(logs, values, minibatch)]
            rank = (logs > logs.gather(1, right[:, None])).sum(1)
            confidence, hit = logs.amax(1).exp(), logs.argmax(1) == right
            results = rank, confidence, hit, values, minibatch.values
        for column, tensor in zip(columns, results, strict=True):
            column.append(tensor.cpu().numpy())
    ranks, confidences, hits, predicted, targets = (
        np.concatenate(column).astype(np.float64) for column in columns
    )
    return HeldOutReport(
        len(indices), float((ranks < 1).mean()), float((ranks < 3).mean()),
        sums[0] / len(indices), sums[1] / len(indices),
        Reliability.of(confidences, hits, 0.0), Reliability.of(predicted, targets, -1.0),
    )  # fmt: skip


def evaluate_net(
    name: str, folder: str, fold: int, most: int, device: str = "cpu"
) -> HeldOutReport:
    """Measure a network, by name or path, on held-out positions of a folder."""
    from playproof.nets.forward.resnet import resolve_device
    from playproof.nets.resnet import ResNetArchitecture
    from playproof.nets.shipped import find
    from playproof.nets.torch_modules.vectors import load_vector, module_of

    sources = PositionSources(folder, fold)
    net = find(name, sources.game)
    if not isinstance(net.architecture, ResNetArchitecture):
        raise UsageError(f"{name} is not a residual network: want one, such as chess-10x128")
    indices = held_out_indices(sources, 0, most)
    if not len(indices):
        raise DataError(f"{folder} has no held-out positions in fold {fold}: want another fold")
    device = resolve_device(device)
    module = module_of(net.architecture)
    load_vector(module, net.architecture, net.weights)
    module.to(device).eval()
    return evaluate_module(module, sources, 0, indices, net.observation, half=device == "cuda")
