"""The speed of self-play compared with the bare network, and where the time goes."""

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
    "moves": "play moves, record them (CPU)",
}


@dataclass(frozen=True)
class SelfPlaySpeed:
    """The measured speed of self-play."""

    leaves: float  # leaves evaluated per second
    bare: float  # positions per second of the network alone, at the same batch size
    batch: int  # leaves in one call of the network
    phases: dict[str, float]  # share of the time by phase (``PHASES``)

    @property
    def share(self) -> float:
        return self.leaves / self.bare


def measure(settings: AlphaZeroSettings, device: str, seconds: float) -> SelfPlaySpeed:
    """Measure self-play with an untrained net for ``seconds``, after one move to warm up."""
    run = AlphaZero(settings, device=device)
    if settings.mode != "value":
        raise PlayproofError("the speed of self-play is measured in the mode value")
    bare = _bare(run, min(seconds, 3.0))
    run.play.step()
    times = run.play.times
    times.seconds.clear()
    times.leaves, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        run.play.step()
    whole = time.perf_counter() - started
    phases = {name: times.seconds.get(name, 0.0) / whole for name in PHASES}
    return SelfPlaySpeed(times.leaves / whole, bare, max(map(len, run.play.searches)), phases)


def _bare(run: AlphaZero, seconds: float) -> float:
    """Positions per second of the network alone in PyTorch, at the run's batch size."""
    evaluators = [search.evaluator for search in run.play.searches]
    if run.device == "cpu":
        net = DeviceNet(run.architecture, run.best, run.device)
        sizes = map(len, run.play.searches)
        evaluators = [DeviceEvaluator(net, size, run.settings.observation) for size in sizes]
    return network_speed(evaluators, seconds)  # type: ignore[arg-type]


class Throughput:
    """The speed of self-play in a run, compared with the bare network at the same batch size.

    It is measured over whole iterations, with everything between two games."""

    def __init__(self, run: AlphaZero, seconds: float = 0.25) -> None:
        self._run, self._times = run, run.play.times
        self.bare = _bare(run, seconds)
        self._started = time.perf_counter()
        self._before = self._times.leaves

    @property
    def leaves(self) -> float:
        """Leaves evaluated per second since the measurement started."""
        seconds = time.perf_counter() - self._started
        return (self._times.leaves - self._before) / seconds if seconds else 0.0

    def __str__(self) -> str:
        share = self.leaves / self.bare
        return f"{self.leaves:,.0f} leaves/s, {share:.0%} of the bare network's {self.bare:,.0f}"

    def summary(self) -> list[str]:
        """The lines printed when a run ends; none if it has played no game."""
        if not self.leaves:
            return []
        return [
            f"self-play over whole iterations: {self}",
            f"where the time went: {self.profile()}",
        ]

    def profile(self) -> str:
        """Shares of the time by phase, those of overlapping learning apart."""
        whole = time.perf_counter() - self._started
        shares = {name: seconds / whole for name, seconds in self._times.seconds.items()}
        learning = self._run.learning_times.seconds.items()
        beside = {name: seconds / whole for name, seconds in learning}
        if not self._run.overlaps:
            shares, beside = shares | beside, {}
        shares["the rest"] = max(0.0, 1.0 - sum(shares.values()))

        def format_shares(parts: dict[str, float]) -> str:
            ordered = sorted(parts.items(), key=lambda part: -part[1])
            return ", ".join(f"{name} {share:.0%}" for name, share in ordered)

        text = format_shares(shares)
        return f"{text}; beside the games: {format_shares(beside)}" if beside else text
