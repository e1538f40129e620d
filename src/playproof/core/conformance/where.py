"""Where a law was broken, in words: the moves that lead there, and the position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from playproof.core.conformance.guards import Walk
from playproof.core.game import Game
from playproof.core.state import State


@dataclass(frozen=True)
class Place:
    """A position of a random game.  Names or texts that the game cannot give are left out."""

    seed: int
    actions: tuple[int, ...] | None  # from the start; None if there are none that are known
    moves: str | None
    position: str | None

    def to_json(self) -> dict[str, Any]:
        actions = None if self.actions is None else list(self.actions)
        return {
            "seed": self.seed, "actions": actions, "moves": self.moves, "position": self.position,
        }  # fmt: skip

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Place:
        actions = data["actions"]
        known = None if actions is None else tuple(actions)
        return cls(data["seed"], known, data["moves"], data["position"])

    def __str__(self) -> str:
        if self.actions is None:
            where = "" if self.position is None else f", in {self.position}"
            return f"seed {self.seed}{where}"
        moves = self.moves or " ".join(map(str, self.actions))
        after = f"after {moves}" if self.actions else "at the start"
        position = "" if self.position is None else f": {self.position}"
        return f"seed {self.seed}, {after}{position}"


def place_of_walk(game: Game, walk: Walk) -> Place:
    """Where a guarded game went astray: its kernels are not called again."""
    moves = position = None
    try:
        moves = game.join_moves([game.action_name(action) for action in walk.actions])
    except Exception:  # the game is broken: so may its names be
        moves = None
    if walk.row is not None:
        try:
            position = game.write_position(walk.row)
        except Exception:
            position = None
    actions = None if walk.row is None else tuple(walk.actions)
    return Place(walk.seed, actions, moves, position)


def place_of_state(game: Game, seed: int, state: State | None) -> Place:
    """The state that a law looked at when it was broken."""
    if state is None:
        return Place(seed, None, None, None)
    moves = position = None
    actions: tuple[int, ...] | None = None
    if np.array_equal(state.start.row, game.start_row()):  # not a row of a batch
        actions = state.actions
    try:
        moves = game.join_moves(state.moves)
    except Exception:
        moves = None
    try:
        position = state.position
    except Exception:
        position = None
    return Place(seed, actions, moves, position)


def moves_of(game: Game, walk: Walk) -> str:
    """`` after 3 2, in 5/b``, for the end of an error line."""
    place = place_of_walk(game, walk)
    if place.actions is None:
        return ""
    moves = place.moves or " ".join(map(str, place.actions))
    text = f", after {_brief(moves)}" if place.actions else ", at the start"
    return text if place.position is None else f"{text}, in {_brief(place.position)}"


def _brief(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:120]}..."
