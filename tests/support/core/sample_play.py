"""A little of everything, as numbers that can be compared: run as a script it prints them."""

from __future__ import annotations

import json
from typing import Any

from playproof import Batch, enumerate_positions, make, perft, playouts

SPECS = ("othello:size=4", "othello", "choko", "choko:lone_jump")


def sample(spec: str) -> dict[str, Any]:
    """One whole game by State, a few random ones, and some plies of a Batch."""
    game = make(spec)
    state, line = game.start(), []
    while not state.is_terminal:
        legal = state.legal_actions()
        line.append([state.position, state.current_player, legal, state.score])
        # Any fixed choice will do that wanders through the list.
        state = state.apply(legal[(7 * len(line) + 3) % len(legal)])
    played = playouts(game, 4, seed=2**64 - 1)
    batch = Batch.start(game, 3)
    for _ in range(6):
        batch.apply(batch.random_actions())
    return {
        "line": line,
        "end": [state.position, state.outcome, state.score, state.canonical().position],
        "observed": {kind: state.observation(kind).tolist() for kind in game.observations},
        "playouts": [played.results.tolist(), played.lengths.tolist(), played.choices.tolist()],
        "rows": batch.rows.tolist(),
        "lists": [field.tolist() for field in batch.legal_lists()],
        "masked": int(batch.legal_mask().sum()),
        "perft": perft(game, 2),
        "positions": [level.count for level in enumerate_positions(game, 2)],
    }


if __name__ == "__main__":
    print(json.dumps({spec: sample(spec) for spec in SPECS}))
