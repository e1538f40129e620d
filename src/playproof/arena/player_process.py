"""Where players are asked: in a watched process, or in this one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from playproof.agents.base import Agent
from playproof.agents.registry import identity, make_agent
from playproof.core.batch import Batch
from playproof.core.errors import PlayproofError, one_line
from playproof.core.game import Game
from playproof.core.parallel.isolated_process import CallTimedOut, CallRaised
from playproof.core.registry import resolve_game
from playproof.core.state import State

_LONG_GAME = 300  # plies of a trial: what comes later is nothing new


@dataclass(frozen=True)
class Player:
    """Who plays: ``label`` and ``key`` are unique among the players of an event.

    Games are kept by ``key``: its spec with the content of the files it names, which
    ``digests`` are of.  One that is ``local`` cannot be made in another process; ``agent``
    is its object, or its class, where a spec does not lead to it.
    """

    label: str
    spec: str
    seed: int
    key: str = ""  # the label if not given
    digests: tuple[tuple[str, str], ...] = ()
    local: bool = False
    agent: Agent | type[Agent] | None = None
    control: str = "-"  # its time control, as in PGN

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.label)

    @property
    def max_game_seconds(self) -> float | None:
        """For a game of so many moves as ever were; None where it has no clock for the game."""
        base, plus, increment = self.control.partition("+")
        return float(base) + _LONG_GAME * float(increment) if plus else None


class AgentHost:
    """The agents, in the process where they are asked."""

    def __init__(
        self, game: Game | str, players: tuple[Player, ...], modules: tuple[str, ...]
    ) -> None:
        for module in modules:
            try:
                import_module(module)
            except ImportError as error:
                raise PlayproofError(
                    f"the module {module}, which brings a player or the game, is not found "
                    f"where the games are played ({error}): install it there"
                ) from None
        self.game = resolve_game(game)
        self.players = players
        self.agents: dict[int, Agent] = {}

    def prepare(self, number: int) -> PlayproofError | None:
        """Make the agent and let it try a move early and late, so that nothing is left to
        compile: agents have other means for endings.

        Gives what its maker has to complain of, such as a wrong option.
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

    def choose(self, number: int, arrays: tuple[Any, ...]) -> list[Any]:
        batch = Batch(self.game, arrays[0])
        batch.plies, batch.seeds, batch.history_lengths, batch.histories = arrays[1:]
        return [_plain(decision.action) for decision in self._agent(number).choose(batch)]

    def _agent(self, number: int) -> Agent:
        if number not in self.agents:
            player = self.players[number]
            agent = self._made(player)
            # Looked at after the files were read: what was replaced before is noticed.
            named = player.digests and player.agent is None
            if named and identity(player.spec, self.game).digests != player.digests:
                raise PlayproofError(
                    "what it is made of was changed while its games were played: they are kept; "
                    "the same command begins anew with what is there now"
                )
            self.agents[number] = agent
        return self.agents[number]

    def _made(self, player: Player) -> Agent:
        if player.agent is None:
            return make_agent(player.spec, self.game, seed=player.seed)
        if isinstance(player.agent, Agent):
            return player.agent
        return player.agent(self.game, seed=player.seed)


class InProcessHost:
    """Stands in for ``IsolatedProcess`` where an agent cannot leave this process: it loses its game
    by an error or by being slow, but who hangs or ends the process takes us along."""

    def __init__(self, bench: AgentHost) -> None:
        self._made = bench

    def call(self, method: str, *arguments: Any, limit: float) -> Any:
        began = time.monotonic()
        try:
            answer = getattr(self._made, method)(*arguments)
        except Exception as error:
            raise CallRaised(f"raised {type(error).__name__}: {one_line(error)}") from error
        seconds = time.monotonic() - began
        if seconds > limit:
            raise CallTimedOut(f"gave its answer after {seconds:.1f} s, later than {limit:g} s")
        return answer


def _early_and_late(game: Game) -> list[State]:
    """The first decision of a random game, and one of its last."""
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


def _plain(answer: Any) -> int | str:
    """An answer that is safe to handle elsewhere: a whole number, or what it looks like."""
    return int(answer) if isinstance(answer, int | np.integer) else str(answer)[:40]
