"""One ply of Othello backwards, compiled.

A *node* is a position whose side to move has a placement, so positions with a
forced pass are skipped.  A node before (own, opponent) is obtained by taking a
stone back:

- ``opponent`` has just placed it; or
- ``own`` has, and ``opponent`` then passed.  That is the case if and only if
  ``opponent`` has no placement now, since a pass leaves the board as it is, and
  ``own`` has one.

Taking back the stone m removes it and turns back some of the stones that m turned
over.  In each direction those are the first k stones of the line of the mover's
stones next to m, and one more stone of that line must follow and close them in.
If m stands next to a closed line of the other side, then m was not placed last,
because that line would have been turned over.  Every other choice is possible, if
k is not 0 in all directions.  Each is also played forward by the rules as a check.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import boolean, int64, types, uint64
from numba.extending import register_jitable

from playproof.core.bits import popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import ROWS, WORDS
from playproof.proofs.othello.constructible import removable
from playproof.proofs.othello.retrograde.canonical import least_image
from playproof.rules import othello as rules

OWN, OPPONENT, NOTE = 0, 1, 2  # words of a row; the note is a variant, or the plies undone
_ZERO, _ONE = uint64(0), uint64(1)
_ROWS_AND_COUNT = types.Tuple((ROWS, int64))  # rows, and how many of them are used


@register_jitable
def _line(shift, back, stone, mover):
    """The mover's stones in a line next to ``stone`` that another one closes in."""
    return uint64(rules.run(shift, stone, mover)) & uint64(back(mover))


@register_jitable
def _lines(stone, mover, lines):
    """Fill ``lines[d]`` with the stones that ``stone`` may have turned over in direction d."""
    lines[0] = _line(rules.east, rules.west, stone, mover)
    lines[1] = _line(rules.west, rules.east, stone, mover)
    lines[2] = _line(rules.south, rules.north, stone, mover)
    lines[3] = _line(rules.north, rules.south, stone, mover)
    lines[4] = _line(rules.southeast, rules.northwest, stone, mover)
    lines[5] = _line(rules.northwest, rules.southeast, stone, mover)
    lines[6] = _line(rules.southwest, rules.northeast, stone, mover)
    lines[7] = _line(rules.northeast, rules.southwest, stone, mover)


@register_jitable
def _with_capacity(rows, capacity):
    """``rows``, or a longer copy with room for at least ``capacity`` rows."""
    if capacity <= rows.shape[0]:
        return rows
    longer = np.empty((max(capacity, 2 * rows.shape[0]), rows.shape[1]), np.uint64)
    longer[: rows.shape[0]] = rows
    return longer


@register_jitable
def _highest(x):
    x |= x >> uint64(1)
    x |= x >> uint64(2)
    x |= x >> uint64(4)
    x |= x >> uint64(8)
    x |= x >> uint64(16)
    x |= x >> uint64(32)
    return x ^ (x >> _ONE)


@kernel(_ROWS_AND_COUNT(uint64, uint64, uint64, int64, WORDS, ROWS, int64))
def _take_back(mover, other, last, plies, lines, rows, n):
    """Append each (mover, other, plies) from which a stone on one of the squares ``last`` leads
    to this position; returns the rows and their number."""
    remaining = mover & last
    while remaining != _ZERO:
        stone = remaining & (~remaining + _ONE)
        remaining ^= stone
        if uint64(rules.flips(mover ^ stone, other, stone)) != _ZERO:
            continue
        _lines(stone, mover, lines)
        ways = 1
        for d in range(8):
            ways *= popcount(lines[d]) + 1
        if ways == 1:
            continue
        rows = _with_capacity(rows, n + ways)
        # The choices of stones: those so far, times the prefixes of the next line.
        first, count = n, 1
        rows[first, OWN] = _ZERO
        for d in range(8):
            line, prefix = lines[d], _ZERO
            previous = count
            # The squares of a line in order, away from the stone.
            upwards = line > stone
            while line != _ZERO:
                square = line & (~line + _ONE) if upwards else _highest(line)
                line ^= square
                prefix |= square
                for i in range(previous):
                    rows[first + count, OWN] = rows[first + i, OWN] | prefix
                    count += 1
        # Choice 0 turns nothing over, and there is no such move.
        n = first
        for i in range(first + 1, first + count):
            turned = rows[i, OWN]
            own, opponent = mover ^ stone ^ turned, other | turned
            if uint64(rules.flips(own, opponent, stone)) == turned:
                rows[n, OWN], rows[n, OPPONENT], rows[n, NOTE] = own, opponent, uint64(plies)
                n += 1
    return rows, n


@kernel(_ROWS_AND_COUNT(uint64, uint64, uint64, uint64, WORDS, ROWS, int64))
def nodes_before(own, opponent, squares, last, lines, rows, n):
    """Append the nodes one stone before (own, opponent); returns the rows and their number.

    ``last`` are the squares whose stone may have been placed last.  A row is (own,
    opponent, plies), with 2 plies if there was a pass, else 1.
    """
    rows, n = _take_back(opponent, own, last, 1, lines, rows, n)
    stuck = uint64(rules.moves(opponent, own, squares)) == _ZERO
    if stuck and uint64(rules.moves(own, opponent, squares)) != _ZERO:
        rows, n = _take_back(own, opponent, last, 2, lines, rows, n)
    return rows, n


@kernel(_ROWS_AND_COUNT(uint64, uint64, uint64, uint64))
def before(own, opponent, squares, middle):
    """The nodes one stone before a position, as rows, and the number of rows used."""
    lines = np.empty(8, np.uint64)
    rows = np.empty((64, 3), np.uint64)
    last = removable(middle, own | opponent)
    return nodes_before(own, opponent, squares, last, lines, rows, 0)


@kernel(types.Tuple((ROWS, int64, int64))(ROWS, int64, int64, uint64, uint64, int64, boolean))
def step_back(positions, start, most, squares, middle, size, symmetric):
    """The nodes one stone before ``positions[start:]``, until there are ``most`` or more.

    With ``symmetric`` each is replaced by its least image.  Returns the rows, the number
    of rows used, and the first position that was not expanded.
    """
    lines = np.empty(8, np.uint64)
    rows = np.empty((64, 3), np.uint64)
    n, i = 0, start
    while i < positions.shape[0] and n < most:
        own, opponent = positions[i, 0], positions[i, 1]
        first = n
        last = removable(middle, own | opponent)
        rows, n = nodes_before(own, opponent, squares, last, lines, rows, n)
        if symmetric:
            for j in range(first, n):
                a, b, _ = least_image(rows[j, OWN], rows[j, OPPONENT], size)
                rows[j, OWN], rows[j, OPPONENT] = a, b
        i += 1
    return rows, n, i
