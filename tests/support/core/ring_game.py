"""Ring, the smallest game that needs its past, as another house would write and ship it.

Two players in turn move one token one or two places round a ring.  Whoever brings back a
position (token and side to move) that was there before has lost.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import int64, uint64

from playproof import Game
from playproof.core.bits import mix
from playproof.core.compiling import kernel
from playproof.core.kernels import (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
    HASH_SIGNATURE,
    OBSERVE_SIGNATURE,
    ONGOING,
    OUTCOME_SIGNATURE,
    PLAYER_SIGNATURE,
    SCORE_SIGNATURE,
    Kernels,
    Words,
)
from playproof.core.spec import Option
from playproof.core.state import State
from playproof.core.view import Board, Turn, View


@kernel(HASH_SIGNATURE)
def hash_(options, state):
    return mix(state[0] << uint64(1) | state[1])


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):
    here = hash_(options, state)
    for earlier in history:
        if earlier == here:
            return 1 if state[1] == 0 else -1  # the side to move did not bring it back
    return ONGOING


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):
    if outcome(options, tables, state, history) != ONGOING:
        return 0
    out[0], out[1] = 1, 0  # in any order: lists of actions need not be sorted
    return 2


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):
    state[0] = (state[0] + uint64(action) + uint64(1)) % options[0]
    state[1] ^= uint64(1)


@kernel(PLAYER_SIGNATURE)
def player(options, state):
    return int64(state[1])


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):
    return 0.0


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):
    out[0] = np.float32(state[0])


class Ring(Game):
    name = "ring"
    title = "Ring"
    summary = "move the token round the ring; never bring a position back"
    option_fields = (Option("places", 5, "places round the ring", minimum=3, maximum=1000),)
    uses_history = True
    words = 2
    num_actions = 2
    max_actions = 2

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.observations = {"place": (1,)}
        self.position_mask = np.array([2**64 - 1, 1], np.uint64)

    @functools.cached_property
    def kernels(self) -> Kernels:
        return Kernels(actions, apply, player, outcome, score, observe, hash_)

    @functools.cached_property
    def option_words(self) -> Words:
        return np.array([self.options["places"]], np.uint64)

    def start_row(self) -> Words:
        return np.zeros(2, np.uint64)

    def action_name(self, action: int) -> str:
        return f"+{action + 1}"

    def parse_action(self, text: str) -> int:
        if text not in ("+1", "+2"):
            raise self.bad_action(text, "+1 or +2")
        return int(text) - 1

    def write_position(self, row: Words) -> str:
        return f"{row[0]} {'bw'[int(row[1])]}"

    def read_position(self, text: str) -> Words:
        place, side = text.split()
        return np.array([int(place), "bw".index(side)], np.uint64)

    def view(self, state: State) -> View:
        board = Board("pits", "sand", "A", ("1",))
        return View(self.name, self.title, board, (), Turn("b", "Black"), say=state.position)
