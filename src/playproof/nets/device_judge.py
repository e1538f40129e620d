"""A network on a GPU that judges leaves while the CPU goes on.

What is seen is written into page-locked memory, copied, judged in 16 bits and
gathered by the legal actions, all in a stream of each slot's own, so that the
copies of one forest run beside the network of the other.  The network's kernels
are recorded once, as a CUDA graph, and replayed: starting them one by one from
Python would take longer than they run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.nets.kinds import AnyArchitecture
from playproof.nets.mlp import Vector
from playproof.nets.modules import load_vector, module_of
from playproof.nets.resnet import ResNetArchitecture
from playproof.search.many_trees import ManyTrees, softmax

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
            from playproof.nets.resnet_module import fold

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
        if self.device.startswith("cuda"):  # slots have streams of their own
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


class _Slot:
    """A place for the leaves of one forest, on both sides."""

    def __init__(self, net: DeviceNet, rows: int) -> None:
        import torch

        cuda = net.device.startswith("cuda")
        self.net = net
        self.here = torch.zeros(net.shape(rows), pin_memory=cuda)
        self.seen = torch.zeros(net.shape(rows), device=net.device)
        self.values = torch.zeros(rows, pin_memory=cuda)
        self.stream = torch.cuda.Stream() if cuda else None
        self.done = torch.cuda.Event() if cuda else None
        self._room(rows * _LISTED)
        self.graph: Any = None
        if cuda:
            self._record()

    def _room(self, listed: int) -> None:
        import torch

        cuda = self.net.device.startswith("cuda")
        self.places = torch.zeros(listed, dtype=torch.int64, pin_memory=cuda)
        self.picked = torch.zeros(listed, pin_memory=cuda)

    def _record(self) -> None:
        import torch

        assert self.stream is not None
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.inference_mode(), torch.cuda.stream(self.stream):
            for _ in range(_WARM):
                self.answer = self.net.answers(self.seen)
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, stream=self.stream):
                self.answer = self.net.answers(self.seen)
        torch.cuda.synchronize()

    def judge(self) -> None:
        if self.graph is not None:
            self.graph.replay()
        else:
            self.answer = self.net.answers(self.seen)

    def begin(self, places: npt.NDArray[np.int64]) -> None:
        import torch

        n = len(places)
        if n > len(self.places):
            self._room(2 * n)
        self.places.numpy()[:n] = places
        with torch.inference_mode(), torch.cuda.stream(self.stream):
            self.seen.copy_(self.here, non_blocking=True)
            self.judge()
            logits, values = self.answer
            listed = self.places[:n].to(self.net.device, non_blocking=True)
            self.picked[:n].copy_(logits.reshape(-1)[listed].float(), non_blocking=True)
            self.values.copy_(values, non_blocking=True)
            if self.done is not None:
                self.done.record()


class DeviceJudge:
    """A network for forests with the given numbers of leaves; forest ``k`` writes what it sees
    to ``planes(k)``.  ``win`` is what a won game is worth in the network's values."""

    def __init__(self, net: DeviceNet, rows: list[int], win: float = 1.0) -> None:
        self.net, self._win = net, win
        self.slots = [_Slot(net, n) for n in rows]

    def planes(self, slot: int) -> Floats:
        """(rows, inputs) the memory that is copied to the device."""
        found: Floats = self.slots[slot].here.reshape(len(self.slots[slot].here), -1).numpy()
        return found

    def begin(self, slot: int, trees: ManyTrees) -> None:
        self.slots[slot].begin(trees.places)

    def finish(self, slot: int, trees: ManyTrees) -> tuple[Floats, npt.NDArray[np.float64]]:
        place = self.slots[slot]
        if place.done is not None:
            place.done.synchronize()
        priors = softmax(trees.legal.offsets, place.picked.numpy()[: len(trees.places)])
        own = place.values.numpy().astype(np.float64) / self._win
        return priors, np.clip(own, -1.0, 1.0) * trees.signs

    def bare_speed(self, seconds: float = 2.0) -> float:
        """Positions a second of the network alone, its inputs on the device, slot after slot."""
        import torch

        rows, device = sum(len(slot.here) for slot in self.slots), self.net.device

        def once() -> None:
            for slot in self.slots:
                with torch.inference_mode(), torch.cuda.stream(slot.stream):
                    slot.judge()

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
