"""Small boards of Quantum Go's variants: their values with best play, and their positions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.core.registry import make
from playproof.rules import quantum_go as law
from playproof.tables import small_boards

# Black's margin with best play, komi aside, suicide barred.
SUPERKO_2X2 = {
    "classical": 1, "standard": 4, "semi-black": 4, "semi-white": 4, "weak": 1, "symmetric": 4,
}  # fmt: skip
SIMPLE_KO_3X3 = dict.fromkeys(SUPERKO_2X2, 9)
SIMPLE_KO_5X2 = {"classical": 10}
# Classical and Quantum Go.
POSITIONS = {"2x2": (57, 61), "3x2": (489, 529), "3x3": (12_675, 14_203)}

_TABLE_MB = 16
_CHUNK = 1 << 11  # positions whose turns are generated together


def game_of(variant: str, board: str, **options: Any) -> Game:
    """The game of a variant on a board; "classical" is Go."""
    if variant == "classical":
        return make("go", board=board, **options)
    return make("quantum-go", board=board, variant=variant, **options)


def solve(board: str, ko: str, expected: dict[str, int]) -> tuple[str, bool]:
    """The margin of each variant, and whether all are as expected."""
    # Imported here, since the lab shows the values above without loading kernels.
    from playproof.search.small_board_margins import solve_margin

    margins: dict[str, int | None] = {}
    for variant in expected:
        game = game_of(variant, board, ko=ko)
        margin: Any
        if ko == "simple":
            margin = small_boards.solve(game)
        else:
            margin = solve_margin(game, megabytes=_TABLE_MB)
        margins[variant] = margin.lower if margin.exact else None
    summary = ", ".join(
        f"{name} {'open' if m is None else f'{m:+d}'}" for name, m in margins.items()
    )
    return summary, margins == expected


def positions(board: str) -> tuple[str, bool]:
    """How many positions classical and Quantum Go can reach."""
    classical = len(reachable(make("go", board=board)))
    quantum = len(reachable(make("quantum-go", board=board)))
    return f"{classical:,} and {quantum:,}", (classical, quantum) == POSITIONS[board]


def reachable(game: Any) -> Words:
    """The positions that can stand between turns, one a row: single stones and the pairing.

    The side to move and ko are ignored: a game with superko reaches every position that
    turns lead to, since loops can be cut out and passes inserted.  So both sides move from
    every position, without a history.
    """
    positions = frontier = _normalized(game, game.start_row()[np.newaxis, :])
    seen = set(_keys(game, frontier))
    while len(frontier):
        fresh = []
        for side, start in product((0, 1), range(0, len(frontier), _CHUNK)):
            after = _turns(game, frontier[start : start + _CHUNK], side)
            new = [i for i, key in enumerate(_keys(game, after)) if _add_if_new(key, seen)]
            fresh.append(after[new])
        frontier = np.concatenate(fresh)
        positions = np.concatenate([positions, frontier])
    return positions


def _turns(game: Any, rows: Words, side: int) -> Words:
    """Every position to which a turn of this side leads, except passes."""
    rows = rows.copy()
    rows[:, _ledger(game)] = side
    ends = []
    while len(rows):
        batch = Batch(game, rows)  # without a history
        lists = batch.legal_lists()
        stones = lists.actions != game.pass_action
        after = Batch(game, np.repeat(rows, np.diff(lists.offsets), axis=0)[stones])
        after.apply(lists.actions[stones].astype(np.int64), check=False)
        over = _between_turns(game, after.rows)
        ends.append(_normalized(game, after.rows[over]))
        rows = after.rows[~over]
    return np.concatenate(ends)


def _ledger(game: Any) -> int:
    """The index of the word with the side to move."""
    return int(getattr(game, "ledger", game.words - 1))


def _between_turns(game: Any, rows: Words) -> npt.NDArray[np.bool_]:
    if game.name == "go":
        return np.ones(len(rows), np.bool_)
    ledger = _ledger(game)
    placing = (rows[:, ledger] >> np.uint64(3) & np.uint64(7)) == law.PLACE
    both: npt.NDArray[np.bool_] = placing & (rows[:, ledger + 1] == 0)
    return both


def _normalized(game: Any, rows: Words) -> Words:
    """Each position once, with Black to move, no ko and no prisoners."""
    rows = rows.copy()
    ledger = _ledger(game)
    rows[:, ledger] = 0
    if game.name != "go":
        rows[:, ledger + 2] = 0  # prisoners
    _, first = np.unique(rows & game.position_mask, axis=0, return_index=True)
    return rows[first]


def _keys(game: Any, rows: Words) -> list[bytes]:
    return [row.tobytes() for row in rows & game.position_mask]


def _add_if_new(key: bytes, seen: set[bytes]) -> bool:
    """Add the key; whether it was not there before."""
    if key in seen:
        return False
    seen.add(key)
    return True
