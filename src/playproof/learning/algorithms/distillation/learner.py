"""Distillation: a residual network learns the exact values of Choko.

An iteration is ``steps`` steps of the optimiser.  Positions are drawn and labelled in the
background (``feed``) while the network learns.  On a GPU layers are computed in bfloat16 and
weights are float32.  On a CPU everything is float32, and a resumed run ends with the same bits.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.learning.algorithms.distillation import held_out
from playproof.learning.algorithms.distillation.feed import Reader, shared_feed
from playproof.learning.algorithms.distillation.lessons import Lesson, label
from playproof.learning.algorithms.distillation.positions import Positions
from playproof.learning.algorithms.distillation.settings import DistillationSettings
from playproof.learning.algorithms.distillation.trainer import DistillationTrainer
from playproof.learning.algorithms.distillation.truth import open_truth
from playproof.learning.evaluation import Evaluation
from playproof.learning.learner import Stopped, never
from playproof.learning.yardstick import measure_policy, policy_network
from playproof.nets.forward.resnet import resolve_device
from playproof.nets.mlp import Vector

# The settings that blocks of positions depend on; runs that agree in them share blocks.
_OF_BLOCKS = (
    "game", "tables", "hands", "pieces", "block", "uniform", "slice_power", "forced", "from_start",
    "player", "temperature", "discount", "seed",
)  # fmt: skip

_held_out: dict[tuple[object, ...], Lesson] = {}  # the latest, which runs of a process share
_labelling = threading.Lock()


class Distillation:
    """A run in memory: everything that the next iteration depends on."""

    growing: tuple[str, ...] = ()
    evaluated: Evaluation | None = None  # always: distillation plays no games against others

    def __init__(self, settings: DistillationSettings, *, device: str = "cpu") -> None:
        settings.check()
        self.settings, self.iteration = settings, 0
        self.device = resolve_device(device)
        self.game = make(settings.game)
        self.architecture = settings.architecture()
        self.positions = Positions(settings, open_truth(settings, self.device))
        self.positions_learned, self.seconds_waited = 0, 0.0  # in this process
        self._held_out: Lesson | None = None
        self._reader: Reader | None = None
        self._lesson: Lesson | None = None  # the block that is being learned from
        self._reset_trainer(settings.starting_weights())
        self._reset_iteration()

    def _reset_trainer(self, weights: Vector) -> None:
        s = self.settings
        self.trainer = DistillationTrainer(
            self.architecture, weights, decay=s.decay, norm=s.norm, device=self.device
        )
        self.trainer.value_weight = s.value_weight

    def _reset_iteration(self) -> None:
        self._steps = 0  # taken so far
        self._sums = [0.0, 0.0]  # sums of these steps' losses, policy and value

    @property
    def weights(self) -> Vector:
        return self.trainer.weights

    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None:
        """Do one iteration; its metrics, or None if it was stopped halfway."""
        s = self.settings
        if self._steps < s.steps:
            self._learn(stopped)
        if self._steps < s.steps:
            return None
        means = [total / s.steps for total in self._sums]
        self.iteration += 1
        self._reset_iteration()
        metrics = {
            "iteration": self.iteration, "policy_loss": means[0], "value_loss": means[1],
            "rate": s.rate_at(self.iteration * s.steps),
        }  # fmt: skip
        last = self.iteration == s.iterations
        if last or (s.evaluate_every and self.iteration % s.evaluate_every == 0):
            metrics |= self.evaluation()
        if last:
            self.close()
        return metrics

    def close(self) -> None:
        """Let other learners go on without this one, which takes no more blocks for now."""
        if self._reader is not None:
            self._reader.close()
        self._reader = self._lesson = None

    def _learn(self, stopped: Stopped) -> None:
        """Take the remaining steps of this iteration, unless it is stopped."""
        import torch

        s = self.settings
        per_block, width = s.block // s.batch, self.architecture.actions
        losses: list[torch.Tensor] = []
        while self._steps < s.steps and not stopped():
            step = self.iteration * s.steps + self._steps
            number, part = divmod(step, per_block)
            if part == 0 or self._lesson is None:
                self._lesson = self._next_block(number)
            minibatch = self._lesson.minibatch(part * s.batch, (part + 1) * s.batch, width)
            losses += self.trainer.step(self.trainer.padded(minibatch), s.rate_at(step))
            self._steps += 1
            self.positions_learned += s.batch
        self.trainer.synchronize()
        if losses:
            for number, loss in enumerate(torch.stack(losses).tolist()):
                self._sums[number % 2] += loss
        if not all(map(math.isfinite, self._sums)):
            raise PlayproofError(
                f"iteration {self.iteration + 1}: the loss is not finite; the last checkpoint is "
                "unchanged: start a new run with a lower rate"
            )

    def _next_block(self, number: int) -> Lesson:
        if self._reader is None:
            feed = shared_feed(self._block_settings(), _block_maker(self.positions))
            self._reader = Reader(feed, number)
        before = self._reader.waited
        block = self._reader.get()
        self.seconds_waited += self._reader.waited - before
        return block

    @property
    def held_out(self) -> Lesson:
        """The positions of the evaluations, which are never learned from."""
        if self._held_out is None:
            count = self.settings.evaluation_positions
            key = (*self._block_settings("seed", "block"), count)
            with _labelling:
                if key not in _held_out:
                    _held_out.clear()
                    rows = self.positions.held_out(count)
                    _held_out[key] = label(self.positions, rows, self.settings)
                self._held_out = _held_out[key]
        return self._held_out

    def _block_settings(self, *without: str) -> tuple[object, ...]:
        """The device and the settings that positions and their labels depend on."""
        names = [name for name in _OF_BLOCKS if name not in without]
        return self.device, *(getattr(self.settings, name) for name in names)

    def evaluation(self) -> dict[str, float]:
        """Metrics on held-out positions, ``held_out_...``, and on the yardstick, ``kept...``."""
        import torch

        metrics = held_out.evaluate(self.trainer, self.held_out)
        # The network to measure takes as many threads as Numba. Learning must not: the last bits
        # of a gradient depend on the number, and a resumed run starts with that of PyTorch.
        threads = torch.get_num_threads()
        try:
            network = policy_network(self.architecture, self.weights, self.device)
            return metrics | measure_policy(self.game, self.settings, network)
        finally:
            torch.set_num_threads(threads)

    # Checkpoints

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, metadata) from which the run continues exactly as it would have."""
        metadata = {"iteration": self.iteration, "steps": self._steps, "sums": self._sums}
        return self.trainer.state(), metadata

    def restore(self, arrays: dict[str, npt.NDArray[Any]], metadata: dict[str, Any]) -> None:
        self.iteration, self._steps = int(metadata["iteration"]), int(metadata["steps"])
        self._sums = [float(number) for number in metadata["sums"]]
        self.close()
        self.trainer.restore(arrays)


def _block_maker(positions: Positions) -> Callable[[int], Lesson]:
    """The function that prepares a block; it must not keep the learner alive."""

    def make_block(number: int) -> Lesson:
        return label(positions, positions.block(number), positions.settings)

    return make_block
