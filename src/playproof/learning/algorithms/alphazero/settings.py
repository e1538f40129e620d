"""The settings of AlphaZero."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playproof.core.errors import UsageError, one_of
from playproof.core.registry import make
from playproof.learning.setting import check_ranges, setting
from playproof.learning.settings import RunSettings
from playproof.nets import mlp, resnet
from playproof.nets.architectures import AnyArchitecture
from playproof.search.mcts.config import SearchConfig

MODES = ("value", "paper")
ROOTS = ("gumbel", "dirichlet")


@dataclass(frozen=True)
class AlphaZeroSettings(RunSettings):
    """The settings of an AlphaZero run: network, self-play, learning and evaluation."""

    game: str = "othello:size=6"
    observation: str = "planes"
    hidden: tuple[int, ...] = setting(
        (128, 128),
        "widths of the hidden layers of a plain network, where there are no blocks",
        form="whole numbers with / between them",
    )
    blocks: int = setting(0, "residual blocks; 0: a plain network", least=0)
    filters: int = setting(64, "channels of a block", least=1)
    mode: str = setting(
        "value",
        "value: the network evaluates leaves; paper: greedy games to the end do",
        choices=MODES,
    )
    iterations: int = 100
    # Games
    games: int = setting(256, "games played side by side", least=1)
    positions: int = setting(4096, "positions to learn from that an iteration adds", least=1)
    simulations: int = setting(64, "simulations per move", least=2)
    fast_simulations: int = setting(
        16, "simulations per move for moves that are not learned from", least=2
    )
    full_share: float = setting(
        1.0, "share of moves with all simulations; the others are not learned from", least=0, most=1
    )
    root: str = setting("gumbel", "how the root explores", choices=ROOTS)
    considered: int = setting(16, "actions that gumbel starts with", least=1)
    noise: float = setting(0.25, "share of Dirichlet noise at the root", least=0, most=1)
    noise_alpha: float = setting(0.3, "concentration of that noise", above=0)
    exploration: float = setting(1.5, "how readily rarely visited moves are tried", above=0)
    temperature: float = setting(
        1.0, "how evenly moves are drawn by their visits; 0: the best move", least=0
    )
    temperature_plies: int = setting(16, "plies after which the best move is played", least=0)
    opening_plies: int = setting(
        0, "the most random plies at the start of a game; they are not learned", least=0
    )
    ply_limit: int = setting(450, "plies after which a game is drawn", least=2, most=10_000)
    resign: float = setting(
        0.0, "a side resigns when its value is below minus this; 0: never", least=0, most=1
    )
    symmetries: int = setting(
        1, "1: positions are rotated and mirrored at random when they are learned", least=0, most=1
    )
    # Learning
    replay: int = setting(100_000, "positions kept, at least a minibatch", least=1)
    learning_starts: int = setting(
        0,
        "positions that the replay must hold before learning starts, at most half of its size. "
        "0: none for an untrained net, half of the replay for a trained net that starts without "
        "its replay",
        least=0,
    )
    reuse: float = setting(4.0, "how often a position is learned, on average", above=0)
    minibatch: int = setting(256, "positions in a gradient step", least=1)
    rate: float = 2e-3
    rate_end: float = setting(0.1, "share of the rate that is left at the end of the run", least=0)
    decay: float = setting(1e-4, "c of the loss term c * |weights|^2", least=0)
    search_value: float = setting(
        0.5,
        "share of the search's value in the target value; the rest is the game's result",
        least=0,
        most=1,
    )
    norm: float = setting(2.0, "gradients are clipped to this norm", above=0)
    # The best so far
    evaluate_every: int = 10
    evaluation_games: int = setting(
        100, "games against each opponent in an evaluation, an even number", least=2
    )
    evaluation_simulations: int = setting(32, "simulations per move in an evaluation", least=2)
    evaluation_plies: int = setting(4, "random plies at the start of each pair of games", least=0)
    confidence: float = setting(
        0.95, "confidence that a net is stronger than the best, to take its place", above=0, below=1
    )
    gate: int = setting(0, "1: games are played by the best net, 0: by the latest", least=0, most=1)
    overlap: int = setting(
        1, "1: on a GPU games continue while the network learns and is evaluated", least=0, most=1
    )
    # The paper's mode
    cycles: int = setting(
        50_000, "in paper mode: select-expand-backup cycles between two updates", least=1
    )
    leaves: int = setting(64, "in paper mode: leaves of the tree evaluated at once", least=1)
    state_visits: int = setting(
        8, "in paper mode: visits that a state needs to be learned", least=1
    )

    def check(self) -> None:
        check_ranges(self)
        if self.full_share == 0:
            raise UsageError("full_share=0: want more than 0, or nothing is learned")
        if self.evaluation_games % 2:
            raise UsageError(f"evaluation_games={self.evaluation_games}: want an even number")
        if self.replay < self.minibatch:
            raise UsageError(f"replay={self.replay}: want minibatch={self.minibatch} or more")
        if self.learning_starts > self.replay // 2:
            raise UsageError(
                f"learning_starts={self.learning_starts}: want 0 to {self.replay // 2}, half of "
                "the replay"
            )
        self.search_config()
        self.architecture()

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

    def search_config(self) -> SearchConfig:
        """The configuration of self-play's tree search."""
        return SearchConfig(
            simulations=max(self.simulations, self.fast_simulations),
            policy="gumbel" if self.root == "gumbel" else "puct",
            exploration=self.exploration,
            considered=self.considered,
            noise=self.noise, noise_alpha=self.noise_alpha,
        )  # fmt: skip

    def rate_at(self, iteration: int) -> float:
        """The learning rate of an iteration; it falls linearly to ``rate_end`` of itself."""
        return self.rate * (1.0 - iteration / self.iterations * (1.0 - self.rate_end))
