"""Tree searches in many games at once with one network: a call judges a leaf, or a few, of each.

On a GPU memory and the network's recorded kernels are made once for a number of
games, rounded up, and serve for move after move.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.batch import Batch
from playproof.nets.files import Net
from playproof.nets.judges import Judge, NetJudge, grow
from playproof.nets.kinds import forward
from playproof.nets.resnet import ResNetArchitecture
from playproof.nets.resnet_forward import chosen_device
from playproof.search.many_trees import Growth, ManyTrees

if TYPE_CHECKING:
    from playproof.core.game import Game
    from playproof.core.stopping import StopFlag


class NetTrees:
    """A network of ``game`` that searches; ``device`` is cpu, cuda or auto."""

    def __init__(self, net: Net, game: Game, growth: Growth, device: str = "cpu") -> None:
        net.check(game)
        self.net, self.game, self.growth = net, game, growth
        # A small network is quicker where the trees are.
        residual = isinstance(net.architecture, ResNetArchitecture)
        self.device = chosen_device(device) if residual or device == "cuda" else "cpu"
        self._judge = None
        if self.device == "cpu" or not residual:
            self._judge = NetJudge(forward(net, device=self.device), net.win)
        self._kept: dict[int, tuple[Any, ManyTrees]] = {}  # by the number of games

    def grown(
        self, batch: Batch, seed: int, *, seconds: float | None = None, stop: StopFlag | None = None
    ) -> ManyTrees:
        """A tree for each row of ``batch``, grown; the first of so many that there are.

        What a tree draws at random depends on ``seed`` and its row's own."""
        judge, trees = self._ready(len(batch))
        rows = np.minimum(np.arange(len(trees)), len(batch) - 1)
        wanted = np.arange(len(trees)) < len(batch)
        quiet = np.zeros(len(trees))
        trees.plant(batch.take(rows), self.growth.simulations, seed, quiet, wanted)
        ends = None if seconds is None else time.perf_counter() + seconds

        def stopped() -> bool:
            if not trees.done.any():
                return False  # a root must have been looked at
            return bool(stop is not None and stop[0]) or (
                ends is not None and time.perf_counter() >= ends
            )

        grow([trees], [judge], stopped=stopped)
        return trees

    def _ready(self, games: int) -> tuple[Judge, ManyTrees]:
        growth, seen = self.growth, self.net.observation
        if self._judge is not None:
            return self._judge, ManyTrees(self.game, games, growth, seen)
        from playproof.nets.device_judge import DeviceJudge, DeviceNet

        size = 1 << (games - 1).bit_length()
        if size not in self._kept:
            net = DeviceNet(self.net.architecture, self.net.weights, self.device)
            judge = DeviceJudge(net, [size * growth.leaves], self.net.win)
            self._kept[size] = judge, ManyTrees(self.game, size, growth, seen, judge.planes(0))
        return self._kept[size]
