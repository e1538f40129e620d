"""Families of tactics in Choko, and the conditions that make a position a test of one of them.

The ChokoZero paper (section 4.3) describes what its agents can and cannot do in four kinds of
position.  Here each kind is a condition on the board and on the exact value of every move, so that
positions can be found by the hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from playproof.arena.tactics.effects import WAYS, move_effects, threatened
from playproof.arena.yardstick.critical import sign
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.rules.choko import BOARD, jumps

SECURE, EVASION = "secure-capture", "evasion"
DEFENCE, SACRIFICE = "capture-and-defend", "sacrifice-and-fork"
FAMILIES = (SECURE, EVASION, DEFENCE, SACRIFICE)
MEANINGS = {
    SECURE: "a capture; the extra removal must take the piece that could retake",
    EVASION: "a piece is threatened, and nothing can be captured: leave nothing to take",
    DEFENCE: "a capture; the extra removal must take what threatens another piece",
    SACRIFICE: "give something up and win; moves that keep more material throw the win away",
}


class TacticalMove(NamedTuple):
    """A move and its effects on the board.  Sets of squares are words."""

    keeps: bool  # whether the move keeps the value of the position
    start: int
    landing: int
    captures: bool
    own: int  # the mover's pieces after the move
    other: int  # the other side's pieces after the move
    lost: int  # the mover's pieces that the other side could capture next

    @property
    def jump(self) -> tuple[int, int]:
        """The start and the landing.  Captures that share them differ only in the extra removal."""
        return self.start, self.landing

    @property
    def gain(self) -> int:
        """Pieces captured, less those that the next capture would cost."""
        return 2 * self.captures - 2 * bool(self.lost)


def can_recapture(own: int, other: int) -> bool:
    """Whether ``own`` can capture after every capture that ``other`` could make now."""
    for forward, backward in WAYS:
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
    """The moves of each position, in rising order of actions.  ``values[i]`` are their values in
    row ``i``, positive for a win."""
    effects = move_effects(game, rows)
    order = np.lexsort((effects.actions, effects.position))
    table = zip(
        *(
            column[order].tolist()
            for column in (
                effects.start, effects.landing, effects.captures, effects.own, effects.other,
                effects.exposed,
            )
        ),
        strict=True,
    )  # fmt: skip
    for row_values in values:
        best = max(map(sign, row_values))
        yield [TacticalMove(sign(value) == best, *next(table)) for value in row_values]


def family(own: int, other: int, moves: Sequence[TacticalMove], *, won: bool) -> str | None:
    """The tactic that a critical position tests, if any; no two fit at once."""
    danger = threatened(other, own)
    best = [move for move in moves if move.keeps]
    if all(move.captures for move in best):
        jumps_of_best = {move.jump for move in best}
        choices = [[move for move in moves if move.jump == jump] for jump in jumps_of_best]
        if all(map(_is_secure_capture, choices)):
            return SECURE
        if all(_is_defence(choice, danger) for choice in choices):
            return DEFENCE
    if danger and not any(move.captures for move in moves) and not any(m.lost for m in best):
        return EVASION
    return SACRIFICE if won and _is_sacrifice(best, moves) else None


def _is_secure_capture(choice: Sequence[TacticalMove]) -> bool:
    """Whether only the jumping piece can be lost, and the right removals are those that save it.

    ``choice`` are the captures of one jump, which differ in the extra removal.
    """
    return _is_about_safety(choice) and all(move.lost in (0, move.landing) for move in choice)


def _is_defence(choice: Sequence[TacticalMove], danger: int) -> bool:
    """Whether only other pieces, threatened before, can be lost, and the right removals are those
    that save them."""
    return _is_about_safety(choice) and not any(
        move.lost & (move.landing | ~danger) for move in choice
    )


def _is_about_safety(choice: Sequence[TacticalMove]) -> bool:
    """Whether the right removals are exactly those after which nothing can be captured."""
    right = [move.keeps for move in choice]
    return not all(right) and right == [not move.lost for move in choice]


def _is_sacrifice(best: Sequence[TacticalMove], moves: Sequence[TacticalMove]) -> bool:
    """Whether every right move leaves a piece to capture, each such capture can be answered by a
    capture, and some other move has more material two plies later."""
    most = max(move.gain for move in moves)
    return all(
        move.lost and move.gain < most and can_recapture(move.own, move.other) for move in best
    )
