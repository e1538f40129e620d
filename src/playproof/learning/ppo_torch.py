"""The same update in plain PyTorch: a dense head, a mask, a softmax over all actions.

It is what one would write first, and here to be measured and tested against.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.learning.ppo_update import Floats, Samples, Statistics, UpdateSettings
from playproof.nets.mlp import Architecture, parts_of

if TYPE_CHECKING:
    import torch


class DenseUpdater:
    """A network in PyTorch, begun with a vector of parameters, on one device."""

    def __init__(
        self,
        architecture: Architecture,
        parameters: Floats,
        settings: UpdateSettings | None = None,
    ) -> None:
        import torch

        self.architecture = architecture
        self.settings = settings or UpdateSettings()
        parts = parts_of(architecture, parameters)  # type: ignore[arg-type]
        self._layers = {}
        for name, outputs, inputs in architecture.layers():
            layer = torch.nn.Linear(inputs, outputs)
            layer.weight = torch.nn.Parameter(torch.tensor(parts[f"{name}.weight"]))
            layer.bias = torch.nn.Parameter(torch.tensor(parts[f"{name}.bias"]))
            self._layers[name] = layer
        self._own = [p for layer in self._layers.values() for p in (layer.weight, layer.bias)]
        self._adam = torch.optim.Adam(
            self._own,
            lr=self.settings.rate,
            betas=(self.settings.beta1, self.settings.beta2),
            eps=self.settings.epsilon,
        )

    def tensors(self, samples: Samples) -> dict[str, torch.Tensor]:
        """The samples as the dense update wants them: a mask, and action numbers."""
        import torch

        kind = self._own[0].dtype
        offsets, actions = samples.legal.offsets, samples.legal.actions
        mask = np.zeros((len(samples), self.architecture.actions), np.bool_)
        mask[np.repeat(np.arange(len(samples)), np.diff(offsets)), actions] = True
        made = {
            "observations": torch.tensor(samples.observations).to(kind),
            "mask": torch.tensor(mask),
            "actions": torch.tensor(actions[offsets[:-1] + samples.chosen].astype(np.int64)),
        }
        for name in ("old", "advantages", "returns"):
            made[name] = torch.tensor(getattr(samples, name)).to(kind)
        return made

    def loss(self, samples: dict[str, torch.Tensor]) -> tuple[torch.Tensor, dict[str, Any]]:
        """The loss to minimise, and what it is made of, as tensors."""
        import torch

        hidden = samples["observations"]
        for name, layer in self._layers.items():
            if name.startswith("hidden"):
                hidden = torch.relu(layer(hidden))
        logits = self._layers["actions"](hidden).masked_fill(~samples["mask"], -torch.inf)
        logs = torch.log_softmax(logits, dim=-1)
        change = logs.gather(1, samples["actions"][:, None])[:, 0] - samples["old"]
        ratio, gain, clip = change.exp(), samples["advantages"], self.settings.clip
        policy = -torch.min(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain).mean()
        # Nought times minus infinity would be no number.
        entropy = -(logs.exp() * logs.masked_fill(~samples["mask"], 0.0)).sum(-1).mean()
        value = torch.zeros(())
        if self.architecture.value:
            value = (self._layers["value"](hidden)[:, 0] - samples["returns"]).square().mean()
        parts = {
            "policy_loss": policy,
            "value_loss": value,
            "entropy": entropy,
            "clipped": ((ratio - 1).abs() > clip).double().mean(),
            "divergence": ((ratio - 1) - change).mean(),
        }
        whole = policy + self.settings.value_weight * value - self.settings.entropy_weight * entropy
        return whole, parts

    def gradient(self, samples: dict[str, torch.Tensor]) -> tuple[Floats, Statistics]:
        """As autograd has it, in the layout of the vector."""
        self._adam.zero_grad()
        loss, parts = self.loss(samples)
        loss.backward()
        gradient = np.concatenate([np.asarray(p.grad).ravel() for p in self._own])
        told = {name: float(part.detach()) for name, part in parts.items()}
        return gradient, Statistics(**told, gradient_norm=float(np.linalg.norm(gradient)))

    def step(self, samples: dict[str, torch.Tensor]) -> None:
        """One step of Adam on one minibatch."""
        import torch

        self._adam.zero_grad()
        loss, _ = self.loss(samples)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._own, self.settings.norm)
        self._adam.step()

    def parameters(self) -> Floats:
        """The vector of parameters as it is now."""
        return np.concatenate([p.detach().numpy().ravel() for p in self._own])
