"""Coin walk with one mistake each, as its author might make it, and the law that each breaks."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
from numba import int64, uint64

from playproof.core.compiling import kernel
from playproof.core.game import Game
from playproof.core.kernels import (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
    OBSERVE_SIGNATURE,
    SCORE_SIGNATURE,
    Kernels,
    no_transform_action,
)
from tests.support.toys import coin
from tests.support.toys.coin import Coin


@kernel(APPLY_SIGNATURE)
def apply_too_far(options, tables, state, history, action):
    coin.apply(options, tables, state, history, action)
    state[1] = uint64(action)


@kernel(OBSERVE_SIGNATURE)
def observe_too_far(options, tables, state, history, kind, out):
    coin.observe(options, tables, state, history, kind, out)
    out[out.shape[0]] = np.float32(1.0)


@kernel(SCORE_SIGNATURE)
def score_of_the_neighbour(options, tables, state, history):
    return float(int64(state[1] & uint64(7)))


@kernel(ACTIONS_SIGNATURE)
def actions_twice(options, tables, state, history, out):
    n = coin.actions(options, tables, state, history, out)
    if n == 3:
        out[2] = out[0]
    return n


def broken(law: str, **changes: Any) -> tuple[str, type[Game]]:
    """Coin with other attributes, methods or, where they are called ``kernel_...``, kernels."""
    kernels = {k.removeprefix("kernel_"): v for k, v in changes.items() if k.startswith("kernel_")}
    rest = {k: v for k, v in changes.items() if not k.startswith("kernel_")}
    if kernels:
        rest["kernels"] = property(lambda self: coin.KERNELS._replace(**kernels))
    return law, type("Broken", (Coin,), {**rest, "__module__": __name__})


def having(**attributes: Any) -> Any:
    """An ``__init__`` that sets attributes when the game is made."""

    def __init__(self: Game, **options: Any) -> None:  # noqa: N807
        Coin.__init__(self, **options)  # type: ignore[arg-type]
        for name, value in attributes.items():
            setattr(self, name, value)

    return __init__


def without_a_move(self: Game, state: Any) -> Any:
    """A View that hides a legal move."""
    view = Coin.view(self, state)  # type: ignore[arg-type]
    return dataclasses.replace(view, legal=view.legal[1:], actions=view.actions[1:])


def with_a_wrong_action(self: Game, state: Any) -> Any:
    """A View whose clicks play the neighbour's move."""
    view = Coin.view(self, state)  # type: ignore[arg-type]
    buttons = [dataclasses.replace(one, action=0) for one in view.actions]
    moves = [dataclasses.replace(one, action=4) for one in view.legal]
    return dataclasses.replace(view, legal=tuple(moves), actions=tuple(buttons))


def always_east(self: Game, text: str) -> Any:
    """A position read without its side."""
    row = Coin.read_position(self, text)  # type: ignore[arg-type]
    return row & np.uint64(~coin.SIDE & 2**64 - 1)


def uneven_chance(options, tables, state, history, actions, probabilities):  # type: ignore[no-untyped-def]
    n = coin.chance(options, tables, state, history, actions, probabilities)
    probabilities[0] = 0.5
    return n


def noisy_heads(options, tables, state, history, out):  # type: ignore[no-untyped-def]
    out[0] = coin.HEADS
    return 1


def _outcome_of_east(options, tables, state, history):  # type: ignore[no-untyped-def]
    """Whoever reaches an end has won, says somebody who thinks of the first player alone."""
    return abs(coin.outcome(options, tables, state, history))


BROKEN = {
    "max_actions one too small": broken("max-actions", __init__=having(max_actions=2)),
    "num_actions one too small": broken("action-numbers", __init__=having(num_actions=4)),
    "an action in_kernel_order twice": broken("action-numbers", kernel_actions=actions_twice),
    "a word too many": broken("declarations", __init__=having(words=2)),
    "no observation": broken("declarations", __init__=having(observations={})),
    "options that are no words": broken(
        "declarations",
        option_words=functools.cached_property(lambda self: np.array([5])),
    ),
    "apply beyond the row": broken("words", kernel_apply=apply_too_far),
    "observe beyond its shape": broken("observation-shape", kernel_observe=observe_too_far),
    "an observation too small": broken(
        "observation-shape", __init__=having(observations={"track": (5,), "distance": (1,)})
    ),
    "an observation too large": broken(
        "observation-shape", __init__=having(observations={"track": (8,), "distance": (1,)})
    ),
    "a score from beside the row": broken("arguments", kernel_score=score_of_the_neighbour),
    "a third player": broken("players", kernel_player=lambda options, state: 2),
    "chance without odds": broken("players", kernel_chance=Kernels._field_defaults["chance"]),
    "odds that do not add up": broken("odds", kernel_chance=uneven_chance),
    "a game that never ends": broken("end", kernel_outcome=lambda *arguments: 2),
    "a count of its own": broken("count", kernel_count=lambda *arguments: 3),
    "noisy moves that are not legal": broken("noisy", kernel_noisy=noisy_heads),
    "an image that is no action": broken(
        "images", kernel_transform_action=lambda options, action, symmetry: action + symmetry
    ),
    "moves that do not turn with the board": broken(
        "symmetric-moves", kernel_transform_action=no_transform_action
    ),
    "the same result for both sides": broken("stakes", kernel_outcome=_outcome_of_east),
    "a symmetry too many": broken("stakes", symmetries=2),
    "a hash without the side": broken(
        "hashes",
        kernel_hash=lambda options, state: coin.hash_(
            options, state & np.uint64(~coin.SIDE & 2**64 - 1)
        ),
    ),
    "a mask without the cell": broken(
        "position-bits", __init__=having(position_mask=np.array([coin.SIDE | 96], np.uint64))
    ),
    "names that are not unique": broken("move-names", action_name=lambda self, action: "go"),
    "a position without its side": broken("positions", read_position=always_east),
    "a view without a move": broken("views", view=without_a_move),
    "a click that plays another move": broken("views", view=with_a_wrong_action),
    "too few actions left": broken("searching", actions_left=lambda self, state: 0),
    "no words for a wrong name": broken("wrong-names", parse_action=lambda self, text: int(text)),
}
