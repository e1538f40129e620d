"""The declaration of imitation: its settings, metrics and presets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.learning.algorithm import Algorithm, Folds
from playproof.learning.algorithms.imitation.settings import ImitationSettings
from playproof.learning.metrics import POLICY_LOSS, VALUE_LOSS, Metric

if TYPE_CHECKING:
    from playproof.learning.algorithms.imitation.learner import Imitation
    from playproof.learning.algorithms.imitation.speed import ImitationSpeed


def _make(settings: ImitationSettings, device: str) -> Imitation:
    from playproof.learning.algorithms.imitation.learner import Imitation

    return Imitation(settings, device=device)


def _folds(settings: ImitationSettings) -> int:
    from playproof.learning.datasets.positions import Positions

    settings.check()
    return Positions(settings.data.split(",")[0].strip()).folds


def _speed(settings: ImitationSettings, device: str, seconds: float) -> ImitationSpeed:
    from playproof.learning.algorithms.imitation.speed import measure

    return measure(settings, device, seconds)


def _held_out_metrics(prefix: str, of: str, positions: str) -> tuple[Metric, ...]:
    """The metrics on held-out positions, as ``HeldOutReport.metrics`` names them."""
    top = f"How often, in {positions}, its first choice is the right move."
    where = {"test": "in held-out games", "label": "in labelled positions"}[prefix]
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
            f"Error of the value, {where}",
            "The squared error of its guess of who wins, in positions that it has not learned "
            "from.",
            "down",
            "value {:.3f}" if prefix == "test" else "",
            evaluation=True,
        ),
        Metric(
            f"{prefix}_policy_loss",
            f"Policy loss, {where}",
            "How far its choice of moves is from the right one, in positions that it has not "
            "learned from.",
            "down",
            evaluation=True,
        ),
        Metric(
            f"{prefix}_policy_calibration",
            f"Calibration error of the policy, {where}",
            "How far the probability of its first choice is from how often that choice is right. "
            "At 0 its confidence is justified.",
            "down",
            evaluation=True,
        ),
        Metric(
            f"{prefix}_value_calibration",
            f"Calibration error of the value, {where}",
            "How far the results that it expects are from the actual ones, on average. At 0 its "
            "confidence is justified.",
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
        *_held_out_metrics("test", "in the games", "games it has never seen"),
        *_held_out_metrics("label", "the engine", "positions that an engine has evaluated"),
        Metric("rate", "Learning rate", "How far one step goes. It rises first and then falls."),
    ),
    panels=("policy_loss", "value_loss"),
    listed="test_top1",
    # Two networks small enough to play on a CPU, and one with the size and the observation of
    # Reinforcement Learning in Chess (Chu, Li and Loh).
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
