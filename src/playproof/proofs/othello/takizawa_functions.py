"""The three functions that Takizawa (2023) used with his solver, rewritten.

They compute moves, counts and flips by other methods than ``rules/othello.py``.
Each runs on ints and on words of literals, so it can be tested on positions and
proved equal to the rules on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playproof.proofs.sat.words import Word, choose

ALL = 0xFFFFFFFFFFFFFFFF
_INNER = 0x7E7E7E7E7E7E7E7E  # without the files a and h
_EVERY_BYTE = 0x0101010101010101


def _prefix(stones: Any, runs: Any, step: int, shift: Any) -> Any:
    """The squares behind runs of up to six, by a parallel prefix: after its four lines,
    ``reached`` covers runs of up to 1, 2, 4 and 6."""
    reached = runs & shift(stones, step)
    reached = reached | runs & shift(reached, step)
    pairs = runs & shift(runs, step)
    reached = reached | pairs & shift(reached, 2 * step)
    reached = reached | pairs & shift(reached, 2 * step)
    return shift(reached, step)


def _left(word: Any, by: int) -> Any:
    return (word << by) & ALL


def _right(word: Any, by: int) -> Any:
    return (word >> by) & ALL


def prefix_moves(player: Any, opponent: Any) -> Any:
    """Figure 2: the legal moves.

    Runs along files may use the whole board.  Other runs must not wrap around its
    edge, so they leave out the files a and h.
    """
    inner = opponent & _INNER
    moves: Any = 0
    for step, runs in ((1, inner), (7, inner), (8, opponent), (9, inner)):
        moves = moves | _prefix(player, runs, step, _left) | _prefix(player, runs, step, _right)
    return moves & ~(player | opponent) & ALL


def multiplied_count(word: Any) -> Any:
    """Figure 3: the number of bits that are set, with one multiplication.

    A nibble minus its half, quarter and eighth is its own bit count.  The product with
    a one in every byte sums all bytes in the highest byte.
    """
    nibbles = word - ((word >> 1) & 0x7777777777777777)
    nibbles = nibbles - ((word >> 2) & 0x3333333333333333)
    nibbles = nibbles - ((word >> 3) & 0x1111111111111111)
    counts = (nibbles + (nibbles >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((counts * _EVERY_BYTE) & ALL) >> 56


# Rays from h8 towards a1 and from a1 towards h8: file, rank and both diagonals.  A ray that
# wraps around an edge does no harm, because the run ends at the first square there.
_FROM_TOP = (0x0080808080808080, 0x7F00000000000000, 0x0102040810204000, 0x0040201008040201)
_FROM_BOTTOM = (0x0101010101010100, 0x00000000000000FE, 0x0002040810204080, 0x8040201008040200)

Rays = Sequence[Any]  # four words: file, rank, both diagonals


def rays(square: Any) -> tuple[Rays, Rays]:
    """The rays below and above a square."""
    below = [ray >> (63 - square) for ray in _FROM_TOP]
    return below, [(ray << square) & ALL for ray in _FROM_BOTTOM]


def rays_of_word(square: Word) -> tuple[Rays, Rays]:
    """The rays of a square whose number is a word of six literals, by shifts of 1, 2, 4 ..."""
    below, above = [], []
    for top, bottom in zip(_FROM_TOP, _FROM_BOTTOM, strict=True):
        low, high = square.graph.constant(64, top), square.graph.constant(64, bottom)
        for bit in range(6):  # 63 - n has the complements of n's bits
            low = choose(square[bit], low, low >> (1 << bit))
            high = choose(square[bit], high << (1 << bit), high)
        below.append(low)
        above.append(high)
    return below, above


def _swapped_bytes(word: Any) -> Any:
    word = (word >> 8) & 0x00FF00FF00FF00FF | (word & 0x00FF00FF00FF00FF) << 8
    word = (word >> 16) & 0x0000FFFF0000FFFF | (word & 0x0000FFFF0000FFFF) << 16
    return word >> 32 | (word & 0xFFFFFFFF) << 32


def _negated(word: Any) -> Any:
    return -word & ALL


def _highest(ray: Any) -> Any:
    """The highest bit of a word whose bits lie on one ray.

    Spreading the bits downwards and masking leaves the highest bit of each byte.  With
    the bytes in reverse order the lowest bit is the one wanted, and ``x & -x`` isolates it.
    """
    spread = ray | ray >> 1
    spread = spread | spread >> 2
    spread = spread | spread >> 4
    swapped = _swapped_bytes(spread & ~(spread >> 1))
    return _swapped_bytes(swapped & _negated(swapped))


def carried_flips(player: Any, opponent: Any, below: Rays, above: Rays) -> Any:
    """Figure 4: the stones turned over, by carries instead of tables.

    Above the square, adding one to a ray whose gaps are filled carries through the run to
    the stone that closes it.  Below, that stone is on the highest square of the ray that
    holds no opponent's stone, and the run lies between.
    """
    flipped: Any = 0
    for lane, (low, high) in enumerate(zip(below, above, strict=True)):
        runs = opponent if lane == 0 else opponent & _INNER
        closes = _highest(low & ~runs) & player
        flipped = flipped | (_negated(closes) << 1) & low
        carried = ((runs | ~high) & ALL) + 1
        closes = high & carried & player
        some = (closes | _negated(closes)) >> 63  # 1 unless there is no such stone
        flipped = flipped | (closes - some) & high
    return flipped & ALL
