"""Measures an agent's tactics, in positions with exact answers and in the paper's own."""

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

_BATCH = 1024  # positions put before an agent at once, in this process ...
_SHARED_BATCH = 32  # ... and if several processes share the work


class PosedPosition(NamedTuple):
    """A position that agents are asked about.  Its number decides what they draw at random."""

    number: int
    family: str
    critical: CriticalPosition


@dataclass(frozen=True)
class PolicyQuality:
    """How a policy rates the right moves, over some positions."""

    probability: float  # of all right moves of a position together, in the mean
    mean_rank: float  # of the likeliest right move; rank 1 is the likeliest of all moves
    median_rank: float

    def to_json(self) -> dict[str, float]:
        return {
            "probability": self.probability,
            "mean_rank": self.mean_rank,
            "median_rank": self.median_rank,
        }


@dataclass(frozen=True)
class FamilyResult:
    """An agent's results in one family, or in all."""

    share: KeptShare
    random: float  # the expected share for uniformly random moves
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
    """An agent's move in one of the paper's positions, and what its policy says, if it has one."""

    reconstruction: Reconstruction
    agent: str
    move: str
    is_right: bool
    rank: int | None  # of the paper's move in the policy
    probability: float | None  # of the paper's move
    likeliest: str | None  # the likeliest move of the policy

    def to_json(self) -> dict[str, Any]:
        figure = self.reconstruction.figure
        return {
            "name": figure.name,
            "position": self.reconstruction.critical.position,
            "named": {"red": figure.red, "blue": figure.blue},
            "added": {
                "red": self.reconstruction.added_red,
                "blue": self.reconstruction.added_blue,
            },
            "says": figure.description,
            "tells": figure.paper_result,
            "move": figure.move,
            "plays": self.move,
            "right": self.is_right,
            "rank": self.rank,
            "probability": self.probability,
            "likeliest": self.likeliest,
        }


@dataclass(frozen=True)
class TacticsReport:
    """An agent's moves in the positions of a set, and its results by family."""

    agent: str
    seed: int
    positions: tuple[PosedPosition, ...]
    moves: tuple[ChosenMove, ...]  # one for each position
    paper: tuple[PaperAnswer, ...]
    paper_by_search: tuple[PaperAnswer, ...]  # by PGTS with the agent's net; empty without a net

    @property
    def families(self) -> dict[str, FamilyResult]:
        """Results by family, and ``all``.  Families that were not asked about are left out."""
        results = {}
        for name in (*FAMILIES, ALL):
            chosen = [
                (one.critical, move)
                for one, move in zip(self.positions, self.moves, strict=True)
                if name in (one.family, ALL)
            ]
            if chosen:
                results[name] = family_result(chosen)
        return results

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "seed": self.seed,
            "families": {name: result.to_json() for name, result in self.families.items()},
            "paper": [answer.to_json() for answer in self.paper],
            "pgts": [
                {
                    "agent": answer.agent,
                    "name": answer.reconstruction.figure.name,
                    "plays": answer.move,
                    "right": answer.is_right,
                }
                for answer in self.paper_by_search
            ],
        }


def pose(
    tactics: Tactics, *, families: Sequence[str] = (), limit: int | None = None, seed: int = 0
) -> list[PosedPosition]:
    """The positions to ask about, of the named families or of all, without the paper's own.

    With ``limit`` it is a random sample of that size, evenly by family.
    """
    chosen = checked_families(families)
    pairs = [(name, one) for name in FAMILIES for one in tactics.families[name]]
    positions = [PosedPosition(i, *pair) for i, pair in enumerate(pairs) if pair[0] in chosen]
    if not positions and chosen == (PAPER,):
        return []
    return [positions[i] for i in sample_evenly([one.family for one in positions], limit, seed)]


def measure(
    tactics: Tactics,
    agent: str,
    *,
    game: Game | None = None,
    families: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    workers: int | None = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> TacticsReport:
    """Ask an agent, given by spec, for its move in every position of the named families.

    What it draws at random depends only on ``seed`` and the position.  With one worker the agent
    gets a thousand positions at once; several workers share them in smaller batches.
    """
    spec = checked_spec(agent)
    game = playable(game or tactics.game)
    positions = pose(tactics, families=families, limit=limit, seed=seed)
    paper = tactics.paper if PAPER in checked_families(families) else ()
    first = sum(map(len, tactics.families.values()))
    numbers = [one.number for one in positions] + [first + i for i in range(len(paper))]
    critical = [one.critical for one in positions] + [one.critical for one in paper]
    if not critical:
        raise UsageError("the set has none of these positions: there is nothing to measure with")
    rows, count = rows_of(game, critical), len(positions)
    moves = choose_moves(
        spec, game, rows, numbers,
        seed=seed, workers=workers, batch_size=_BATCH if workers == 1 else _SHARED_BATCH,
        policies=True, on_progress=on_progress,
    )  # fmt: skip
    by_agent = _paper_answers(game, spec, paper, moves[count:])
    by_search: tuple[PaperAnswer, ...] = ()
    name, settings = parse(spec)
    if name == NetAgent.name and paper:
        search = checked_spec(f"pgts:net={NetAgent.settled(settings)['net']}")
        search_moves = choose_moves(search, game, rows[count:], numbers[count:], seed=seed)
        by_search = _paper_answers(game, search, paper, search_moves)
    return TacticsReport(spec, seed, tuple(positions), tuple(moves[:count]), by_agent, by_search)


def family_result(chosen: Sequence[tuple[CriticalPosition, ChosenMove]]) -> FamilyResult:
    """The result over some positions and the moves chosen in them."""
    right = [position.keeps(chosen_move.move) for position, chosen_move in chosen]
    share = KeptShare(len(right), sum(right))
    policies = [(position, move.policy) for position, move in chosen if move.policy is not None]
    return FamilyResult(
        share, fmean(position.share for position, _ in chosen), _policy_quality(policies)
    )


def _policy_quality(
    policies: Sequence[tuple[CriticalPosition, tuple[float, ...]]],
) -> PolicyQuality | None:
    if not policies:
        return None
    weights, ranks = [], []
    for position, policy in policies:
        right = [weight for move, weight in enumerate(policy) if position.keeps(move)]
        weights.append(sum(right))
        ranks.append(rank(policy, max(right)))
    return PolicyQuality(fmean(weights), fmean(ranks), float(median(ranks)))


def rank(policy: Sequence[float], weight: float) -> int:
    """The rank of a move with probability ``weight``: 1 for the likeliest; equals share a rank."""
    return 1 + sum(other > weight for other in policy)


def _paper_answers(
    game: Game, agent: str, paper: Sequence[Reconstruction], moves: Sequence[ChosenMove]
) -> tuple[PaperAnswer, ...]:
    answers = []
    for one, (move, policy) in zip(paper, moves, strict=True):
        names = game.position(one.critical.position).legal_names()
        weight = None if policy is None else policy[names.index(one.figure.move)]
        answers.append(
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
    return tuple(answers)
