"""ChokoZero's agents, ours beyond them, and the paper's own figures (Francisco, Wirth and
Kannan): Table 1, and what its text says of deep Q-learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from playproof.core.errors import UsageError, one_of

GAME = "choko"
PRESETS = ("choko-dql", "choko-ppo-v1", "choko-ppo-v2", "choko-ppo-v3", "choko-ppo-plus")
ABOUT_GAMES = 20  # of the paper, for each of its percentages


@dataclass(frozen=True)
class Agent:
    """``form`` is its spec, with {} for the net's name or file.

    ``meets`` names those whom it meets unless all pairs are wanted: a slow search
    meets those alone that tell something about it.  Empty: everybody.
    """

    name: str
    title: str
    form: str
    preset: str = ""  # of its net
    meets: tuple[str, ...] = ()
    chance: bool = False  # whether it draws its moves

    def spec(self, net: str) -> str:
        return self.form.format(net)


# In the order of Table 1, then those that it does not have.
AGENTS = (
    Agent("pgts", "PGTS", "pgts:net={}", "choko-ppo-v3"),
    Agent("v3", "PPO V3", "net:{}", "choko-ppo-v3", chance=True),
    Agent("v2", "PPO V2", "net:{}", "choko-ppo-v2", chance=True),
    Agent("v1", "PPO V1", "net:{}", "choko-ppo-v1", chance=True),
    Agent("minimax", "Minimax", "minimax:depth=3"),
    # Values lie close together: nearly always the best action, but not one game.
    Agent("dql", "DQL", "net:{},temperature=0.05", "choko-dql", chance=True),
    Agent(
        "pgts7", "PGTS 7", "pgts:net={},widths=12/6/3/3/3/3/3", "choko-ppo-v3",
        meets=("pgts", "minimax"),
    ),
    Agent("plus", "PPO+", "net:{}", "choko-ppo-plus", chance=True),
    Agent(
        "pgts-plus", "PGTS+", "pgts:net={}", "choko-ppo-plus",
        meets=("plus", "pgts", "minimax"),
    ),
)  # fmt: skip
BY_NAME = {agent.name: agent for agent in AGENTS}
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


def chosen(names: Sequence[str]) -> tuple[Agent, ...]:
    """The agents with these names, in the usual order; all for no names."""
    for name in names:
        if name not in BY_NAME:
            raise UsageError(f"there is no agent {name!r} here: want {one_of(list(BY_NAME))}")
    found = tuple(agent for agent in AGENTS if not names or agent.name in names)
    if len(found) < 2:
        raise UsageError("one agent has nobody to meet: name two or more with --agent")
    return found


def pairs(agents: Sequence[Agent], *, everybody: bool = False) -> list[tuple[int, int]]:
    """Who meets whom, as places among ``agents``."""
    return [
        (i, j)
        for i, j in combinations(range(len(agents)), 2)
        if everybody or (_wants(agents[i], agents[j]) and _wants(agents[j], agents[i]))
    ]


def _wants(one: Agent, other: Agent) -> bool:
    return not one.meets or other.name in one.meets
