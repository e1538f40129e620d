"""ChokoZero's agents, our own stronger ones, and the paper's figures (Francisco, Wirth and
Kannan): Table 1, and what its text says of deep Q-learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from playproof.core.errors import UsageError, one_of

GAME = "choko"
PRESETS = ("choko-dql", "choko-ppo-v1", "choko-ppo-v2", "choko-ppo-v3", "choko-ppo-plus")
PAPER_GAMES = 20  # behind each percentage of the paper, about


@dataclass(frozen=True)
class PaperAgent:
    """An agent of the experiments.

    ``spec_template`` is its spec, with {} for the net's name or file.  ``opponents``
    names the only agents that a slow search meets, unless all pairs are asked for;
    empty means every agent.
    """

    name: str
    title: str
    spec_template: str
    preset: str = ""  # whose net it plays with
    opponents: tuple[str, ...] = ()
    stochastic: bool = False  # whether it chooses its moves at random

    def spec(self, net: str) -> str:
        return self.spec_template.format(net)


# In the order of Table 1, then those that are not in it.
AGENTS = (
    PaperAgent("pgts", "PGTS", "pgts:net={}", "choko-ppo-v3"),
    PaperAgent("v3", "PPO V3", "net:{}", "choko-ppo-v3", stochastic=True),
    PaperAgent("v2", "PPO V2", "net:{}", "choko-ppo-v2", stochastic=True),
    PaperAgent("v1", "PPO V1", "net:{}", "choko-ppo-v1", stochastic=True),
    PaperAgent("minimax", "Minimax", "minimax:depth=3"),
    # Its values lie close together: nearly always the best action, but not always the same game.
    PaperAgent("dql", "DQL", "net:{},temperature=0.05", "choko-dql", stochastic=True),
    PaperAgent(
        "pgts7", "PGTS 7", "pgts:net={},widths=12/6/3/3/3/3/3", "choko-ppo-v3",
        opponents=("pgts", "minimax"),
    ),
    PaperAgent("plus", "PPO+", "net:{}", "choko-ppo-plus", stochastic=True),
    PaperAgent(
        "pgts-plus", "PGTS+", "pgts:net={}", "choko-ppo-plus",
        opponents=("plus", "pgts", "minimax"),
    ),
)  # fmt: skip
BY_NAME = {agent.name: agent for agent in AGENTS}
# V3 to the letter of the text.  It has no shipped net, so it only plays where its runs are named.
LITERAL = PaperAgent(
    "v3-literal", "PPO V3 literal", "net:{}", "choko-ppo-v3-literal", stochastic=True
)
SLOW = ("pgts7",)  # left out of the small version

# Percent of games that the first wins against the second.
TABLE_1 = {
    ("v3", "pgts"): 0, ("v2", "pgts"): 5, ("v1", "pgts"): 0, ("minimax", "pgts"): 0,
    ("pgts", "v3"): 50, ("v2", "v3"): 35, ("v1", "v3"): 25, ("minimax", "v3"): 50,
    ("pgts", "v2"): 25, ("v3", "v2"): 40, ("v1", "v2"): 20, ("minimax", "v2"): 65,
    ("pgts", "v1"): 30, ("v3", "v1"): 40, ("v2", "v1"): 35, ("minimax", "v1"): 100,
    ("pgts", "minimax"): 15, ("v3", "minimax"): 0, ("v2", "minimax"): 0, ("v1", "minimax"): 0,
}  # fmt: skip
# Section 4.1, in words.
OF_DQL = {("dql", "v1"): 30, ("v1", "dql"): 35, ("dql", "v2"): 20, ("v2", "dql"): 50}
PAPER = TABLE_1 | OF_DQL


def select_agents(names: Sequence[str]) -> tuple[PaperAgent, ...]:
    """The agents with these names, in the usual order; all of them if no name is given."""
    for name in names:
        if name not in BY_NAME:
            raise UsageError(f"there is no agent {name!r} here: want {one_of(list(BY_NAME))}")
    selected = tuple(agent for agent in AGENTS if not names or agent.name in names)
    if len(selected) < 2:
        raise UsageError("one agent has no opponent: name two or more with --agent")
    return selected


def pairings(agents: Sequence[PaperAgent], *, all_pairs: bool = False) -> list[tuple[int, int]]:
    """Who meets whom, as indices into ``agents``."""
    return [
        (i, j)
        for i, j in combinations(range(len(agents)), 2)
        if all_pairs or (_accepts(agents[i], agents[j]) and _accepts(agents[j], agents[i]))
    ]


def _accepts(one: PaperAgent, other: PaperAgent) -> bool:
    return not one.opponents or other.name in one.opponents
