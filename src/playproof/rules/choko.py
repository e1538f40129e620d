"""The law of Choko, as branch-free functions over 25-bit words.

Square ``i = 5 * row + column``: A1 is bit 0, E1 bit 4, E5 bit 24; *up* is the next row.
Conditions are passed as words too, so that legality needs no branches: ``holds`` (the mover has a
piece in hand), ``free`` (the mover is not forced to place) and ``lone`` (the option that lets a
jump take the last piece on the board) are each ``BOARD`` for yes and 0 for no.
"""

from numba.extending import register_jitable

SIZE = 5
PIECES = 12  # in hand, for each side, before the first placement
BOARD = (1 << 25) - 1

_COLUMN_A = 0b00001_00001_00001_00001_00001
_NOT_A = BOARD & ~_COLUMN_A
_NOT_E = BOARD & ~(_COLUMN_A << 4)


@register_jitable
def up(x):
    return (x << 5) & BOARD


@register_jitable
def down(x):
    return (x >> 5) & (BOARD >> 5)


@register_jitable
def right(x):
    return (x << 1) & _NOT_A


@register_jitable
def left(x):
    return (x >> 1) & _NOT_E


@register_jitable
def _above(x):
    """Every square with a higher index than some square of ``x``."""
    x = (x << 1) & BOARD
    x = x | ((x << 1) & BOARD)
    x = x | ((x << 2) & BOARD)
    x = x | ((x << 4) & BOARD)
    x = x | ((x << 8) & BOARD)
    return x | ((x << 16) & BOARD)


@register_jitable
def _any(x):
    """``BOARD`` if ``x`` holds a square, else 0."""
    x = x | _above(x)
    # Now the top square is set if and only if any was: spread it to all below.
    x = (x >> 24) & 1
    x = x | ((x << 1) & BOARD)
    x = x | ((x << 2) & BOARD)
    x = x | ((x << 4) & BOARD)
    x = x | ((x << 8) & BOARD)
    return x | ((x << 16) & BOARD)


@register_jitable
def several(pieces):
    """``BOARD`` if there are two or more pieces, else 0."""
    return _any(pieces & _above(pieces))


@register_jitable
def placements(own, enemy, holds):
    """Squares where the mover may place a piece from the hand."""
    return BOARD & ~(own | enemy) & holds


@register_jitable
def steps(backward, own, enemy, free):
    """Own pieces that may step in the direction opposite to ``backward``."""
    return own & backward(BOARD & ~(own | enemy)) & free


@register_jitable
def jumps(backward, own, enemy, free, lone):
    """Own pieces that may jump in the direction opposite to ``backward``.

    A jump must also remove another enemy piece, so without ``lone`` there must be two on the
    board.
    """
    jumped = enemy & backward(BOARD & ~(own | enemy))
    return own & backward(jumped) & free & (several(enemy) | lone)


@register_jitable
def removals(enemy, jumped, lone):
    """Enemy pieces, one of which a jump over the one-hot ``jumped`` must also remove.

    Under ``lone``, the last piece on the board is jumped and removed at once.
    """
    return (enemy & ~jumped) | (jumped & lone & ~several(enemy))
