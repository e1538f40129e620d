"""The declaration of AlphaZero: its settings, metrics, presets and small runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.learning.algorithm import Algorithm, Recipe
from playproof.learning.algorithms.alphazero.presets import PRESETS, preset_for
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.learning.metrics import (
    ENTROPY,
    KEPT,
    POLICY_LOSS,
    RANDOM,
    VALUE_LOSS,
    Metric,
    earlier,
)

if TYPE_CHECKING:
    from playproof.learning.algorithms.alphazero.learner import AlphaZero
    from playproof.learning.algorithms.alphazero.speed import Throughput


def _make(settings: AlphaZeroSettings, device: str) -> AlphaZero:
    from playproof.learning.algorithms.alphazero.learner import AlphaZero

    return AlphaZero(settings, device=device)


def _throughput(learner: AlphaZero) -> Throughput | None:
    """A meter of self-play, where leaves are evaluated by a network; None in the paper's mode."""
    if learner.settings.mode != "value":
        return None
    from playproof.learning.algorithms.alphazero.speed import Throughput

    return Throughput(learner)


_X = "\N{MULTIPLICATION SIGN}"
_ZERO = "It plays itself, looking ahead before each move, and learns from what it finds there."
_RECIPES = (
    Recipe(
        "othello-4x4",
        f"Othello on a tiny board, 4 {_X} 4",
        f"{_ZERO} After 12 iterations it scores about 78 % against random moves; perfect play "
        "would score 81 %, because test games begin with four random moves.",
        "alphazero:othello:size=4",
        iterations=12, most=60, seconds=0.8, checkpoint=1, keep=4,
        changes={"evaluate_every": "2", "evaluation_games": "60"},
    ),
    Recipe(
        "go-3x3",
        f"Go on a tiny board, 3 {_X} 3",
        f"{_ZERO} Black, who moves first, must take the whole board to win.",
        "alphazero:go:board=3x3,komi=8.5",
        iterations=12, most=60, seconds=1.0, checkpoint=1, keep=4,
        changes={"evaluate_every": "2", "evaluation_games": "60"},
    ),
    Recipe(
        "othello-6x6",
        f"Othello, 6 {_X} 6",
        f"{_ZERO} The net is small, so progress shows within a minute or two.",
        "alphazero:othello:size=6",
        iterations=40, most=200, seconds=1.0, checkpoint=1, keep=10,
        changes={
            "blocks": "0", "hidden": "128/128", "games": "128", "positions": "1500",
            "simulations": "32", "replay": "30000", "minibatch": "256",
            "evaluate_every": "4", "evaluation_games": "60", "evaluation_simulations": "16",
        },
    ),
)  # fmt: skip

ALGORITHM = Algorithm(
    "alphazero",
    "self-play with looking ahead (AlphaZero)",
    AlphaZeroSettings,
    _make,
    metrics=(
        POLICY_LOSS,
        VALUE_LOSS,
        ENTROPY,
        Metric("game_length", "Length of a game, in moves", "The mean over the games it played."),
        Metric(
            "positions",
            "Positions, new",
            "How many positions this iteration added to learn from.",
        ),
        Metric("replay", "Positions, in memory", "How many positions it can learn from now."),
        Metric(
            "superiority",
            "Likelihood of superiority",
            "How likely it is that the latest net is stronger than the best so far. At 50 % nobody "
            "can tell.",
            percent=True,
            evaluation=True,
        ),
        Metric(
            "promoted",
            "Took the place of the best",
            "1 where the latest net became the new best net, 0 where it did not.",
            evaluation=True,
        ),
        *KEPT,
    ),
    opponents=(RANDOM, earlier("the best net so far")),
    panels=(
        "earlier_wins", "earlier_draws", "earlier_losses", "random_score", "kept", "entropy",
        "policy_loss", "value_loss",
    ),
    listed="entropy",
    presets=PRESETS,
    preset_for=preset_for,
    recipes=_RECIPES,
    needs_torch=True,
    stays_behind=("playing", "losses", "games.", "replay."),
    stays_behind_note="games and replay stay behind: the run fills its replay again before it "
    "learns",
    meter=_throughput,
)  # fmt: skip
