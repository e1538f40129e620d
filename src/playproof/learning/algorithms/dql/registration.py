"""The declaration of deep Q-learning: its settings, metrics and preset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.learning.algorithm import Algorithm
from playproof.learning.algorithms.dql.settings import DqlSettings
from playproof.learning.metrics import GRADIENT_NORM, KEPT, RANDOM, Metric, earlier

if TYPE_CHECKING:
    from playproof.learning.algorithms.dql.learner import Dql


def _make(settings: DqlSettings, device: str) -> Dql:
    from playproof.learning.algorithms.dql.learner import Dql

    return Dql(settings)


ALGORITHM = Algorithm(
    "dql",
    "self-play, values of moves (deep Q-learning)",
    DqlSettings,
    _make,
    metrics=(
        Metric(
            "loss",
            "Loss of the values",
            "How far its values of moves are from those it should learn. Smaller is closer.",
            "down",
            "loss {:.3f}",
            main=True,
        ),
        Metric(
            "value",
            "Value of chosen actions",
            "What it expects from the moves it makes.",
            line="value {:.2f}",
        ),
        Metric("goal", "Value to learn", "What those moves turned out to be worth, on average."),
        GRADIENT_NORM,
        *KEPT,
    ),
    opponents=(RANDOM, earlier("itself an iteration earlier")),
    panels=(
        "earlier_wins", "earlier_draws", "earlier_losses", "random_score", "kept", "loss",
        "value", "goal",
    ),
    listed="loss",
    # As in ChokoZero's text and its authors' code
    presets={"choko-dql": DqlSettings()},
    devices=("cpu",),
    device_refusal="--device {device} is for PPO; deep Q-learning runs on the CPU",
)  # fmt: skip
