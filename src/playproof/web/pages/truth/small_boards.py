"""Small boards of Go and Quantum Go: the value of the start, and of every choice on a board that
is opened.

A board under simple ko is solved completely (``tables.small_boards``), which takes seconds at most
for those here. The solutions of the last three boards are kept.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

from playproof.core.errors import DataError, UsageError, one_of
from playproof.core.state import State
from playproof.papers.quantum_go.boards import SIMPLE_KO_3X3, SUPERKO_2X2, game_of
from playproof.rules.quantum_go import VARIANTS
from playproof.tables import small_boards
from playproof.tables.small_boards import BoardValues
from playproof.web.protocol.refusal import Refusal

# Black's margin with best play, without komi and with suicide forbidden: what Black can force, and
# what White can hold Black to; they differ where play can go on for ever. A test solves them again.
Margin = tuple[int, int]
SIMPLE_KO: dict[str, dict[str, Margin]] = {
    "2x2": {
        "classical": (-4, 4), "standard": (4, 4), "semi-black": (4, 4), "semi-white": (4, 4),
        "weak": (1, 1), "symmetric": (4, 4),
    },
    "3x2": {
        "classical": (-6, 6), "standard": (1, 1), "semi-black": (-6, -6), "semi-white": (6, 6),
        "weak": (1, 1), "symmetric": (-6, 6),
    },
    "4x2": dict.fromkeys(SUPERKO_2X2, (8, 8)),
    "3x3": {name: (margin, margin) for name, margin in SIMPLE_KO_3X3.items()},
}  # fmt: skip
_MOST_MOVES = 200
_solving = threading.Lock()  # one at a time, since each takes a core
_waiting = threading.BoundedSemaphore(4)  # more would keep worker threads from other requests


def all_boards() -> dict[str, Any]:
    """All boards with their values, and the command that solves each."""
    titles = {"classical": ("Classical Go", "single stones")}
    titles |= {one.name: (one.title, one.summary) for one in VARIANTS.values()}
    return {
        "variants": [
            {"id": name, "title": titles[name][0], "about": titles[name][1]} for name in SUPERKO_2X2
        ],
        "superko": {"board": "2x2", "values": SUPERKO_2X2},
        "boards": [
            {
                "board": board,
                "values": {name: list(margin) for name, margin in values.items()},
                "commands": {name: command(board, name) for name in values},
            }
            for board, values in SIMPLE_KO.items()
        ],
    }


def command(board: str, variant: str) -> str:
    """The command that solves a board."""
    game = "go" if variant == "classical" else "quantum-go"
    chosen = "" if variant == "classical" else f" --variant {variant}"
    return f"playproof solve {game}:ko=simple --board {board}{chosen}"


@functools.lru_cache(maxsize=3)
def _values(board: str, variant: str) -> BoardValues:
    return small_boards.solve_all(game_of(variant, board, ko="simple"))


def _solved(board: str, variant: str) -> BoardValues:
    if not _waiting.acquire(blocking=False):
        raise Refusal("busy", "other boards are being solved: try again in a few seconds")
    try:
        with _solving:
            return _values(board, variant)
    finally:
        _waiting.release()


def solve_position(board: str, variant: str, moves: str) -> dict[str, Any]:
    """A position of a small board and the value of every choice; ``moves`` are names between
    spaces."""
    if board not in SIMPLE_KO:
        raise UsageError(f"no board {board[:20]!r} is solved here: want {one_of(list(SIMPLE_KO))}")
    if variant not in SIMPLE_KO[board]:
        raise UsageError(f"no variant {variant[:20]!r}: want {one_of(list(SIMPLE_KO[board]))}")
    names = moves.split()
    if len(names) > _MOST_MOVES:
        raise DataError(f"{len(names)} decisions: want {_MOST_MOVES} at most")
    values = _solved(board, variant)
    state = values.game.start().play(names)
    return {
        "board": board,
        "variant": variant,
        "names": names,
        "view": _view(state),
        "value": list(values.of(state)),
        "moves": _moves(values, state),
        "decisions": values.start.nodes,
        "seconds": round(values.start.seconds, 2),
        "command": command(board, variant),
    }


def _moves(values: BoardValues, state: State) -> list[dict[str, Any]]:
    if state.is_terminal:
        return []
    sign = 1 if state.current_player == 0 else -1
    moves = [(state.name(a), values.of(state.apply(a))) for a in state.legal_actions()]
    moves.sort(key=lambda move: (sign * (move[1][0] + move[1][1]), sign * move[1][0]), reverse=True)
    return [{"n": name, "value": list(margin)} for name, margin in moves]


def _view(state: State) -> dict[str, Any]:
    view = state.view().to_json()
    view["turn"]["who"] = "you"
    return view
