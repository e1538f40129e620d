"""Games of Choko by players of different strength, and the positions to query the tables about.

All seeds are fixed here, so the games need not be stored: making the data of ``truth`` again
plays the same games.
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
_OPENED_AT_RANDOM = 2  # actions; otherwise deterministic players would repeat one game
_AGENT_SEED = 5

# After these placements the mover can take both enemy pieces on the board.
EARLY_CAPTURE = "5/5/2br1/5/r1b2 b 10 10 b 4"


@dataclass(frozen=True)
class SamplePlayer:
    """An agent, the number of its games and their seed."""

    spec: str
    games: int
    seed: int


PLAYERS = (
    SamplePlayer("random", 200, 1),
    SamplePlayer("greedy", 60, 2),
    SamplePlayer("alphabeta:depth=3", 60, 2),
    SamplePlayer("alphabeta:depth=6", 60, 2),
)


@dataclass(frozen=True)
class SelfPlayGame:
    """A game of a player against itself; ``moves`` are (position, name of the move)."""

    outcome: int
    moves: tuple[tuple[str, str], ...]


def play_games(player: SamplePlayer) -> Iterator[SelfPlayGame]:
    """The games of a player against itself, with the usual cap of 100 actions."""
    game = make("choko")
    agent = None if player.spec == "random" else make_agent(player.spec, game, seed=_AGENT_SEED)
    rng = random.Random(player.seed)
    for _ in range(player.games):
        state, moves = game.start(), []
        while not state.is_terminal:
            action = _choice(state, agent, rng)
            moves.append((state.position, state.name(action)))
            state = state.apply(action)
        assert state.outcome is not None
        yield SelfPlayGame(state.outcome, tuple(moves))


def _choice(state: State, agent: Agent | None, rng: random.Random) -> int:
    if agent is None or len(state.actions) < _OPENED_AT_RANDOM:
        return int(rng.choice(state.legal_actions()))
    rng.random()  # unused: kept so that the games stay those the tables were queried about
    return agent.choose(Batch.of([state], seed=rng.randrange(2**30)))[0].action


def openings() -> Iterator[str]:
    """The start, each first placement, and each reply to it."""
    start = make("choko").start()
    yield start.position
    for first in start.legal_actions():
        placed = start.apply(first)
        yield placed.position
        for reply in placed.legal_actions():
            yield placed.apply(reply).position


def sample_positions() -> list[str]:
    """Positions of all phases, from play of mixed strength."""
    from playproof.arena.yardstick.sample import sample

    return sample(make("choko"), SAMPLE, SAMPLE_SEED)


def positions_to_query(on_progress: Callable[[str], None] = lambda what: None) -> list[str]:
    """Every position whose exact values ``make`` needs, without duplicates."""
    positions: dict[str, None] = {EARLY_CAPTURE: None}
    on_progress("sampling positions")
    positions |= dict.fromkeys(sample_positions())
    for player in PLAYERS:
        on_progress(f"playing {player.spec}")
        positions |= dict.fromkeys(
            position for game in play_games(player) for position, _ in game.moves
        )
    return list(positions | dict.fromkeys(openings()))
