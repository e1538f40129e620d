"""Networks of either kind as PyTorch modules, and the vectors of their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.nets import architectures
from playproof.nets.architectures import AnyArchitecture
from playproof.nets.mlp import Vector
from playproof.nets.resnet import ResNetArchitecture

if TYPE_CHECKING:
    import torch


def module_of(architecture: AnyArchitecture) -> torch.nn.Module:
    """The PyTorch module of an architecture of either kind.

    ``forward`` takes (n, planes, height, width) or (n, inputs) and returns policy logits
    (n, actions) and values (n,).
    """
    if isinstance(architecture, ResNetArchitecture):
        from playproof.nets.torch_modules.resnet import ResNet

        return ResNet(architecture)
    from playproof.nets.torch_modules.mlp import MLP

    return MLP(architecture)


def load_vector(module: torch.nn.Module, architecture: AnyArchitecture, vector: Vector) -> None:
    """Copy the numbers of a vector into a module."""
    import torch

    parts = architectures.parts_of(architecture, np.ascontiguousarray(vector, np.float32))
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            tensor.copy_(torch.from_numpy(parts[name].copy()))


def vector_from(module: torch.nn.Module, architecture: AnyArchitecture) -> Vector:
    """The numbers of a module as a vector."""
    state = module.state_dict()
    parts = {name: tensor.detach().float().cpu().numpy() for name, tensor in state.items()}
    return architectures.vector_of(architecture, parts)
