"""Positions of Othello to take back: any stones, and those of played games."""

from __future__ import annotations

import random

import playproof
from playproof import State
from playproof.proofs.othello.constructible import centre, closure_round
from playproof.proofs.othello.retrograde.path import split
from playproof.rules import othello as rules


def coloured(size: int, seed: int) -> tuple[int, int]:
    """Any stones on a constructible set, reachable or not: own, opponent."""
    rnd = random.Random(seed)
    occupied = centre(size)
    for _ in range(rnd.randrange(1, size * size - 4)):
        more = closure_round(rules.board(size), occupied) & ~occupied
        occupied |= 1 << rnd.choice([i for i in range(64) if more >> i & 1])
        if more.bit_count() == 1:
            break
    own = sum(1 << i for i in range(64) if occupied >> i & 1 and rnd.random() < 0.5)
    return own, occupied & ~own


def played(size: int, seed: int) -> tuple[int, int]:
    """Own and opponent at some moment of a random game."""
    rnd = random.Random(seed)
    state = playproof.make("othello", size=size).start()
    for _ in range(rnd.randrange(1, size * size - 4)):
        if state.is_terminal:
            break
        state = state.apply(rnd.choice(state.legal_actions()))
    return split(state)[:2]


def set_up(size: int, own: int, opponent: int, side: int) -> State:
    letters = ["X", "O"] if side == 0 else ["O", "X"]
    text = "".join(
        letters[0] if own >> i & 1 else letters[1] if opponent >> i & 1 else "-"
        for i in range(64)
        if rules.board(size) >> i & 1
    )
    return playproof.make("othello", size=size).position(f"{text} {letters[0]}")
