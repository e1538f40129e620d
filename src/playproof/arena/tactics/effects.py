"""The effects of every legal move of many positions of Choko, as arrays.

The families of tactics and the claims of the ChokoZero paper are conditions on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.rules.choko import BOARD, down, jumps, left, right, up

WAYS = ((up, down), (right, left), (down, up), (left, right))  # forward, backward
_FORCED = np.uint64(2)  # the bit of the ledger that says that the mover must place


def threatened(attacker: Any, victim: Any) -> Any:
    """The victim's pieces that the attacker could jump over if it were to move; words, or arrays
    of words."""
    pieces = victim & 0
    for forward, backward in WAYS:
        pieces = pieces | forward(jumps(backward, attacker, victim, BOARD, 0))
    return pieces


@dataclass(frozen=True)
class MoveEffects:
    """All legal moves of n positions, one position after the other.

    offsets   (n + 1,) position ``i`` has the moves ``offsets[i]`` to ``offsets[i + 1] - 1``, in the
              order of ``Batch.legal_lists``
    after     the positions after the moves, one row for each move
    own       the mover's pieces after the move, as words; so are the sets of squares below
    other     the other side's pieces after the move
    start     the square that the piece leaves, 0 for a placement
    landing   the square that it comes to
    captures  whether the move captures
    exposed   the mover's pieces that the other side could capture next; none if it must place or
              the game is over
    """

    offsets: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int32]
    after: Batch
    own: Words
    other: Words
    start: Words
    landing: Words
    captures: npt.NDArray[np.bool_]
    exposed: Words
    must_place: npt.NDArray[np.bool_]  # whether the other side must place next

    @property
    def position(self) -> npt.NDArray[np.int64]:
        """The number of the position of each move."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def jump(self) -> npt.NDArray[np.int64]:
        """The number of each move's jump, -1 for other moves.

        Captures of one position have the same number if they share start and landing, so that they
        differ only in the extra removal.
        """
        words = np.stack([self.position.astype(np.uint64), self.start, self.landing], axis=1)
        numbers = np.full(len(self.actions), -1, np.int64)
        if self.captures.any():
            numbers[self.captures] = np.unique(words[self.captures], axis=0, return_inverse=True)[
                1
            ].reshape(-1)
        return numbers

    @property
    def retaken(self) -> npt.NDArray[np.bool_]:
        """Whether the piece that moved could be captured next."""
        return np.asarray((self.exposed & self.landing) != 0)


def move_effects(game: Game, rows: Words) -> MoveEffects:
    """The effects of every legal move of every row."""
    batch = Batch(game, rows)
    legal = batch.legal_lists()
    which = np.repeat(np.arange(len(rows)), np.diff(legal.offsets))
    after = batch.take(which)
    after.apply(legal.actions, check=False)
    side = batch.players()[which]
    index = np.arange(len(which))
    own, other = after.rows[index, side], after.rows[index, 1 - side]
    before, enemy = rows[which, side], rows[which, 1 - side]
    must_place = (after.rows[:, 2] & _FORCED) != 0
    exposed = np.where(must_place | after.finished(), np.uint64(0), threatened(other, own))
    return MoveEffects(
        legal.offsets, legal.actions, after, own, other, before & ~own, own & ~before,
        other != enemy, exposed, must_place,
    )  # fmt: skip
