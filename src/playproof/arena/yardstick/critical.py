"""Critical positions: some moves keep the value of the position, others throw it away.

Each comes with the exact value of every legal move, so measuring an agent needs no tables.  A lost
position is never critical: there is nothing left to throw away.
"""

from __future__ import annotations

import functools
import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playproof.arena.yardstick.sample import phase_of
from playproof.core.batch import Batch
from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.kernels import Words


@dataclass(frozen=True)
class CriticalPosition:
    """A position with the exact value of each move, in the order of ``legal_actions()``.

    A value is ``n`` if the player to move wins in ``n`` actions, ``-n`` if it loses, 0 for a draw.
    """

    position: str
    values: tuple[int, ...]

    @functools.cached_property
    def value(self) -> int:
        """The result of best play for the player to move: 1 won, 0 drawn, -1 lost."""
        return max(map(sign, self.values))

    def keeps(self, move: int) -> bool:
        """Whether a move, by its place among the legal ones, keeps the value."""
        return sign(self.values[move]) == self.value

    @functools.cached_property
    def share(self) -> float:
        """The share of moves that keep the value: what a random player is expected to score."""
        return sum(sign(value) == self.value for value in self.values) / len(self.values)

    @property
    def phase(self) -> str:
        hands = self.position.split()[2:4]
        return phase_of((int(hands[0]), int(hands[1])))


def rows_of(game: Game, positions: Sequence[CriticalPosition]) -> Words:
    """The positions as rows for kernels, shape (n, words)."""
    if not positions:
        return np.empty((0, game.words), np.uint64)
    return np.stack([game.read_position(one.position) for one in positions])


def check_values(game: Game, positions: Sequence[CriticalPosition]) -> None:
    """Raise a DataError unless the positions are critical and have a value for every legal move."""
    legal = np.diff(Batch(game, rows_of(game, positions)).legal_lists().offsets)
    for one, moves in zip(positions, legal.tolist(), strict=True):
        if len(one.values) != moves:
            raise DataError(f"{len(one.values)} values for {moves} moves of {one.position}")
        if one.share == 1.0:
            raise DataError(f"{one.position} is not critical")


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


# Files


def write_set(path: Path, data: dict[str, Any]) -> None:
    """Write compressed JSON.  The same data always gives the same bytes."""
    text = json.dumps(data, separators=(",", ":"))
    try:
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None


def read_set(content: bytes, form: str) -> dict[str, Any] | None:
    """The data that ``write_set`` wrote; None if its ``format`` is not ``form``."""
    try:
        data = json.loads(gzip.decompress(content))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and data.get("format") == form else None


def pairs_of(positions: Sequence[CriticalPosition]) -> list[list[Any]]:
    """Positions and their values as JSON can hold them."""
    return [[one.position, one.values] for one in positions]


def read_pairs(pairs: Any) -> tuple[CriticalPosition, ...]:
    """The positions that ``pairs_of`` wrote; a TypeError or a ValueError for another shape."""
    return tuple(
        CriticalPosition(str(position), tuple(map(whole, values))) for position, values in pairs
    )


def whole(number: object) -> int:
    """``number`` itself, which must be an int; a ValueError if it is not."""
    if type(number) is not int:
        raise ValueError(f"{number!r} is not a whole number")
    return number
