"""``playproof train --presets`` and ``--settings``: presets, and settings with their meanings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.cli.output import emit, note, table
from playproof.learning.presets import find
from playproof.learning.registry import available
from playproof.learning.setting import describe_settings

if TYPE_CHECKING:
    from playproof.core.errors import PlayproofError
    from playproof.learning.settings import RunSettings


def show_presets(*, as_json: bool) -> None:
    """Print every preset with its algorithm and how that learns."""
    errors: list[PlayproofError] = []
    presets = [
        (name, algorithm) for algorithm in available(errors) for name in algorithm.preset_names()
    ]
    presets.sort(key=lambda one: ":" in one[0])
    if as_json:
        emit(
            {
                "presets": [
                    {"name": name, "algorithm": algorithm.name, "summary": algorithm.summary}
                    for name, algorithm in presets
                ]
            }
        )
    else:
        rows = [[name, algorithm.name, algorithm.summary] for name, algorithm in presets]
        table("Presets", ["preset", "algorithm", "how it learns"], rows)
    for error in errors:
        note(str(error))


def show_settings(preset: str, *, as_json: bool) -> None:
    """Print the settings of a preset with its values, or without one those of every algorithm."""
    chosen: dict[str, RunSettings]
    if preset:
        named = find(preset)
        chosen = {named.algorithm.name: named.settings}
    else:
        algorithms = sorted(available(), key=lambda algorithm: algorithm.name)
        chosen = {algorithm.name: algorithm.config() for algorithm in algorithms}
    if as_json:
        emit(
            {
                name: [
                    {"name": one.name, "kind": one.kind, "default": one.value,
                     "allowed": one.allowed, "meaning": one.meaning}
                    for one in describe_settings(settings)
                ]
                for name, settings in chosen.items()
            }
        )  # fmt: skip
        return
    for name, settings in chosen.items():
        rows = [
            [one.name, one.value, one.allowed, one.meaning] for one in describe_settings(settings)
        ]
        title = f"Settings of {preset} ({name})" if preset else f"Settings of {name}"
        table(title, ["--set", "default", "allowed", "meaning"], rows)
