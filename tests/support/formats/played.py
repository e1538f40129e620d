"""Random games to write down and read back."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from playproof import State, make

GAMES = ["othello", "othello:size=4", "othello:size=6,empties_to_winner", "choko", "choko:cap=30"]


def walk(name: str, seed: int, plies: int) -> State:
    """A game of random moves, over or not."""
    rng, state = Random(seed), make(name).start()
    while len(state.actions) < plies and not state.is_terminal:
        state = state.apply(rng.choice(state.legal_actions()))
    return state


def set_up(name: str, seed: int, plies: int, more: int) -> State:
    """A game that began at a position on the way of another one."""
    rng, state = Random(seed), walk(name, seed, plies)
    state = state.game.position(state.position)
    while len(state.actions) < more and not state.is_terminal:
        state = state.apply(rng.choice(state.legal_actions()))
    return state


_names, _seeds = st.sampled_from(GAMES), st.integers(0, 2**32)
whole_games = st.builds(walk, _names, _seeds, st.integers(0, 120))
set_up_games = st.builds(set_up, _names, _seeds, st.integers(0, 60), st.integers(0, 20))
games = st.one_of(whole_games, set_up_games)
