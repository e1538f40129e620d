"""Nim with one heap: a whole game in one file.

Two players take turns to take 1, 2 or 3 counters from a heap.  Whoever takes the last one wins.
The first half is compiled, the second half is what people and programs talk to.

    python docs/examples/nim.py

plays with it.  CONTRIBUTING.md explains each part.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

import playproof
from playproof.core.bits import mix
from playproof.core.compiling import kernel
from playproof.core.errors import DataError
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
from playproof.core.spec import Option
from playproof.core.view import Board, LegalMove, Piece, Turn, View

if TYPE_CHECKING:
    from playproof.core.kernels import Words
    from playproof.core.state import State

# Compiled: a row is (counters left, side to move); the only option word is the most to take.

HEAP, SIDE = 0, 1
MOST = 0


@register_jitable
def most_now(options, state):  # type: ignore[no-untyped-def]
    """How many counters may be taken: a rule that several kernels share."""
    return int64(min(options[MOST], state[HEAP]))


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):  # type: ignore[no-untyped-def]
    n = most_now(options, state)
    for i in range(n):
        out[i] = i  # action i takes i + 1 counters
    return n


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):  # type: ignore[no-untyped-def]
    state[HEAP] -= uint64(action + 1)
    state[SIDE] ^= uint64(1)


@kernel(PLAYER_SIGNATURE)
def player(options, state):  # type: ignore[no-untyped-def]
    return int64(state[SIDE])


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):  # type: ignore[no-untyped-def]
    if state[HEAP] != 0:
        return ONGOING
    # Whoever would move now did not take the last counter.
    return 1 if state[SIDE] == 1 else -1


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):  # type: ignore[no-untyped-def]
    """Nim has no points but the win."""
    if state[HEAP] != 0:
        return 0.0
    return 1.0 if state[SIDE] == 1 else -1.0


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):  # type: ignore[no-untyped-def]
    """``heap``: a flag for each counter.  The side is left out: both have the same moves."""
    for i in range(out.shape[0]):
        out[i] = np.float32(1.0 if i < int64(state[HEAP]) else 0.0)


@kernel(HASH_SIGNATURE)
def hash_(options, state):  # type: ignore[no-untyped-def]
    return mix(state[HEAP] << uint64(1) | state[SIDE])


KERNELS = Kernels(
    actions=actions,
    apply=apply,
    player=player,
    outcome=outcome,
    score=score,
    observe=observe,
    hash=hash_,
)

# For people: names, positions, pictures


class Nim(Game):
    name = "nim"
    title = "Nim"
    summary = "take counters from one heap; who takes the last one wins"
    players = ("Black", "White")
    option_fields = (
        Option("heap", 21, "counters at the start", minimum=1, maximum=26),
        Option("most", 3, "counters to take at most", minimum=1, maximum=26),
    )
    words = 2

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.heap = int(self.options["heap"])
        self.num_actions = self.max_actions = int(self.options["most"])
        self.observations = {"heap": (self.heap,)}
        # The bits that make a position: those of a heap up to 26, and of the side.
        self.position_mask = np.array([31, 1], np.uint64)

    @functools.cached_property
    def kernels(self) -> Kernels:
        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        return np.array([self.options["most"]], np.uint64)

    def start_row(self) -> Words:
        return np.array([self.heap, 0], np.uint64)

    def action_name(self, action: int) -> str:
        return str(action + 1)

    def parse_action(self, text: str) -> int:
        name = text.strip()
        if name.isdecimal() and 1 <= int(name) <= self.num_actions:
            return int(name) - 1
        raise self.bad_action(text, f"how many to take, 1 to {self.num_actions}")

    def write_position(self, row: Words) -> str:
        return f"{row[HEAP]}/{self.colours[int(row[SIDE])]}"

    def read_position(self, text: str) -> Words:
        heap, slash, side = text.strip().partition("/")
        if not (slash and heap.isdecimal() and side in self.colours):
            raise DataError(f"{text!r} is not a position of Nim: want heap/side, such as 13/w")
        if int(heap) > self.heap:
            raise DataError(f"{heap} counters: this heap started with {self.heap}")
        return np.array([int(heap), self.colours.index(side)], np.uint64)

    def view(self, state: State) -> View:
        left, side = (int(word) for word in state.row)
        columns = "abcdefghijklmnopqrstuvwxyz"[: self.heap]
        over = None if state.outcome is None else f"{self.result_name(state.outcome)}."
        return View(
            game=self.name,
            title=self.title,
            board=Board("cells", "felt", columns, ("1",)),
            pieces=tuple(Piece(f"{c}1", f"{c}1", "disc", "b") for c in columns[:left]),
            turn=Turn("" if over else self.colours[side], self.players[side]),
            say=over or f"{self.players[side]} to move. {left} counters left.",
            over=over,
            legal=tuple(self._legal_move(a, columns[:left]) for a in state.legal_actions()),
        )

    def _legal_move(self, action: int, columns: str) -> LegalMove:
        """A click on a counter takes it and all counters to its right."""
        gone = tuple(f"{column}1" for column in columns[-1 - action :])
        return LegalMove((gone[0],), self.action_name(action), ("to",), gone)


def main() -> None:
    playproof.register(Nim)
    game = playproof.make("nim", heap=10)
    print(game.start().play("3 2"))
    print("perft 1 to 5:", [playproof.perft(game, depth) for depth in range(1, 6)])
    games = playproof.playouts(game, 10_000, seed=1)
    print(f"random play: {games.steps / games.games:.1f} moves a game")


if __name__ == "__main__":
    main()
