"""``alphabeta`` plays Othello endings perfectly, by the solver."""

from __future__ import annotations

import random

import playproof
from playproof import State
from playproof.search.othello_endgame.solver import solve


def ending(empties: int, seed: int) -> State:
    """A position of random play with so many empty squares, not yet over."""
    game, chooser = playproof.make("othello"), random.Random(seed)
    while True:
        state = game.start()
        while not state.is_terminal and game.empties(state) > empties:
            state = state.apply(chooser.choice(state.legal_actions()))
        if not state.is_terminal:
            return state


def test_its_moves_keep_the_score() -> None:
    for seed in range(6):
        state = ending(9, seed)
        decision = playproof.make_agent("alphabeta:depth=2", state.game).decide(state)
        after = state.apply(decision.action)
        assert decision.statistics["proven"]
        expected = solve(state, megabytes=1).first_player_score
        kept = after.score if after.is_terminal else solve(after, megabytes=1).first_player_score
        assert kept == expected


def test_it_solves_only_what_it_was_told_to() -> None:
    state = ending(9, 1)
    early = playproof.make_agent("alphabeta:depth=2,endgame=8", state.game).decide(state)
    assert "depth" in early.statistics
    assert early.action in state.legal_actions()
