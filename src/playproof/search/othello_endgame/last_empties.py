"""The last five empties of Othello, in nested functions without hash table or move list.

Nine of ten nodes of a search are visited here.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import int64, uint64
from numba.extending import overload, register_jitable

from playproof.core.bits import lowest, popcount
from playproof.core.compiling import kernel
from playproof.rules import othello as rules
from playproof.search.othello_endgame.hash_table import NODES, POINTERS
from playproof.search.othello_endgame.lanes import flips, reach

NOTHING = -100  # below every score
_ONE = uint64(1)


def last_flips(own, opponent, move):
    """How many discs ``move`` flips on a board where it is the only empty square."""
    return popcount(rules.flips(own, opponent, move))


def _flips_on_lines():
    """(8, 256) the discs flipped along a full line, by the place of the move and the own discs.

    Squares beyond the end of a shorter line count as opposing, so that no run ends there.
    """
    move = np.uint64(1) << np.arange(8, dtype=np.uint64)[:, None]
    own = np.arange(256, dtype=np.uint64)[None, :] & ~move
    turned = rules.flips(own, np.uint64(0xFF) & ~own & ~move, move)
    return np.bitwise_count(turned).astype(np.uint8)


def _diagonals(there, back):
    """(64,) the other squares of the diagonal through each square."""
    squares = np.uint64(1) << np.arange(64, dtype=np.uint64)
    lines = squares.copy()
    for _ in range(7):
        lines |= there(lines) | back(lines)
    return lines & ~squares


_TURNED = _flips_on_lines()
_FALLING = _diagonals(rules.southeast, rules.northwest)
_RISING = _diagonals(rules.northeast, rules.southwest)
_COLUMN_A = uint64(0x0101010101010101)
_COLUMN_TO_LINE = uint64(0x0102040810204080)


@overload(last_flips)
def _compiled_last_flips(own, opponent, move):
    def compiled(own, opponent, move):
        # One table look-up per line; a multiplication gathers the line's bits in the top byte.
        square = uint64(lowest(move))
        column, row, top = square & uint64(7), square >> uint64(3), uint64(56)
        flat = (own >> (square & top)) & uint64(0xFF)
        tall = (((own >> column) & _COLUMN_A) * _COLUMN_TO_LINE) >> top
        fall = ((own & _FALLING[square]) * _COLUMN_A) >> top
        rise = ((own & _RISING[square]) * _COLUMN_A) >> top
        straight = int64(_TURNED[column, flat]) + int64(_TURNED[row, tall])
        return straight + int64(_TURNED[column, fall]) + int64(_TURNED[column, rise])

    return compiled


@register_jitable(forceinline=True)
def final_score(own, empties, memory):
    """The score of a finished game."""
    lead = 2 * popcount(own) - (memory.total - empties)
    if memory.winner_takes_empties:
        if lead > 0:
            lead += empties
        elif lead < 0:
            lead -= empties
    return lead


@register_jitable(forceinline=True)
def _one_left(own, opponent, empty, odd, alpha, memory):
    lead = 2 * popcount(own) - memory.total  # counts the last square for the opponent
    turned = last_flips(own, opponent, empty)
    if turned != 0:
        return lead + 2 * turned + 2
    turned = last_flips(opponent, own, empty)
    if turned != 0:
        return lead - 2 * turned
    return final_score(own, 1, memory)


def _add_empty(below, empties):
    """The search with ``empties`` squares left, built on the one with one less.

    Squares in quadrants with an odd number of empties come first: whoever moves there first also
    moves there last. With two squares left this makes no difference.
    """
    groups = 2 if empties > 2 else 1

    @register_jitable(forceinline=True)
    def search(own, opponent, empty, odd, alpha, memory):
        best = int64(NOTHING)
        for side in range(2):
            reached = reach(own, opponent)
            for group in range(groups):
                left = empty
                if groups > 1:
                    left = empty & odd if group == 0 else empty & ~odd
                while left != 0:
                    move = left & (~left + _ONE)
                    left ^= move
                    turned = flips(reached, opponent, move)
                    if turned != 0:
                        memory.statistics[NODES] += 1
                        value = -below(
                            opponent ^ turned,
                            own ^ turned ^ move,
                            empty ^ move,
                            odd ^ memory.quadrants[lowest(move)],
                            -alpha - 1,
                            memory,
                        )
                        if value > best:
                            best = value
                            if best > alpha:
                                return best if side == 0 else -best
            if best != NOTHING:
                return best if side == 0 else -best
            own, opponent, alpha = opponent, own, -alpha - 1  # a pass
        return final_score(own, empties, memory)

    return search


_two_left = _add_empty(_one_left, 2)
_three_left = _add_empty(_two_left, 3)
_four_left_inline = _add_empty(_three_left, 4)
_LAST = int64(uint64, uint64, uint64, uint64, int64, POINTERS)


@kernel(_LAST)
def _four_left(own, opponent, empty, odd, alpha, memory):
    return _four_left_inline(own, opponent, empty, odd, alpha, memory)


_five_left_inline = _add_empty(_four_left, 5)


@kernel(_LAST)
def _five_left(own, opponent, empty, odd, alpha, memory):
    return _five_left_inline(own, opponent, empty, odd, alpha, memory)


@register_jitable(forceinline=True)
def odd_quadrants(empty, memory):
    """The squares of the quadrants with an odd number of empties."""
    odd = uint64(0)
    while empty != 0:
        odd ^= memory.quadrants[lowest(empty)]
        empty &= empty - _ONE
    return odd


@register_jitable(forceinline=True)
def last_empties(own, opponent, empty, alpha, memory):
    """A bound that decides whether the score is above ``alpha``, with four or five squares left."""
    odd = odd_quadrants(empty, memory)
    if popcount(empty) == 5:
        return _five_left(own, opponent, empty, odd, alpha, memory)
    return _four_left(own, opponent, empty, odd, alpha, memory)
