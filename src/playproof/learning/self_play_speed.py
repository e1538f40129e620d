"""How fast games are played by search, beside the bare network, and where the rest goes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from playproof.core.errors import PlayproofError
from playproof.learning.alphazero import AlphaZero
from playproof.learning.alphazero_settings import AlphaZeroSettings
from playproof.learning.device_judge import DeviceJudge, DeviceNet

PHASES = {
    "look": "select, list actions, observe (CPU)",
    "launch": "hand leaves to the network (CPU)",
    "wait": "wait for the network",
    "back up": "expand and back up (CPU)",
    "moves": "play moves, keep what was found (CPU)",
}


@dataclass(frozen=True)
class Speed:
    """Leaves a second of self-play, positions a second of the bare network at the same batch,
    and shares of the time by phase (``PHASES``)."""

    leaves: float
    bare: float
    batch: int  # leaves in one call of the network
    phases: dict[str, float]

    @property
    def share(self) -> float:
        return self.leaves / self.bare


def measure(settings: AlphaZeroSettings, device: str, seconds: float) -> Speed:
    """Play for so long with a net that knows nothing, after a move to warm up."""
    run = AlphaZero(settings, device=device)
    if settings.mode != "value":
        raise PlayproofError("the speed of self-play is measured in the mode value")
    sizes = [len(trees) for trees in run.play.forests]
    if run.device == "cpu":
        from playproof.learning.judges import NetJudge
        from playproof.nets import kinds

        run.judges = [NetJudge(kinds.ready(run.architecture, run.best))]
        net = DeviceJudge(DeviceNet(run.architecture, run.best, device), sizes)
    else:
        net = run.judges[0]  # type: ignore[assignment]
    bare = net.bare_speed(min(seconds, 3.0))
    run.play.step(run.judges)
    spent = run.play.spent
    spent.seconds.clear()
    spent.leaves, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        run.play.step(run.judges)
    whole = time.perf_counter() - began
    phases = {name: spent.seconds.get(name, 0.0) / whole for name in PHASES}
    return Speed(spent.leaves / whole, bare, max(sizes), phases)
