"""How well a player keeps what it has: the share of critical positions whose value it keeps.

A match says who is stronger than whom.  This says how far a player is from
perfect, in each phase of the game, and needs no opponent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.arena.evaluate_positions import checked_spec, choose_moves, sample_evenly
from playproof.arena.statistics.score import wilson
from playproof.arena.yardstick.critical import CriticalPosition
from playproof.arena.yardstick.positions import Yardstick
from playproof.arena.yardstick.sample import PHASES

ALL = "all"
_DASH = "\N{EN DASH}"


@dataclass(frozen=True)
class KeptShare:
    """How many of some positions kept their value."""

    positions: int
    kept: int

    @property
    def mean(self) -> float | None:
        return self.kept / self.positions if self.positions else None

    @property
    def interval(self) -> tuple[float, float]:
        """At 95 %."""
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
    """What a player made of the positions of one phase, or of all."""

    kept: KeptShare
    wins: KeptShare  # of the won positions
    draws: KeptShare  # of the drawn positions
    random: float | None  # the share that uniformly random moves would keep

    def to_json(self) -> dict[str, Any]:
        return {
            **self.kept.to_json(),
            "wins": self.wins.to_json(),
            "draws": self.draws.to_json(),
            "random": self.random,
        }


@dataclass(frozen=True)
class YardstickReport:
    """The parts by phase, and ``all``."""

    agent: str
    seed: int
    parts: dict[str, PhaseResult]

    def to_json(self) -> dict[str, Any]:
        parts = {name: part.to_json() for name, part in self.parts.items()}
        return {"agent": self.agent, "seed": self.seed, **parts}


def measure(
    yardstick: Yardstick,
    agent: str,
    *,
    seed: int = 0,
    limit: int | None = None,
    workers: int | None = 1,
    progress: Callable[[int, int], None] | None = None,
) -> YardstickReport:
    """Ask an agent, given by spec, for its move in every position.

    What it draws at random depends on ``seed`` and the position alone.  With ``limit`` it is asked
    in so many positions, evenly by phase, which the seed chooses: every agent gets the same ones.
    """
    spec = checked_spec(agent)
    chosen = sample_evenly([one.phase for one in yardstick.positions], limit, seed)
    answers = choose_moves(
        spec, yardstick.game, yardstick.rows[chosen], chosen,
        seed=seed, workers=workers, progress=progress,
    )  # fmt: skip
    asked = [yardstick.positions[index] for index in chosen]
    kept = [one.keeps(answer.move) for one, answer in zip(asked, answers, strict=True)]
    return YardstickReport(spec, seed, summary(asked, kept))


def summary(positions: Sequence[CriticalPosition], kept: Sequence[bool]) -> dict[str, PhaseResult]:
    """By phase and in all: ``kept[i]`` says whether the value of position ``i`` was kept."""
    parts = {}
    for phase in (*PHASES, ALL):
        here = [
            (one, good)
            for one, good in zip(positions, kept, strict=True)
            if phase in (one.phase, ALL)
        ]
        shares = [one.share for one, _ in here]
        parts[phase] = PhaseResult(
            kept=_share([good for _, good in here]),
            wins=_share([good for one, good in here if one.value > 0]),
            draws=_share([good for one, good in here if one.value == 0]),
            random=sum(shares) / len(shares) if shares else None,
        )
    return parts


def _share(kept: list[bool]) -> KeptShare:
    return KeptShare(len(kept), sum(kept))
