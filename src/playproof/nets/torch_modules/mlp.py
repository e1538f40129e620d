"""The small network as a PyTorch module, with the parameter names of ``nets.mlp``."""

from __future__ import annotations

import itertools

import torch
from torch import nn

from playproof.nets.mlp import Architecture


class MLP(nn.Module):
    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        sizes = itertools.pairwise(architecture.widths)
        self.hidden = nn.ModuleList(nn.Linear(inputs, outputs) for inputs, outputs in sizes)
        self.actions = nn.Linear(architecture.widths[-1], architecture.actions)
        self.value = nn.Linear(architecture.widths[-1], 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = x.flatten(1)
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.actions(x), self.value(x)[:, 0]
