"""The residual network as a PyTorch module, with the parameter names of ``nets.resnet``."""

from __future__ import annotations

import torch
from torch import nn

from playproof.nets.resnet import (
    EPSILON,
    POLICY_REDUCED_PLANES,
    VALUE_HIDDEN,
    VALUE_PLANES,
    ResNetArchitecture,
)


class Norm(nn.BatchNorm2d):
    """Batch norm with fixed momentum, which does not count batches."""

    def __init__(self, channels: int) -> None:
        super().__init__(channels, eps=EPSILON, momentum=0.05)
        self.num_batches_tracked = None


class Convolution(nn.Module):
    """A convolution that preserves the board's size, and its norm."""

    def __init__(self, inputs: int, outputs: int, size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False)
        self.norm = Norm(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.norm(self.conv(x))
        return out


class Block(nn.Module):
    def __init__(self, filters: int) -> None:
        super().__init__()
        self.first = Convolution(filters, filters, 3)
        self.second = Convolution(filters, filters, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.second(torch.relu(self.first(x))) + x)


class Policy(nn.Module):
    def __init__(self, a: ResNetArchitecture) -> None:
        super().__init__()
        self.out: nn.Module
        planes = a.policy_planes if a.policy_rank is None else a.pair_planes.count
        if planes is None:
            self.mixed = Convolution(a.filters, POLICY_REDUCED_PLANES, 1)
            self.out = nn.Linear(POLICY_REDUCED_PLANES * a.squares, a.actions)
        else:
            self.mixed = Convolution(a.filters, a.filters, 1)
            self.out = nn.Conv2d(a.filters, planes, 1)
        self.is_planes, self.rank = planes is not None, a.policy_rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.mixed(x))
        if not self.is_planes:
            out: torch.Tensor = self.out(x.flatten(1))
            return out
        planes = self.out(x)
        return planes.flatten(1) if self.rank is None else pair_logits(planes, self.rank)


def pair_logits(planes: torch.Tensor, rank: int) -> torch.Tensor:
    """Logits (n, actions) from the planes (n, 10 + 5 rank, height, width) of ``PairPlanes``."""
    planes = planes.flatten(2)
    n, squares = planes.shape[0], planes.shape[2]
    place, step, jump, second, q, k = planes.split((1, 4, 4, 1, 4 * rank, rank), dim=1)
    pairs = q.reshape(n, rank, 4, squares).permute(0, 3, 2, 1).reshape(n, 4 * squares, rank)
    jumps = pairs @ k + jump.transpose(1, 2).reshape(n, 4 * squares, 1) + second
    return torch.cat(
        [place.flatten(1), step.transpose(1, 2).reshape(n, 4 * squares), jumps.flatten(1)], dim=1
    )


class Value(nn.Module):
    def __init__(self, a: ResNetArchitecture) -> None:
        super().__init__()
        self.mixed = Convolution(a.filters, VALUE_PLANES, 1)
        self.hidden = nn.Linear(VALUE_PLANES * a.squares, VALUE_HIDDEN)
        self.out = nn.Linear(VALUE_HIDDEN, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.hidden(torch.relu(self.mixed(x)).flatten(1)))
        return torch.tanh(self.out(x)[:, 0])


class ResNet(nn.Module):
    def __init__(self, architecture: ResNetArchitecture) -> None:
        super().__init__()
        a = architecture
        self.stem = Convolution(a.planes, a.filters, 3)
        self.blocks = nn.ModuleList(Block(a.filters) for _ in range(a.blocks))
        self.policy = Policy(a)
        self.value = Value(a)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.relu(self.stem(x))
        for block in self.blocks:
            x = block(x)
        return self.policy(x), self.value(x)


def fold(module: nn.Module) -> nn.Module:
    """Prepare a module, in place, for inference, by folding each norm into its convolution.

    In inference a norm is an affine map, so this does not change the outputs.
    """
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, Convolution):
                setattr(parent, name, _folded(child))
    return module.eval().requires_grad_(False)


def _folded(layer: Convolution) -> nn.Conv2d:
    norm, conv = layer.norm, layer.conv
    assert norm.running_mean is not None
    assert norm.running_var is not None
    scale = norm.weight.double() / (norm.running_var.double() + EPSILON).sqrt()
    size = conv.kernel_size[0]
    folded = nn.Conv2d(conv.in_channels, conv.out_channels, size, padding=size // 2)
    assert folded.bias is not None
    folded.weight.data = (conv.weight.double() * scale[:, None, None, None]).float()
    folded.bias.data = (norm.bias.double() - norm.running_mean.double() * scale).float()
    return folded
