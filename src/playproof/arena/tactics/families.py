"""Tactics of Choko: what makes a position a test of one of them.

The ChokoZero paper (section 4.3) tells what its agents can and cannot do in
four kinds of position.  Here each kind is a condition on the board and on the
exact value of every move, so that positions can be found by the hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from playproof.arena.yardstick.critical import sign
from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.rules.choko import BOARD, down, jumps, left, right, up

SECURE, EVASION = "secure-capture", "evasion"
DEFENCE, SACRIFICE = "capture-and-defend", "sacrifice-and-fork"
FAMILIES = (SECURE, EVASION, DEFENCE, SACRIFICE)
MEANINGS = {
    SECURE: "a capture; the extra removal must take the piece that could retake",
    EVASION: "a piece is threatened, and nothing can be captured: leave nothing to take",
    DEFENCE: "a capture; the extra removal must take what threatens another piece",
    SACRIFICE: "give something up and win; moves that keep more material throw the win away",
}
_WAYS = ((up, down), (right, left), (down, up), (left, right))  # forward, backward


class TacticalMove(NamedTuple):
    """A move as the board shows it; sets of squares are words."""

    keeps: bool  # the value of the position
    start: int
    landing: int
    captures: bool
    own: int  # the mover's pieces after it
    other: int
    lost: int  # of the mover's pieces those that the other side could take next

    @property
    def leap(self) -> tuple[int, int]:
        """What jumps that differ in the extra removal alone have in common."""
        return self.start, self.landing

    @property
    def gain(self) -> int:
        """Pieces won, less those that the next capture would cost."""
        return 2 * self.captures - 2 * bool(self.lost)


def threatened(attacker: Any, victim: Any) -> Any:
    """The victim's pieces that the attacker could jump over, were it to move; words or arrays
    of them."""
    found = victim & 0
    for forward, backward in _WAYS:
        found = found | forward(jumps(backward, attacker, victim, BOARD, 0))
    return found


def answered(own: int, other: int) -> bool:
    """Whether ``own`` can capture after every capture that ``other`` could make now."""
    for forward, backward in _WAYS:
        for start in squares(int(jumps(backward, other, own, BOARD, 0))):
            jumped = forward(start)
            rest = own & ~jumped
            moved = other ^ start | forward(jumped)
            if not all(threatened(rest ^ removed, moved) for removed in squares(rest)):
                return False
    return True


def squares(word: int) -> Iterator[int]:
    """The squares of a set, each as a word."""
    while word:
        square = word & -word
        yield square
        word ^= square


def moves_of(
    game: Game, rows: Words, values: Sequence[Sequence[int]]
) -> Iterator[list[TacticalMove]]:
    """The moves of each position; ``values[i]`` has those of row ``i`` by rising action, positive
    for a win."""
    batch = Batch(game, rows)
    legal = batch.legal_lists()
    counts = np.diff(legal.offsets)
    which = np.repeat(np.arange(len(rows)), counts)
    order = np.lexsort((legal.actions, which))
    after = batch.take(which)
    after.apply(legal.actions[order], check=False)
    side = batch.players()[which]
    each = np.arange(len(which))
    own, other = after.rows[each, side], after.rows[each, 1 - side]
    before, enemy = rows[which, side], rows[which, 1 - side]
    table = zip(
        (before & ~own).tolist(), (own & ~before).tolist(), (other != enemy).tolist(),
        own.tolist(), other.tolist(), threatened(other, own).tolist(),
        strict=True,
    )  # fmt: skip
    for mine in values:
        best = max(map(sign, mine))
        yield [TacticalMove(sign(value) == best, *next(table)) for value in mine]


def family(own: int, other: int, moves: Sequence[TacticalMove], *, won: bool) -> str | None:
    """The tactic that a critical position tests, if any; no two fit at once."""
    danger = threatened(other, own)
    best = [move for move in moves if move.keeps]
    if all(move.captures for move in best):
        leaps = {move.leap for move in best}
        choices = [[move for move in moves if move.leap == leap] for leap in leaps]
        if all(map(_secures, choices)):
            return SECURE
        if all(_defends(choice, danger) for choice in choices):
            return DEFENCE
    if danger and not any(move.captures for move in moves) and not any(m.lost for m in best):
        return EVASION
    return SACRIFICE if won and _sacrifices(best, moves) else None


def _secures(choice: Sequence[TacticalMove]) -> bool:
    """The piece that jumps is all that can be lost, and the right removals are those that save
    it."""
    return _by_safety(choice) and all(move.lost in (0, move.landing) for move in choice)


def _defends(choice: Sequence[TacticalMove], danger: int) -> bool:
    """What can be lost are other pieces, threatened before, and the right removals are those that
    save them."""
    return _by_safety(choice) and not any(move.lost & (move.landing | ~danger) for move in choice)


def _by_safety(choice: Sequence[TacticalMove]) -> bool:
    """Whether one leap is right exactly with the removals after which nothing can be taken."""
    right_ones = [move.keeps for move in choice]
    return not all(right_ones) and right_ones == [not move.lost for move in choice]


def _sacrifices(best: Sequence[TacticalMove], moves: Sequence[TacticalMove]) -> bool:
    """Every right move leaves something to take, and what is taken is answered by a capture; some
    other move has more material to show for it two plies later."""
    greed = max(move.gain for move in moves)
    return all(move.lost and move.gain < greed and answered(move.own, move.other) for move in best)
