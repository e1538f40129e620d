"""The draws of chess other than stalemate."""

from numba import uint64
from numba.extending import register_jitable

from playproof.rules.bits import popcount
from playproof.rules.chess.board import NOTHING

LIGHT = uint64(0x55AA55AA55AA55AA)


@register_jitable
def is_dead(p):
    """Whether no series of moves can mate: there is at most one minor piece, or there are only
    bishops, all on squares of one colour."""
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
    """How often the position of hash ``here`` has occurred, now included, counted up to ``enough``.

    ``clock`` plies ago a pawn moved or a piece was taken: no position before that can be the same.
    """
    count = 1
    first = max(0, history.shape[0] - clock)
    i = history.shape[0] - 4  # a position recurs after two moves of each side at the earliest
    while i >= first and count < enough:
        if history[i] == here:
            count += 1
        i -= 2
    return count
