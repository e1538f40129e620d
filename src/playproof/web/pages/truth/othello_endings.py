"""Endings of Othello, solved on request: the value of each move, and best play for both sides.

With a dozen empty squares the endgame solver (``search.othello_endgame``) needs milliseconds a
move. Values are Black's margin in discs at the end of the game.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from playproof.core.errors import UsageError
from playproof.core.state import State
from playproof.web.game import othello_text
from playproof.web.pages.truth import parse_text as truth_text
from playproof.web.protocol.refusal import Refusal

MOST_EMPTY = 12
_SECONDS = 10.0  # for a position and all its moves
_MEGABYTES = 16
_solving = threading.Lock()  # one at a time, since each takes a core
_waiting = threading.BoundedSemaphore(4)  # more would keep worker threads from other requests

# Two of the seven moves win, one of them next to an open corner.
EXAMPLE = "--XOOX-----OOOOOOOOOXXOOOOOXXXOOOOXXOXXO-XXOOXXXXXXXXXXO--OOOOXO X"


def example() -> dict[str, Any]:
    """How many squares may be empty, and an example."""
    return {"empty": MOST_EMPTY, "example": EXAMPLE}


def solve_ending(text: str) -> dict[str, Any]:
    """A position, or moves from one: its value, the value of each move, and best play."""
    othello_text.check(text.partition(";")[0])
    sequence = truth_text.read(text, "othello")
    state = sequence.states[-1]
    empty = state.game.empties(state)  # type: ignore[attr-defined]
    if empty > MOST_EMPTY:
        raise UsageError(
            f"{empty} squares are empty: want at most {MOST_EMPTY}, so add more moves of the game"
        )
    if not _waiting.acquire(blocking=False):
        raise Refusal("busy", "other endings are being solved: try again in a few seconds")
    try:
        with _solving:
            import playproof.search.othello_endgame.solver  # noqa: F401  # compiles before the clock

            start = time.perf_counter()
            solution = _solve(state, start + _SECONDS)
    finally:
        _waiting.release()
    view = state.view().to_json()
    view["turn"]["who"] = "you"
    return {
        "base": sequence.base_text or state.position,
        "names": list(sequence.names) if sequence.base_text else [],
        "empty": empty,
        "view": view,
        **solution,
        "seconds": round(time.perf_counter() - start, 2),
    }


def _solve(state: State, deadline: float) -> dict[str, Any]:
    """The values of a position and its moves, None where time ran out, and best play."""
    from playproof.search.othello_endgame.solver import Solution, solve

    def within(position: State) -> Solution:
        left = max(0.001, deadline - time.perf_counter())
        return solve(position, megabytes=_MEGABYTES, seconds=left)

    whole = within(state)
    values = [(a, within(state.apply(a)).first_player_score) for a in state.legal_actions()]
    sign = -1 if state.current_player == 1 else 1
    values.sort(key=lambda move: -100 if move[1] is None else sign * move[1], reverse=True)
    return {
        "value": whole.first_player_score,
        "moves": [{"n": state.name(action), "value": value} for action, value in values],
        "line": [state.game.action_name(action) for action in whole.line],
    }
