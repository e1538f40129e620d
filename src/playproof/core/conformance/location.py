"""Where a law was broken: the moves that lead there, and the position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from playproof.core.conformance.safety import Trace
from playproof.core.game import Game
from playproof.core.state import State


@dataclass(frozen=True)
class Location:
    """A position of a random game.  Names and texts that the game fails to give are left out."""

    seed: int
    actions: tuple[int, ...] | None  # from the start; None if they are not known
    moves: str | None
    position: str | None

    def to_json(self) -> dict[str, Any]:
        actions = None if self.actions is None else list(self.actions)
        return {
            "seed": self.seed, "actions": actions, "moves": self.moves, "position": self.position,
        }  # fmt: skip

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Location:
        actions = data["actions"]
        actions = None if actions is None else tuple(actions)
        return cls(data["seed"], actions, data["moves"], data["position"])

    def __str__(self) -> str:
        if self.actions is None:
            where = "" if self.position is None else f", in {self.position}"
            return f"seed {self.seed}{where}"
        moves = self.moves or " ".join(map(str, self.actions))
        after = f"after {moves}" if self.actions else "at the start"
        position = "" if self.position is None else f": {self.position}"
        return f"seed {self.seed}, {after}{position}"


def location_of_trace(game: Game, trace: Trace) -> Location:
    """The position of a guarded game that broke a law; its kernels are not called again."""
    moves = position = None
    try:
        moves = game.join_moves([game.action_name(action) for action in trace.actions])
    except Exception:  # the game is broken, and so may be its names
        moves = None
    if trace.row is not None:
        try:
            position = game.write_position(trace.row)
        except Exception:
            position = None
    actions = None if trace.row is None else tuple(trace.actions)
    return Location(trace.seed, actions, moves, position)


def location_of_state(game: Game, seed: int, state: State | None) -> Location:
    """The position of the state with which a law was broken."""
    if state is None:
        return Location(seed, None, None, None)
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
    return Location(seed, actions, moves, position)


def describe_moves(game: Game, trace: Trace) -> str:
    """Moves and position for the end of an error line: ``, after 3 2, in 5/b``."""
    place = location_of_trace(game, trace)
    if place.actions is None:
        return ""
    moves = place.moves or " ".join(map(str, place.actions))
    text = f", after {_shorten(moves)}" if place.actions else ", at the start"
    return text if place.position is None else f"{text}, in {_shorten(place.position)}"


def _shorten(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:120]}..."
