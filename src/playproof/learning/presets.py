"""Presets: named settings, each with the algorithm that it is for."""

from __future__ import annotations

from typing import NamedTuple

from playproof.core.errors import PlayproofError, UsageError, one_of
from playproof.learning import registry
from playproof.learning.algorithm import AnyAlgorithm
from playproof.learning.settings import RunSettings


class Preset(NamedTuple):
    """Settings with a name, and the algorithm that runs them."""

    name: str
    algorithm: AnyAlgorithm
    settings: RunSettings


def find(name: str) -> Preset:
    """Find a preset by name, such as ``choko-ppo-v3`` or ``alphazero:othello``."""
    errors: list[PlayproofError] = []
    for algorithm in registry.available(errors):
        settings = algorithm.settings_for(name)
        if settings is not None:
            return Preset(name, algorithm, settings)
    more = f"; {errors[0]}" if errors else ""
    raise UsageError(f"there is no preset '{name}': want {one_of(names())}{more}")


def names() -> list[str]:
    """The names of all presets; those for any game, such as ``alphazero:GAME``, come last."""
    listed = [name for algorithm in registry.available() for name in algorithm.preset_names()]
    return sorted(listed, key=lambda name: ":" in name)
