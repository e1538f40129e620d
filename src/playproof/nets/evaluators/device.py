"""A network on a GPU that evaluates leaves while the CPU continues to work.

Observations are written into page-locked memory, copied to the GPU and evaluated in 16 bits, and
the outputs of legal actions are gathered. Each evaluator has its own stream for this, so that
copies for one forest overlap with the network's computation for another. The network's kernels are
recorded once as a CUDA graph and replayed, because launching them one by one from Python would take
longer than they run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import UsageError
from playproof.nets.architectures import AnyArchitecture
from playproof.nets.forward.mlp import softmax
from playproof.nets.mlp import Vector
from playproof.nets.resnet import ResNetArchitecture
from playproof.nets.torch_modules.vectors import load_vector, module_of
from playproof.search.evaluators import Evaluation
from playproof.search.mcts.leaves import Leaves

if TYPE_CHECKING:
    import torch

_WARM_UP = 3  # passes before a graph may be recorded
_ACTIONS_PER_ROW = 64  # legal actions per row for which memory is allocated at first

Floats = npt.NDArray[np.float32]


class DeviceNet:
    """A network on a device, whose weights can be replaced in place."""

    def __init__(self, architecture: AnyArchitecture, weights: Vector, device: str) -> None:
        import torch

        self.architecture, self.device = architecture, device
        self.dtype = torch.bfloat16 if device.startswith("cuda") else torch.float32
        self.module = self._build_module(weights)

    def _build_module(self, weights: Vector) -> Any:
        import torch

        module: Any = module_of(self.architecture)
        load_vector(module, self.architecture, weights)
        if isinstance(self.architecture, ResNetArchitecture):
            from playproof.nets.torch_modules.resnet import fold

            module = fold(module)
        module = module.eval().requires_grad_(False)
        return module.to(self.device, self.dtype, memory_format=torch.channels_last)

    def load_weights(self, weights: Vector) -> None:
        """Replace the weights in place, where recorded graphs find them."""
        import torch

        for old, new in zip(
            self.module.parameters(), self._build_module(weights).parameters(), strict=True
        ):
            old.copy_(new)
        if self.device.startswith("cuda"):  # evaluators use other streams
            torch.cuda.current_stream().synchronize()

    def shape(self, rows: int) -> tuple[int, ...]:
        """The shape of the observations of some rows."""
        a = self.architecture
        if isinstance(a, ResNetArchitecture):
            return (rows, a.planes, a.height, a.width)
        return (rows, a.inputs)

    def predict(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (rows, actions) and values (rows,) of observations."""
        import torch

        x = observations.to(self.dtype)
        if x.ndim == 4:
            x = x.contiguous(memory_format=torch.channels_last)
        logits, values = self.module(x)
        return logits, values.float()


class DeviceEvaluator:
    """Evaluates ``rows`` leaves of one forest per round, by a network that forests may share.

    ``win`` is the value of a won game in the network's values.
    """

    def __init__(self, net: DeviceNet, rows: int, observation: str, win: float = 1.0) -> None:
        import torch

        cuda = net.device.startswith("cuda")
        self.net, self.observation, self._win = net, observation, win
        self._host = torch.zeros(net.shape(rows), pin_memory=cuda)
        self._inputs = torch.zeros(net.shape(rows), device=net.device)
        self._values = torch.zeros(rows, pin_memory=cuda)
        self._stream = torch.cuda.Stream() if cuda else None
        self._done = torch.cuda.Event() if cuda else None
        self._reserve(rows * _ACTIONS_PER_ROW)
        self._graph: Any = None
        self._leaves: Leaves | None = None
        if cuda:
            self._record()

    def _reserve(self, actions: int) -> None:
        """Allocate memory for a number of legal actions."""
        import torch

        cuda = self.net.device.startswith("cuda")
        self._places = torch.zeros(actions, dtype=torch.int64, pin_memory=cuda)
        self._logits = torch.zeros(actions, pin_memory=cuda)

    def _record(self) -> None:
        """Record the network's kernels as a CUDA graph."""
        import torch

        assert self._stream is not None
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.inference_mode(), torch.cuda.stream(self._stream):
            for _ in range(_WARM_UP):
                self._outputs = self.net.predict(self._inputs)
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph, stream=self._stream):
                self._outputs = self.net.predict(self._inputs)
        torch.cuda.synchronize()

    def _forward(self) -> None:
        if self._graph is not None:
            self._graph.replay()
        else:
            self._outputs = self.net.predict(self._inputs)

    def buffer(self, rows: int, inputs: int) -> Floats:
        """(rows, inputs) the memory that is copied to the device."""
        host: Floats = self._host.reshape(len(self._host), -1).numpy()
        if host.shape != (rows, inputs):
            raise UsageError(
                f"this evaluator is for {host.shape[0]} leaves of {host.shape[1]} inputs, not for "
                f"{rows} of {inputs}"
            )
        return host

    def submit(self, leaves: Leaves) -> None:
        import torch

        self._leaves, n = leaves, len(leaves.places)
        if n > len(self._places):
            self._reserve(2 * n)
        self._places.numpy()[:n] = leaves.places
        with torch.inference_mode(), torch.cuda.stream(self._stream):
            self._inputs.copy_(self._host, non_blocking=True)
            self._forward()
            logits, values = self._outputs
            listed = self._places[:n].to(self.net.device, non_blocking=True)
            self._logits[:n].copy_(logits.reshape(-1)[listed].float(), non_blocking=True)
            self._values.copy_(values, non_blocking=True)
            if self._done is not None:
                self._done.record()

    def result(self) -> Evaluation:
        assert self._leaves is not None
        leaves, self._leaves = self._leaves, None
        if self._done is not None:
            self._done.synchronize()
        priors = softmax(leaves.legal, self._logits.numpy()[: len(leaves.places)])
        own = self._values.numpy().astype(np.float64) / self._win
        return Evaluation(priors, np.clip(own, -1.0, 1.0) * leaves.signs)


def network_speed(evaluators: Sequence[DeviceEvaluator], seconds: float = 2.0) -> float:
    """Positions per second of the network alone, with inputs that are already on the device."""
    import torch

    rows, device = sum(len(each._host) for each in evaluators), evaluators[0].net.device

    def run_round() -> None:
        for evaluator in evaluators:
            with torch.inference_mode(), torch.cuda.stream(evaluator._stream):
                evaluator._forward()

    return rows * _rounds_per_second(run_round, seconds, device)


def _rounds_per_second(run_round: Callable[[], None], seconds: float, device: str) -> float:
    import torch

    def synchronize() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    run_round()
    synchronize()
    rounds, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        for _ in range(10):
            run_round()
        synchronize()
        rounds += 10
    return rounds / (time.perf_counter() - started)
