"""Functions of an architecture of either kind, so that callers treat all networks alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.nets import mlp, resnet
from playproof.nets.mlp import Architecture, Vector
from playproof.nets.resnet import ResNetArchitecture

if TYPE_CHECKING:
    from playproof.core.batch import LegalLists
    from playproof.nets.files import Net
    from playproof.nets.forward.mlp import NetOutput

AnyArchitecture = Architecture | ResNetArchitecture


class ForwardPass(Protocol):
    """A network that computes policies and values of a batch."""

    def logits(self, observations: npt.NDArray[np.float32], legal: LegalLists, /) -> NetOutput: ...

    def policy(
        self, observations: npt.NDArray[np.float32], legal: LegalLists, /, *, temperature: float = 1
    ) -> NetOutput: ...


def forward(net: Net, *, device: str = "cpu", half: bool = False) -> ForwardPass:
    """The forward pass of a network of either kind; small networks run only on the CPU."""
    return forward_of(net.architecture, net.weights, device=device, half=half)


def forward_of(
    architecture: AnyArchitecture, weights: Vector, *, device: str = "cpu", half: bool = False
) -> ForwardPass:
    """The forward pass of an architecture with its weights."""
    if isinstance(architecture, ResNetArchitecture):
        from playproof.nets.forward.resnet import ResNetForward

        return ResNetForward(architecture, weights, device=device, half=half)
    if device == "cuda":
        raise UsageError("device=cuda is for residual networks: a small one runs on the CPU")
    from playproof.nets.forward.mlp import Forward

    return Forward(architecture, weights)


def starting_weights(architecture: AnyArchitecture, seed: int) -> Vector:
    """Random weights to start training with."""
    if isinstance(architecture, ResNetArchitecture):
        return resnet.starting_weights(architecture, seed)
    return mlp.starting_weights(architecture, seed)


def parts_of(architecture: AnyArchitecture, vector: Vector) -> dict[str, Vector]:
    """The tensors of a vector by name, as views."""
    if isinstance(architecture, ResNetArchitecture):
        return resnet.parts_of(architecture, vector)
    return mlp.parts_of(architecture, vector)


def vector_of(architecture: AnyArchitecture, parts: dict[str, Any]) -> Vector:
    """The vector of tensors by name, the inverse of ``parts_of``."""
    if isinstance(architecture, ResNetArchitecture):
        return resnet.vector_of(architecture, parts)
    return mlp.vector_of(architecture, parts)


def shapes_of(architecture: AnyArchitecture) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor by name."""
    if isinstance(architecture, ResNetArchitecture):
        return dict(architecture.parts())
    shapes: dict[str, tuple[int, ...]] = {}
    for name, outputs, inputs in architecture.layers():
        shapes[f"{name}.weight"] = (outputs, inputs)
        shapes[f"{name}.bias"] = (outputs,)
    return shapes


def describe(architecture: AnyArchitecture) -> str:
    """A short description of the sizes: ``(26, 64, 64)``, or ``21 planes, 6 blocks of 64``."""
    if isinstance(architecture, ResNetArchitecture):
        a = architecture
        return f"{a.planes} planes, {a.blocks} blocks of {a.filters}"
    return str(architecture.widths)


# JSON, as in the header of a file


def to_json(architecture: AnyArchitecture) -> dict[str, Any]:
    """The sizes as a JSON object, which has a ``kind`` only for residual networks."""
    if isinstance(architecture, ResNetArchitecture):
        names = ["planes", "height", "width", "blocks", "filters", "actions", "policy_planes"]
        if architecture.policy_rank is not None:  # unknown to earlier versions
            names.append("policy_rank")
        return {"kind": "resnet", **{name: getattr(architecture, name) for name in names}}
    return {
        "inputs": architecture.inputs,
        "hidden": list(architecture.hidden),
        "actions": architecture.actions,
        "value": architecture.value,
    }


_EXAMPLES = {
    "mlp": '{"inputs": 26, "hidden": [64, 64], "actions": 2625, "value": true}',
    "resnet": (
        '{"kind": "resnet", "planes": 21, "height": 8, "width": 8, "blocks": 6, "filters": 64, '
        '"actions": 4672, "policy_planes": 73}'
    ),
}


def from_json(data: Any) -> AnyArchitecture:
    """The architecture of a JSON object; a DataError shows what the object should look like."""
    kind = data.get("kind", "mlp") if isinstance(data, Mapping) else "mlp"
    try:
        return _read_resnet(data) if kind == "resnet" else _read_mlp(data)
    except (ValueError, KeyError, TypeError, UsageError):
        example = _EXAMPLES["resnet" if kind == "resnet" else "mlp"]
        raise DataError(f"its architecture is not one such as {example}") from None


def _read_mlp(data: Any) -> Architecture:
    inputs, hidden = data["inputs"], data["hidden"]
    actions, value = data["actions"], data["value"]
    _check_positive(inputs, actions, *hidden)
    if type(value) is not bool or data.get("kind", "mlp") != "mlp":
        raise ValueError
    return Architecture(inputs, tuple(hidden), actions, value)


def _read_resnet(data: Any) -> ResNetArchitecture:
    names = ("planes", "height", "width", "filters", "actions")
    sizes = {name: data[name] for name in names}
    blocks, planes, rank = data["blocks"], data["policy_planes"], data.get("policy_rank")
    _check_positive(*sizes.values(), blocks + 1, *(n for n in (planes, rank) if n is not None))
    return ResNetArchitecture(**sizes, blocks=blocks, policy_planes=planes, policy_rank=rank)


def _check_positive(*numbers: Any) -> None:
    if not all(type(number) is int and number > 0 for number in numbers):
        raise ValueError
