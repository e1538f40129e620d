"""Coin walk: a game for tests, with everything that a search must not rule out.

A token stands in the middle of a short track.  East, the first player, wins when it reaches the
east end, West when it reaches the west end.  A decision is a step to either side, or a toss of
the coin: heads (1/4) carries the token to the mover's own end at once, tails (3/4) takes it one
cell in that direction.

* Turns are double: East decides once, then West twice, East twice, and so on.
* The coin is a chance node of its own, and it is not fair.
* A position that occurs again ends the game as a draw, so the history matters.

The value on five cells, from East's side, is 7/256.  A step forward is never better than a toss,
which wins or does the same.  Number the cells -2 ... 2 and let everybody toss: the token goes from
0 (East's single decision) to 1 (West's first) to 0 (West's second) to -1 (East's first) to 0
(East's second): the start again, a draw.  In each of these four positions a step back loses:
from 0 it lets the other side, which then has two decisions, step to its end, and from 1 or -1 it
is the last step to the other's end itself.  So all toss, and East gets

    1/4 - 3/4 * 1/4 - (3/4)**2 * 1/4 + (3/4)**3 * 1/4 + (3/4)**4 * 0  =  7/256.

A search that forgets one of the rules gets another value: 1/25 without the repetition rule, 1/16 if
the sides alternate, 3/16 with a fair coin.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import mix
from playproof.core.compiling import kernel
from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.kernels import (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
    CHANCE,
    CHANCE_SIGNATURE,
    HASH_SIGNATURE,
    OBSERVE_SIGNATURE,
    ONGOING,
    OUTCOME_SIGNATURE,
    PLAYER_SIGNATURE,
    SCORE_SIGNATURE,
    TRANSFORM_ACTION_SIGNATURE,
    TRANSFORM_SIGNATURE,
    Kernels,
)
from playproof.core.spec import Option
from playproof.core.view import Board, Button, LegalMove, Piece, Turn, View

if TYPE_CHECKING:
    from playproof.core.kernels import Words
    from playproof.core.state import State

NAMES = ("west", "east", "toss", "heads", "tails")
WEST, EAST, TOSS, HEADS, TAILS = range(5)
HEADS_CHANCE = 0.25

# The one word of a row: four bits for the cell (0 is the west end), then these flags.
CELL, SIDE, FIRST_OF_TWO, TOSSED = 15, 16, 32, 64


@register_jitable
def _middle(options):
    return int64(options[0]) // 2


@register_jitable
def _cell(state):
    return int64(state[0] & uint64(CELL))


@register_jitable
def _side(state):
    return int64(state[0] & uint64(SIDE)) // SIDE


@kernel(HASH_SIGNATURE)
def hash_(options, state):
    return mix(state[0])


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):
    if _cell(state) == 0:
        return -1
    if _cell(state) == int64(options[0]) - 1:
        return 1
    here = hash_(options, state)
    for i in range(history.shape[0]):
        if history[i] == here:
            return 0
    return ONGOING


@kernel(PLAYER_SIGNATURE)
def player(options, state):
    return CHANCE if state[0] & uint64(TOSSED) else _side(state)


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):
    if outcome(options, tables, state, history) != ONGOING:
        return 0
    if player(options, state) == CHANCE:
        out[0] = HEADS
        out[1] = TAILS
        return 2
    # The mover's forward step first: a list need not be sorted.
    forward = WEST if _side(state) else EAST
    out[0] = forward
    out[1] = WEST + EAST - forward
    out[2] = TOSS
    return 3


@kernel(CHANCE_SIGNATURE)
def chance(options, tables, state, history, actions, probabilities):
    actions[0] = HEADS
    actions[1] = TAILS
    probabilities[0] = HEADS_CHANCE
    probabilities[1] = 1.0 - HEADS_CHANCE
    return 2


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):
    if action == TOSS:
        state[0] |= uint64(TOSSED)
        return
    cell, side = _cell(state), _side(state)
    if action == HEADS:
        cell = 0 if side else int64(options[0]) - 1
    elif action == EAST or (action == TAILS and side == 0):
        cell += 1
    else:
        cell -= 1
    if state[0] & uint64(FIRST_OF_TWO):
        state[0] = uint64(cell + SIDE * side)
    else:
        state[0] = uint64(cell + SIDE * (1 - side) + FIRST_OF_TWO)


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):
    """How far east of the middle the token is."""
    return float(_cell(state) - _middle(options))


@register_jitable
def _to_go(options, state):
    """Cells between the token and the end of the side whose turn it is."""
    return _cell(state) if _side(state) else int64(options[0]) - 1 - _cell(state)


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):
    """``track``: the cells as the mover sees them, its own end first, then whether a second
    decision follows and whether the coin is in the air; ``distance``: cells to its own end."""
    cells = int64(options[0])
    if kind == 1:
        out[0] = np.float32(_to_go(options, state))
        return
    for cell in range(cells):
        out[cell] = np.float32(cell == _to_go(options, state))
    out[cells] = np.float32(state[0] & uint64(FIRST_OF_TWO) != 0)
    out[cells + 1] = np.float32(state[0] & uint64(TOSSED) != 0)


@kernel(TRANSFORM_SIGNATURE)
def transform(options, state, symmetry, out):
    """Symmetry 1 swaps the sides, and with them the two ends of the track."""
    out[0] = state[0]
    if symmetry == 1:
        flags = state[0] & uint64(FIRST_OF_TWO | TOSSED)
        cell = int64(options[0]) - 1 - _cell(state)
        out[0] = flags | uint64(cell + SIDE * (1 - _side(state)))


@kernel(TRANSFORM_ACTION_SIGNATURE)
def transform_action(options, action, symmetry):
    if symmetry == 1 and action < TOSS:
        return WEST + EAST - action
    return action


KERNELS = Kernels(
    actions=actions,
    apply=apply,
    player=player,
    outcome=outcome,
    score=score,
    observe=observe,
    hash=hash_,
    chance=chance,
    transform=transform,
    transform_action=transform_action,
)


class Coin(Game):
    name = "coin"
    title = "Coin walk"
    summary = "walk a token to your end of the track, two decisions a turn, or toss for it"
    players = ("East", "West")
    colours = ("b", "w")
    option_fields = (Option("cells", 5, "cells of the track", choices=(5, 7)),)
    uses_history = True
    colour_symmetry = True
    words = 1
    num_actions = 5
    max_actions = 3

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.cells = int(self.options["cells"])
        self.observations = {"track": (self.cells + 2,), "distance": (1,)}
        self.position_mask = np.array([CELL | SIDE | FIRST_OF_TWO | TOSSED], np.uint64)

    @functools.cached_property
    def kernels(self) -> Kernels:
        return KERNELS

    @functools.cached_property
    def option_words(self) -> Words:
        return np.array([self.cells], np.uint64)

    def start_row(self) -> Words:
        return np.array([self.cells // 2], np.uint64)

    def action_name(self, action: int) -> str:
        return NAMES[action]

    def parse_action(self, text: str) -> int:
        name = text.strip().lower()
        if name not in NAMES:
            raise self.bad_action(text, "west, east, toss, heads or tails")
        return NAMES.index(name)

    # Positions: the track, whose turn it is, its decisions left, and "tossed" if it has tossed

    def write_position(self, row: Words) -> str:
        word = int(row[0])
        track = "".join("o" if cell == word & CELL else "-" for cell in range(self.cells))
        turn = f"{'west' if word & SIDE else 'east'} {2 if word & FIRST_OF_TWO else 1}"
        return f"{track} {turn}{' tossed' if word & TOSSED else ''}"

    def read_position(self, text: str) -> Words:
        track, _, rest = text.partition(" ")
        turns = {"east 1": 0, "west 1": SIDE, "east 2": FIRST_OF_TWO, "west 2": SIDE | FIRST_OF_TWO}
        turn = rest.removesuffix(" tossed")
        bad_track = len(track) != self.cells or sorted(track) != sorted("o".ljust(self.cells, "-"))
        if bad_track or turn not in turns:
            raise DataError(f"{text!r} is no position of {self.title}: want such as '--o-- east 1'")
        flags = turns[turn] | (TOSSED if rest != turn else 0)
        return np.array([track.index("o") | flags], np.uint64)

    def view(self, state: State) -> View:
        cell = int(state.row[0]) & CELL
        side = 1 if int(state.row[0]) & SIDE else 0
        legal = state.legal_actions()
        points = [f"{letter}1" for letter in "abcdefg"[: self.cells]]
        steps = {WEST: cell - 1, EAST: cell + 1}
        over = None if state.outcome is None else f"{self.result_name(state.outcome)}."
        mover = "The coin" if state.is_chance else self.players[side]
        nobody = over is not None or state.is_chance
        return View(
            game=self.name,
            title=self.title,
            board=Board("cells", "wood", "abcdefg"[: self.cells], ("1",)),
            pieces=(Piece("token", points[cell], "disc", self.colours[side]),),
            turn=Turn("" if nobody else self.colours[side], mover),
            say=over or f"{mover} to decide.",
            over=over,
            legal=tuple(
                LegalMove((points[cell], points[steps[a]]), NAMES[a], ("src", "to"))
                for a in legal
                if a in steps
            ),
            actions=tuple(Button(NAMES[a], NAMES[a].title()) for a in legal if a not in steps),
        )
