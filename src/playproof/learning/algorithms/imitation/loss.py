"""What imitation learns by, and how well it has learned: PyTorch's part, on any device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playproof.learning.algorithms.imitation.planes import planes_of

if TYPE_CHECKING:
    import torch


def answers(
    module: Any, lesson: list[torch.Tensor], observation: str, half: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """(n, w) logarithms of the legal moves' probabilities, and (n,) values, of a lesson.

    The logits of legal moves are gathered before the softmax: it runs over some 40 numbers
    instead of 4672.  ``half`` computes the layers in bfloat16 (Micikevicius et al., 2018)."""
    import torch

    words, legal = lesson[0], lesson[1].long()
    x = planes_of(words, observation).contiguous(memory_format=torch.channels_last)
    with torch.autocast(words.device.type, torch.bfloat16, enabled=half):
        logits, values = module(x)
    mine = logits.float().gather(1, legal.clamp(min=0)).masked_fill(legal < 0, -torch.inf)
    return torch.log_softmax(mine, dim=1), values.float()


def losses(
    logs: torch.Tensor, values: torch.Tensor, lesson: list[torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    """(policy, value): -pi log p and (v - v')^2, in the mean."""
    slots, shares, wanted = lesson[2].long(), lesson[3], lesson[4]
    policy = -(logs.gather(1, slots) * shares).sum(1).mean()
    return policy, (values - wanted).square().mean()


def decayed(module: Any) -> list[Any]:
    """The parameters that c |theta|^2 is about: weights, not norms and biases."""
    return [p for p in module.parameters() if p.dim() > 1]


def optimiser_of(module: Any, rate: float, decay: float) -> torch.optim.Adam:
    """Adam (Kingma and Ba, 2015); the gradient of c |theta|^2 is 2 c theta."""
    import torch

    kept = [p for p in module.parameters() if p.dim() <= 1]
    groups: list[dict[str, Any]] = [
        {"params": decayed(module), "weight_decay": 2.0 * decay},
        {"params": kept},
    ]
    on_gpu = next(module.parameters()).is_cuda
    return torch.optim.Adam(groups, lr=rate, fused=on_gpu)
