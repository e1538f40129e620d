"""How well a player knows its tactics: in positions with exact answers, and in the paper's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, NamedTuple

from playproof.agents.net import NetAgent
from playproof.arena.evaluate_positions import ChosenMove, checked_spec, choose_moves, sample_evenly
from playproof.arena.tactics.families import FAMILIES
from playproof.arena.tactics.paper_positions import Reconstruction
from playproof.arena.tactics.positions import PAPER, Tactics, checked_families, playable
from playproof.arena.yardstick.critical import CriticalPosition, rows_of
from playproof.arena.yardstick.measure import ALL, KeptShare
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.spec import parse

_AT_ONCE = 1024  # positions put before an agent in this process
_SHARED = 32  # the same where several processes share the work


class TestPosition(NamedTuple):
    """A position that was asked about; its number decides what is drawn at random."""

    number: int
    family: str
    critical: CriticalPosition


@dataclass(frozen=True)
class PolicyQuality:
    """What a policy thinks of right moves, over some positions."""

    probability: float  # the mean of what it gives to all right moves of a position
    mean_rank: float  # of its likeliest right move; 1 is the likeliest move of all
    median_rank: float

    def to_json(self) -> dict[str, float]:
        return {
            "probability": self.probability,
            "mean_rank": self.mean_rank,
            "median_rank": self.median_rank,
        }


@dataclass(frozen=True)
class FamilyResult:
    """What a player made of one family, or of all."""

    share: KeptShare
    random: float  # the share that uniformly random moves would solve
    policy: PolicyQuality | None

    def to_json(self) -> dict[str, Any]:
        lower, upper = self.share.interval
        return {
            "positions": self.share.positions,
            "solved": self.share.kept,
            "share": self.share.mean,
            "interval": [lower, upper],
            "random": self.random,
            "policy": self.policy and self.policy.to_json(),
        }


@dataclass(frozen=True)
class PaperAnswer:
    """What a player made of one of the paper's positions."""

    one: Reconstruction
    agent: str
    plays: str
    right: bool
    rank: int | None  # of the paper's move in the policy, if there is one
    probability: float | None
    likeliest: str | None

    def to_json(self) -> dict[str, Any]:
        figure = self.one.figure
        return {
            "name": figure.name,
            "position": self.one.critical.position,
            "named": {"red": figure.red, "blue": figure.blue},
            "added": {"red": self.one.red, "blue": self.one.blue},
            "says": figure.says,
            "tells": figure.tells,
            "move": figure.move,
            "plays": self.plays,
            "right": self.right,
            "rank": self.rank,
            "probability": self.probability,
            "likeliest": self.likeliest,
        }


@dataclass(frozen=True)
class TacticsReport:
    agent: str
    seed: int
    posed: tuple[TestPosition, ...]
    answers: tuple[ChosenMove, ...]  # to each of these
    paper: tuple[PaperAnswer, ...]
    searched: tuple[PaperAnswer, ...]  # the same by PGTS with the player's net; empty without one

    @property
    def families(self) -> dict[str, FamilyResult]:
        """By family, and ``all``; those that were not asked about are left out."""
        found = {}
        for name in (*FAMILIES, ALL):
            here = [
                (one.critical, answer)
                for one, answer in zip(self.posed, self.answers, strict=True)
                if name in (one.family, ALL)
            ]
            if here:
                found[name] = family_result(here)
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "seed": self.seed,
            "families": {name: found.to_json() for name, found in self.families.items()},
            "paper": [told.to_json() for told in self.paper],
            "pgts": [
                {"agent": t.agent, "name": t.one.figure.name, "plays": t.plays, "right": t.right}
                for t in self.searched
            ],
        }


def pose(
    tactics: Tactics, *, families: Sequence[str] = (), limit: int | None = None, seed: int = 0
) -> list[TestPosition]:
    """The positions to ask about, of the named families or of all; the paper's own not among
    them.  With ``limit`` so many, evenly by family, which the seed chooses."""
    wanted = checked_families(families)
    everything = [(name, one) for name in FAMILIES for one in tactics.families[name]]
    posed = [TestPosition(i, *pair) for i, pair in enumerate(everything) if pair[0] in wanted]
    if not posed and wanted == (PAPER,):
        return []
    return [posed[i] for i in sample_evenly([one.family for one in posed], limit, seed)]


def measure(
    tactics: Tactics,
    agent: str,
    *,
    game: Game | None = None,
    families: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    workers: int | None = 1,
    progress: Callable[[int, int], None] | None = None,
) -> TacticsReport:
    """Ask an agent, given by spec, for its move in every position of the named families.

    What it draws at random depends on ``seed`` and the position alone.  One process puts a
    thousand positions before the agent at once; several share them.
    """
    spec = checked_spec(agent)
    played = playable(game or tactics.game)
    posed = pose(tactics, families=families, limit=limit, seed=seed)
    paper = tactics.paper if PAPER in checked_families(families) else ()
    first = sum(map(len, tactics.families.values()))
    numbers = [one.number for one in posed] + [first + i for i in range(len(paper))]
    positions = [one.critical for one in posed] + [one.critical for one in paper]
    if not positions:
        raise UsageError("the set has none of these positions: there is nothing to measure with")
    rows = rows_of(played, positions)
    together = _AT_ONCE if workers == 1 else _SHARED
    answers = choose_moves(
        spec, played, rows, numbers,
        seed=seed, workers=workers, together=together, policies=True, progress=progress,
    )  # fmt: skip
    told = _told(played, spec, paper, answers[len(posed) :])
    searched: tuple[PaperAnswer, ...] = ()
    name, settings = parse(spec)
    if name == NetAgent.name and paper:
        net = NetAgent.settled(settings)["net"]
        search = checked_spec(f"pgts:net={net}")
        found = choose_moves(search, played, rows[len(posed) :], numbers[len(posed) :], seed=seed)
        searched = _told(played, search, paper, found)
    return TacticsReport(spec, seed, tuple(posed), tuple(answers[: len(posed)]), told, searched)


def family_result(asked: Sequence[tuple[CriticalPosition, ChosenMove]]) -> FamilyResult:
    """The sum of some answers."""
    right = [one.keeps(answer.move) for one, answer in asked]
    share = KeptShare(len(right), sum(right))
    policies = [(one, answer.policy) for one, answer in asked if answer.policy is not None]
    return FamilyResult(share, fmean(one.share for one, _ in asked), _policy(policies))


def _policy(known: Sequence[tuple[CriticalPosition, tuple[float, ...]]]) -> PolicyQuality | None:
    if not known:
        return None
    weights, ranks = [], []
    for one, policy in known:
        right = [weight for move, weight in enumerate(policy) if one.keeps(move)]
        weights.append(sum(right))
        ranks.append(rank(policy, max(right)))
    return PolicyQuality(fmean(weights), fmean(ranks), float(median(ranks)))


def rank(policy: Sequence[float], weight: float) -> int:
    """1 for the likeliest move; equally likely ones have the same."""
    return 1 + sum(other > weight for other in policy)


def _told(
    game: Game, agent: str, paper: Sequence[Reconstruction], answers: Sequence[ChosenMove]
) -> tuple[PaperAnswer, ...]:
    found = []
    for one, (move, policy) in zip(paper, answers, strict=True):
        names = game.position(one.critical.position).legal_names()
        weight = None if policy is None else policy[names.index(one.figure.move)]
        found.append(
            PaperAnswer(
                one,
                agent,
                names[move],
                one.critical.keeps(move),
                None if policy is None or weight is None else rank(policy, weight),
                weight,
                None if policy is None else names[policy.index(max(policy))],
            )
        )
    return tuple(found)
