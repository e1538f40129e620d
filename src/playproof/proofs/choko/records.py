"""Games that reach a Choko position in which only the mover has lost pieces.

Such a position arises when Blue gives pieces away.  Both sides place as many
pieces as Blue is to lose.  Then Blue steps and Red jumps, until Blue has none
on the board.  At last both sides place the rest where the position has it.
Placements are free, so only the middle part must be found.  The search for it
goes backwards, from Red's pieces at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from playproof.core.errors import PlayproofError, UsageError
from playproof.rules import choko as rules

_SHIFTS = (rules.up, rules.right, rules.down, rules.left)  # in the order of the actions
_FIRST_STEP, _FIRST_JUMP = 25, 125  # action numbers, as in the game


def actions_to(own: int, enemy: int, hand: int) -> list[int]:
    """The actions of a game from the start to a position with Blue to move and free.

    Blue has ``own`` and Red ``enemy`` on the board, and both have ``hand`` pieces in hand.
    Red has lost no pieces, Blue an even number.
    """
    lost = rules.PIECES - hand - own.bit_count()
    if own & enemy or enemy.bit_count() + hand != rules.PIECES or lost < 0 or lost % 2:
        raise UsageError("want a position in which Red has all pieces and Blue lost an even number")
    for squares in combinations(_squares(enemy), lost):
        red = sum(1 << square for square in squares)
        middle = _exchanges(0, red, lost // 2)
        if middle is not None:
            blue, red_before, exchanges = middle
            first = _placements(blue, red_before)
            return first + exchanges + _placements(own, enemy & ~red)
    raise PlayproofError("no such game was found: Red's jumps cannot end on these squares")


def _squares(word: int) -> list[int]:
    return [square for square in range(25) if word >> square & 1]


def _placements(blue: int, red: int) -> list[int]:
    """Alternating placements: Blue places and Red must follow."""
    pairs = zip(_squares(blue), _squares(red), strict=True)
    return [square for pair in pairs for square in pair]


def _exchanges(blue: int, red: int, jumps: int) -> tuple[int, int, list[int]] | None:
    """The pieces before ``jumps`` exchanges (a step of Blue, a jump of Red), and the actions."""
    if jumps == 0:
        return blue, red, []
    for blue_before, red_before, jump in _before_jump(blue, red):
        for blue_first, step in _before_step(blue_before, red_before):
            earlier = _exchanges(blue_first, red_before, jumps - 1)
            if earlier is not None:
                return earlier[0], earlier[1], [*earlier[2], step, jump]
    return None


def _before_jump(blue: int, red: int) -> Iterator[tuple[int, int, int]]:
    """The positions from which a jump of Red leads here, each with the jump."""
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
    """Blue's pieces before each step that leads here, with the step."""
    empty = rules.BOARD & ~(blue | red)
    for direction, forward in enumerate(_SHIFTS):
        for start in _squares(empty):
            goal = forward(1 << start)
            if goal & blue:
                yield blue ^ goal ^ 1 << start, _FIRST_STEP + 4 * start + direction
