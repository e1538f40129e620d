"""A chess position, always from the side of the player to move.

The mover's pawns go up the board.  After a move the board is turned, so that rank 1 becomes rank
8, and the other side is the mover.  One set of rules thus serves both colours, and moves are
numbered from the mover's side.

A queen is a diagonal and a straight slider at once.
"""

from typing import NamedTuple

from numba import uint64
from numba.extending import register_jitable

from playproof.rules.bits import byte_swap

ALL = uint64(0xFFFFFFFFFFFFFFFF)
NOTHING = uint64(0)
FILE_A, FILE_H = uint64(0x0101010101010101), uint64(0x8080808080808080)
NOT_A, NOT_H = ~FILE_A, ~FILE_H
RANK_1, RANK_3, RANK_6 = uint64(0xFF), uint64(0xFF << 16), uint64(0xFF << 40)
RANK_7, RANK_8 = uint64(0xFF << 48), uint64(0xFF << 56)
A1, H1 = uint64(1), uint64(1 << 7)
CORNERS = uint64(0x8100000000000081)


class Position(NamedTuple):
    """Bitboards.  Those of the pieces hold both sides'; ``own`` holds the mover's pieces.

    ``rights`` holds the squares of rooks that may still castle, and on rank 6 the square behind a
    pawn that can be taken en passant, if that is legal.
    """

    pawns: int
    knights: int
    diagonal: int  # bishops and queens
    straight: int  # rooks and queens
    kings: int
    own: int
    rights: int


@register_jitable
def load(words):
    """The position at the beginning of a row."""
    return Position(words[0], words[1], words[2], words[3], words[4], words[5], words[6])


@register_jitable
def occupied_of(p):
    """All pieces of both sides."""
    return p.pawns | p.knights | p.diagonal | p.straight | p.kings


@register_jitable
def turn(p):
    """The same position from the other side."""
    return Position(
        byte_swap(p.pawns),
        byte_swap(p.knights),
        byte_swap(p.diagonal),
        byte_swap(p.straight),
        byte_swap(p.kings),
        byte_swap(occupied_of(p) ^ p.own),
        byte_swap(p.rights),
    )


@register_jitable
def square(number):
    """The bitboard of one square."""
    return uint64(1) << uint64(number)
