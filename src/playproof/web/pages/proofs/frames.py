"""The games with 33 moves as frames: positions to step through, each with a line of text.

A frame is ``{"view": View, "text": one or two sentences}``.  Positions and counts of
moves come from playing the game by its rules.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TYPE_CHECKING, Any

from playproof.core.errors import DataError, UsageError, one_of
from playproof.core.registry import make
from playproof.core.state import State
from playproof.web.game import othello_text

if TYPE_CHECKING:
    from playproof.proofs.othello.census.records import CensusRecord

Json = dict[str, Any]
_CENSUS_NAME = re.compile(r"census-([1-9][0-9]{0,5})")

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


@functools.lru_cache(64)
def game_frames(name: str) -> Json:
    """A game with 33 legal moves at its end, frame by frame."""
    of_census = _CENSUS_NAME.fullmatch(name)
    if of_census:
        title, about, moves = _census_game(int(of_census[1]))
    elif name in _GAMES:
        title, about = _GAMES[name]
        moves = record(name)
    else:
        choices = one_of([*_GAMES, "census-1, census-2 ..."])
        raise UsageError(f"no record {name[:40]!r}: want {choices}")
    state = make("othello").start()
    names = state.game.split_moves(moves)
    frames = [_frame(state, f"The start. {_count_of_moves(state)}")]
    for number, move in enumerate(names, 1):
        mover = state.game.players[state.current_player or 0]
        state = state.apply(move)
        frames.append(_frame(state, f"{number}. {mover} to {move}. {_count_of_moves(state)}"))
    return {
        "name": name, "title": title, "about": about, "record": "".join(names),
        "moves": len(state.legal_actions()), "frames": frames,
    }  # fmt: skip


# The census


@functools.cache
def census() -> Json:
    """All positions with 33 legal moves that a game reaches, and their counts."""
    from playproof.proofs.othello.census.records import census_records, totals

    records = census_records()
    return {
        "totals": [dataclasses.asdict(row) for row in totals(records)],
        "positions": [
            {
                "name": f"census-{number}", "stones": one.stones, "colour": one.colour,
                "squares": _squares(one), "record": one.record,
            }
            for number, one in enumerate(records, 1)
        ],
    }  # fmt: skip


def _squares(one: CensusRecord) -> str:
    """The 64 squares of a position: X for Black, O for White, * for a legal move, - for others."""
    from playproof.proofs.othello.boards import PLACES

    squares = list(one.state.position[:64])
    for move in one.moves:
        squares[PLACES.index(move)] = "*"
    return "".join(squares)


def _census_game(number: int) -> tuple[str, str, str]:
    """Title, description and record of a game of the census, numbered from 1."""
    from playproof.proofs.othello.census.records import CANDIDATES, census_records

    records = census_records()
    if not 1 <= number <= len(records):
        raise UsageError(f"no record 'census-{number}': want census-1 to census-{len(records)}")
    one = records[number - 1]
    plies = len(one.state.actions)
    return (
        f"Number {number} of {len(records)}",
        f"From the census of {min(CANDIDATES)} to {max(CANDIDATES)} discs: after {plies} plies "
        f"{one.colour} has 33 moves, with {one.stones} discs on the board.",
        one.record,
    )


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
