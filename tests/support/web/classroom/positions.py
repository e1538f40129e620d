"""Positions of Quantum Go to try the classroom on: random games of every kind, cut off anywhere."""

from __future__ import annotations

import functools
import random

from hypothesis import strategies as st

import playproof
from playproof import Game, State

SPECS = (
    "quantum-go:board=5x5",
    "quantum-go:board=4x4,suicide=true",
    "quantum-go:board=5x4,variant=weak",
    "quantum-go:board=5x5,variant=symmetric",
    "quantum-go:board=4x4,variant=semi-black",
    "quantum-go:board=5x5,k=3",
    "quantum-go:board=5x5,k=3,group=w",
    "quantum-go:board=5x5,collapse=born",
    "quantum-go:board=4x4,collapse=born,alpha=0.8",
    "quantum-go:board=5x5,k=3,group=w,collapse=born",
)


@functools.cache
def game(spec: str) -> Game:
    return playproof.make(spec)


@functools.cache
def walk(spec: str, seed: int) -> tuple[State, ...]:
    """Every position of a random game, passes being rare."""
    chooser = random.Random(seed)
    state = game(spec).start()
    states = [state]
    while not state.is_terminal and len(states) < 60:
        legal = state.legal_actions()
        few = [a for a in legal if state.name(a) != "pass" or state.is_chance]
        state = state.apply(chooser.choice(few if few and chooser.random() < 0.97 else legal))
        states.append(state)
    return tuple(states)


@st.composite
def positions(draw: st.DrawFn, specs: tuple[str, ...] = SPECS) -> State:
    states = walk(draw(st.sampled_from(specs)), draw(st.integers(0, 19)))
    return states[draw(st.integers(0, len(states) - 1))]
