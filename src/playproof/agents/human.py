"""The agent ``human``: asks a person, on the terminal or by a function that the caller passes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, OnProgress
from playproof.agents.limits import Limits
from playproof.core.errors import PlayproofError

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag


def _ask_on_terminal(state: State) -> int:
    """Ask for the name of a move until a legal one is entered."""
    while True:
        print(state, file=sys.stderr)
        print("Your move: ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise PlayproofError("the input ended before a move was given")
        try:
            return state.apply(line.strip()).actions[-1]
        except PlayproofError as error:
            print(error, file=sys.stderr)


class Human(Agent):
    name = "human"
    summary = "you, at the keyboard"
    interactive = True

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        ask: Callable[[State], int] = _ask_on_terminal,
        **options: Any,
    ) -> None:
        super().__init__(game, seed=seed, **options)
        self._ask = ask

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        return [Decision(self._ask(batch[row])) for row in range(len(batch))]
