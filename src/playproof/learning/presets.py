"""Runs with names, and the algorithms that have them."""

from __future__ import annotations

from typing import NamedTuple

from playproof.core.errors import PlayproofError, UsageError, one_of
from playproof.learning import registry
from playproof.learning.algorithm import AnyAlgorithm
from playproof.learning.settings import RunSettings


class Preset(NamedTuple):
    """Settings with a name, and what runs them."""

    name: str
    algorithm: AnyAlgorithm
    settings: RunSettings


def find(name: str) -> Preset:
    """The preset of a name, such as ``choko-ppo-v3`` or ``alphazero:othello``."""
    broken: list[PlayproofError] = []
    for algorithm in registry.available(broken):
        settings = algorithm.opens(name)
        if settings is not None:
            return Preset(name, algorithm, settings)
    more = f"; {broken[0]}" if broken else ""
    raise UsageError(f"there is no preset '{name}': want {one_of(names())}{more}")


def names() -> list[str]:
    """All presets, those for any game last: ``alphazero:GAME``."""
    listed = [name for algorithm in registry.available() for name in algorithm.preset_names()]
    return sorted(listed, key=lambda name: ":" in name)
