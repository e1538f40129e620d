"""Where ChokoZero's agents place their first pieces: "all agents that we trained opened with
corner positions" (section 4.3).

Each agent plays with itself from the empty board.  The first actions of both sides
are counted by where they place a piece; one that draws its moves plays many games,
one without chance a single one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.registry import make
from playproof.papers.choko_solved.truth import kind_of_move
from playproof.papers.chokozero.players import GAME, Agent

GAMES, FEW_GAMES = 400, 50
KINDS = ("corner", "edge", "inner", "centre", "move")
CORNERS_AT_RANDOM = 4 / 25  # of first placements
_PLIES = 8
_CENTRE = "C3"


@dataclass(frozen=True)
class Opened:
    """Of an agent's games with itself: ``kinds[ply]`` are shares, 0..1, in the order of
    ``KINDS``; ``full[ply]`` is the share of games in which a piece was placed in
    each corner by then."""

    agent: Agent
    games: int
    kinds: tuple[tuple[float, ...], ...]
    full: tuple[float, ...]

    def corners(self, ply: int) -> float:
        """The share of games whose action number ``ply``, from 0, takes a corner."""
        return self.kinds[ply][KINDS.index("corner")]

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent.title, "games": self.games,
            "plies": [dict(zip(KINDS, shares, strict=True)) for shares in self.kinds],
            "all_corners_taken": self.full,
        }  # fmt: skip


def kind(name: str) -> str:
    """One of ``KINDS`` for the name of an action."""
    if name == _CENTRE:
        return "centre"
    found = kind_of_move(name)
    return found if found in KINDS else "move"


def openings(agent: Agent, nets: Mapping[str, str], games: int, seed: int) -> Opened:
    """Play the first plies of an agent's games with itself."""
    game = make(GAME)
    count = games if agent.chance else 1
    player = make_agent(agent.spec(nets.get(agent.preset, agent.preset)), game, seed=seed)
    batch = Batch.start(game, count, seed=seed)
    taken: list[set[str]] = [set() for _ in range(count)]
    kinds, full = [], []
    for _ in range(_PLIES):
        actions = [decision.action for decision in player.choose(batch)]
        names = [game.action_name(action) for action in actions]
        counts = Counter(map(kind, names))
        kinds.append(tuple(counts[name] / count for name in KINDS))
        for corners, name in zip(taken, names, strict=True):
            if kind(name) == "corner":
                corners.add(name)
        full.append(sum(len(corners) == 4 for corners in taken) / count)
        batch.apply(np.array(actions, np.int64))
    return Opened(agent, count, tuple(kinds), tuple(full))


def all_openings(
    agents: Sequence[Agent], nets: Mapping[str, str], games: int, seed: int
) -> list[Opened]:
    """Of those agents that have learned."""
    return [openings(agent, nets, games, seed) for agent in agents if agent.preset]
