"""Imitation: a residual network learns the moves and results of games, or an engine's labels.

An iteration is so many steps of the optimiser.  On a GPU layers are computed in
bfloat16 and weights are kept in float32; on a CPU all is float32, and a run that
was killed goes on to the same bits.
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
from playproof.learning.algorithms.imitation.held_out import examine, held_out
from playproof.learning.algorithms.imitation.loss import answers, losses, optimiser_of
from playproof.learning.algorithms.imitation.minibatches import Ahead, Sources
from playproof.learning.algorithms.imitation.settings import ImitationSettings
from playproof.learning.evaluation import Evaluation
from playproof.learning.learner import Stopped, never
from playproof.nets.forward.resnet import resolve_device
from playproof.nets.mlp import Vector
from playproof.nets.torch_modules.vectors import load_vector, module_of, vector_from

_SHUFFLES = 5  # of derive_seed: which random numbers


class Imitation:
    """A run in memory: everything that the next iteration depends on."""

    growing: tuple[str, ...] = ()
    evaluated: Evaluation | None = None  # no games are played

    def __init__(self, settings: ImitationSettings, *, device: str = "cpu") -> None:
        settings.check()
        self.settings, self.iteration = settings, 0
        self.device = resolve_device(device)
        self.half = self.device == "cuda"
        self.game = make(settings.game)
        self.architecture = settings.architecture()
        self.sources = Sources(
            settings.data, settings.fold, labelled=settings.labelled,
            temperature=settings.temperature, mirrored=settings.mirrored,
        )  # fmt: skip
        self._held = [
            held_out(self.sources, number, settings.evaluation_positions)
            for number in range(len(self.sources.parts))
        ]
        self._begin(settings.starting_weights())
        self._begin_iteration()

    def _begin_iteration(self) -> None:
        self._steps = 0  # taken so far
        self._sums = [0.0, 0.0]  # of their losses, policy and value

    def _begin(self, weights: Vector) -> None:
        import torch

        module: Any = module_of(self.architecture)
        load_vector(module, self.architecture, weights)
        self.module = module.to(self.device, memory_format=torch.channels_last)
        self.optimiser = optimiser_of(self.module, self.settings.rate, self.settings.decay)

    @property
    def weights(self) -> Vector:
        return vector_from(self.module, self.architecture)

    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None:
        """One iteration; what there is to say about it, or None if it was stopped before."""
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
        self._begin_iteration()
        metrics = {
            "iteration": self.iteration, **losses, "rate": s.rate_at(self.iteration * s.steps)
        }  # fmt: skip
        if self.iteration == s.iterations or (
            s.evaluate_every and self.iteration % s.evaluate_every == 0
        ):
            metrics |= self.evaluation()
        return metrics

    def _learn(self, stopped: Stopped) -> None:
        """Take the steps that are left of this iteration's, unless it is stopped."""
        import torch

        s = self.settings
        self.module.train()
        total = torch.tensor(self._sums, device=self.device)
        begin, end = (self.iteration * s.steps + k for k in (self._steps, s.steps))
        seed = derive_seed(s.seed, _SHUFFLES)
        pinned = self.device == "cuda"
        with closing(Ahead(self.sources, begin, end, s.batch, seed, pinned=pinned)) as ahead:
            for step, made in enumerate(ahead, begin):
                if stopped():
                    break
                lesson = [tensor.to(self.device, non_blocking=True) for tensor in made]
                total += self.step(lesson, s.rate_at(step))
                self._steps += 1
        self._sums = total.tolist()
        if not all(map(math.isfinite, self._sums)):
            raise PlayproofError(
                f"iteration {self.iteration + 1}: the loss is no finite number; the last "
                "checkpoint is as it was: begin anew with a lower rate"
            )

    def step(self, lesson: list[Any], rate: float) -> Any:
        """One step along the gradient; (policy loss, value loss) on the device."""
        import torch

        for group in self.optimiser.param_groups:
            group["lr"] = rate
        logs, values = answers(self.module, lesson, self.settings.observation, self.half)
        policy, value = losses(logs, values, lesson)
        self.optimiser.zero_grad(set_to_none=True)
        (policy + self.settings.value_weight * value).backward()
        self.optimiser.step()
        return torch.stack([policy.detach(), value.detach()])

    def evaluation(self) -> dict[str, float]:
        """On held-out positions: of games as ``test_...``, of labelled ones as ``label_...``."""
        self.module.eval()
        facts: dict[str, float] = {}
        for number, indices in enumerate(self._held):
            kind = "label" if self.sources.parts[number].lines else "test"
            if len(indices) and f"{kind}_top1" not in facts:
                found = examine(
                    self.module, self.sources, number, indices, self.settings.observation,
                    half=self.half,
                )  # fmt: skip
                facts |= found.facts(kind)
        return facts

    # Checkpoints

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, facts) from which the run goes on exactly as it would have."""
        first: list[Any] = []
        second: list[Any] = []
        steps = 0.0
        for parameter in self._parameters():
            kept = self.optimiser.state.get(parameter)
            for out, name in ((first, "exp_avg"), (second, "exp_avg_sq")):
                array = kept[name].float().cpu() if kept else parameter.detach().cpu() * 0
                out.append(array.contiguous().numpy().ravel())
            steps = float(kept["step"]) if kept else 0.0
        arrays = {
            "weights": self.weights, "adam.first": np.concatenate(first),
            "adam.second": np.concatenate(second), "adam.steps": np.array([steps]),
        }  # fmt: skip
        return arrays, {"iteration": self.iteration, "steps": self._steps, "sums": self._sums}

    def restore(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        import torch

        self.iteration = int(facts["iteration"])
        self._steps, self._sums = int(facts["steps"]), [float(number) for number in facts["sums"]]
        self._begin(arrays["weights"].copy())
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
