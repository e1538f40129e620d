"""A game that reaches a Choko position in which only the mover has lost pieces.

Such a position comes about by giving pieces away.  Both sides place as many
pieces as are to be lost.  Then Blue steps and Red jumps, until Blue has none on
the board; then both place the rest where the position wants it.  Placements
are free, so all that must be found is the middle part.  It is looked for
backwards, from Red's pieces as they stand at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from playproof.core.errors import PlayproofError, UsageError
from playproof.rules import choko as rules

_SHIFTS = (rules.up, rules.right, rules.down, rules.left)  # in the order of the actions
_FIRST_STEP, _FIRST_JUMP = 25, 125  # numbers of actions: see the game


def reaching(own: int, enemy: int, hand: int) -> list[int]:
    """Actions of the game from its start to the position, Blue to move and free.

    Blue has ``own`` and Red ``enemy`` on the board, both ``hand`` in hand; Red
    has lost nothing, Blue an even number of pieces.
    """
    lost = rules.PIECES - hand - own.bit_count()
    if own & enemy or enemy.bit_count() + hand != rules.PIECES or lost < 0 or lost % 2:
        raise UsageError("want a position in which Red has all pieces and Blue lost an even number")
    for squares in combinations(_squares(enemy), lost):
        red = sum(1 << square for square in squares)
        middle = _given_away(0, red, lost // 2)
        if middle is not None:
            blue, red_before, exchange = middle
            first = _placed(blue, red_before)
            return first + exchange + _placed(own, enemy & ~red)
    raise PlayproofError("no such game was found: Red's jumps cannot end on these squares")


def _squares(word: int) -> list[int]:
    return [square for square in range(25) if word >> square & 1]


def _placed(blue: int, red: int) -> list[int]:
    """Placements in turn: Blue takes the initiative, Red must follow."""
    pairs = zip(_squares(blue), _squares(red), strict=True)
    return [square for pair in pairs for square in pair]


def _given_away(blue: int, red: int, jumps: int) -> tuple[int, int, list[int]] | None:
    """Pieces before so many exchanges (a step of Blue, a jump of Red), and the actions."""
    if jumps == 0:
        return blue, red, []
    for blue_before, red_before, jump in _before_jump(blue, red):
        for blue_first, step in _before_step(blue_before, red_before):
            found = _given_away(blue_first, red_before, jumps - 1)
            if found is not None:
                return found[0], found[1], [*found[2], step, jump]
    return None


def _before_jump(blue: int, red: int) -> Iterator[tuple[int, int, int]]:
    """Positions from which a jump of Red leads here, with the jump."""
    empty = rules.BOARD & ~(blue | red)
    for direction, forward in enumerate(_SHIFTS):
        for start in _squares(empty):
            jumped = forward(1 << start)
            goal = forward(jumped)
            if jumped & empty and goal & red:
                before = red ^ goal ^ 1 << start
                for removed in _squares(empty & ~jumped & ~(1 << start)):
                    action = _FIRST_JUMP + 25 * (4 * start + direction) + removed
                    yield blue | jumped | 1 << removed, before, action


def _before_step(blue: int, red: int) -> Iterator[tuple[int, int]]:
    """Blue's pieces before a step that leads here, with the step."""
    empty = rules.BOARD & ~(blue | red)
    for direction, forward in enumerate(_SHIFTS):
        for start in _squares(empty):
            goal = forward(1 << start)
            if goal & blue:
                yield blue ^ goal ^ 1 << start, _FIRST_STEP + 4 * start + direction
