"""PPO's update on a GPU, in PyTorch: a minibatch is recorded once and replayed as a CUDA graph.

A minibatch of 128 is so little work that a GPU would wait for Python most of the time.  The graph
holds all of its kernels: gather the next samples of the order, loss, gradient, clip, Adam, advance
in the order.  Where Triton is installed, it fuses what lies between the matrix products into a few
kernels.  A dense head with a mask costs little on a GPU.  On other devices the same steps run one
by one; this is slow, and used by tests.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import PlayproofError, UsageError
from playproof.learning.algorithms.ppo.torch_update import loss_of
from playproof.learning.algorithms.ppo.update import (
    Counts,
    Floats,
    Samples,
    Statistics,
    Updater,
    UpdateSettings,
)
from playproof.learning.optim.adam import EPSILON_OF_CLIP, Moments
from playproof.nets.mlp import Architecture, parts_of

if TYPE_CHECKING:
    import torch

    from playproof.learning.algorithms.ppo.torch_update import Tensors

_ROOM = 1.25  # space for samples, relative to what the first run needs
_WARM_UP = 3  # minibatches before a graph may be recorded


class DeviceUpdater(Updater):
    """An ``Updater`` on a device; parameters and moments are copied back after every run.

    A last minibatch that is incomplete is skipped."""

    def __init__(
        self,
        architecture: Architecture,
        parameters: Floats,
        settings: UpdateSettings | None = None,
        *,
        minibatch: int = 128,
        moments: Moments | None = None,
        device: str = "cuda",
    ) -> None:
        super().__init__(architecture, parameters, settings, minibatch=minibatch, moments=moments)
        import torch

        if device.startswith("cuda") and not torch.cuda.is_available():
            raise UsageError("--device cuda: PyTorch finds no CUDA device here; use --device cpu")
        try:
            self._device = torch.device(device)
        except RuntimeError:
            raise UsageError(f"--device {device}: want cpu or cuda") from None
        self._state = {
            name: torch.tensor(array, device=self._device)
            for name, array in (
                ("parameters", self.parameters), ("first", self.moments.first),
                ("second", self.moments.second),
            )
        }  # fmt: skip
        flat = self._state["parameters"]
        self._parts = {
            name: flat[start:end].view(shape).detach().requires_grad_()
            for name, (start, end, shape) in _places(architecture).items()
        }
        self._loss: Callable[..., Any] = _loss_of_picked
        self._move: Callable[..., Any] = _move
        if self._device.type == "cuda" and find_spec("triton"):
            self._loss, self._move = torch.compile(_loss_of_picked), torch.compile(_move)
        # What changes between runs and minibatches is on the device too, for the graph to read.
        self._numbers = torch.zeros(4, dtype=torch.float64, device=self._device)
        self._at = torch.zeros(1, dtype=torch.int64, device=self._device)
        self._steps = torch.zeros((), dtype=torch.float64, device=self._device)
        self._sums = torch.zeros(6, dtype=torch.float64, device=self._device)
        self._samples: dict[str, torch.Tensor] = {}
        self._order = torch.zeros(0, dtype=torch.int64, device=self._device)
        self._graph: Any = None

    def run(self, samples: Samples, order: Counts) -> Statistics:
        import torch

        samples.check(self.architecture)
        whole = len(order) - len(order) % self.minibatch
        minibatches = whole // self.minibatch
        if not minibatches:
            raise UsageError(f"want at least a minibatch of {self.minibatch} samples")
        self._load(samples, order[:whole])
        s = self.settings
        self._numbers.copy_(
            torch.tensor([s.rate, s.clip, s.value_weight, s.entropy_weight], dtype=torch.float64)
        )
        self._at.zero_()
        self._sums.zero_()
        self._steps.fill_(float(self.moments.steps[0]))
        self._run_minibatches(minibatches)
        statistics = (self._sums / minibatches).cpu().numpy()
        if not np.isfinite(statistics).all():
            # The state on the device is spoilt; the last good one is still in our arrays.
            for name, array in (
                ("parameters", self.parameters), ("first", self.moments.first),
                ("second", self.moments.second),
            ):  # fmt: skip
                self._state[name].copy_(torch.from_numpy(array))
            raise PlayproofError(
                f"a gradient after step {self.moments.steps[0]} is not finite: "
                "want a lower learning rate, or look for rewards that are not numbers"
            )
        self.parameters[:] = self._state["parameters"].cpu().numpy()
        self.moments.first[:] = self._state["first"].cpu().numpy()
        self.moments.second[:] = self._state["second"].cpu().numpy()
        self.moments.steps[0] += minibatches
        return Statistics(*statistics.tolist())

    def _load(self, samples: Samples, order: Counts) -> None:
        """Copy samples to the device, into the same tensors as before if they fit."""
        import torch

        n, device = len(samples), self._device
        if not self._samples or n > len(self._samples["old"]) or len(order) > len(self._order):
            room = int(n * _ROOM)
            kind = self._state["parameters"].dtype
            sizes = self.architecture
            self._samples = {
                "observations": torch.zeros(room, sizes.inputs, dtype=kind, device=device),
                "mask": torch.zeros(room, sizes.actions, dtype=torch.bool, device=device),
                "actions": torch.zeros(room, dtype=torch.int64, device=device),
            } | {
                name: torch.zeros(room, dtype=kind, device=device)
                for name in ("old", "advantages", "returns")
            }
            self._order = torch.zeros(len(order), dtype=torch.int64, device=device)
            self._graph = None  # it reads the old tensors
        tensors, legal = self._samples, samples.legal
        actions = torch.from_numpy(legal.actions.astype(np.int64)).to(device)
        rows = torch.from_numpy(np.repeat(np.arange(n), np.diff(legal.offsets))).to(device)
        tensors["mask"].zero_()
        tensors["mask"][rows, actions] = True
        chosen = legal.actions[legal.offsets[:-1] + samples.chosen].astype(np.int64)
        tensors["actions"][:n] = torch.from_numpy(chosen).to(device)
        for name in ("observations", "old", "advantages", "returns"):
            array = np.ascontiguousarray(getattr(samples, name))
            tensors[name][:n] = torch.from_numpy(array).to(device)
        self._order[: len(order)] = torch.from_numpy(np.ascontiguousarray(order)).to(device)

    def _run_minibatches(self, minibatches: int) -> None:
        import torch

        if self._device.type != "cuda":
            for _ in range(minibatches):
                self._minibatch()
            return
        if self._graph is None:
            self._record()
        for _ in range(minibatches):
            self._graph.replay()
        torch.cuda.synchronize()

    def _record(self) -> None:
        """Record the graph of a minibatch; undoes the trial steps that this needs."""
        import torch

        changed = [*self._state.values(), self._at, self._steps, self._sums]
        before = [tensor.clone() for tensor in changed]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(_WARM_UP):
                self._minibatch()
        torch.cuda.current_stream().wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._minibatch()
        for tensor, old in zip(changed, before, strict=True):
            tensor.copy_(old)

    def _minibatch(self) -> None:
        """Take a step of Adam on the next samples of the order."""
        import torch

        places = self._at + torch.arange(self.minibatch, device=self._device)
        picked, s = self._order[places], self.settings
        rate, *weights = self._numbers
        loss, statistics = self._loss(
            self._parts, self.architecture, self._samples, picked, *weights
        )
        slopes = torch.autograd.grad(loss, list(self._parts.values()))
        with torch.no_grad():
            norm = self._move(
                slopes, *self._state.values(), self._steps, rate, s.norm, (s.beta1, s.beta2),
                s.epsilon,
            )  # fmt: skip
            self._sums += torch.stack([*(number.double() for number in statistics), norm.double()])
            self._at += self.minibatch


def _loss_of_picked(
    parts: Tensors, architecture: Architecture, samples: Tensors, picked: Any, *weights: Any
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """The loss of some of the samples, and its parts."""
    mine = {name: tensor[picked] for name, tensor in samples.items()}
    loss, statistics = loss_of(parts, architecture, mine, *weights)
    return loss, list(statistics.values())


def _move(
    slopes: Any, parameters: Any, first: Any, second: Any, steps: Any, rate: Any, limit: float,
    betas: tuple[float, float], epsilon: float,
) -> Any:  # fmt: skip
    """Take a step of Adam with the gradient's norm clipped to ``limit``; the norm before that."""
    import torch

    gradient = torch.cat([slope.reshape(-1) for slope in slopes])
    norm = gradient.norm()
    gradient = gradient * (limit / (norm + EPSILON_OF_CLIP)).clamp(max=1.0)
    steps += 1
    first.mul_(betas[0]).add_(gradient, alpha=1 - betas[0])
    second.mul_(betas[1]).addcmul_(gradient, gradient, value=1 - betas[1])
    root = (1 - betas[1] ** steps).sqrt()
    step = rate / (1 - betas[0] ** steps)
    parameters.sub_(step * first / (second.sqrt() / root + epsilon))
    return norm


def _places(architecture: Architecture) -> dict[str, tuple[int, int, tuple[int, ...]]]:
    """Where each part lies in the vector of parameters: start, end, shape."""
    numbers = np.arange(architecture.parameters, dtype=np.float64)
    return {
        name: (int(part.flat[0]), int(part.flat[-1]) + 1, part.shape)
        for name, part in parts_of(architecture, numbers).items()  # type: ignore[arg-type]
    }
