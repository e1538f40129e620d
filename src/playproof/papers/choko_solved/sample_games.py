"""Games of Choko by players of different strength, and the positions to ask the tables about.

Everything is drawn from seeds that are written here, so that the games need not
be kept: who makes the data of ``truth`` anew plays the same ones again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.registry import make

if TYPE_CHECKING:
    from playproof.agents.base import Agent
    from playproof.core.state import State

SAMPLE, SAMPLE_SEED = 60_000, 7  # positions, as for the yardstick
_OPENED_AT_RANDOM = 2  # actions, or players without chance would play one game
_AGENT_SEED = 5

# After these placements the mover can take both enemy pieces on the board.
EARLY_CAPTURE = "5/5/2br1/5/r1b2 b 10 10 b 4"


@dataclass(frozen=True)
class Player:
    spec: str
    games: int
    seed: int


PLAYERS = (
    Player("random", 200, 1),
    Player("greedy", 60, 2),
    Player("alphabeta:depth=3", 60, 2),
    Player("alphabeta:depth=6", 60, 2),
)


@dataclass(frozen=True)
class Played:
    """A game of a player against itself; ``moves`` are (position, name of the move)."""

    outcome: int
    moves: tuple[tuple[str, str], ...]


def play(player: Player) -> Iterator[Played]:
    """The games of a player, in the game with its usual cap of 100 actions."""
    game = make("choko")
    agent = None if player.spec == "random" else make_agent(player.spec, game, seed=_AGENT_SEED)
    chance = random.Random(player.seed)
    for _ in range(player.games):
        state, moves = game.start(), []
        while not state.is_terminal:
            action = _choice(state, agent, chance)
            moves.append((state.position, state.name(action)))
            state = state.apply(action)
        assert state.outcome is not None
        yield Played(state.outcome, tuple(moves))


def _choice(state: State, agent: Agent | None, chance: random.Random) -> int:
    if agent is None or len(state.actions) < _OPENED_AT_RANDOM:
        return int(chance.choice(state.legal_actions()))
    chance.random()  # left unused: the games that the tables were asked about were played so
    return agent.choose(Batch.of([state], seed=chance.randrange(2**30)))[0].action


def openings() -> Iterator[str]:
    """The start, each first placement, and each reply to it."""
    start = make("choko").start()
    yield start.position
    for first in start.legal_actions():
        placed = start.apply(first)
        yield placed.position
        for reply in placed.legal_actions():
            yield placed.apply(reply).position


def sampled() -> list[str]:
    """Positions of all phases, from play of mixed strength."""
    from playproof.arena.yardstick.sample import sample

    return sample(make("choko"), SAMPLE, SAMPLE_SEED)


def to_ask(report: Callable[[str], None] = lambda what: None) -> list[str]:
    """Every position whose exact values ``make`` needs, none twice."""
    found: dict[str, None] = {EARLY_CAPTURE: None}
    report("sampling positions")
    found |= dict.fromkeys(sampled())
    for player in PLAYERS:
        report(f"playing {player.spec}")
        found |= dict.fromkeys(position for game in play(player) for position, _ in game.moves)
    return list(found | dict.fromkeys(openings()))
