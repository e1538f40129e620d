"""The trainer of distillation: Adam minimises the loss

    w (v - v')^2 - pi . log p + c |weights|^2

with the network's value v and policy p, a softmax over the legal actions only, and the targets v'
and pi.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.learning.algorithms.distillation.planes import planes_of
from playproof.learning.optim.torch_trainer import Arrays, TorchTrainer

if TYPE_CHECKING:
    import torch

_ROOM = 1.1  # lists of actions get a tenth more room than the first minibatch needs


class DistillationTrainer(TorchTrainer):
    """A network that learns exact values; ``value_weight`` is w."""

    value_weight = 1.0
    _room = 0

    def padded(self, minibatch: Arrays) -> Arrays:
        """The minibatch with lists of actions of one length, which a CUDA graph needs.

        Padding repeats the first place with probability 0, so it changes nothing."""
        if not self._cuda:
            return minibatch
        count = len(minibatch["places"])
        if count > self._room:
            self._room = int(count * _ROOM)
        padding = {
            "places": np.full(self._room - count, minibatch["places"][0], np.int32),
            "policy": np.zeros(self._room - count, np.float32),
        }
        longer = {name: np.concatenate([minibatch[name], more]) for name, more in padding.items()}
        return {**minibatch, **longer}

    def losses(
        self, minibatch: dict[str, torch.Tensor]
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        import torch

        x = planes_of(minibatch["words"])
        logits, values = self.predict(x.contiguous(memory_format=torch.channels_last))
        policy = policy_loss(logits, minibatch["places"].long(), minibatch["policy"])
        value = (values - minibatch["values"]).square().mean()
        return policy + self.value_weight * value, (policy, value)

    def evaluate(self, words: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """(logits, values) of rows (n, 3) int64 on the CPU; the network is not changed."""
        import torch

        self.synchronize()
        self.module.eval()
        with torch.inference_mode():
            x = planes_of(torch.from_numpy(words).to(self.device))
            logits, values = self.predict(x.contiguous(memory_format=torch.channels_last))
            return logits.cpu(), values.cpu()


def policy_loss(
    logits: torch.Tensor, places: torch.Tensor, probabilities: torch.Tensor
) -> torch.Tensor:
    """The mean of -pi . log p; ``places`` are those of the legal actions in the flat logits."""
    import torch

    flat = logits.reshape(-1)
    legal = torch.zeros_like(flat, dtype=torch.bool).scatter_(
        0, places, torch.ones_like(places, dtype=torch.bool)
    )
    norms = logits.masked_fill(~legal.reshape(logits.shape), -torch.inf).logsumexp(1)
    return norms.mean() - (flat.gather(0, places) * probabilities).sum() / len(logits)
