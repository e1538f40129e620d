"""What a run of self-play is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playproof.core.errors import UsageError, one_of
from playproof.core.registry import make
from playproof.learning.settings import RunSettings
from playproof.nets import mlp, resnet
from playproof.nets.kinds import AnyArchitecture
from playproof.search.many_trees import Growth

MODES = ("value", "paper")
ROOTS = ("gumbel", "dirichlet")

_SHARES = ("full_share", "noise", "search_value", "gate", "symmetries", "resign", "overlap")


@dataclass(frozen=True)
class AlphaZeroSettings(RunSettings):
    """Games by tree search with a network, and the network taught by them."""

    game: str = "othello:size=6"
    observation: str = "planes"
    hidden: tuple[int, ...] = (128, 128)  # of a plain network, where there are no blocks
    blocks: int = 0  # of a residual network
    filters: int = 64
    mode: str = "value"  # leaves are valued by the network; paper: by greedy games to the end
    iterations: int = 100
    # Games
    games: int = 256  # played side by side
    positions: int = 4096  # to learn from, that an iteration adds
    simulations: int = 64
    fast_simulations: int = 16
    full_share: float = 1.0  # of moves with all simulations; the others are not learned from
    root: str = "gumbel"  # how the root explores, or dirichlet
    considered: int = 16  # actions that gumbel begins with
    noise: float = 0.25
    noise_alpha: float = 0.3
    exploration: float = 1.5
    temperature: float = 1.0
    temperature_plies: int = 16  # later the best action is played
    opening_plies: int = 0  # at most so many random plies begin a game, unlearned
    ply_limit: int = 450  # a longer game is drawn
    resign: float = 0.0  # a side gives up below minus this value; 0: never
    symmetries: int = 1  # positions are turned and mirrored at random when they are learned
    # Learning
    replay: int = 100_000  # positions kept
    # Positions that the replay must hold before anything is learned.  0: none for a net that
    # knows nothing, half of the replay where a trained net goes on without its replay.
    learning_starts: int = 0
    reuse: float = 4.0  # how often a position is learned, on average
    minibatch: int = 256
    rate: float = 2e-3
    rate_end: float = 0.1  # share of the rate that is left at the end of the run
    decay: float = 1e-4  # c of c * |weights|^2
    search_value: float = 0.5  # share of the search's value in what is learned, the rest the result
    norm: float = 2.0  # gradients are cut to this
    # The best so far
    evaluate_every: int = 10
    evaluation_games: int = 100
    evaluation_simulations: int = 32
    evaluation_plies: int = 4  # random, to begin each pair of games
    confidence: float = 0.95  # that a net is better than the best, to take its place
    gate: int = 0  # 1: games are played by the best, 0: by the latest
    overlap: int = 1  # on a GPU games go on while the network learns and is evaluated
    # The paper's mode
    cycles: int = 50_000  # select-expand-backup between two updates
    leaves: int = 64  # of one tree at once
    state_visits: int = 8  # that a state of the tree must have to be learned

    def check(self) -> None:
        self.check_whole(
            "iterations", "evaluation_games", "games", "positions", "minibatch", "replay",
            "considered", "cycles", "leaves", "state_visits", "evaluation_simulations",
        )  # fmt: skip
        for name, known in (("mode", MODES), ("root", ROOTS)):
            if getattr(self, name) not in known:
                raise UsageError(f"{name}={getattr(self, name)}: want {one_of(known)}")
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name}={getattr(self, name)}: want 0 to 1")
        if self.full_share == 0:
            raise UsageError("full_share=0: want more, or nothing is learned")
        for name in ("simulations", "fast_simulations", "evaluation_simulations"):
            if getattr(self, name) < 2:
                raise UsageError(f"{name}={getattr(self, name)}: want 2 or more")
        if not 0 < self.confidence < 1 or not self.reuse > 0 or self.evaluation_games % 2:
            raise UsageError("want 0 < confidence < 1, reuse above 0, evaluation_games even")
        if not 2 <= self.ply_limit <= 10_000 or self.replay < self.minibatch:
            raise UsageError("want ply_limit from 2 to 10000 and replay not below minibatch")
        if not 0 <= self.learning_starts <= self.replay // 2:
            raise UsageError(
                f"learning_starts={self.learning_starts}: want 0 to {self.replay // 2}, half of "
                "the replay"
            )
        if not self.rate > 0 or not self.exploration > 0:
            raise UsageError("want a rate and an exploration above 0")
        self.growth()
        self.architecture()
        if make(self.game).has_chance:
            raise UsageError(f"{self.game} has moves of chance, and nobody learns from these yet")

    def architecture(self) -> AnyArchitecture:
        """A residual network if there are blocks, else a plain one."""
        game = make(self.game)
        if self.blocks:
            return resnet.architecture_for(game, self.observation, self.blocks, self.filters)
        if self.observation not in game.observations:
            raise UsageError(
                f"{game.name} has no observation {self.observation!r}: "
                f"want {one_of(list(game.observations))}"
            )
        inputs = math.prod(game.observations[self.observation])
        return mlp.Architecture(inputs, tuple(self.hidden), game.num_actions, True)

    def growth(self) -> Growth:
        """How the trees of self-play grow."""
        return Growth(
            simulations=max(self.simulations, self.fast_simulations),
            exploration=self.exploration,
            considered=self.considered if self.root == "gumbel" else 0,
            noise=self.noise, noise_alpha=self.noise_alpha,
        )  # fmt: skip

    def rate_at(self, iteration: int) -> float:
        """In a straight line from the rate to what is left of it."""
        return self.rate * (1.0 - iteration / self.iterations * (1.0 - self.rate_end))
