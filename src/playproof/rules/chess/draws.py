"""Draws that the rules of chess know besides stalemate."""

from numba import uint64
from numba.extending import register_jitable

from playproof.rules.bits import popcount
from playproof.rules.chess.board import NOTHING

LIGHT = uint64(0x55AA55AA55AA55AA)


@register_jitable
def is_dead(p):
    """Whether no play can mate: at most one minor piece in all, or bishops alone
    that all stand on one colour."""
    if p.pawns | p.straight != NOTHING:
        return False
    minors = p.knights | p.diagonal
    if popcount(minors) <= 1:
        return True
    if p.knights != NOTHING:
        return False
    return minors & LIGHT == NOTHING or minors & ~LIGHT == NOTHING


@register_jitable
def occurrences(history, here, clock, enough):
    """How often the position of hash ``here`` has been there, now included; no
    further than ``enough``.

    ``clock`` plies ago a pawn moved or a piece was taken: nothing before that
    can be the same.
    """
    found = 1
    first = max(0, history.shape[0] - clock)
    i = history.shape[0] - 4  # two moves of each side are the least that lead back
    while i >= first and found < enough:
        if history[i] == here:
            found += 1
        i -= 2
    return found
