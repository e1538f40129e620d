"""The players' side of a match: agents hosted in a watched process, or in this one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from playproof.agents.base import Agent
from playproof.agents.registry import identity, make_agent
from playproof.core.batch import Batch
from playproof.core.errors import PlayproofError, UnavailableError, one_line
from playproof.core.game import Game
from playproof.core.parallel.isolated_process import CallRaised, CallTimedOut
from playproof.core.registry import resolve_game
from playproof.core.state import State

_LONG_GAME = 300  # plies after which a trial game is cut off: later ones bring nothing new


@dataclass(frozen=True)
class Player:
    """A player of an event.  ``label`` and ``key`` are unique among the event's players.

    Games are recorded under ``key``: the spec, with the digests of the files that it names in place
    of their names; ``digests`` has them apart.  A ``local`` player cannot be made in another
    process.  ``agent`` is its object or its class, if no spec leads to it.
    """

    label: str
    spec: str
    seed: int
    key: str = ""  # the label if empty
    digests: tuple[tuple[str, str], ...] = ()
    local: bool = False
    agent: Agent | type[Agent] | None = None
    control: str = "-"  # the time control, as in PGN

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.label)

    @property
    def max_game_seconds(self) -> float | None:
        """The most seconds that its clock can ever allow for a game; None without a game clock."""
        base, plus, increment = self.control.partition("+")
        return float(base) + _LONG_GAME * float(increment) if plus else None


class AgentHost:
    """The players' agents, in the process where they choose their moves."""

    def __init__(
        self, game: Game | str, players: tuple[Player, ...], modules: tuple[str, ...]
    ) -> None:
        for module in modules:
            try:
                import_module(module)
            except ImportError as error:
                raise PlayproofError(
                    f"the module {module}, which defines a player or the game, cannot be imported "
                    f"where the games are played ({error}): install it there"
                ) from None
        self.game = resolve_game(game)
        self.players = players
        self.agents: dict[int, Agent] = {}

    def prepare(self, number: int) -> PlayproofError | None:
        """Make an agent and let it choose once early and once late in a game.

        This compiles all that it uses, also what it uses in endings alone.  Returns the error, such
        as a wrong option, if the agent cannot be made.
        """
        try:
            agent = self._agent(number)
        except PlayproofError as error:
            return type(error)(f"{self.players[number].spec}: {error}")
        for state in _early_and_late(self.game):
            batch = Batch.of([state])
            batch.seeds[:] = 1
            agent.choose(batch)
        return None

    def choose(self, number: int, arrays: tuple[Any, ...]) -> list[Any] | UnavailableError:
        """The actions of a batch, or the error if something that the agent needs is gone."""
        batch = Batch(self.game, arrays[0])
        batch.plies, batch.seeds, batch.history_lengths, batch.histories = arrays[1:]
        try:
            return [_plain(decision.action) for decision in self._agent(number).choose(batch)]
        except UnavailableError as error:
            return type(error)(f"{self.players[number].spec}: {error}")

    def _agent(self, number: int) -> Agent:
        if number not in self.agents:
            player = self.players[number]
            agent = self._make_agent(player)
            # Compared after the agent has read its files, so that a change before that is noticed.
            has_files = player.digests and player.agent is None
            if has_files and identity(player.spec, self.game).digests != player.digests:
                raise PlayproofError(
                    "its files or its code changed while its games were played: those games are "
                    "kept; the same command starts again with the present content"
                )
            self.agents[number] = agent
        return self.agents[number]

    def _make_agent(self, player: Player) -> Agent:
        if player.agent is None:
            return make_agent(player.spec, self.game, seed=player.seed)
        if isinstance(player.agent, Agent):
            return player.agent
        return player.agent(self.game, seed=player.seed)


class InProcessHost:
    """Takes the place of ``IsolatedProcess`` for agents that cannot leave this process.

    An agent loses its game by an error or by being slow.  But an agent that hangs, or that ends
    the process, takes the whole match with it.
    """

    def __init__(self, host: AgentHost) -> None:
        self._host = host

    def call(self, method: str, *arguments: Any, limit: float) -> Any:
        started = time.monotonic()
        try:
            result = getattr(self._host, method)(*arguments)
        except Exception as error:
            raise CallRaised(f"raised {type(error).__name__}: {one_line(error)}") from error
        seconds = time.monotonic() - started
        if seconds > limit:
            raise CallTimedOut(f"gave its answer after {seconds:.1f} s, later than {limit:g} s")
        return result


def _early_and_late(game: Game) -> list[State]:
    """The first position of a random game, and one shortly before its end."""
    state = game.start()
    decisions: list[State] = []
    batch = Batch.start(game, 1, seed=1)
    while not state.is_terminal and len(decisions) < _LONG_GAME:
        if not state.is_chance:
            decisions.append(state)
        action = batch.random_actions()
        state = state.apply(int(action[0]))
        batch.apply(action)
    return [decisions[0], decisions[-4:][0]] if decisions else []


def _plain(action: Any) -> int | str:
    """An agent's action in a form that is safe to handle: an int, or the text of what it is."""
    return int(action) if isinstance(action, int | np.integer) else str(action)[:40]
