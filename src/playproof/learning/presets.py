"""Runs with names, and the algorithms they belong to."""

from __future__ import annotations

from typing import Any

from playproof.core.errors import UsageError
from playproof.learning.dql import Dql, DqlSettings
from playproof.learning.learner import Learner
from playproof.learning.ppo import Ppo, PpoSettings
from playproof.learning.settings import Schooling

ALGORITHMS: dict[str, type[Schooling]] = {"dql": DqlSettings, "ppo": PpoSettings}

# The first four are ChokoZero's agents, as its text and its authors' code have them.
PRESETS: dict[str, Schooling] = {
    "choko-dql": DqlSettings(),
    "choko-ppo-v1": PpoSettings(
        observation="paper-25", hidden=(64, 64), iterations=5000, steps=4096, epochs=6,
        minibatch=64, ancestor_every=0, point_until=0.0,
    ),
    "choko-ppo-v2": PpoSettings(
        observation="paper-25", hidden=(64, 64), iterations=3000, point_until=0.0
    ),
    "choko-ppo-v3": PpoSettings(),
    # Ours: hands, ply and initiative are seen, every image of a position is learned, many
    # opponents, large minibatches, rates that sink.
    "choko-ppo-plus": PpoSettings(
        observation="planes", hidden=(256, 256, 128), iterations=3000, steps=32768, epochs=4,
        minibatch=2048, rate=5e-4, rate_end=0.02, gamma=0.995, entropy_end=0.1,
        ancestor_every=150, itself=0.5, symmetries=1, games=1024, point_until=0.3,
    ),
}  # fmt: skip


def algorithm_of(settings: Schooling) -> str:
    return next(name for name, kind in ALGORITHMS.items() if type(settings) is kind)


def learner(settings: Schooling, *, device: str = "cpu") -> Learner:
    """A run of these settings, at its start."""
    if isinstance(settings, PpoSettings):
        return Ppo(settings, device=device)
    if device != "cpu":
        raise UsageError(f"--device {device} is for PPO; deep Q-learning runs on the CPU")
    made: Any = settings
    return Dql(made)
