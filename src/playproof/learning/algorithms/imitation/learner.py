"""Imitation: a residual network learns the moves and results of games, or an engine's labels.

An iteration is ``steps`` steps of the optimiser.  On a GPU layers are computed in bfloat16 and
weights are float32.  On a CPU everything is float32, and a resumed run ends with the same bits.
"""

from __future__ import annotations

import math
from contextlib import closing
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.bits import derive_seed
from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.learning.algorithms.imitation.held_out import (
    evaluate_module,
    held_out_indices,
)
from playproof.learning.algorithms.imitation.loss import losses, optimiser_of, predict
from playproof.learning.algorithms.imitation.minibatches import (
    PositionSources,
    Prefetcher,
    TensorMinibatch,
)
from playproof.learning.algorithms.imitation.settings import ImitationSettings
from playproof.learning.evaluation import Evaluation
from playproof.learning.learner import Stopped, never
from playproof.nets.forward.resnet import resolve_device
from playproof.nets.mlp import Vector
from playproof.nets.torch_modules.vectors import load_vector, module_of, vector_from

_SHUFFLES = 5  # salt of derive_seed for the order of positions


class Imitation:
    """A run in memory: everything that the next iteration depends on."""

    growing: tuple[str, ...] = ()
    evaluated: Evaluation | None = None  # always: imitation plays no games

    def __init__(self, settings: ImitationSettings, *, device: str = "cpu") -> None:
        settings.check()
        self.settings, self.iteration = settings, 0
        self.device = resolve_device(device)
        self.half = self.device == "cuda"
        self.game = make(settings.game)
        self.architecture = settings.architecture()
        self.sources = PositionSources(
            settings.data, settings.fold, labelled=settings.labelled,
            temperature=settings.temperature, mirrored=settings.mirrored,
        )  # fmt: skip
        self._held_out = [
            held_out_indices(self.sources, number, settings.evaluation_positions)
            for number in range(len(self.sources.parts))
        ]
        self._load_weights(settings.starting_weights())
        self._reset_iteration()

    def _reset_iteration(self) -> None:
        self._steps = 0  # taken so far
        self._sums = [0.0, 0.0]  # sums of these steps' losses, policy and value

    def _load_weights(self, weights: Vector) -> None:
        import torch

        module: Any = module_of(self.architecture)
        load_vector(module, self.architecture, weights)
        self.module = module.to(self.device, memory_format=torch.channels_last)
        self.optimiser = optimiser_of(self.module, self.settings.rate, self.settings.decay)

    @property
    def weights(self) -> Vector:
        return vector_from(self.module, self.architecture)

    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None:
        """Do one iteration; its metrics, or None if it was stopped halfway."""
        s = self.settings
        if self._steps < s.steps:
            self._learn(stopped)
        if self._steps < s.steps:
            return None
        losses = {
            name: total / s.steps
            for name, total in zip(("policy_loss", "value_loss"), self._sums, strict=True)
        }
        self.iteration += 1
        self._reset_iteration()
        metrics = {
            "iteration": self.iteration, **losses, "rate": s.rate_at(self.iteration * s.steps)
        }  # fmt: skip
        if self.iteration == s.iterations or (
            s.evaluate_every and self.iteration % s.evaluate_every == 0
        ):
            metrics |= self.evaluation()
        return metrics

    def _learn(self, stopped: Stopped) -> None:
        """Take the remaining steps of this iteration, unless it is stopped."""
        import torch

        s = self.settings
        self.module.train()
        total = torch.tensor(self._sums, device=self.device)
        start, end = (self.iteration * s.steps + k for k in (self._steps, s.steps))
        seed = derive_seed(s.seed, _SHUFFLES)
        pinned = self.device == "cuda"
        prefetcher = Prefetcher(self.sources, start, end, s.batch, seed, pinned=pinned)
        with closing(prefetcher):
            for step, minibatch in enumerate(prefetcher, start):
                if stopped():
                    break
                total += self.step(minibatch.to(self.device), s.rate_at(step))
                self._steps += 1
        self._sums = total.tolist()
        if not all(map(math.isfinite, self._sums)):
            raise PlayproofError(
                f"iteration {self.iteration + 1}: the loss is not finite; the last checkpoint is "
                "unchanged: start a new run with a lower rate"
            )

    def step(self, minibatch: TensorMinibatch, rate: float) -> Any:
        """Take one step of the optimiser; (policy loss, value loss) as a tensor on the device."""
        import torch

        for group in self.optimiser.param_groups:
            group["lr"] = rate
        logs, values = predict(self.module, minibatch, self.settings.observation, self.half)
        policy, value = losses(logs, values, minibatch)
        self.optimiser.zero_grad(set_to_none=True)
        (policy + self.settings.value_weight * value).backward()
        self.optimiser.step()
        return torch.stack([policy.detach(), value.detach()])

    def evaluation(self) -> dict[str, float]:
        """Metrics on held-out positions: ``test_...`` of games, ``label_...`` of labelled ones."""
        self.module.eval()
        metrics: dict[str, float] = {}
        for number, indices in enumerate(self._held_out):
            kind = "label" if self.sources.parts[number].lines else "test"
            if len(indices) and f"{kind}_top1" not in metrics:
                report = evaluate_module(
                    self.module, self.sources, number, indices, self.settings.observation,
                    half=self.half,
                )  # fmt: skip
                metrics |= report.metrics(kind)
        return metrics

    # Checkpoints

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, metadata) from which the run continues exactly as it would have."""
        first: list[Any] = []
        second: list[Any] = []
        steps = 0.0
        for parameter in self._parameters():
            adam = self.optimiser.state.get(parameter)
            for out, name in ((first, "exp_avg"), (second, "exp_avg_sq")):
                array = adam[name].float().cpu() if adam else parameter.detach().cpu() * 0
                out.append(array.contiguous().numpy().ravel())
            steps = float(adam["step"]) if adam else 0.0
        arrays = {
            "weights": self.weights, "adam.first": np.concatenate(first),
            "adam.second": np.concatenate(second), "adam.steps": np.array([steps]),
        }  # fmt: skip
        return arrays, {"iteration": self.iteration, "steps": self._steps, "sums": self._sums}

    def restore(self, arrays: dict[str, npt.NDArray[Any]], metadata: dict[str, Any]) -> None:
        import torch

        self.iteration = int(metadata["iteration"])
        self._steps, self._sums = (
            int(metadata["steps"]),
            [float(number) for number in metadata["sums"]],
        )
        self._load_weights(arrays["weights"].copy())
        at, steps = 0, float(arrays["adam.steps"][0])
        for parameter in self._parameters() if steps else []:
            end = at + parameter.numel()
            moments = {
                name: torch.from_numpy(arrays[f"adam.{kind}"][at:end].copy())
                .reshape(parameter.shape)
                .to(self.device)
                .contiguous(memory_format=_format(parameter))
                for name, kind in (("exp_avg", "first"), ("exp_avg_sq", "second"))
            }
            where = self.device if self.optimiser.param_groups[0]["fused"] else "cpu"
            count = torch.tensor(steps, device=where)
            self.optimiser.state[parameter] = {"step": count, **moments}
            at = end

    def _parameters(self) -> list[Any]:
        return [p for group in self.optimiser.param_groups for p in group["params"]]


def _format(parameter: Any) -> Any:
    import torch

    return torch.channels_last if parameter.dim() == 4 else torch.contiguous_format
