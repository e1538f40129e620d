"""A game that is a tree written down by hand: node n leads to 2n and 2n + 1, from 1 to 31.

The two sides alternate.  ``WORTH`` gives the score of a node, and ``OVER`` the results of nodes at
which the game ends early; nodes from 16 on are draws.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import int64, uint64

from playproof.core.bits import mix
from playproof.core.compiling import kernel
from playproof.core.game import Game
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
)
from playproof.core.view import Board, Turn, View

if TYPE_CHECKING:
    from playproof.core.kernels import Words
    from playproof.core.state import State

_NODES, _OFFSET = 32, 100


@kernel(PLAYER_SIGNATURE)
def player(options, state):
    node, plies = int64(state[0]), 0
    while node > 1:
        node, plies = node >> 1, plies + 1
    return plies & 1


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):
    node = int64(state[0])
    if tables[_NODES + node] != 0:
        return int64(tables[_NODES + node]) - 2
    return 0 if node >= 16 else ONGOING


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):
    if outcome(options, tables, state, history) != ONGOING:
        return 0
    out[0], out[1] = 0, 1
    return 2


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):
    state[0] = state[0] * uint64(2) + uint64(action)


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):
    return float(int64(tables[int64(state[0])]) - _OFFSET)


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):
    out[0] = np.float32(state[0])


@kernel(HASH_SIGNATURE)
def hash_(options, state):
    return mix(state[0])


KERNELS = Kernels(
    actions=actions, apply=apply, player=player, outcome=outcome, score=score, observe=observe,
    hash=hash_,
)  # fmt: skip


class Tree(Game):
    name = "tree"
    title = "Tree"
    summary = "choose one of two branches"
    players = ("First", "Second")
    colours = ("b", "w")
    words = 1
    num_actions = 2
    max_actions = 2

    def __init__(self, worth: dict[int, int], over: dict[int, int]) -> None:
        super().__init__()
        self.observations = {"node": (1,)}
        self.position_mask = np.array([_NODES - 1], np.uint64)
        self._words = np.full(2 * _NODES, _OFFSET, np.uint64)
        self._words[_NODES:] = 0
        for node, points in worth.items():
            self._words[node] = _OFFSET + points
        for node, result in over.items():
            self._words[_NODES + node] = result + 2

    @functools.cached_property
    def kernels(self) -> Kernels:
        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        return np.zeros(1, np.uint64)

    @property
    def tables(self) -> Words:  # type: ignore[override]
        return self._words

    def start_row(self) -> Words:
        return np.array([1], np.uint64)

    def action_name(self, action: int) -> str:
        return ("left", "right")[action]

    def parse_action(self, text: str) -> int:
        return ("left", "right").index(text)

    def write_position(self, row: Words) -> str:
        return str(int(row[0]))

    def read_position(self, text: str) -> Words:
        return np.array([int(text)], np.uint64)

    def view(self, state: State, **options: Any) -> View:
        return View(
            game=self.name, title=self.title, board=Board("cells", "wood", "a", ("1",)), pieces=(),
            turn=Turn("b", "First"), say="",
        )  # fmt: skip
