"""The sizes of ChokoZero's nets and the time of their training: 180,738 parameters and 23 hours
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
class NetCost:
    """``seconds`` of training by machine; empty for nets that are not the shipped ones."""

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


def net_costs(nets: Mapping[str, str]) -> list[NetCost]:
    """The costs of the shipped nets; ``nets`` names files to use instead, by preset."""
    seconds = training_seconds()
    costs = []
    for preset in PRESETS:
        net = shipped.find(nets.get(preset, preset), make(GAME))
        training = {} if preset in nets else seconds.get(preset, {})
        costs.append(NetCost(preset, net.architecture.parameters, training))
    return costs
