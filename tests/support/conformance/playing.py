"""Which games the conformance suite plays, and how many of each to a law."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof import Game
from playproof.core import registry
from playproof.core.conformance.laws import Law
from playproof.core.conformance.random_games import Sampler
from tests.support.longer import FACTOR, longer
from tests.support.toys.coin import Coin

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


def hold(game: Game, law: Law) -> None:
    """So many random games of a game as a law asks for, always the same ones.

    Under `make verify` there are ``PLAYPROOF_EXAMPLES`` times as many, and Hypothesis looks for a
    short one that breaks the law.
    """
    if FACTOR > 1 and law.games > 1:
        drawn = st.lists(st.integers(0, 10_000), max_size=60)
        sampler = st.builds(Sampler, drawn, st.integers(0, 2**32 - 1))

        @settings(max_examples=law.games * FACTOR, deadline=None)
        @given(sampler)
        def sought(sampler: Sampler) -> None:
            law.check(game, sampler)

        sought()
        return
    rng = Random(f"{law.name} {game.spec}")
    # A law that asks for one game looks at little of it, or long: more would show nothing new.
    for _ in range(longer(law.games, 3)):
        law.check(game, Sampler([], rng.randrange(2**32)))


def laws(*those: Law) -> pytest.MarkDecorator:
    """A test for each of these laws."""
    return pytest.mark.parametrize("law", those, ids=lambda law: law.name)
