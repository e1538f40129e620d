"""Positions of random games, for searches to look at."""

from __future__ import annotations

import random

from playproof import Game, State


def random_position(game: Game, plies: int, chooser: random.Random) -> State:
    """A position after so many random plies, or the last one before the end."""
    state = game.start()
    for _ in range(plies):
        following = state.apply(chooser.choice(state.legal_actions()))
        if following.is_terminal:
            break
        state = following
    return state


def random_positions(game: Game, count: int, seed: int, plies: tuple[int, int]) -> list[State]:
    chooser = random.Random(seed)
    return [random_position(game, chooser.randint(*plies), chooser) for _ in range(count)]
