"""``playproof train PRESET --settings``: every setting of a training, what it means and may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.cli.output import emit, table

if TYPE_CHECKING:
    from playproof.learning.settings import RunSettings


def show_settings(preset: str, *, as_json: bool) -> None:
    """Those of a preset with its own values; without one those of each algorithm."""
    from playproof.learning.presets import ALGORITHMS, algorithm_of, find
    from playproof.learning.setting import described

    chosen: dict[str, RunSettings]
    if preset:
        settings = find(preset)
        chosen = {algorithm_of(settings): settings}
    else:
        chosen = {name: kind() for name, kind in ALGORITHMS.items()}
    if as_json:
        emit(
            {
                name: [
                    {"name": one.name, "kind": one.kind, "default": one.value,
                     "allowed": one.allowed, "meaning": one.meaning}
                    for one in described(settings)
                ]
                for name, settings in chosen.items()
            }
        )  # fmt: skip
        return
    for name, settings in chosen.items():
        rows = [[one.name, one.value, one.allowed, one.meaning] for one in described(settings)]
        title = f"Settings of {preset} ({name})" if preset else f"Settings of {name}"
        table(title, ["--set", "default", "allowed", "meaning"], rows)
