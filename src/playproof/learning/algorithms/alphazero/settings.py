"""The settings of AlphaZero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

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

    added_later: ClassVar[tuple[str, ...]] = ("policy_rank",)

    game: str = "othello:size=6"
    observation: str = "planes"
    hidden: tuple[int, ...] = setting(
        (128, 128),
        "widths of the hidden layers, if blocks is 0",
        form="whole numbers with / between them",
    )
    blocks: int = setting(
        0, "number of residual blocks; 0: a network of plain hidden layers", least=0
    )
    filters: int = setting(64, "channels of each block", least=1)
    policy_rank: int = setting(
        0,
        "with blocks, in Choko: how many products of two planes score the pairs of squares of a "
        "jump; 0: a linear layer scores all moves",
        least=0,
    )
    mode: str = setting(
        "value",
        "how leaves are evaluated: by the network, or (paper) by a greedy game played to the end",
        choices=MODES,
    )
    iterations: int = 100
    # Games
    games: int = setting(256, "games played side by side", least=1)
    positions: int = setting(
        4096, "positions that each iteration adds to the replay buffer", least=1
    )
    simulations: int = setting(64, "simulations per move", least=2)
    fast_simulations: int = setting(
        16, "simulations for a move that is not learned from; see full_share", least=2
    )
    full_share: float = setting(
        1.0, "share of moves that get all simulations; only these are learned from", least=0, most=1
    )
    root: str = setting(
        "gumbel",
        "how the root of a tree explores: Gumbel sampling or Dirichlet noise",
        choices=ROOTS,
    )
    considered: int = setting(16, "actions that a gumbel root considers at first", least=1)
    noise: float = setting(
        0.25, "share of noise in the priors of a dirichlet root", least=0, most=1
    )
    noise_alpha: float = setting(
        0.3, "concentration of the Dirichlet distribution of that noise", above=0
    )
    exploration: float = setting(
        1.5,
        "c of PUCT: the larger, the more readily rarely visited moves are tried",
        above=0,
    )
    temperature: float = setting(
        1.0, "how evenly moves are drawn from their visit counts; 0: always the best move", least=0
    )
    temperature_plies: int = setting(
        16,
        "first plies of a game, in which moves are drawn; later the best move is played",
        least=0,
    )
    opening_plies: int = setting(
        0, "maximum number of random first plies of a game; they are not learned from", least=0
    )
    ply_limit: int = setting(450, "plies after which a game is drawn", least=2, most=10_000)
    resign: float = setting(
        0.0,
        "a side resigns when its value falls below minus this number; 0: never",
        least=0,
        most=1,
    )
    symmetries: int = setting(
        1,
        "1: positions are rotated and mirrored at random when they are learned from",
        form="0 or 1",
        least=0,
        most=1,
    )
    # Learning
    replay: int = setting(
        100_000, "size of the replay buffer in positions, at least minibatch", least=1
    )
    learning_starts: int = setting(
        0,
        "positions in the replay buffer before learning starts, at most half of its size. "
        "0: learning starts at once, except that a trained net without its replay buffer waits "
        "until half of the buffer is full",
        least=0,
    )
    reuse: float = setting(4.0, "how often each position is learned from, on average", above=0)
    minibatch: int = setting(256, "positions in a gradient step", least=1)
    rate: float = 2e-3
    rate_end: float = setting(
        0.1, "learning rate at the end of the run, as a share of rate", least=0
    )
    decay: float = setting(1e-4, "weight decay: c in the loss term c * |weights|^2", least=0)
    search_value: float = setting(
        0.5,
        "share of the search's value in the target of the value; the rest is the game's result",
        least=0,
        most=1,
    )
    norm: float = setting(
        2.0, "largest norm of a gradient; longer ones are scaled down to it", above=0
    )
    # The best so far
    evaluate_every: int = 10
    evaluation_games: int = setting(
        100, "games against each opponent in an evaluation, an even number", least=2
    )
    evaluation_simulations: int = setting(32, "simulations per move in an evaluation", least=2)
    evaluation_plies: int = setting(
        4, "random plies that start each pair of evaluation games", least=0
    )
    confidence: float = setting(
        0.95,
        "confidence that a net is stronger than the best one, required to replace it",
        above=0,
        below=1,
    )
    gate: int = setting(
        0, "1: the best net plays the games; 0: the latest", form="0 or 1", least=0, most=1
    )
    overlap: int = setting(
        1,
        "1: on a GPU, games continue while the network learns and is evaluated",
        form="0 or 1",
        least=0,
        most=1,
    )
    # The paper's mode
    cycles: int = setting(
        50_000, "in paper mode: select-expand-backup cycles between two updates", least=1
    )
    leaves: int = setting(64, "in paper mode: leaves of the tree evaluated at once", least=1)
    state_visits: int = setting(
        8, "in paper mode: visits that a state needs before it is learned from", least=1
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
            return resnet.architecture_for(
                game, self.observation, self.blocks, self.filters, self.policy_rank
            )
        if self.policy_rank:
            raise UsageError(f"policy_rank={self.policy_rank}: want blocks too, or 0")
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
