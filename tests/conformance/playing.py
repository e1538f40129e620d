"""Random play for the conformance suite: which games, and how it walks through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longer import FACTOR
from playproof import Game, State
from playproof.core import registry
from toys.coin import Coin

# Every registered game is played with its default options; these are worth playing too.
INTERESTING: dict[str, list[dict[str, Any]]] = {
    "chess": [{"draws": "claimed"}],
    "choko": [{"lone_jump": True}, {"cap": 20}],
    "coin": [{"cells": 7}],
    "go": [
        {"board": "3x3", "ko": "simple", "suicide": True, "komi": 0.5},
        {"board": "2x3", "scoring": "territory"},
    ],
    "othello": [{"size": 6}, {"size": 4}, {"size": 4, "empties_to_winner": True}],
    "quantum-go": [
        {"board": "4x3", "variant": "weak", "scoring": "territory"},
        {"board": "3x3", "variant": "symmetric"},
        {"board": "3x2", "variant": "semi-black", "komi": 0.5},
        {"board": "3x2", "variant": "semi-white", "ko": "simple"},
        {"board": "4x3", "k": 3},
        {"board": "3x3", "group": "w", "k": 3},
        {"board": "3x3", "collapse": "born"},
        {"board": "3x3", "group": "w", "k": 4, "collapse": "born", "suicide": True},
        {"board": "3x2", "order": "rising"},
    ],
}


# The full board would take minutes: these are played in place of the defaults.
SMALLER: dict[str, dict[str, Any]] = {"go": {"board": "4x3"}, "quantum-go": {"board": "3x3"}}


def _games() -> list[Game]:
    classes = {name: registry.find(name) for name in registry.names()} | {"coin": Coin}
    return [
        cls(**options)
        for name, cls in sorted(classes.items())
        for options in [SMALLER.get(name, {}), *INTERESTING.get(name, [])]
    ]


GAMES = _games()
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.spec)


@contextmanager
def coin_registered() -> Iterator[None]:
    """Let ``make`` know the test-only game, and forget it again: other tests list the games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry._registered, Coin.name, Coin)
        yield


@dataclass(frozen=True)
class Dice:
    """Choices for a game of any length: drawn numbers first, which shrink well, then a seed's."""

    drawn: list[int]
    seed: int

    def walk(self, game: Game) -> list[State]:
        """A random game, every state from the start to the end."""
        rng = Random(self.seed)
        states = [game.start()]
        while not states[-1].is_terminal:
            ply, legal = len(states) - 1, states[-1].legal_actions()
            number = self.drawn[ply] if ply < len(self.drawn) else rng.randrange(2**32)
            states.append(states[-1].apply(legal[number % len(legal)]))
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


Law = Callable[[Game, Dice], None]


def games_of_each(number: int) -> Callable[[Law], Callable[..., None]]:
    """So many random games of every game to a law, always the same ones.

    Under `make verify` there are ``PLAYPROOF_EXAMPLES`` times as many, and Hypothesis looks for a
    short one that breaks the law.
    """
    drawn = st.lists(st.integers(0, 10_000), max_size=60)
    dice = st.builds(Dice, drawn, st.integers(0, 2**32 - 1))

    def hold_to(law: Law) -> Callable[..., None]:
        if FACTOR > 1:
            sought: Callable[..., None] = given(dice)(law)
            return every_game(settings(max_examples=number * FACTOR, deadline=None)(sought))

        def fixed(game: Game) -> None:
            rng = Random(f"{law.__name__} {game.spec}")
            for _ in range(number):
                law(game, Dice([], rng.randrange(2**32)))

        fixed.__name__, fixed.__doc__ = law.__name__, law.__doc__
        return every_game(fixed)

    return hold_to


def listed(state: State) -> list[int]:
    """The legal actions in the kernel's own order."""
    game = state.game
    out = np.empty(game.max_actions, np.int32)
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
