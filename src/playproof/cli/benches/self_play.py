"""Self-play against the bare network: leaves per second, and where the rest of the time goes.

With a GPU, the 6x64 residual network on Othello and chess with 4,096 leaves per
call; without one, small networks, to see that it works.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.learning.algorithms.alphazero.presets import preset_for
from playproof.learning.algorithms.alphazero.speed import PHASES
from playproof.learning.algorithms.alphazero.speed import measure as measure_speed

_GAMES = 8192  # two forests of half as many
_SIMULATIONS = 64
_SMALL = {"games": 32, "simulations": 8, "fast_simulations": 4, "blocks": 1, "filters": 8}


@dataclass(frozen=True)
class SelfPlayReport:
    """The speeds of self-play by game."""

    device: str
    peer: str | None  # PyTorch, which both sides use
    speeds: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        games = {
            game: {**asdict(speed), "share": speed.share} for game, speed in self.speeds.items()
        }
        return {"device": self.device, "torch": self.peer, "games": games}

    def rows(self) -> list[list[str]]:
        rows = []
        for game, speed in self.speeds.items():
            rows.append(
                [game, f"{speed.leaves:,.0f}", f"{speed.bare:,.0f}", f"{100 * speed.share:.0f} %",
                 f"{speed.batch:,} leaves in a call"]
            )  # fmt: skip
            rows += [
                ["", "", "", f"{100 * speed.phases[name]:.0f} %", words]
                for name, words in PHASES.items()
            ]
        return rows


def measure(seconds: float, update: Callable[[int, int], None]) -> SelfPlayReport:
    """Measure both games, each with an untrained network."""
    if find_spec("torch") is None:
        raise PlayproofError("self-play needs PyTorch: pip install 'playproof[learn]'")
    import torch

    cuda = torch.cuda.is_available()
    large = {"games": _GAMES, "simulations": _SIMULATIONS, "blocks": 6, "filters": 64}
    speeds: dict[str, Any] = {}
    for number, game in enumerate(("othello", "chess")):
        changes: dict[str, Any] = large if cuda else _SMALL
        settings = replace(preset_for(game), full_share=1.0, **changes)
        speeds[game] = measure_speed(settings, "cuda" if cuda else "cpu", seconds)
        update(number + 1, 2)
    name = torch.cuda.get_device_name() if cuda else "CPU"
    return SelfPlayReport(name, f"PyTorch {torch.__version__}", speeds)
