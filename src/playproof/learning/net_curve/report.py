"""What the measurements of a run's nets say: shares with intervals, and the stages of learning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from playproof.arena.statistics.score import Score
from playproof.arena.yardstick.groups import groups_of
from playproof.arena.yardstick.measure import PhaseResult, summary
from playproof.learning.net_curve.measure import POLICY, NetCurve
from playproof.learning.net_curve.stages import LEVELS, Stage, stages

FORMAT = "playproof net curve 1"


def player_name(simulations: int) -> str:
    """The name of a player: ``policy``, or ``64 simulations``."""
    return "policy" if simulations == POLICY else f"{simulations} simulations"


@dataclass(frozen=True)
class NetResult:
    """The results of one net: by player and phase, and by opponent."""

    iteration: int
    minutes: float | None
    kept: dict[int, dict[str, PhaseResult]]
    scores: dict[str, Score]

    def to_json(self) -> dict[str, Any]:
        kept = {
            player_name(player): {phase: result.to_json() for phase, result in phases.items()}
            for player, phases in self.kept.items()
        }
        scores = {opponent: _score_json(score) for opponent, score in self.scores.items()}
        return {
            "iteration": self.iteration, "minutes": self.minutes, "kept": kept, "against": scores,
        }  # fmt: skip


def _score_json(score: Score) -> dict[str, Any]:
    return {
        "games": score.games, "wins": score.wins, "draws": score.draws, "losses": score.losses,
        "score": score.mean, "interval": list(score.interval()),
    }  # fmt: skip


@dataclass(frozen=True)
class NetCurveReport:
    """The results of all nets of a run, and what each player learns first and last."""

    curve: NetCurve

    @cached_property
    def results(self) -> list[NetResult]:
        """One result a net, by iteration."""
        curve = self.curve
        return [
            NetResult(
                net.iteration,
                curve.minutes_at(net.iteration),
                {
                    player: summary(curve.positions, kept[row].tolist())
                    for player, kept in curve.kept.items()
                },
                {
                    opponent: scores[net.iteration]
                    for opponent, scores in curve.matches.items()
                    if net.iteration in scores
                },
            )
            for row, net in enumerate(curve.nets)
        ]

    @cached_property
    def stages(self) -> dict[int, list[Stage]]:
        """By player, the stages of the groups of positions, those learned first at the top."""
        curve = self.curve
        groups = groups_of(curve.game, curve.positions)
        return {
            player: stages(curve.iterations, kept, curve.positions, groups)
            for player, kept in curve.kept.items()
        }

    def to_json(self) -> dict[str, Any]:
        log, config = self.curve.log, self.curve.config
        return {
            "format": FORMAT, "run": str(log.folder), "preset": log.preset, "game": log.game,
            "run_seed": log.seed, "iterations": log.done, "of": log.iterations,
            "positions": len(self.curve.positions), "seed": config.seed, "levels": list(LEVELS),
            "nets": [result.to_json() for result in self.results],
            "stages": {
                player_name(player): [_stage_json(one) for one in of_player]
                for player, of_player in self.stages.items()
            },
        }  # fmt: skip


def _stage_json(stage: Stage) -> dict[str, Any]:
    return {
        "aspect": stage.group.aspect, "group": stage.group.name, "positions": stage.positions,
        "chance": stage.chance, "shares": list(stage.shares), "reached": list(stage.reached),
        "half": stage.half,
    }  # fmt: skip
