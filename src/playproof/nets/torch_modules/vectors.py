"""Networks of either kind as modules of PyTorch, and their numbers as vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.nets import kinds, resnet
from playproof.nets.kinds import AnyArchitecture
from playproof.nets.mlp import Vector

if TYPE_CHECKING:
    import torch


def module_of(architecture: AnyArchitecture) -> torch.nn.Module:
    """PyTorch's module of either kind of network."""
    if isinstance(architecture, resnet.ResNetArchitecture):
        return resnet.build(architecture)
    from playproof.nets.torch_modules.mlp import Plain

    return Plain(architecture)


def load_vector(module: torch.nn.Module, architecture: AnyArchitecture, vector: Vector) -> None:
    """Give a module the numbers of a vector."""
    import torch

    parts = kinds.parts_of(architecture, np.ascontiguousarray(vector, np.float32))
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            tensor.copy_(torch.from_numpy(parts[name].copy()))


def vector_from(module: torch.nn.Module, architecture: AnyArchitecture) -> Vector:
    """The numbers of a module as a vector."""
    state = module.state_dict()
    parts = {name: tensor.detach().float().cpu().numpy() for name, tensor in state.items()}
    return kinds.vector_of(architecture, parts)
