"""Networks as evaluators of the leaves of many trees, on the CPU or on a GPU.

``evaluator`` in ``nets/evaluators/network.py`` is a network as a function of positions, for other
searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from playproof.core.batch import LegalLists
from playproof.nets.architectures import forward
from playproof.nets.files import Net
from playproof.nets.forward.mlp import softmax
from playproof.nets.forward.resnet import resolve_device
from playproof.nets.resnet import ResNetArchitecture
from playproof.search.evaluators import Evaluation
from playproof.search.mcts.leaves import LeafEvaluator, Leaves, SynchronousEvaluator

if TYPE_CHECKING:
    from playproof.nets.forward.mlp import NetOutput

Floats = npt.NDArray[np.float32]


class LogitsNetwork(Protocol):
    """A network that computes logits of legal actions, and values for the movers."""

    def logits(self, observations: Floats, legal: LegalLists) -> NetOutput: ...


class NetEvaluator(SynchronousEvaluator):
    """A network as an evaluator on the CPU; ``win`` is the value of a won game in its values."""

    def __init__(self, network: LogitsNetwork, observation: str, win: float = 1.0) -> None:
        super().__init__()
        self.observation = observation
        self._network, self._win = network, win

    def evaluate_leaves(self, leaves: Leaves) -> Evaluation:
        rows, legal = leaves.present, leaves.present_legal
        observations = leaves.observations
        logits, own = self._network.logits(
            observations if len(rows) == len(leaves.counts) else observations[rows], legal
        )
        values = np.clip(own.astype(np.float64) / self._win, -1.0, 1.0) * leaves.signs[rows]
        return Evaluation(softmax(legal, logits), leaves.scatter(values))


class NetEvaluatorFactory:
    """Makes evaluators of one network for searches of any size; ``device`` is cpu, cuda or auto.

    On the CPU one evaluator serves all searches. On a GPU each number of leaves needs an evaluator
    with its own memory and recorded kernels.
    """

    def __init__(self, net: Net, device: str = "cpu") -> None:
        # A small network is faster on the CPU, where the trees are.
        residual = isinstance(net.architecture, ResNetArchitecture)
        device = resolve_device(device) if residual or device == "cuda" else "cpu"
        self._net = net
        self.on_gpu = residual and device != "cpu"
        if self.on_gpu:
            from playproof.nets.evaluators.device import DeviceNet

            self._shared = DeviceNet(net.architecture, net.weights, device)
        else:
            self._only = NetEvaluator(forward(net, device=device), net.observation, net.win)

    def for_rows(self, rows: int) -> LeafEvaluator:
        """An evaluator of up to ``rows`` leaves per round."""
        if not self.on_gpu:
            return self._only
        from playproof.nets.evaluators.device import DeviceEvaluator

        return DeviceEvaluator(self._shared, rows, self._net.observation, self._net.win)
