"""Who is trained several times, and who meets whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.core.errors import UsageError, one_of
from playproof.papers.chokozero.players import BY_NAME, LITERAL, PaperAgent

GAMES, FEW_GAMES = 100, 10  # between two nets
SEEDS = 5  # of each agent, for an answer that is worth its name
# In the order of Table 1.
AGENTS = (
    BY_NAME["pgts"], BY_NAME["v3"], LITERAL, BY_NAME["v2"], BY_NAME["v1"], BY_NAME["minimax"],
    BY_NAME["dql"],
)  # fmt: skip
AGENT_BY_NAME = {agent.name: agent for agent in AGENTS}
TRAINED = tuple(agent for agent in AGENTS if agent.stochastic)  # each with a net of its own


@dataclass(frozen=True)
class Entry:
    """A player: an agent with the net of one training run.

    ``seed`` is None for an agent without a net.  ``net`` is the name or the file of the net and
    ``digest`` that of its content; both are empty without a net.
    """

    agent: PaperAgent
    seed: int | None = None
    net: str = ""
    digest: str = ""

    @property
    def title(self) -> str:
        return self.agent.title if self.seed is None else f"{self.agent.title}, seed {self.seed}"


def select(names: Sequence[str]) -> tuple[PaperAgent, ...]:
    """The agents with these names, in the usual order; all of them if no name is given."""
    for name in names:
        if name not in AGENT_BY_NAME:
            choices = one_of(list(AGENT_BY_NAME))
            raise UsageError(f"there is no agent {name!r} over several seeds: want {choices}")
    selected = tuple(agent for agent in AGENTS if not names or agent.name in names)
    if len(selected) < 2:
        raise UsageError("one agent has no opponent: name two or more with --agent")
    return selected


def meet(one: Entry, two: Entry) -> bool:
    """Whether two players meet: not two runs of one agent, and PGTS meets only its own V3."""
    if one.agent.name == two.agent.name:
        return False
    return one.seed == two.seed if is_paired(one.agent.name, two.agent.name) else True


def is_paired(one: str, two: str) -> bool:
    """Whether two agents play with the same net, so that each run of one meets its own."""
    return {one, two} == {"pgts", "v3"}
