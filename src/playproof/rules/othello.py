"""The law of Othello, as branch-free functions over 64-bit words.

Square ``i = 8 * row + column``: a1 is bit 0, h1 bit 7, h8 bit 63.  A smaller
board is a mask inside the word, in the a1 corner: its stones keep the stride
of eight, so one code serves 4x4, 6x6 and 8x8.

A placement outflanks: in at least one of eight directions it closes a *run*
of opposing stones between itself and an own stone, and turns that run over.
"""

from numba.extending import register_jitable

SIZES = (4, 6, 8)

# Squares that a shift may reach without wrapping round the edge of the board.
_NOT_A = 0xFEFEFEFEFEFEFEFE
_NOT_H = 0x7F7F7F7F7F7F7F7F
_NOT_1 = 0xFFFFFFFFFFFFFF00
_NOT_8 = 0x00FFFFFFFFFFFFFF


def board(size: int) -> int:
    """The squares of a ``size`` x ``size`` board."""
    row = (1 << size) - 1
    return sum(row << (8 * r) for r in range(size))


def start(size: int) -> tuple[int, int]:
    """Black's and White's stones before the first move.

    On the full board Black holds e4 and d5, White d4 and e5, so that Black's
    first placements are d3, c4, f5 and e6.
    """
    low, high = size // 2 - 1, size // 2
    black = 1 << (8 * low + high) | 1 << (8 * high + low)
    white = 1 << (8 * low + low) | 1 << (8 * high + high)
    return black, white


@register_jitable
def east(x):
    return (x << 1) & _NOT_A


@register_jitable
def west(x):
    return (x >> 1) & _NOT_H


@register_jitable
def south(x):
    return (x << 8) & _NOT_1


@register_jitable
def north(x):
    return (x >> 8) & _NOT_8


@register_jitable
def southeast(x):
    return (x << 9) & (_NOT_A & _NOT_1)


@register_jitable
def northwest(x):
    return (x >> 9) & (_NOT_H & _NOT_8)


@register_jitable
def southwest(x):
    return (x << 7) & (_NOT_H & _NOT_1)


@register_jitable
def northeast(x):
    return (x >> 7) & (_NOT_A & _NOT_8)


@register_jitable
def run(shift, stones, opponent):
    """Opposing stones in unbroken lines that begin next to ``stones``.

    Six is the longest run that a stone at each end leaves room for.
    """
    r = opponent & shift(stones)
    r = opponent & shift(stones | r)
    r = opponent & shift(stones | r)
    r = opponent & shift(stones | r)
    r = opponent & shift(stones | r)
    return opponent & shift(stones | r)


@register_jitable
def _ends(shift, own, opponent):
    return shift(run(shift, own, opponent))


@register_jitable
def moves(own, opponent, squares):
    """Every square of the board ``squares`` where ``own`` may place a stone."""
    ends = (
        _ends(east, own, opponent)
        | _ends(west, own, opponent)
        | _ends(south, own, opponent)
        | _ends(north, own, opponent)
        | _ends(southeast, own, opponent)
        | _ends(northwest, own, opponent)
        | _ends(southwest, own, opponent)
        | _ends(northeast, own, opponent)
    )
    return ends & squares & ~(own | opponent)


@register_jitable
def _between(forward, backward, move, own, opponent):
    return run(forward, move, opponent) & run(backward, own, opponent)


@register_jitable
def flips(own, opponent, move):
    """Opposing stones turned over by a stone placed on the one-hot ``move``."""
    return (
        _between(east, west, move, own, opponent)
        | _between(west, east, move, own, opponent)
        | _between(south, north, move, own, opponent)
        | _between(north, south, move, own, opponent)
        | _between(southeast, northwest, move, own, opponent)
        | _between(northwest, southeast, move, own, opponent)
        | _between(southwest, northeast, move, own, opponent)
        | _between(northeast, southwest, move, own, opponent)
    )
