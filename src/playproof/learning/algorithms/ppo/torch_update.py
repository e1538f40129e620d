"""PPO's update in plain PyTorch: a dense head, a mask, a softmax over all actions.

It is the obvious way to write it, and serves as a reference for tests and benchmarks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.learning.algorithms.ppo.update import Floats, Samples, Statistics, UpdateSettings
from playproof.nets.mlp import Architecture, parts_of

if TYPE_CHECKING:
    import torch

    Tensors = dict[str, torch.Tensor]


def loss_of(
    parts: Tensors,
    architecture: Architecture,
    samples: Tensors,
    clip: Any,
    value_weight: Any,
    entropy_weight: Any,
) -> tuple[torch.Tensor, Tensors]:
    """PPO's loss of a minibatch, and its parts by name, as tensors.

    parts    weights and biases by name, as in ``mlp.parts_of``
    samples  observations (n, inputs), mask (n, actions), and (n,) of actions, old
             log-probabilities, advantages and returns
    """
    import torch
    from torch.nn.functional import linear

    def layer(name: str, inputs: torch.Tensor) -> torch.Tensor:
        return linear(inputs, parts[f"{name}.weight"], parts[f"{name}.bias"])

    hidden, mask = samples["observations"], samples["mask"]
    for number in range(len(architecture.hidden)):
        hidden = torch.relu(layer(f"hidden.{number}", hidden))
    logits = layer("actions", hidden).masked_fill(~mask, -torch.inf)
    logs = torch.log_softmax(logits, dim=-1)
    change = logs.gather(1, samples["actions"][:, None])[:, 0] - samples["old"]
    ratio, gain = change.exp(), samples["advantages"]
    policy = -torch.min(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain).mean()
    # Zero times minus infinity would be NaN, hence the second mask.  A product with ones sums the
    # rows: the compiler would fuse two plain sums into one, which uses little of a GPU.
    parts_of_entropy = logs.exp() * logs.masked_fill(~mask, 0.0)
    entropy = -(parts_of_entropy @ parts_of_entropy.new_ones(architecture.actions)).mean()
    value = torch.zeros_like(policy)
    if architecture.value:
        value = (layer("value", hidden)[:, 0] - samples["returns"]).square().mean()
    statistics = {
        "policy_loss": policy,
        "value_loss": value,
        "entropy": entropy,
        "clipped": ((ratio - 1).abs() > clip).double().mean(),
        "divergence": ((ratio - 1) - change).mean(),
    }
    return policy + value_weight * value - entropy_weight * entropy, statistics


class DenseUpdater:
    """A network in PyTorch, made from a vector of parameters, with Adam on its weights."""

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
        """The samples as tensors, with a mask of legal actions and the numbers of chosen ones."""
        import torch

        kind = self._own[0].dtype
        offsets, actions = samples.legal.offsets, samples.legal.actions
        mask = np.zeros((len(samples), self.architecture.actions), np.bool_)
        mask[np.repeat(np.arange(len(samples)), np.diff(offsets)), actions] = True
        tensors = {
            "observations": torch.tensor(samples.observations).to(kind),
            "mask": torch.tensor(mask),
            "actions": torch.tensor(actions[offsets[:-1] + samples.chosen].astype(np.int64)),
        }
        for name in ("old", "advantages", "returns"):
            tensors[name] = torch.tensor(getattr(samples, name)).to(kind)
        return tensors

    def loss(self, samples: Tensors) -> tuple[torch.Tensor, Tensors]:
        """The loss to minimise, and its parts by name, as tensors."""
        s = self.settings
        own: Tensors = {}
        for name, layer in self._layers.items():
            own |= {f"{name}.weight": layer.weight, f"{name}.bias": layer.bias}
        weights = s.clip, s.value_weight, s.entropy_weight
        return loss_of(own, self.architecture, samples, *weights)

    def gradient(self, samples: dict[str, torch.Tensor]) -> tuple[Floats, Statistics]:
        """The gradient by autograd, in the layout of the vector, and the statistics."""
        self._adam.zero_grad()
        loss, parts = self.loss(samples)
        loss.backward()
        gradient = np.concatenate([np.asarray(p.grad).ravel() for p in self._own])
        statistics = {name: float(part.detach()) for name, part in parts.items()}
        return gradient, Statistics(**statistics, gradient_norm=float(np.linalg.norm(gradient)))

    def step(self, samples: dict[str, torch.Tensor]) -> None:
        """One step of Adam on one minibatch."""
        import torch

        self._adam.zero_grad()
        loss, _ = self.loss(samples)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._own, self.settings.norm)
        self._adam.step()

    def parameters(self) -> Floats:
        """The current vector of parameters."""
        return np.concatenate([p.detach().numpy().ravel() for p in self._own])
