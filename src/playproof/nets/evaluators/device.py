"""A network on a GPU that evaluates leaves while the CPU goes on.

Observations are written into page-locked memory, copied, evaluated in 16 bits and gathered by
the legal actions, all in a stream of each evaluator's own, so that the copies of one forest run
beside the network of the other.  The network's kernels are recorded once, as a CUDA graph, and
replayed: starting them one by one from Python would take longer than they run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import UsageError
from playproof.nets.forward.mlp import softmax
from playproof.nets.kinds import AnyArchitecture
from playproof.nets.mlp import Vector
from playproof.nets.resnet import ResNetArchitecture
from playproof.nets.torch_modules.vectors import load_vector, module_of
from playproof.search.evaluators import Evaluation
from playproof.search.mcts.leaves import Leaves

if TYPE_CHECKING:
    import torch

_WARM = 3  # passes before a graph may be recorded
_LISTED = 64  # legal actions a row for which there is room at first

Floats = npt.NDArray[np.float32]


class DeviceNet:
    """A network ready on a device, its numbers exchanged in place."""

    def __init__(self, architecture: AnyArchitecture, weights: Vector, device: str) -> None:
        import torch

        self.architecture, self.device = architecture, device
        self.kind = torch.bfloat16 if device.startswith("cuda") else torch.float32
        self.module = self._ready(weights)

    def _ready(self, weights: Vector) -> Any:
        import torch

        made: Any = module_of(self.architecture)
        load_vector(made, self.architecture, weights)
        if isinstance(self.architecture, ResNetArchitecture):
            from playproof.nets.torch_modules.resnet import fold

            made = fold(made)
        made = made.eval().requires_grad_(False)
        return made.to(self.device, self.kind, memory_format=torch.channels_last)

    def exchange(self, weights: Vector) -> None:
        """Other weights, in the places that graphs know."""
        import torch

        for old, new in zip(
            self.module.parameters(), self._ready(weights).parameters(), strict=True
        ):
            old.copy_(new)
        if self.device.startswith("cuda"):  # evaluators have streams of their own
            torch.cuda.current_stream().synchronize()

    def shape(self, rows: int) -> tuple[int, ...]:
        """Of what is seen."""
        a = self.architecture
        if isinstance(a, ResNetArchitecture):
            return (rows, a.planes, a.height, a.width)
        return (rows, a.inputs)

    def answers(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(logits (rows, actions), values (rows,)) from what is seen."""
        import torch

        x = seen.to(self.kind)
        if x.ndim == 4:
            x = x.contiguous(memory_format=torch.channels_last)
        logits, values = self.module(x)
        return logits, values.float()


class DeviceEvaluator:
    """The leaves of one forest, ``rows`` in a round, for a network that forests may share.

    ``win`` is what a won game is worth in the network's values.
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
        self._make_room(rows * _LISTED)
        self._graph: Any = None
        self._leaves: Leaves | None = None
        if cuda:
            self._record()

    def _make_room(self, listed: int) -> None:
        import torch

        cuda = self.net.device.startswith("cuda")
        self._places = torch.zeros(listed, dtype=torch.int64, pin_memory=cuda)
        self._logits = torch.zeros(listed, pin_memory=cuda)

    def _record(self) -> None:
        import torch

        assert self._stream is not None
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.inference_mode(), torch.cuda.stream(self._stream):
            for _ in range(_WARM):
                self._outputs = self.net.answers(self._inputs)
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph, stream=self._stream):
                self._outputs = self.net.answers(self._inputs)
        torch.cuda.synchronize()

    def _forward(self) -> None:
        if self._graph is not None:
            self._graph.replay()
        else:
            self._outputs = self.net.answers(self._inputs)

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
            self._make_room(2 * n)
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


def bare_speed(evaluators: Sequence[DeviceEvaluator], seconds: float = 2.0) -> float:
    """Positions a second of the network alone, its inputs on the device, one evaluator after
    the other."""
    import torch

    rows, device = sum(len(one._host) for one in evaluators), evaluators[0].net.device

    def once() -> None:
        for one in evaluators:
            with torch.inference_mode(), torch.cuda.stream(one._stream):
                one._forward()

    return rows * _rounds_a_second(once, seconds, device)


def _rounds_a_second(once: Callable[[], None], seconds: float, device: str) -> float:
    import torch

    def settle() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    once()
    settle()
    rounds, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for _ in range(10):
            once()
        settle()
        rounds += 10
    return rounds / (time.perf_counter() - began)
