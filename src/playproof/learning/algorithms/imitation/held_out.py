"""How a network does on positions that were held out: hits, errors, and whether it knows.

Calibration (Guo et al., 2017): where a network gives its first move 70 %, that
move should be the one in 70 of 100 positions; where it expects a value of 0.4,
games should have been worth 0.4 in the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.learning.algorithms.imitation.loss import answers, losses
from playproof.learning.algorithms.imitation.minibatches import Indices, Sources, tensors_of

BINS = 10
_AT_ONCE = 2048

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reliability:
    """Of answers in bins: how many, what the network said in the mean, and what was."""

    counts: Floats
    said: Floats
    was: Floats

    @classmethod
    def of(cls, said: Floats, was: Floats, low: float) -> Reliability:
        """In equal bins from ``low`` to 1."""
        place = np.clip(((said - low) / (1.0 - low) * BINS).astype(np.int64), 0, BINS - 1)
        counts = np.bincount(place, minlength=BINS).astype(np.float64)
        known = np.maximum(counts, 1.0)
        sums = [np.bincount(place, column, minlength=BINS) / known for column in (said, was)]
        return cls(counts, sums[0], sums[1])

    @property
    def error(self) -> float:
        """The mean distance of what was said from what was, over all answers."""
        return float((self.counts * np.abs(self.said - self.was)).sum() / self.counts.sum())

    def to_json(self) -> list[dict[str, float]]:
        columns = zip(self.counts.tolist(), self.said.tolist(), self.was.tolist(), strict=True)
        return [{"positions": int(n), "said": said, "was": was} for n, said, was in columns if n]


@dataclass(frozen=True)
class Report:
    """Of held-out positions of one folder.  For a labelled one the right move is the engine's
    first."""

    positions: int
    top1: float
    top3: float
    policy_loss: float
    value_error: float  # mean square
    policy: Reliability
    value: Reliability

    def facts(self, name: str) -> dict[str, float]:
        return {
            f"{name}_top1": self.top1,
            f"{name}_top3": self.top3,
            f"{name}_policy_loss": self.policy_loss,
            f"{name}_value_error": self.value_error,
            f"{name}_policy_calibration": self.policy.error,
            f"{name}_value_calibration": self.value.error,
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "positions": self.positions,
            **{name.removeprefix("test_"): value for name, value in self.facts("test").items()},
            "policy_bins": self.policy.to_json(),
            "value_bins": self.value.to_json(),
        }


def held_out(sources: Sources, number: int, most: int) -> Indices:
    """Up to ``most`` held-out positions of a folder, spread over all of them."""
    test = sources.parts[number].test
    return test[np.linspace(0, len(test) - 1, min(most, len(test))).astype(np.int64)]


def examine(
    module: Any, sources: Sources, number: int, indices: Indices, observation: str, *, half: bool
) -> Report:
    """Ask a module about positions of one folder; it must be in its mode for inference."""
    import torch

    device = next(module.parameters()).device
    columns: list[list[Any]] = [[] for _ in range(5)]
    sums = np.zeros(2)
    for begin in range(0, len(indices), _AT_ONCE):
        part = indices[begin : begin + _AT_ONCE]
        nothing = np.zeros(0, np.int64)
        chosen = [part if i == number else nothing for i in range(len(sources.parts))]
        made = tensors_of(sources.made(chosen), pinned=False)
        lesson = [tensor.to(device) for tensor in made]
        with torch.inference_mode():
            logs, values = answers(module, lesson, observation, half)
            sums += [float(loss) * len(part) for loss in losses(logs, values, lesson)]
            right = logs.gather(1, lesson[2][:, :1].long())
            rank = (logs > right).sum(1)
            found = rank, logs.amax(1).exp(), values, lesson[4], logs.argmax(1) == lesson[2][:, 0]
        for column, tensor in zip(columns, found, strict=True):
            column.append(tensor.cpu().numpy())
    ranks, sure, valued, wanted, hit = (
        np.concatenate(column).astype(np.float64) for column in columns
    )
    return Report(
        len(indices), float((ranks < 1).mean()), float((ranks < 3).mean()),
        sums[0] / len(indices), sums[1] / len(indices),
        Reliability.of(sure, hit, 0.0), Reliability.of(valued, wanted, -1.0),
    )  # fmt: skip


def examine_net(name: str, folder: str, fold: int, most: int, device: str = "cpu") -> Report:
    """A network, by name or path, on a folder's held-out positions."""
    from playproof.nets.forward.resnet import resolve_device
    from playproof.nets.resnet import ResNetArchitecture
    from playproof.nets.shipped import find
    from playproof.nets.torch_modules.vectors import load_vector, module_of

    sources = Sources(folder, fold)
    net = find(name, sources.game)
    if not isinstance(net.architecture, ResNetArchitecture):
        raise UsageError(f"{name} is no residual network: want one that imitation has trained")
    indices = held_out(sources, 0, most)
    if not len(indices):
        raise DataError(f"{folder} holds no position out in fold {fold}")
    device = resolve_device(device)
    module = module_of(net.architecture)
    load_vector(module, net.architecture, net.weights)
    module.to(device).eval()
    return examine(module, sources, 0, indices, net.observation, half=device == "cuda")
