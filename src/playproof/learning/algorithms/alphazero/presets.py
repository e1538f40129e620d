"""The presets of AlphaZero: ``alphazero:GAME`` for any game, with tuned settings for some."""

from __future__ import annotations

from dataclasses import replace

from playproof.core import spec
from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings

# Settings by game.  The first entry applies whose game and options match; an option that an entry
# does not name may have any value.
_TUNED: dict[str, AlphaZeroSettings] = {
    "othello:size=4": AlphaZeroSettings(
        hidden=(128, 128), iterations=40, games=128, positions=2000, simulations=32,
        opening_plies=6, temperature_plies=12, replay=20_000, reuse=8.0, evaluation_simulations=16,
    ),
    "go:board=3x3": AlphaZeroSettings(
        hidden=(128, 128), iterations=40, games=128, positions=2000, simulations=48,
        opening_plies=4, temperature_plies=12, replay=20_000, reuse=8.0, ply_limit=60,
        evaluation_simulations=16,
    ),
    "othello:size=6": AlphaZeroSettings(
        blocks=5, filters=48, iterations=120, games=4096, positions=60_000, simulations=64,
        full_share=0.5, fast_simulations=16, opening_plies=4, temperature_plies=24,
        replay=600_000, reuse=6.0, minibatch=2048, evaluate_every=20, evaluation_games=400,
    ),
    "quantum-go:board=5x5": AlphaZeroSettings(
        blocks=5, filters=48, iterations=80, games=4096, positions=60_000, simulations=64,
        full_share=0.5, fast_simulations=16, opening_plies=4, temperature_plies=24,
        replay=600_000, reuse=6.0, minibatch=2048, evaluate_every=20, evaluation_games=400,
        ply_limit=200,
    ),
    "chess": AlphaZeroSettings(
        observation="full", blocks=6, filters=64, games=2048, positions=40_000, simulations=64,
        temperature_plies=30, opening_plies=4, replay=1_000_000, minibatch=2048,
    ),
    "choko": AlphaZeroSettings(observation="planes", hidden=(256, 256)),
}  # fmt: skip
PRESETS = {
    # 1.4 million weights, 2.8 MB in 16 bits.  The policy of pairs has 18 thousand of them; a linear
    # layer for 2,625 moves would have 266 thousand.  alphazero:choko stays what it was.
    "choko-zero": AlphaZeroSettings(
        game="choko", observation="planes", blocks=8, filters=96, policy_rank=16, iterations=120,
        games=8192, positions=120_000, simulations=64, full_share=0.5, fast_simulations=16,
        opening_plies=6, temperature_plies=20, replay=1_500_000, minibatch=4096, rate_end=0.05,
        evaluation_games=400,
    ),
    # Reinforcement Learning in Chess: 50,000 cycles an update, 1,000,000 states in all.
    "rl-chess": AlphaZeroSettings(
        game="chess", observation="paper-13", blocks=12, filters=256, mode="paper", iterations=20,
        root="dirichlet", minibatch=1024, replay=200_000, evaluate_every=5, noise=0.0,
    ),
}  # fmt: skip


def preset_for(spec_of_game: str) -> AlphaZeroSettings:
    """The settings of ``alphazero:GAME``."""
    game = make(spec_of_game)
    if not game.observations:
        raise UsageError(f"{game.spec} has no observation: want a game that a network can see")
    for tuned_spec, settings in _TUNED.items():
        name, options = spec.parse(tuned_spec)
        if name == game.name and all(str(game.options[key]) == options[key] for key in options):
            return replace(settings, game=game.spec)
    boards = [kind for kind, shape in game.observations.items() if len(shape) == 3]
    first = (boards or list(game.observations))[0]
    return AlphaZeroSettings(game=game.spec, observation=first)
