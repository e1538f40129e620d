"""Runs with names, and the algorithms they belong to."""

from __future__ import annotations

from typing import Any

from playproof.core.errors import UsageError
from playproof.learning.alphazero_presets import preset as self_play
from playproof.learning.alphazero_settings import AlphaZeroSettings
from playproof.learning.dql import Dql, DqlSettings
from playproof.learning.imitation_settings import ImitationSettings
from playproof.learning.learner import Learner
from playproof.learning.ppo import Ppo, PpoSettings
from playproof.learning.settings import RunSettings

ALGORITHMS: dict[str, type[RunSettings]] = {
    "alphazero": AlphaZeroSettings,
    "dql": DqlSettings,
    "imitation": ImitationSettings,
    "ppo": PpoSettings,
}

# The first four are ChokoZero's agents, as its text and its authors' code have them.
PRESETS: dict[str, RunSettings] = {
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
    # Chess from games: two that a CPU plays with, and the size of Reinforcement Learning in
    # Chess (Chu, Li and Loh), which sees what that sees.
    "imitation": ImitationSettings(),
    "imitation-10x128": ImitationSettings(blocks=10, filters=128),
    "imitation-paper": ImitationSettings(
        observation="paper-13", blocks=12, filters=256, rate=1e-3
    ),
}  # fmt: skip


def find(name: str) -> RunSettings:
    """The settings of a preset; ``alphazero:GAME`` is one for any game."""
    found = self_play(name) or PRESETS.get(name)
    if found is None:
        raise UsageError(
            f"there is no preset '{name}': want {', '.join(PRESETS)}, rl-chess or alphazero:GAME"
        )
    return found


def algorithm_of(settings: RunSettings) -> str:
    return next(name for name, kind in ALGORITHMS.items() if type(settings) is kind)


def learner_class(settings: RunSettings) -> Any:
    """The class that runs these settings; two of them need PyTorch."""
    if isinstance(settings, AlphaZeroSettings):
        from playproof.learning.alphazero import AlphaZero

        return AlphaZero
    if isinstance(settings, ImitationSettings):
        from playproof.learning.imitation import Imitation

        return Imitation
    return Ppo if isinstance(settings, PpoSettings) else Dql


def learner(settings: RunSettings, *, device: str = "cpu") -> Learner:
    """A run of these settings, at its start."""
    kind = learner_class(settings)
    if kind is not Dql:
        made: Learner = kind(settings, device=device)
        return made
    if device != "cpu":
        raise UsageError(f"--device {device} is for PPO; deep Q-learning runs on the CPU")
    return Dql(settings)  # type: ignore[arg-type]
