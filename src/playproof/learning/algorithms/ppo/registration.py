"""The declaration of proximal policy optimisation: its settings, metrics and presets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playproof.learning.algorithm import Algorithm, Recipe
from playproof.learning.algorithms.ppo.settings import PpoSettings
from playproof.learning.metrics import (
    ENTROPY,
    GRADIENT_NORM,
    KEPT,
    POLICY_LOSS,
    RANDOM,
    VALUE_LOSS,
    Metric,
    earlier,
)

if TYPE_CHECKING:
    from playproof.learning.algorithms.ppo.learner import Ppo


def _make(settings: PpoSettings, device: str) -> Ppo:
    from playproof.learning.algorithms.ppo.learner import Ppo

    return Ppo(settings, device=device)


# The first three are ChokoZero's agents, as in its text and its authors' code; the fourth follows
# the text where the code differs from it.
_PRESETS = {
    "choko-ppo-v1": PpoSettings(
        observation="paper-25", hidden=(64, 64), iterations=5000, steps=4096, epochs=6,
        minibatch=64, ancestor_every=0, point_until=0.0,
    ),
    "choko-ppo-v2": PpoSettings(
        observation="paper-25", hidden=(64, 64), iterations=3000, point_until=0.0
    ),
    "choko-ppo-v3": PpoSettings(),
    "choko-ppo-v3-literal": PpoSettings(point_until=2.0, value_weight=0.05, normalise=0),
    # Ours: the network sees hands, ply and initiative; it learns positions under all symmetries,
    # from many opponents, in large minibatches, at falling rates.
    "choko-ppo-plus": PpoSettings(
        observation="planes", hidden=(256, 256, 128), iterations=3000, steps=32768, epochs=4,
        minibatch=2048, rate=5e-4, rate_end=0.02, gamma=0.995, entropy_end=0.1,
        ancestor_every=150, itself=0.5, symmetries=1, games=1024, point_until=0.3,
        evaluate_every=50,
    ),
}  # fmt: skip

ALGORITHM = Algorithm(
    "ppo",
    "self-play, wins and losses (PPO)",
    PpoSettings,
    _make,
    metrics=(
        replace(
            POLICY_LOSS,
            meaning="Below 0, moves that had gone well became likelier in this iteration. Its size "
            "says little about strength.",
            good="",
        ),
        VALUE_LOSS,
        ENTROPY,
        Metric(
            "clipped",
            "Clipped ratios",
            "The share of decisions whose change was limited because it was too large for one "
            "step.",
            line="clipped {:.1%}",
            percent=True,
        ),
        Metric(
            "divergence",
            "Divergence of an update, nats",
            "How much its choices changed in one iteration.",
        ),
        GRADIENT_NORM,
        *KEPT,
    ),
    opponents=(RANDOM, earlier("itself 10 iterations earlier")),
    panels=(
        "earlier_wins", "earlier_draws", "earlier_losses", "random_score", "kept", "entropy",
        "clipped", "policy_loss", "value_loss",
    ),
    listed="entropy",
    presets=_PRESETS,
    recipes=(
        Recipe(
            "choko",
            "Choko, from wins and losses alone",
            "It plays itself without looking ahead, and makes moves that led to a win likelier "
            "(proximal policy optimisation).",
            "choko-ppo-v1",
            iterations=300, most=5000, seconds=0.15, checkpoint=10, keep=50,
            changes={"evaluate_every": "10", "evaluation_games": "100"},
        ),
    ),
)  # fmt: skip
