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
        if a.policy_planes is None:
            self.mixed = Convolution(a.filters, POLICY_REDUCED_PLANES, 1)
            self.out = nn.Linear(POLICY_REDUCED_PLANES * a.squares, a.actions)
        else:
            self.mixed = Convolution(a.filters, a.filters, 1)
            self.out = nn.Conv2d(a.filters, a.policy_planes, 1)
        self.is_planes = a.policy_planes is not None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.mixed(x))
        out: torch.Tensor = self.out(x).flatten(1) if self.is_planes else self.out(x.flatten(1))
        return out


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
