"""Measures how far an agent is from perfect: the share of critical positions whose value it keeps.

A match says which of two agents is stronger.  This measure needs no opponent, and covers each phase
of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.agents.registry import make_agent
from playproof.arena.evaluate_positions import checked_spec, choose_moves, sample_evenly
from playproof.arena.statistics.score import wilson
from playproof.arena.yardstick.critical import CriticalPosition
from playproof.arena.yardstick.positions import Yardstick
from playproof.arena.yardstick.sample import PHASES
from playproof.core.game import Game
from playproof.nets.shipped import find

ALL = "all"
_DASH = "\N{EN DASH}"


@dataclass(frozen=True)
class KeptShare:
    """In how many of some positions the value was kept."""

    positions: int
    kept: int

    @property
    def mean(self) -> float | None:
        return self.kept / self.positions if self.positions else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson, 1927)."""
        return wilson(self.kept, self.positions)

    def to_json(self) -> dict[str, Any]:
        lower, upper = self.interval
        return {
            "positions": self.positions,
            "kept": self.kept,
            "share": self.mean,
            "interval": [lower, upper],
        }

    def __str__(self) -> str:
        """The share with its interval in brackets."""
        if self.mean is None:
            return "-"
        lower, upper = self.interval
        return f"{100 * self.mean:.1f} % ({100 * lower:.1f}{_DASH}{100 * upper:.1f})"


@dataclass(frozen=True)
class PhaseResult:
    """An agent's results in the positions of one phase, or in all."""

    kept: KeptShare
    wins: KeptShare  # among the won positions
    draws: KeptShare  # among the drawn positions
    random: float | None  # the expected share for uniformly random moves

    def to_json(self) -> dict[str, Any]:
        return {
            **self.kept.to_json(),
            "wins": self.wins.to_json(),
            "draws": self.draws.to_json(),
            "random": self.random,
        }


@dataclass(frozen=True)
class YardstickReport:
    """An agent's results by phase, and for ``all`` positions.

    ``parameters`` is the number of parameters of the agent's network, if it has one, and ``kind``
    its spec with NET in place of that network.
    """

    agent: str
    seed: int
    phases: dict[str, PhaseResult]
    parameters: int | None = None
    kind: str = ""

    def to_json(self) -> dict[str, Any]:
        phases = {name: result.to_json() for name, result in self.phases.items()}
        head = {"agent": self.agent, "seed": self.seed, "parameters": self.parameters}
        return {**head, **phases}


def measure(
    yardstick: Yardstick,
    agent: str,
    *,
    seed: int = 0,
    limit: int | None = None,
    workers: int | None = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> YardstickReport:
    """Ask an agent, given by spec, for its move in every position.

    What it draws at random depends only on ``seed`` and the position.  With ``limit`` it gets a
    random sample of that size, evenly by phase; the sample depends on the seed alone, so every
    agent gets the same positions.
    """
    spec = checked_spec(agent)
    chosen = sample_evenly([one.phase for one in yardstick.positions], limit, seed)
    moves = choose_moves(
        spec, yardstick.game, yardstick.rows[chosen], chosen,
        seed=seed, workers=workers, on_progress=on_progress,
    )  # fmt: skip
    positions = [yardstick.positions[index] for index in chosen]
    kept = [one.keeps(move.move) for one, move in zip(positions, moves, strict=True)]
    return YardstickReport(
        spec, seed, summary(positions, kept), *_network(spec, yardstick.game, seed)
    )


def _network(spec: str, game: Game, seed: int) -> tuple[int | None, str]:
    """The number of parameters of an agent's network, and the spec with NET in its place."""
    name = make_agent(spec, game, seed=seed).options.get("net")
    if not name:
        return None, spec
    return find(name, game).architecture.parameters, spec.replace(name, "NET", 1)


def summary(positions: Sequence[CriticalPosition], kept: Sequence[bool]) -> dict[str, PhaseResult]:
    """The results by phase, and for all; ``kept[i]`` says whether position ``i`` kept its value."""
    results = {}
    for phase in (*PHASES, ALL):
        of_phase = [
            (one, is_kept)
            for one, is_kept in zip(positions, kept, strict=True)
            if phase in (one.phase, ALL)
        ]
        shares = [one.share for one, _ in of_phase]
        results[phase] = PhaseResult(
            kept=_share([is_kept for _, is_kept in of_phase]),
            wins=_share([is_kept for one, is_kept in of_phase if one.value > 0]),
            draws=_share([is_kept for one, is_kept in of_phase if one.value == 0]),
            random=sum(shares) / len(shares) if shares else None,
        )
    return results


def _share(kept: list[bool]) -> KeptShare:
    return KeptShare(len(kept), sum(kept))
