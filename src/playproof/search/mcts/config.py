"""The configuration of tree search, in its own module so that importing it compiles nothing."""

from __future__ import annotations

from dataclasses import dataclass

from playproof.core.errors import UsageError, one_of

POLICIES = ("uct", "puct", "gumbel")


@dataclass(frozen=True)
class SearchConfig:
    """The configuration of a tree search, the same for every caller.

    ``policy`` selects edges: ``uct``, ``puct`` by priors, or ``gumbel``, which is PUCT below a root
    that halves a sample of its actions.
    """

    simulations: int = 800  # per tree; memory is allocated for this many
    policy: str = "uct"
    exploration: float = 1.0  # c of UCT and PUCT
    noise: float = 0.0  # share of Dirichlet noise in a root's priors, for UCT and PUCT
    noise_alpha: float = 0.3
    considered: int = 16  # actions that a Gumbel root starts with
    leaves: int = 1  # leaves of one tree that are evaluated at once
    solve: bool = True  # back up proven results and stop searching what they decide
    seed: int = 0

    def __post_init__(self) -> None:
        if self.simulations < 1:
            raise UsageError(f"mcts: {self.simulations} simulations: want 1 or more")
        if self.policy not in POLICIES:
            raise UsageError(f"mcts: no policy {self.policy!r}: want {one_of(list(POLICIES))}")
        if self.leaves < 1:
            raise UsageError(f"mcts: {self.leaves} leaves at once: want 1 or more")
        if self.considered < 1:
            raise UsageError(f"mcts: {self.considered} actions to consider: want 1 or more")
        if not 0.0 <= self.noise <= 1.0:
            raise UsageError(f"mcts: noise {self.noise} is not a share from 0 to 1")
        if not self.noise_alpha > 0.0:
            raise UsageError(f"mcts: noise_alpha {self.noise_alpha}: want more than 0")
        if self.policy == "gumbel" and self.leaves > 1:
            raise UsageError("mcts: a Gumbel root takes its visits in turn: want leaves=1")
