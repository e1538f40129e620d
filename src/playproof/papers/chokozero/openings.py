"""Where ChokoZero's agents place their first pieces: "all agents that we trained opened with
corner positions" (section 4.3).

Each agent plays against itself from the empty board.  The first actions of both sides
are counted by where they place a piece.  A stochastic agent plays many games, a
deterministic one a single game.
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
from playproof.papers.chokozero.players import GAME, PaperAgent

GAMES, FEW_GAMES = 400, 50
KINDS = ("corner", "edge", "inner", "centre", "move")
CORNERS_AT_RANDOM = 4 / 25  # of first placements
_PLIES = 8
_CENTRE = "C3"


@dataclass(frozen=True)
class OpeningStatistics:
    """Where an agent places its first pieces in games against itself.

    ``kinds[ply]`` are shares, 0..1, in the order of ``KINDS``; ``all_corners[ply]`` is the
    share of games in which every corner was taken by then."""

    agent: PaperAgent
    games: int
    kinds: tuple[tuple[float, ...], ...]
    all_corners: tuple[float, ...]

    def corners(self, ply: int) -> float:
        """The share of games whose action number ``ply``, from 0, takes a corner."""
        return self.kinds[ply][KINDS.index("corner")]

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent.title, "games": self.games,
            "plies": [dict(zip(KINDS, shares, strict=True)) for shares in self.kinds],
            "all_corners_taken": self.all_corners,
        }  # fmt: skip


def kind(name: str) -> str:
    """One of ``KINDS`` for the name of an action."""
    if name == _CENTRE:
        return "centre"
    place = kind_of_move(name)
    return place if place in KINDS else "move"


def openings(
    agent: PaperAgent, nets: Mapping[str, str], games: int, seed: int
) -> OpeningStatistics:
    """Play the first plies of an agent's games against itself."""
    game = make(GAME)
    count = games if agent.stochastic else 1
    player = make_agent(agent.spec(nets.get(agent.preset, agent.preset)), game, seed=seed)
    batch = Batch.start(game, count, seed=seed)
    taken: list[set[str]] = [set() for _ in range(count)]
    kinds, all_corners = [], []
    for _ in range(_PLIES):
        actions = [decision.action for decision in player.choose(batch)]
        names = [game.action_name(action) for action in actions]
        counts = Counter(map(kind, names))
        kinds.append(tuple(counts[name] / count for name in KINDS))
        for corners, name in zip(taken, names, strict=True):
            if kind(name) == "corner":
                corners.add(name)
        all_corners.append(sum(len(corners) == 4 for corners in taken) / count)
        batch.apply(np.array(actions, np.int64))
    return OpeningStatistics(agent, count, tuple(kinds), tuple(all_corners))


def all_openings(
    agents: Sequence[PaperAgent], nets: Mapping[str, str], games: int, seed: int
) -> list[OpeningStatistics]:
    """The statistics of the agents that have a net."""
    return [openings(agent, nets, games, seed) for agent in agents if agent.preset]
