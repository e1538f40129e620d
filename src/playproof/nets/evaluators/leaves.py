"""A network as the evaluator of many trees' leaves: on the CPU at once, on a GPU in between.

``evaluator`` in ``nets/evaluators/network.py`` is the same network as a function of positions, for
searches of another kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from playproof.core.batch import LegalLists
from playproof.nets.files import Net
from playproof.nets.forward.mlp import softmax
from playproof.nets.forward.resnet import chosen_device
from playproof.nets.kinds import forward
from playproof.nets.resnet import ResNetArchitecture
from playproof.search.evaluators import Evaluation
from playproof.search.mcts.leaves import LeafEvaluator, Leaves, SynchronousEvaluator

if TYPE_CHECKING:
    from playproof.nets.forward.mlp import Answer

Floats = npt.NDArray[np.float32]


class Forwarding(Protocol):
    """What a network must do: logits of legal actions, and values for the movers."""

    def logits(self, observations: Floats, legal: LegalLists) -> Answer: ...


class NetEvaluator(SynchronousEvaluator):
    """A network that answers at once; ``win`` is what a won game is worth in its values."""

    def __init__(self, network: Forwarding, observation: str, win: float = 1.0) -> None:
        super().__init__()
        self.observation = observation
        self._network, self._win = network, win

    def evaluate_leaves(self, leaves: Leaves) -> Evaluation:
        rows, legal = leaves.present, leaves.present_legal
        seen = leaves.observations
        logits, own = self._network.logits(
            seen if len(rows) == len(leaves.counts) else seen[rows], legal
        )
        values = np.clip(own.astype(np.float64) / self._win, -1.0, 1.0) * leaves.signs[rows]
        return Evaluation(softmax(legal, logits), leaves.scatter(values))


class NetEvaluators:
    """A network for searches of any size; ``device`` is cpu, cuda or auto.

    On the CPU one evaluator serves all.  On a GPU each has memory and recorded kernels of its
    own, for its number of leaves."""

    def __init__(self, net: Net, device: str = "cpu") -> None:
        # A small network is quicker where the trees are.
        residual = isinstance(net.architecture, ResNetArchitecture)
        device = chosen_device(device) if residual or device == "cuda" else "cpu"
        self._net = net
        self.on_gpu = residual and device != "cpu"
        if self.on_gpu:
            from playproof.nets.evaluators.device import DeviceNet

            self._shared = DeviceNet(net.architecture, net.weights, device)
        else:
            self._only = NetEvaluator(forward(net, device=device), net.observation, net.win)

    def for_rows(self, rows: int) -> LeafEvaluator:
        """An evaluator of so many leaves a round."""
        if not self.on_gpu:
            return self._only
        from playproof.nets.evaluators.device import DeviceEvaluator

        return DeviceEvaluator(self._shared, rows, self._net.observation, self._net.win)
