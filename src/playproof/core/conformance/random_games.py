"""Random games that the laws test, and the state that is being tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from playproof.core.conformance.laws import LawBroken
from playproof.core.game import Game
from playproof.core.state import State

LONGEST = 10_000  # actions after which a random game must have ended


@dataclass
class Sampler:
    """Samples random games and states from them.

    Moves follow the numbers ``drawn``, which Hypothesis can shrink, and then those of ``seed``.
    """

    drawn: list[int]
    seed: int
    current: State | None = field(
        default=None, compare=False, repr=False
    )  # the state that is being tested

    def walk(self, game: Game) -> list[State]:
        """A random game, every state from the start to the end."""
        rng = Random(self.seed)
        states = [game.start()]
        while not states[-1].is_terminal:
            self.current = states[-1]
            ply, legal = len(states) - 1, states[-1].legal_actions()
            if not legal:
                raise LawBroken(
                    "there is no legal action, but outcome says that the game is not over"
                )
            if ply >= LONGEST:
                raise LawBroken(f"a random game is not over after {LONGEST:,} actions")
            number = self.drawn[ply] if ply < len(self.drawn) else rng.randrange(2**32)
            states.append(states[-1].apply(legal[number % len(legal)]))
        self.current = states[-1]
        return states

    def states(self, game: Game, number: int) -> list[State]:
        """A few states of a random game in random order, the last one included."""
        walk = self.walk(game)
        chosen = [walk[-1], *Random(self.seed).choices(walk, k=number - 1)]
        Random(self.seed).shuffle(chosen)
        return chosen

    def unfinished_state(self, game: Game) -> State:
        """A state of a random game before its end."""
        return Random(self.seed).choice(self.walk(game)[:-1])

    def actions(self, state: State, number: int) -> list[int]:
        """A few legal actions."""
        legal = state.legal_actions()
        return Random(self.seed).sample(legal, min(number, len(legal)))

    def track(self, states: Iterable[State]) -> Iterator[State]:
        """The states, each of them set as ``current`` in its turn."""
        for state in states:
            self.current = state
            yield state


def in_kernel_order(state: State) -> list[int]:
    """The legal actions in the kernel's own order."""
    game = state.game
    out = np.empty(game.action_room, np.int32)
    n = game.kernels.actions(game.option_words, game.tables, state.row.copy(), state.history, out)
    return [int(action) for action in out[:n]]


def hash_of(state: State) -> int:
    """The position's hash by the game's kernel."""
    return int(state.game.kernels.hash(state.game.option_words, state.row.copy()))


def without_history(state: State) -> State:
    """The position alone.  Where the history had ended the game, it may go on."""
    return State(state.game, state.row, set_up=True)


def snapshot(state: State) -> tuple[Any, ...]:
    """All parts of a state, to see whether it was changed or restored completely."""
    return state.game, state.row.tobytes(), state.history.tobytes(), state.actions, state.ply
