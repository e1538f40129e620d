"""How well a player keeps what it has: the share of critical positions whose value it keeps.

A match says who is stronger than whom.  This says how far a player is from
perfect, in each phase of the game, and needs no opponent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from statistics import NormalDist
from typing import Any

import numpy as np

from playproof.agents import registry as agents
from playproof.arena.yardstick_sample import PHASES, spread
from playproof.arena.yardstick_set import Critical, Yardstick
from playproof.core import jobs
from playproof.core.batch import Batch
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.playouts import derive_seed
from playproof.core.registry import make

ALL = "all"
_DASH = "\N{EN DASH}"
_TOGETHER = 32  # positions put before an agent at once


def wilson(kept: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share: it stays inside 0..1 and is open at 0 and 1."""
    if not total:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    share = kept / total
    middle = share + z * z / (2 * total)
    width = z * math.sqrt(share * (1.0 - share) / total + z * z / (4 * total * total))
    scale = 1.0 + z * z / total
    # At 0 and 1 the formula gives these ends but for rounding.
    lower = 0.0 if kept == 0 else (middle - width) / scale
    upper = 1.0 if kept == total else (middle + width) / scale
    return lower, upper


@dataclass(frozen=True)
class Share:
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
class Part:
    """What a player made of the positions of one phase, or of all."""

    kept: Share
    wins: Share  # of the won positions
    draws: Share  # of the drawn positions
    random: float | None  # the share that uniformly random moves would keep

    def to_json(self) -> dict[str, Any]:
        return {
            **self.kept.to_json(),
            "wins": self.wins.to_json(),
            "draws": self.draws.to_json(),
            "random": self.random,
        }


@dataclass(frozen=True)
class Measured:
    """The parts by phase, and ``all``."""

    agent: str
    seed: int
    parts: dict[str, Part]

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
) -> Measured:
    """Ask an agent, given by spec, for its move in every position.

    What it draws at random depends on ``seed`` and the position alone.  With ``limit`` it is asked
    in so many positions, evenly by phase, which the seed chooses: every agent gets the same ones.
    """
    spec = checked_spec(agent)
    chosen = _limited(yardstick, limit, seed)
    agents.make_agent(spec, yardstick.game, seed=seed)  # refuses here, before any process starts
    parts = [chosen[i : i + _TOGETHER] for i in range(0, len(chosen), _TOGETHER)]
    tasks = [
        (spec, yardstick.game.spec, seed, yardstick.rows[part], part, _modules()) for part in parts
    ]

    def tell(done: int) -> None:
        if progress:
            progress(min(done * _TOGETHER, len(chosen)), len(chosen))

    answers = jobs.run(_ask, tasks, workers=workers, progress=tell)
    asked = [yardstick.positions[index] for index in chosen]
    moves = itertools.chain.from_iterable(answers)
    kept = [one.keeps(move) for one, move in zip(asked, moves, strict=True)]
    return Measured(spec, seed, summary(asked, kept))


def checked_spec(agent: str) -> str:
    """The one way to write the spec of an agent, which must not be a person."""
    spec = agents.settled_spec(agent)
    if agents.find(spec.partition(":")[0]).interactive:
        raise UsageError(f"{spec} cannot be asked about so many positions: name an agent")
    return spec


def summary(positions: Sequence[Critical], kept: Sequence[bool]) -> dict[str, Part]:
    """By phase and in all: ``kept[i]`` says whether the value of position ``i`` was kept."""
    parts = {}
    for phase in (*PHASES, ALL):
        here = [
            (one, good)
            for one, good in zip(positions, kept, strict=True)
            if phase in (one.phase, ALL)
        ]
        shares = [one.share for one, _ in here]
        parts[phase] = Part(
            kept=_share([good for _, good in here]),
            wins=_share([good for one, good in here if one.value > 0]),
            draws=_share([good for one, good in here if one.value == 0]),
            random=sum(shares) / len(shares) if shares else None,
        )
    return parts


def _share(kept: list[bool]) -> Share:
    return Share(len(kept), sum(kept))


def _limited(yardstick: Yardstick, limit: int | None, seed: int) -> list[int]:
    """The numbers of the positions to ask about, in rising order."""
    everything = range(len(yardstick.positions))
    if not everything:
        raise UsageError("the set is empty: there is nothing to measure with")
    if limit is None:
        return list(everything)
    if limit < 1:
        raise UsageError(f"{limit} positions measure nothing: want 1 or more")
    chance = np.random.default_rng(seed)
    by_phase = [lambda index: yardstick.positions[index].phase]
    return sorted(spread(everything, limit, by_phase, chance))


def _ask(
    spec: str, game: str, seed: int, rows: Any, numbers: list[int], modules: tuple[str, ...]
) -> list[int]:
    """For each position the place of the agent's move among the legal ones."""
    for module in modules:
        import_module(module)
    batch = Batch(make(game), rows)
    batch.seeds[:] = [derive_seed(seed, number) for number in numbers]
    chosen = agents.make_agent(spec, batch.game, seed=seed).choose(batch)
    lists = batch.legal_lists()
    out = []
    for row, decision in enumerate(chosen):
        legal = sorted(lists.of(row).tolist())
        if decision.action not in legal:
            position = batch[row].position
            raise PlayproofError(f"{spec} gives no legal move in {position}: it cannot be measured")
        out.append(legal.index(decision.action))
    return out


def _modules() -> tuple[str, ...]:
    """The modules that registered agents in this process, for others to import."""
    found = {cls.__module__ for cls in agents.registered()}
    return tuple(sorted(found - {"__main__", "__mp_main__"}))
