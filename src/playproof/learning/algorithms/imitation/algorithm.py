"""Imitation as commands, runs and pages know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.learning.algorithm import Algorithm, Folds
from playproof.learning.algorithms.imitation.settings import ImitationSettings
from playproof.learning.metrics import POLICY_LOSS, VALUE_LOSS, Metric

if TYPE_CHECKING:
    from playproof.learning.algorithms.imitation.learner import Imitation
    from playproof.learning.algorithms.imitation.speed import Speed


def _make(settings: ImitationSettings, device: str) -> Imitation:
    from playproof.learning.algorithms.imitation.learner import Imitation

    return Imitation(settings, device=device)


def _folds(settings: ImitationSettings) -> int:
    from playproof.learning.datasets.positions import Positions

    settings.check()
    return Positions(settings.data.split(",")[0].strip()).folds


def _speed(settings: ImitationSettings, device: str, seconds: float) -> Speed:
    from playproof.learning.algorithms.imitation.speed import measure

    return measure(settings, device, seconds)


def _on_held_out(prefix: str, of: str, tries: str) -> tuple[Metric, ...]:
    """Figures on held-out positions, as ``held_out.Report.facts`` names them."""
    top = f"How often, in {tries}, its first choice is the right move."
    return (
        Metric(
            f"{prefix}_top1",
            f"Same move as {of}, first choice",
            top,
            "up",
            {"test": "held out {:.2%}", "label": "labelled {:.2%}"}[prefix],
            percent=True,
            evaluation=True,
            main=prefix == "test",
        ),
        Metric(
            f"{prefix}_top3",
            f"Same move as {of}, first three choices",
            "How often the right move is among its first three choices.",
            "up",
            "{:.2%}" if prefix == "test" else "",
            percent=True,
            evaluation=True,
        ),
        Metric(
            f"{prefix}_value_error",
            f"Error of the value, {of}",
            "How far its guess of who wins is from what came of it, squared, in positions that it "
            "has not learned from.",
            "down",
            "value {:.3f}" if prefix == "test" else "",
            evaluation=True,
        ),
        Metric(
            f"{prefix}_policy_loss",
            f"Policy loss, {of}",
            "How far its choice of moves is from the right one, in positions that it has not "
            "learned from.",
            "down",
            evaluation=True,
        ),
        Metric(
            f"{prefix}_policy_calibration",
            f"Calibration error of the policy, {of}",
            "How far the probability that it gives its first choice is from how often that is "
            "right. 0: it knows how sure it may be.",
            "down",
            evaluation=True,
        ),
        Metric(
            f"{prefix}_value_calibration",
            f"Calibration error of the value, {of}",
            "How far the results that it expects are from those that came, in the mean. 0: it "
            "knows how sure it may be.",
            "down",
            evaluation=True,
        ),
    )


ALGORITHM = Algorithm(
    "imitation",
    "imitation of games that others played",
    ImitationSettings,
    _make,
    metrics=(
        POLICY_LOSS,
        VALUE_LOSS,
        *_on_held_out("test", "in the games", "games it has never seen"),
        *_on_held_out("label", "the engine's", "positions that an engine has judged"),
        Metric("rate", "Learning rate", "How far one step goes. It rises first and then sinks."),
    ),
    panels=("policy_loss", "value_loss"),
    listed="test_top1",
    # Chess from games: two that a CPU plays with, and the size of Reinforcement Learning in
    # Chess (Chu, Li and Loh), which sees what that sees.
    presets={
        "imitation": ImitationSettings(),
        "imitation-10x128": ImitationSettings(blocks=10, filters=128),
        "imitation-paper": ImitationSettings(
            observation="paper-13", blocks=12, filters=256, rate=1e-3
        ),
    },
    needs_torch=True,
    folds=Folds(_folds),
    data_speed=_speed,
)
