"""How fast games are played by search, beside the bare network, and where the rest goes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from playproof.core.errors import PlayproofError
from playproof.learning.algorithms.alphazero.learner import AlphaZero
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.nets.evaluators.device import DeviceEvaluator, DeviceNet, network_speed

PHASES = {
    "select": "select, list actions, observe (CPU)",
    "submit": "hand leaves to the network (CPU)",
    "wait": "wait for the network",
    "backup": "expand and back up (CPU)",
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
    bare = _bare(run, min(seconds, 3.0))
    run.play.step()
    times = run.play.times
    times.seconds.clear()
    times.leaves, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        run.play.step()
    whole = time.perf_counter() - began
    phases = {name: times.seconds.get(name, 0.0) / whole for name in PHASES}
    return Speed(times.leaves / whole, bare, max(map(len, run.play.searches)), phases)


def _bare(run: AlphaZero, seconds: float) -> float:
    """Positions a second of the network alone, as PyTorch computes it, at the run's batch."""
    evaluators = [search.evaluator for search in run.play.searches]
    if run.device == "cpu":
        net = DeviceNet(run.architecture, run.best, run.device)
        sizes = map(len, run.play.searches)
        evaluators = [DeviceEvaluator(net, size, run.settings.observation) for size in sizes]
    return network_speed(evaluators, seconds)  # type: ignore[arg-type]


class Throughput:
    """How fast a run that goes on plays its games, beside the bare network at the same batch:
    over whole iterations, with all that comes between two games."""

    def __init__(self, run: AlphaZero, seconds: float = 0.25) -> None:
        self._run, self._times = run, run.play.times
        self.bare = _bare(run, seconds)
        self._began = time.perf_counter()
        self._before = self._times.leaves

    @property
    def leaves(self) -> float:
        """A second, of all the time since it began."""
        seconds = time.perf_counter() - self._began
        return (self._times.leaves - self._before) / seconds if seconds else 0.0

    def __str__(self) -> str:
        share = self.leaves / self.bare
        return f"{self.leaves:,.0f} leaves/s, {share:.0%} of the bare network's {self.bare:,.0f}"

    def summary(self) -> list[str]:
        """What is said when a run ends, if it has played."""
        if not self.leaves:
            return []
        return [
            f"self-play over whole iterations: {self}",
            f"where the time went: {self.profile()}",
        ]

    def profile(self) -> str:
        """Where the time went: shares of it by phase, and beside that, if anything was."""
        whole = time.perf_counter() - self._began
        shares = {name: seconds / whole for name, seconds in self._times.seconds.items()}
        beside = {name: seconds / whole for name, seconds in self._run.beside.seconds.items()}
        if not self._run.overlaps:
            shares, beside = shares | beside, {}
        shares["the rest"] = max(0.0, 1.0 - sum(shares.values()))

        def listed(parts: dict[str, float]) -> str:
            ordered = sorted(parts.items(), key=lambda part: -part[1])
            return ", ".join(f"{name} {share:.0%}" for name, share in ordered)

        return listed(shares) + (f"; beside the games: {listed(beside)}" if beside else "")
