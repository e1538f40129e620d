"""Predictions, losses and the optimiser of imitation, in PyTorch on any device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playproof.learning.algorithms.imitation.planes import planes_of

if TYPE_CHECKING:
    import torch

    from playproof.learning.algorithms.imitation.minibatches import TensorMinibatch


def predict(
    module: Any, minibatch: TensorMinibatch, observation: str, half: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of the legal moves, (n, w), and values, (n,), for a minibatch.

    The logits of legal moves are gathered before the softmax, which so runs over some 40 numbers
    instead of 4672.  ``half`` computes the layers in bfloat16 (Micikevicius et al., 2018)."""
    import torch

    words, legal = minibatch.words, minibatch.legal.long()
    x = planes_of(words, observation).contiguous(memory_format=torch.channels_last)
    with torch.autocast(words.device.type, torch.bfloat16, enabled=half):
        logits, values = module(x)
    mine = logits.float().gather(1, legal.clamp(min=0)).masked_fill(legal < 0, -torch.inf)
    return torch.log_softmax(mine, dim=1), values.float()


def losses(
    logs: torch.Tensor, values: torch.Tensor, minibatch: TensorMinibatch
) -> tuple[torch.Tensor, torch.Tensor]:
    """(policy loss, value loss): the means of -pi log p and (v - v')^2."""
    policy = -(logs.gather(1, minibatch.slots.long()) * minibatch.shares).sum(1).mean()
    return policy, (values - minibatch.values).square().mean()


def decayed(module: Any) -> list[Any]:
    """The parameters that c |theta|^2 applies to: weights, not norms and biases."""
    return [p for p in module.parameters() if p.dim() > 1]


def optimiser_of(module: Any, rate: float, decay: float) -> torch.optim.Adam:
    """Adam (Kingma and Ba, 2015); the gradient of c |theta|^2 is 2 c theta."""
    import torch

    undecayed = [p for p in module.parameters() if p.dim() <= 1]
    groups: list[dict[str, Any]] = [
        {"params": decayed(module), "weight_decay": 2.0 * decay},
        {"params": undecayed},
    ]
    on_gpu = next(module.parameters()).is_cuda
    return torch.optim.Adam(groups, lr=rate, fused=on_gpu)
