"""A network taught by lessons, in PyTorch: the loss of AlphaZero, and Adam.

loss = (v - v')^2 - policy . log p + c |weights|^2 (Silver et al., 2017), the softmax
over legal actions alone.  ``c`` is on weights, not on biases and norms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import PlayproofError, UsageError
from playproof.learning.search_replay import Lessons
from playproof.nets.kinds import AnyArchitecture
from playproof.nets.mlp import Vector
from playproof.nets.modules import load_vector, module_of, vector_from

if TYPE_CHECKING:
    import torch


def check_device(device: str) -> None:
    """A UsageError where PyTorch has no such device."""
    import torch

    if device.startswith("cuda") and not torch.cuda.is_available():
        raise UsageError("--device cuda: PyTorch finds no CUDA device here; use --device cpu")
    try:
        torch.device(device)
    except RuntimeError:
        raise UsageError(f"--device {device}: want cpu or cuda") from None


class Teacher:
    """A network, and Adam on it."""

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
        self.architecture, self.device, self._norm = architecture, device, norm
        self.module = module_of(architecture)
        load_vector(self.module, architecture, weights)
        self.module.to(device)
        parameters = list(self.module.parameters())
        heavy = [p for p in parameters if p.ndim > 1]
        light = [p for p in parameters if p.ndim <= 1]
        # The gradient of c |w|^2 is 2 c w.
        groups: list[dict[str, Any]] = [
            {"params": heavy, "weight_decay": 2 * decay},
            {"params": light},
        ]
        self.adam = torch.optim.Adam(groups, lr=1e-3, foreach=False)
        self.steps = 0

    @property
    def weights(self) -> Vector:
        return vector_from(self.module, self.architecture)

    def teach(self, lessons: Lessons, rate: float) -> tuple[torch.Tensor, ...]:
        """One step of Adam; (policy loss, value loss, entropy of what is learned)."""
        import torch

        for group in self.adam.param_groups:
            group["lr"] = rate
        self.module.train()
        bring = {
            name: torch.from_numpy(getattr(lessons, name)).to(self.device)
            for name in ("observations", "actions", "policy", "counts", "values")
        }
        self.adam.zero_grad(set_to_none=True)
        half = self.device.startswith("cuda")
        with torch.autocast("cuda", torch.bfloat16, enabled=half):
            logits, values = self.module(bring["observations"])
        policy_loss, value_loss, entropy = losses(logits.float(), values.float(), bring)
        (policy_loss + value_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), self._norm)
        self.adam.step()
        self.steps += 1
        return policy_loss.detach(), value_loss.detach(), entropy

    def check(self, losses: npt.NDArray[np.float64]) -> None:
        """A PlayproofError if something is no number."""
        if not np.isfinite(losses).all() or not np.isfinite(self.weights).all():
            raise PlayproofError(
                f"a loss or a weight after step {self.steps} is not finite: the last checkpoint is "
                "kept; want a lower rate"
            )

    # Checkpoints

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Weights and Adam's moments as vectors, by the order of the module's parameters."""
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
        import torch

        load_vector(self.module, self.architecture, arrays["weights"])
        self.steps, at = int(arrays["adam.steps"][0]), 0
        self.adam.state.clear()
        for p in self.module.parameters() if self.steps else ():
            end = at + p.numel()
            mine = {
                name: torch.from_numpy(arrays[f"adam.{name}"][at:end].copy())
                .reshape(p.shape)
                .to(self.device)
                for name in ("exp_avg", "exp_avg_sq")
            }
            self.adam.state[p] = {"step": torch.tensor(float(self.steps)), **mine}
            at = end


def losses(
    logits: torch.Tensor, values: torch.Tensor, lessons: dict[str, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(policy loss, value loss, entropy of the policy that is learned), means over lessons."""
    import torch

    actions, policy, counts = lessons["actions"], lessons["policy"], lessons["counts"]
    inside = torch.arange(actions.shape[1], device=actions.device) < counts[:, None]
    legal = logits.gather(1, actions).masked_fill(~inside, -1e9)
    logs = torch.log_softmax(legal, dim=1)
    policy_loss = -(policy * logs).sum(dim=1).mean()
    value_loss = ((lessons["values"] - values) ** 2).mean()
    entropy = -(policy * torch.log(policy.clamp(min=1e-12))).sum(dim=1).mean()
    return policy_loss, value_loss, entropy
