"""PPO's update from Python: its samples, settings and statistics, and the compiled updater."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import LegalLists
from playproof.core.errors import PlayproofError, UsageError
from playproof.learning.algorithms.ppo import kernels as compiled
from playproof.learning.optim.adam import Moments
from playproof.learning.optim.trunk import scratch_length
from playproof.nets.mlp import Architecture

Floats = npt.NDArray[np.floating]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class UpdateSettings:
    """The loss and the optimiser; the defaults are ChokoZero's."""

    clip: float = 0.2  # the distance from 1 at which probability ratios are clipped
    value_weight: float = 0.5
    entropy_weight: float = 0.01
    rate: float = 1e-4  # learning rate
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    norm: float = 0.5  # gradients are clipped to this norm

    def vector(self) -> npt.NDArray[np.float64]:
        """The settings as a vector, in the order of the kernels' indices."""
        return np.array([getattr(self, field.name) for field in fields(self)], np.float64)


@dataclass(frozen=True)
class Samples:
    """Decisions to learn from, recorded once and visited in many minibatches."""

    observations: Floats  # (samples, inputs)
    legal: LegalLists
    chosen: Counts  # (samples,) the index of the chosen action in its sample's list
    old: Floats  # (samples,) its log-probability when it was chosen
    advantages: Floats  # (samples,)
    returns: Floats  # (samples,)

    def __len__(self) -> int:
        return len(self.chosen)

    def check(self, architecture: Architecture) -> None:
        """Raise a UsageError for inconsistent samples, which the kernels would not notice."""
        n, counts = len(self), np.diff(self.legal.offsets)
        if n == 0:
            raise UsageError("there is nothing to learn from: want at least 1 sample")
        vectors = (self.chosen, self.old, self.advantages, self.returns, counts)
        if self.observations.shape != (n, architecture.inputs) or any(
            vector.shape != (n,) for vector in vectors
        ):
            raise UsageError(
                f"samples do not fit together: want {n} observations of "
                f"{architecture.inputs} numbers and {n} of all the rest"
            )
        if counts.min() < 1 or (self.chosen < 0).any() or (self.chosen >= counts).any():
            raise UsageError("each sample needs legal actions and the index of one of them")
        actions, offsets = self.legal.actions, self.legal.offsets
        if offsets[0] != 0 or offsets[-1] != len(actions):
            raise UsageError(
                f"the offsets of legal actions must go from 0 to {len(actions)}, their number"
            )
        if actions.min() < 0 or actions.max() >= architecture.actions:
            raise UsageError(f"legal actions are numbers below {architecture.actions}")


@dataclass(frozen=True)
class Statistics:
    """Statistics of one minibatch, or their means over many."""

    policy_loss: float
    value_loss: float
    entropy: float  # nats
    clipped: float  # share of ratios outside the clip
    divergence: float  # about KL(old, new): the mean of (r - 1) - log r
    gradient_norm: float  # before it was clipped


class Updater:
    """Trains a network: its vector of parameters is changed in place."""

    def __init__(
        self,
        architecture: Architecture,
        parameters: Floats,
        settings: UpdateSettings | None = None,
        *,
        minibatch: int = 128,
        moments: Moments | None = None,
    ) -> None:
        if parameters.shape != (architecture.parameters,):
            raise UsageError(
                f"the network has {architecture.parameters} parameters, "
                f"the vector {parameters.size} numbers"
            )
        if parameters.dtype not in (np.float32, np.float64):
            raise UsageError(f"parameters are float32, or float64, not {parameters.dtype}")
        if minibatch < 1:
            raise UsageError(f"a minibatch has at least 1 sample, not {minibatch}")
        self.architecture = architecture
        self.parameters = parameters
        self.settings = settings or UpdateSettings()
        self.minibatch = minibatch
        self.moments = moments or Moments.start(parameters)
        for moment in (self.moments.first, self.moments.second):
            if moment.shape != parameters.shape or moment.dtype != parameters.dtype:
                raise UsageError(
                    f"Adam's moments must be {parameters.size} numbers of {parameters.dtype}, "
                    f"as the parameters, not {moment.size} of {moment.dtype}"
                )
        self._widths = np.array(architecture.widths, np.int64)
        self._gradient = np.empty_like(parameters)
        self._scratch = np.empty(0, parameters.dtype)

    def _arguments(self, samples: Samples) -> tuple[Any, ...]:
        kind = self.parameters.dtype
        return (
            self._widths,
            self.architecture.actions,
            self.architecture.value,
            np.ascontiguousarray(samples.observations, kind),
            np.ascontiguousarray(samples.legal.offsets, np.int64),
            np.ascontiguousarray(samples.legal.actions, np.int32),
            np.ascontiguousarray(samples.chosen, np.int64),
            *(
                np.ascontiguousarray(vector, kind)
                for vector in (samples.old, samples.advantages, samples.returns)
            ),
        )

    def _room(self, samples: int) -> Floats:
        need = scratch_length(self.architecture.widths, self.architecture.actions, samples)
        if len(self._scratch) < need:
            self._scratch = np.empty(need, self.parameters.dtype)
        return self._scratch

    def gradient(self, samples: Samples) -> tuple[Floats, Statistics]:
        """The gradient of the loss over all ``samples`` as one minibatch, without a step."""
        samples.check(self.architecture)
        gradient, statistics = np.empty_like(self.parameters), np.zeros(6)
        picked = np.arange(len(samples), dtype=np.int64)
        last = picked, self.settings.vector(), self._room(len(samples)), gradient, statistics
        compiled.gradient_of(*(self.parameters, *self._arguments(samples), *last))
        statistics[compiled.GRADIENT_NORM] = np.linalg.norm(gradient.astype(np.float64))
        return gradient, Statistics(*statistics.tolist())

    def run(self, samples: Samples, order: Counts) -> Statistics:
        """Take a step for each minibatch along ``order``; the means of their statistics.

        ``order`` has the indices of samples, shuffled, of one epoch or several end to end.  The
        last minibatch may be smaller.  If a gradient is not finite, it raises before that step:
        the parameters are then those of the last good step.
        """
        samples.check(self.architecture)
        order = np.ascontiguousarray(order, np.int64)
        if order.size and not 0 <= order.min() <= order.max() < len(samples):
            raise UsageError(
                f"the order has an index outside of the {len(samples)} samples: "
                f"want 0 to {len(samples) - 1}"
            )
        statistics, means = np.zeros(6), np.zeros(6)
        moments = self.moments
        first = self.parameters, moments.first, moments.second, moments.steps
        room = self._room(self.minibatch), self._gradient, statistics, means
        last = order, self.minibatch, self.settings.vector(), *room
        done = compiled.updates(*(*first, *self._arguments(samples), *last))
        if done < -(-len(order) // self.minibatch):
            raise PlayproofError(
                f"the gradient of step {self.moments.steps[0] + 1} is not finite: "
                "want a lower learning rate, or look for rewards that are not numbers"
            )
        return Statistics(*means.tolist())
