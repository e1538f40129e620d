"""How large ChokoZero's nets are, and what their training took: 180,738 parameters and 23 hours
on the GPU of an Apple M1 Pro for the third (section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playproof.core.registry import make
from playproof.nets import shipped
from playproof.papers.chokozero.curves import title_of, training_seconds
from playproof.papers.chokozero.players import GAME, PRESETS

PAPER_PARAMETERS = {"choko-ppo-v3": 180_738}
PAPER_SECONDS = {"choko-ppo-v3": 23 * 3600.0}


@dataclass(frozen=True)
class Cost:
    """``seconds`` of training by where it ran; empty for other nets than the shipped."""

    preset: str
    parameters: int
    seconds: dict[str, float | None]

    @property
    def title(self) -> str:
        return title_of(self.preset)

    def to_json(self) -> dict[str, Any]:
        return {
            "net": self.preset, "parameters": self.parameters,
            "paper_parameters": PAPER_PARAMETERS.get(self.preset),
            "training_seconds": self.seconds, "paper_seconds": PAPER_SECONDS.get(self.preset),
        }  # fmt: skip


def of_nets(nets: Mapping[str, str]) -> list[Cost]:
    """For the shipped nets, or for those in ``nets``, files by preset."""
    seconds = training_seconds()
    found = []
    for preset in PRESETS:
        net = shipped.find(nets.get(preset, preset), make(GAME))
        spent = {} if preset in nets else seconds.get(preset, {})
        found.append(Cost(preset, net.architecture.parameters, spent))
    return found
