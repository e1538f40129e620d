"""The kinds of networks, which files, evaluators and agents treat alike."""

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
    from playproof.nets.forward.mlp import Answer

AnyArchitecture = Architecture | ResNetArchitecture


class AnyForward(Protocol):
    """A network made ready to answer."""

    def logits(self, observations: npt.NDArray[np.float32], legal: LegalLists, /) -> Answer: ...

    def policy(
        self, observations: npt.NDArray[np.float32], legal: LegalLists, /, *, temperature: float = 1
    ) -> Answer: ...


def forward(net: Net, *, device: str = "cpu", half: bool = False) -> AnyForward:
    """A network made ready, whatever its kind; small ones run on the CPU alone."""
    return ready(net.architecture, net.weights, device=device, half=half)


def ready(
    architecture: AnyArchitecture, weights: Vector, *, device: str = "cpu", half: bool = False
) -> AnyForward:
    """The same, from its parts."""
    if isinstance(architecture, ResNetArchitecture):
        from playproof.nets.forward.resnet import ResNetForward

        return ResNetForward(architecture, weights, device=device, half=half)
    if device == "cuda":
        raise UsageError("device=cuda is for residual networks: a small one runs on the CPU")
    from playproof.nets.forward.mlp import Forward

    return Forward(architecture, weights)


def starting_weights(architecture: AnyArchitecture, seed: int) -> Vector:
    """What training begins with."""
    if isinstance(architecture, ResNetArchitecture):
        return resnet.starting_weights(architecture, seed)
    return mlp.starting_weights(architecture, seed)


def parts_of(architecture: AnyArchitecture, vector: Vector) -> dict[str, Vector]:
    if isinstance(architecture, ResNetArchitecture):
        return resnet.parts_of(architecture, vector)
    return mlp.parts_of(architecture, vector)


def vector_of(architecture: AnyArchitecture, parts: dict[str, Any]) -> Vector:
    if isinstance(architecture, ResNetArchitecture):
        return resnet.vector_of(architecture, parts)
    return mlp.vector_of(architecture, parts)


def shapes_of(architecture: AnyArchitecture) -> dict[str, tuple[int, ...]]:
    """The shape of every part by name, without making any."""
    if isinstance(architecture, ResNetArchitecture):
        return dict(architecture.parts())
    shapes: dict[str, tuple[int, ...]] = {}
    for name, outputs, inputs in architecture.layers():
        shapes[f"{name}.weight"] = (outputs, inputs)
        shapes[f"{name}.bias"] = (outputs,)
    return shapes


def in_words(architecture: AnyArchitecture) -> str:
    """The sizes in short: ``(26, 64, 64)``, or ``21 planes, 6 blocks of 64``."""
    if isinstance(architecture, ResNetArchitecture):
        a = architecture
        return f"{a.planes} planes, {a.blocks} blocks of {a.filters}"
    return str(architecture.widths)


# In the header of a file


def told(architecture: AnyArchitecture) -> dict[str, Any]:
    """The sizes as JSON has them; without a kind it is a small network."""
    if isinstance(architecture, ResNetArchitecture):
        names = ("planes", "height", "width", "blocks", "filters", "actions", "policy_planes")
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


def read(given: Any) -> AnyArchitecture:
    """The sizes that were told; a DataError shows what they should look like."""
    kind = given.get("kind", "mlp") if isinstance(given, Mapping) else "mlp"
    try:
        return _read_resnet(given) if kind == "resnet" else _read_mlp(given)
    except (ValueError, KeyError, TypeError, UsageError):
        example = _EXAMPLES["resnet" if kind == "resnet" else "mlp"]
        raise DataError(f"its architecture is not one such as {example}") from None


def _read_mlp(given: Any) -> Architecture:
    inputs, hidden = given["inputs"], given["hidden"]
    actions, value = given["actions"], given["value"]
    _check_whole(inputs, actions, *hidden)
    if type(value) is not bool or given.get("kind", "mlp") != "mlp":
        raise ValueError
    return Architecture(inputs, tuple(hidden), actions, value)


def _read_resnet(given: Any) -> ResNetArchitecture:
    names = ("planes", "height", "width", "filters", "actions")
    sizes = {name: given[name] for name in names}
    blocks, planes = given["blocks"], given["policy_planes"]
    _check_whole(*sizes.values(), blocks + 1, *([] if planes is None else [planes]))
    return ResNetArchitecture(**sizes, blocks=blocks, policy_planes=planes)


def _check_whole(*numbers: Any) -> None:
    if not all(type(number) is int and number > 0 for number in numbers):
        raise ValueError
