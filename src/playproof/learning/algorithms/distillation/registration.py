"""The declaration of distillation: its settings, metrics and presets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.learning.algorithm import Algorithm
from playproof.learning.algorithms.distillation.settings import DistillationSettings
from playproof.learning.metrics import KEPT, POLICY_LOSS, VALUE_LOSS, Metric

if TYPE_CHECKING:
    from playproof.learning.algorithms.distillation.learner import Distillation
    from playproof.learning.algorithms.distillation.speed import LearningSpeed


def _make(settings: DistillationSettings, device: str) -> Distillation:
    from playproof.learning.algorithms.distillation.learner import Distillation

    return Distillation(settings, device=device)


def _speed(learner: Distillation) -> LearningSpeed:
    from playproof.learning.algorithms.distillation.speed import LearningSpeed

    return LearningSpeed(learner)


_PHASES = {
    "opening": "with at least 7 of 12 pieces in hand",
    "middle": "with fewer pieces in hand",
    "end": "with empty hands",
}


def _held_out_shares() -> tuple[Metric, ...]:
    """The share of critical positions whose result is kept, with its interval: all, by phase."""
    metrics, title = [], "Result kept in held-out positions"
    for phase in ("all", *_PHASES):
        name, where = f"held_out_{phase}", "" if phase == "all" else f", {phase}"
        which = "" if phase == "all" else f" {_PHASES[phase]}"
        metrics.append(
            Metric(
                name, f"{title}{where}",
                f"How often its first move keeps the result, in positions it has never seen{which} "
                "in which a move can throw it away.",
                "up", "held out {:.2%}" if phase == "all" else "", percent=True, evaluation=True,
                main=phase == "all",
            )
        )  # fmt: skip
        metrics += [
            Metric(
                f"{name}_{end}", f"{title}{where}: {end} end of the interval",
                f"The {end} end of the 95 % interval of that share (Wilson).",
                percent=True, evaluation=True,
            )
            for end in ("lower", "upper")
        ]  # fmt: skip
    return tuple(metrics)


ALGORITHM = Algorithm(
    "distillation",
    "from the exact values of solved tables",
    DistillationSettings,
    _make,
    metrics=(
        POLICY_LOSS,
        VALUE_LOSS,
        *_held_out_shares(),
        *KEPT,
        Metric(
            "held_out_value_right",
            "Result known, held-out positions",
            "How often its value is nearest to the exact result: won, drawn or lost.",
            "up",
            "result {:.2%}",
            percent=True,
            evaluation=True,
        ),
        Metric(
            "held_out_policy_loss",
            "Policy loss, held-out positions",
            "How far its choice of moves is from the right one, in positions that it has not "
            "learned from.",
            "down",
            evaluation=True,
        ),
        Metric(
            "held_out_value_error",
            "Error of the value, held-out positions",
            "The squared error of its value, in positions that it has not learned from.",
            "down",
            evaluation=True,
        ),
        Metric("rate", "Learning rate", "How far one step goes. It rises first and then falls."),
    ),
    panels=(
        "held_out_all", "kept", "held_out_value_right", "policy_loss", "value_loss",
    ),
    listed="held_out_all",
    # Named by the size of the net's file, whose numbers have 16 bits.
    presets={
        "choko-oracle-100kb": DistillationSettings(blocks=3, filters=20),
        "choko-oracle-300kb": DistillationSettings(blocks=4, filters=40),
        "choko-oracle-1mb": DistillationSettings(blocks=6, filters=64),
        "choko-oracle-4mb": DistillationSettings(blocks=6, filters=128),
    },
    needs_torch=True,
    devices=("cpu", "cuda"),
    meter=_speed,
)  # fmt: skip
