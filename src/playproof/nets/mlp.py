"""Small networks: hidden layers with ReLU, a head with one output per action, perhaps a value head.

All parameters are in one vector, layer by layer: the weights (outputs by inputs) and then the
biases. The action head follows the hidden layers, and the value head comes last. So an optimiser is
one loop, and a checkpoint is one array.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Architecture:
    """The sizes of a small network."""

    inputs: int
    hidden: tuple[int, ...]
    actions: int
    value: bool = True  # a second head for the value of the position

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.inputs, *self.hidden)

    def layers(self) -> Iterator[tuple[str, int, int]]:
        """(name, outputs, inputs) of every layer in the order of the vector."""
        for number, (inputs, outputs) in enumerate(itertools.pairwise(self.widths)):
            yield f"hidden.{number}", outputs, inputs
        yield "actions", self.actions, self.widths[-1]
        if self.value:
            yield "value", 1, self.widths[-1]

    @property
    def parameters(self) -> int:
        return sum(outputs * (inputs + 1) for _, outputs, inputs in self.layers())


def starting_weights(architecture: Architecture, seed: int) -> Vector:
    """Random weights and biases, uniform between -1 / sqrt(inputs) and 1 / sqrt(inputs).

    PyTorch initialises its linear layers in the same way.
    """
    chooser = np.random.default_rng(seed)
    parts = []
    for _, outputs, inputs in architecture.layers():
        bound = 1.0 / np.sqrt(inputs)
        parts.append(chooser.uniform(-bound, bound, outputs * (inputs + 1)))
    return np.concatenate(parts).astype(np.float32)


def parts_of(architecture: Architecture, vector: Vector) -> dict[str, Vector]:
    """The weights and biases of a vector by name, as views: ``hidden.0.weight``."""
    out: dict[str, Vector] = {}
    at = 0
    for name, outputs, inputs in architecture.layers():
        end = at + outputs * inputs
        out[f"{name}.weight"] = vector[at:end].reshape(outputs, inputs)
        out[f"{name}.bias"] = vector[end : end + outputs]
        at = end + outputs
    return out


def vector_of(architecture: Architecture, parts: dict[str, Vector]) -> Vector:
    """The vector of tensors by name, the inverse of ``parts_of``."""
    layers = [name for name, _, _ in architecture.layers()]
    ordered = [parts[f"{name}.{kind}"].ravel() for name in layers for kind in ("weight", "bias")]
    return np.concatenate(ordered).astype(np.float32)
