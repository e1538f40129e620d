"""The games with 33 moves as frames: positions to step through, each with a line of text.

A frame is ``{"view": View, "text": one or two sentences}``.  Positions and counts of
moves come from playing the game by its rules.
"""

from __future__ import annotations

import functools
from typing import Any

from playproof.core.errors import DataError, UsageError, one_of
from playproof.core.registry import make
from playproof.core.state import State
from playproof.web.game import othello_text

Json = dict[str, Any]

EARLIEST = "e6f6f5f4c3c6c5d6f7b5g4f3e2f2g2c4b4b3b7b6d7e3b2a3g6"

_GAMES = {
    "black": (
        "33 moves for Black",
        "From the paper (Takizawa, 2023): after 26 moves Black can play on any of 33 squares.",
    ),
    "white": (
        "33 moves for White",
        "Also from the paper: after 27 moves White can play on any of 33 squares.",
    ),
    "earliest": (
        "33 moves as early as possible",
        "Found with Playproof, by searching backwards from all candidates: White has 33 moves "
        "after only 25 moves, with 29 discs on the board. It cannot happen with fewer discs.",
    ),
}


def record(name: str) -> str:
    """The moves of a game with 33 legal moves at its end."""
    from playproof.papers.othello33 import RECORDS  # imported late: it loads the whole paper

    return EARLIEST if name == "earliest" else RECORDS[name.capitalize()]


def records() -> list[Json]:
    """The name, title and description of each game with 33 moves."""
    return [
        {"name": name, "title": title, "about": about} for name, (title, about) in _GAMES.items()
    ]


def still(state: State) -> Json:
    """The View of a position for display only, with numbers on the legal moves."""
    view = state.view().to_json()
    turn = {**view["turn"], "who": "other"}
    return {**view, "turn": turn, "legal": [], "lazy": False, "actions": [], "steps": []}


@functools.cache
def game_frames(name: str) -> Json:
    """A game with 33 legal moves at its end, frame by frame."""
    if name not in _GAMES:
        raise UsageError(f"no record {name[:40]!r}: want {one_of(list(_GAMES))}")
    title, about = _GAMES[name]
    state = make("othello").start()
    names = state.game.split_moves(record(name))
    frames = [_frame(state, f"The start. {_count_of_moves(state)}")]
    for number, move in enumerate(names, 1):
        mover = state.game.players[state.current_player or 0]
        state = state.apply(move)
        frames.append(_frame(state, f"{number}. {mover} to {move}. {_count_of_moves(state)}"))
    return {
        "name": name, "title": title, "about": about, "record": "".join(names),
        "moves": len(state.legal_actions()), "frames": frames,
    }  # fmt: skip


def _frame(state: State, text: str) -> Json:
    return {"view": {**still(state), "say": text}, "text": text}


def _count_of_moves(state: State) -> str:
    mover = state.game.players[state.current_player or 0]
    count = len(state.legal_actions())
    return f"{mover} has {count} legal move{'s' if count != 1 else ''}."


def read_othello(text: str) -> State:
    """Read a position of Othello from a transcript or a board; the text is never a file name."""
    from playproof.formats.any_text import read_game

    if len(text) > 2_000:
        raise DataError("a position of Othello is a transcript or a board of 64 squares")
    othello_text.check(text)
    state, _ = read_game(make("othello"), text.strip(), files=False)
    if state.game.name != "othello":
        raise UsageError(f"this page is about othello, not about {state.game.name}")
    return state
