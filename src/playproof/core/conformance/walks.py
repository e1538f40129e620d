"""Random games for the laws to look at, and how they note where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from playproof.core.conformance.laws import Broken
from playproof.core.game import Game
from playproof.core.state import State

LONGEST = 10_000  # actions after which a random game should have ended


@dataclass
class Dice:
    """Choices for a game of any length: drawn numbers first, which shrink well, then a seed's."""

    drawn: list[int]
    seed: int
    here: State | None = field(default=None, compare=False, repr=False)  # what is looked at

    def walk(self, game: Game) -> list[State]:
        """A random game, every state from the start to the end."""
        rng = Random(self.seed)
        states = [game.start()]
        while not states[-1].is_terminal:
            self.here = states[-1]
            ply, legal = len(states) - 1, states[-1].legal_actions()
            if not legal:
                raise Broken("there is no legal action, but outcome says that the game goes on")
            if ply >= LONGEST:
                raise Broken(f"a random game goes on after {LONGEST:,} actions, expected an end")
            number = self.drawn[ply] if ply < len(self.drawn) else rng.randrange(2**32)
            states.append(states[-1].apply(legal[number % len(legal)]))
        self.here = states[-1]
        return states

    def some(self, game: Game, number: int) -> list[State]:
        """A few states of a random game in any order, its end among them."""
        walk = self.walk(game)
        chosen = [walk[-1], *Random(self.seed).choices(walk, k=number - 1)]
        Random(self.seed).shuffle(chosen)
        return chosen

    def one(self, game: Game) -> State:
        """A state of a random game that is still going on."""
        return Random(self.seed).choice(self.walk(game)[:-1])

    def actions(self, state: State, number: int) -> list[int]:
        """A few legal actions."""
        legal = state.legal_actions()
        return Random(self.seed).sample(legal, min(number, len(legal)))

    def each(self, states: Iterable[State]) -> Iterator[State]:
        """The states, each noted as the one that is looked at."""
        for state in states:
            self.here = state
            yield state


def listed(state: State) -> list[int]:
    """The legal actions in the kernel's own order."""
    game = state.game
    out = np.empty(game.action_room, np.int32)
    n = game.kernels.actions(game.option_words, game.tables, state.row.copy(), state.history, out)
    return [int(action) for action in out[:n]]


def hash_of(state: State) -> int:
    """What the game's kernel makes of the position."""
    return int(state.game.kernels.hash(state.game.option_words, state.row.copy()))


def without_past(state: State) -> State:
    """The position alone; for a game that looks at its past it may go on where that had ended."""
    return State(state.game, state.row, set_up=True)


def everything(state: State) -> tuple[Any, ...]:
    """All of a state, to see whether it was touched or came back whole."""
    return state.game, state.row.tobytes(), state.history.tobytes(), state.actions, state.ply
