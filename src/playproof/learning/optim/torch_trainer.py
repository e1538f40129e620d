"""A network and its optimiser, Adam, in PyTorch on any device.

On a GPU, a step is recorded as a CUDA graph after a few ordinary steps; from then on the graph is
replayed.  Otherwise Python would take longer to launch the hundreds of small kernels of a step than
the GPU takes to run them, and would slow down what the CPU does at the same time.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import PlayproofError, UsageError
from playproof.nets.architectures import AnyArchitecture
from playproof.nets.mlp import Vector
from playproof.nets.torch_modules.vectors import load_vector, module_of, vector_from

if TYPE_CHECKING:
    import torch

_EAGER_STEPS = 3  # ordinary steps before the graph is recorded
_recording = threading.Lock()  # one trainer of a process at a time

Arrays = Mapping[str, npt.NDArray[Any]]


def check_device(device: str) -> None:
    """Raise a UsageError if PyTorch cannot use a device, such as ``cpu`` or ``cuda``."""
    import torch

    if device.startswith("cuda") and not torch.cuda.is_available():
        raise UsageError("--device cuda: PyTorch finds no CUDA device here; use --device cpu")
    try:
        torch.device(device)
    except RuntimeError:
        raise UsageError(f"--device {device}: want cpu or cuda") from None


class TorchTrainer(ABC):
    """Trains a network on minibatches; a derived class says by which losses.

    ``decay`` is the factor c of a loss c |weights|^2, which leaves out biases and the parameters of
    normalisation.  ``norm`` is the norm that gradients are clipped to.
    """

    def __init__(
        self,
        architecture: AnyArchitecture,
        weights: Vector,
        *,
        decay: float,
        norm: float,
        device: str = "cpu",
    ) -> None:
        import torch

        check_device(device)
        self.architecture, self.device, self._max_norm = architecture, device, norm
        self._cuda = device.startswith("cuda")
        self.module = module_of(architecture)
        load_vector(self.module, architecture, weights)
        self.module.to(device)
        if self._cuda:
            self.module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        parameters = list(self.module.parameters())
        weight_tensors = [p for p in parameters if p.ndim > 1]
        biases_and_norms = [p for p in parameters if p.ndim <= 1]
        # The gradient of c |w|^2 is 2 c w.
        groups: list[dict[str, Any]] = [
            {"params": weight_tensors, "weight_decay": 2 * decay},
            {"params": biases_and_norms},
        ]
        if self._cuda:
            # A replayed graph reads the current rate only if the rate is a tensor.
            rate = torch.zeros((), device=device)
            self.adam = torch.optim.Adam(groups, lr=rate, fused=True, capturable=True)
        else:
            self.adam = torch.optim.Adam(groups, lr=1e-3, foreach=False)
        self.steps = 0
        # The state of the graph; all of it is unused on the CPU.
        self._graph: Any = None
        self._stream: Any = None
        self._copies_done: Any = None  # a CUDA event
        self._eager_steps = 0  # ordinary steps taken since the last graph was dropped
        self._inputs: dict[str, torch.Tensor] = {}  # the minibatch that the graph reads
        self._pinned: dict[str, torch.Tensor] = {}  # the same in page-locked memory of the CPU
        self._losses: tuple[torch.Tensor, ...] = ()  # written by the graph

    @property
    def weights(self) -> Vector:
        """All parameters as one vector, after the steps taken so far."""
        self.synchronize()
        return vector_from(self.module, self.architecture)

    @abstractmethod
    def losses(
        self, minibatch: dict[str, torch.Tensor]
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """(the loss to minimise, scalars to report), computed by ``self.module``."""

    @property
    def is_recorded(self) -> bool:
        """Whether the graph of a step is recorded; true on devices without graphs."""
        return self._graph is not None or not self._cuda

    def step(self, minibatch: Arrays, rate: float) -> tuple[torch.Tensor, ...]:
        """Take one step of Adam with the learning rate ``rate``; returns the scalars to report."""
        import torch

        self.steps += 1
        if not self._cuda:
            for group in self.adam.param_groups:
                group["lr"] = rate
            return self._update(
                {name: torch.from_numpy(array) for name, array in minibatch.items()}
            )
        if self._stream is None:
            self._stream = torch.cuda.Stream()
        with torch.cuda.stream(self._stream):
            self._copy_to_device(minibatch)
            for group in self.adam.param_groups:
                group["lr"].fill_(rate)
            if self._graph is not None:
                self._graph.replay()
            elif self._eager_steps < _EAGER_STEPS:
                self._eager_steps += 1
                self._losses = self._update(self._inputs)
            else:
                self._record_graph()
            return tuple(loss.clone() for loss in self._losses)

    def synchronize(self) -> None:
        """Wait until the GPU has finished the steps taken so far."""
        if self._stream is not None:
            self._stream.synchronize()

    def _update(self, minibatch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Compute the losses and their gradients, and update the weights; returns the losses."""
        import torch

        self.module.train()
        self.adam.zero_grad(set_to_none=True)
        loss, reported = self.losses(minibatch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), self._max_norm)
        self.adam.step()
        return tuple(one.detach() for one in reported)

    def predict(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (n, actions) and values (n,) in 32 bits; the layers take bfloat16 on a GPU."""
        import torch

        with torch.autocast("cuda", torch.bfloat16, enabled=self._cuda, cache_enabled=False):
            logits, values = self.module(observations)
        return logits.float(), values.float()

    # The graph of a step

    def _drop_graph(self) -> None:
        """Drop the graph and its tensors, because tensors that it uses are about to be replaced."""
        self._graph = self._stream = self._copies_done = None
        self._eager_steps, self._inputs, self._pinned, self._losses = 0, {}, {}, ()

    def _copy_to_device(self, minibatch: Arrays) -> None:
        """Copy a minibatch to the tensors that the graph reads, through page-locked memory."""
        import torch

        arrays = {name: torch.from_numpy(array) for name, array in minibatch.items()}
        if self._inputs and any(self._inputs[name].shape != a.shape for name, a in arrays.items()):
            self._drop_graph()
            self._stream = torch.cuda.current_stream()
        if not self._inputs:
            self._inputs = {name: a.to(self.device) for name, a in arrays.items()}
            self._pinned = {name: a.pin_memory() for name, a in arrays.items()}
            self._copies_done = torch.cuda.Event()
        self._copies_done.synchronize()  # until then the page-locked memory is still read
        for name, array in arrays.items():
            self._pinned[name].copy_(array)
            self._inputs[name].copy_(self._pinned[name], non_blocking=True)
        self._copies_done.record()

    def _record_graph(self) -> None:
        """Record a step as a graph, and take that step."""
        import torch

        with _recording:
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(
                self._graph, stream=self._stream, capture_error_mode="thread_local"
            ):
                self._losses = self._update(self._inputs)
        self._graph.replay()  # recording alone computes nothing

    def check_finite(self, losses: npt.NDArray[np.float64]) -> None:
        """Raise a PlayproofError if one of ``losses`` (of any shape) or a weight is not finite."""
        if not np.isfinite(losses).all() or not np.isfinite(self.weights).all():
            raise PlayproofError(
                f"a loss or a weight after step {self.steps} is not finite; the last checkpoint is "
                "kept: want a lower rate"
            )

    # Checkpoints

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The checkpoint: weights, Adam's moments and the number of steps.

        Weights and moments are vectors in the order of the module's parameters.
        """
        moments: dict[str, npt.NDArray[Any]] = {}
        for name in ("exp_avg", "exp_avg_sq"):
            parts = [
                self.adam.state[p][name].cpu().numpy().ravel()
                if p in self.adam.state
                else np.zeros(p.numel(), np.float32)
                for p in self.module.parameters()
            ]
            moments[f"adam.{name}"] = np.concatenate(parts)
        steps = np.array([self.steps], np.int64)
        return {"weights": self.weights, "adam.steps": steps, **moments}

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Return to a checkpoint: ``arrays`` is what ``state`` returned."""
        import torch

        self.synchronize()
        self._drop_graph()
        load_vector(self.module, self.architecture, arrays["weights"])
        self.steps, start = int(arrays["adam.steps"][0]), 0
        self.adam.state.clear()
        for p in self.module.parameters() if self.steps else ():
            end = start + p.numel()
            moments = {
                name: torch.empty_like(p, requires_grad=False).copy_(
                    torch.from_numpy(arrays[f"adam.{name}"][start:end].copy()).reshape(p.shape)
                )
                for name in ("exp_avg", "exp_avg_sq")
            }
            step_device = self.device if self._cuda else "cpu"
            steps = torch.tensor(float(self.steps), device=step_device)
            self.adam.state[p] = {"step": steps, **moments}
            start = end
        if self._cuda:
            torch.cuda.synchronize()
