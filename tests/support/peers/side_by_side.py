"""Two engines play the same random games; every position must look the same to both."""

from __future__ import annotations

import random

import playproof
from tests.support.oracles.choko_naive import NaiveChoko
from tests.support.oracles.othello_naive import NaiveOthello


def with_naive_othello(size: int, positions: int, seed: int) -> int:
    """Compare with the board-array oracle on at least so many positions; how many it was."""
    game, chooser, seen = playproof.make("othello", size=size), random.Random(seed), 0
    while seen < positions:
        ours, theirs = game.start(), NaiveOthello(size=size)
        while True:
            seen += 1
            where = f"seed {seed}, {ours!r}"
            assert ours.is_terminal == theirs.over, where
            assert ours.score == theirs.difference, where
            if theirs.over:
                assert ours.outcome == theirs.winner, where
                break
            legal = theirs.legal()
            assert ours.legal_actions() == legal, where
            assert ours.current_player == theirs.to_move, where
            action = chooser.choice(legal)
            ours, theirs = ours.apply(action), theirs.play(action)
    return seen


def with_naive_choko(lone_jump: bool, positions: int, seed: int) -> int:
    """Compare with the board-array oracle on at least so many positions; how many it was."""
    game, chooser, seen = playproof.make("choko", lone_jump=lone_jump), random.Random(seed), 0
    while seen < positions:
        ours, theirs = game.start(), NaiveChoko(lone_jump=lone_jump)
        while True:
            seen += 1
            where = f"seed {seed}, {ours!r}"
            ledger = int(ours.row[2])
            holder = "none" if not ledger >> 2 & 3 else (ledger >> 2 & 3) - 1
            assert (ledger >> 4 & 15, ledger >> 8 & 15) == theirs.hands, where
            assert bool(ledger >> 1 & 1) == theirs.forced, where
            assert holder == theirs.initiative, where
            assert ours.score == theirs.captured[0] - theirs.captured[1], where
            assert ours.is_terminal == theirs.over, where
            if theirs.over:
                assert ours.outcome == theirs.winner, where
                break
            legal = theirs.legal()
            assert ours.legal_actions() == legal, where
            assert ours.current_player == theirs.to_move, where
            action = chooser.choice(legal)
            ours, theirs = ours.apply(action), theirs.play(action)
    return seen


def with_open_spiel(positions: int, seed: int) -> int:
    """Compare Othello with OpenSpiel's, whose squares and passes are numbered like ours."""
    import pyspiel

    game, chooser, seen = playproof.make("othello"), random.Random(seed), 0
    peer = pyspiel.load_game("othello")
    while seen < positions:
        ours, theirs = game.start(), peer.new_initial_state()
        while True:
            seen += 1
            where = f"seed {seed}, {ours!r}"
            assert ours.is_terminal == theirs.is_terminal(), where
            if theirs.is_terminal():
                assert list(ours.returns()) == theirs.returns(), where
                break
            legal = theirs.legal_actions()
            assert ours.legal_actions() == legal, where
            assert ours.current_player == theirs.current_player(), where
            action = chooser.choice(legal)
            ours = ours.apply(action)
            theirs.apply_action(action)
    return seen
