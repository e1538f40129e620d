"""Moves in algebraic notation, looked up among the legal ones; compiled.

Accepted are ``Nf3``, ``exd5``, ``R1xe4``, ``e8=Q`` or ``e8Q``, ``O-O`` (also with
zeros), and the long forms ``e2e4``, ``e2-e4`` or ``e7e8q``, with any check sign.
The capture of a pawn must name the file that it comes from.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from numba import boolean, int64, types, uint8, uint64
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.kernels import LIST, WORDS
from playproof.rules.bits import lowest
from playproof.rules.chess import lookup_tables as tables
from playproof.rules.chess.attacks import lookup
from playproof.rules.chess.board import load
from playproof.rules.chess.list_moves import list_moves
from playproof.rules.chess.make_move import EAST_2, WEST_2

BYTES = types.Array(uint8, 1, "C", readonly=True)

# Returned instead of an action.
ILLEGAL, AMBIGUOUS, NO_MOVE = -1, -2, -3

_PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING, _NONE = 0, 1, 2, 3, 4, 5, 6


@register_jitable
def _kind_of_letter(c):
    """The kind of piece that a capital letter names."""
    if c == 78:
        return _KNIGHT
    if c == 66:
        return _BISHOP
    if c == 82:
        return _ROOK
    if c == 81:
        return _QUEEN
    if c == 75:
        return _KING
    if c == 80:
        return _PAWN
    return _NONE


@register_jitable
def _kind_at(p, at):
    s, one = uint64(at), uint64(1)
    if p.pawns >> s & one:
        return _PAWN
    if p.knights >> s & one:
        return _KNIGHT
    if p.kings >> s & one:
        return _KING
    if p.diagonal >> s & one:
        return _QUEEN if p.straight >> s & one else _BISHOP
    return _ROOK


@register_jitable
def _castling(data, start, end):
    """2 or 3 for ``O-O`` and ``O-O-O``, else 0."""
    size = end - start
    if size != 3 and size != 5:
        return 0
    for i in range(size):
        c = data[start + i]
        if i % 2 == 0 and c != 79 and c != 48:  # O, 0
            return 0
        if i % 2 == 1 and c != 45:
            return 0
    return (size + 1) // 2


@register_jitable
def _promotion(plane, kind, goal):
    """What a move on the plane promotes a piece of that kind to; _NONE if it does not."""
    if plane >= tables.UNDER_PLANES:
        return _KNIGHT + (plane - tables.UNDER_PLANES) // 3
    return _QUEEN if kind == _PAWN and goal >= 56 else _NONE


@register_jitable
def _parse_name(data, start, end):
    """(destination, file and rank of the origin, kind of piece, promotion) of a move's name.

    The destination is White's square, or NO_MOVE if the bytes are no name.  A file or rank that
    is not given is -1, and a kind that is not given is _NONE."""
    # From the right: promotion, destination, capture sign, origin, kind of piece.
    i = end - 1
    promoted = _NONE
    if i > start + 1 and (data[i] > 56 or data[i] < 49):  # not 1 to 8
        c = int64(data[i])
        if c >= 97:
            c -= 32
        promoted = _kind_of_letter(c)
        if promoted in (_NONE, _PAWN, _KING):
            return NO_MOVE, -1, -1, _NONE, _NONE
        i -= 1
        if data[i] == 61:  # =
            i -= 1
    if i < start + 1:
        return NO_MOVE, -1, -1, _NONE, _NONE
    rank, file = int64(data[i]) - 49, int64(data[i - 1]) - 97
    if rank < 0 or rank > 7 or file < 0 or file > 7:
        return NO_MOVE, -1, -1, _NONE, _NONE
    i -= 2
    takes = False
    if i >= start and (data[i] == 120 or data[i] == 45 or data[i] == 58):  # x - :
        takes = data[i] != 45
        i -= 1
    from_rank, from_file = -1, -1
    if i >= start and 49 <= data[i] <= 56:
        from_rank = int64(data[i]) - 49
        i -= 1
    if i >= start and 97 <= data[i] <= 104:
        from_file = int64(data[i]) - 97
        i -= 1
    kind = _NONE
    if i >= start:
        kind = _kind_of_letter(data[i])
        i -= 1
        if kind == _NONE or i >= start:
            return NO_MOVE, -1, -1, _NONE, _NONE
    elif from_file < 0 or from_rank < 0:
        kind = _PAWN
    if kind == _PAWN and from_file < 0 and not takes:
        from_file = file
    return 8 * rank + file, from_file, from_rank, kind, promoted


@register_jitable
def find_san(t, p, flip, data, start, end, legal):
    """The action that ``data[start:end]`` names in position ``p``, or one of the codes above.

    ``flip`` turns White's squares into the mover's: 56 for Black, else 0.
    ``legal`` is scratch space for a list of moves.
    """
    while end > start and (data[end - 1] == 43 or data[end - 1] == 35):  # + #
        end -= 1
    side = _castling(data, start, end)
    if side:
        king = lowest(p.kings & p.own)
        castling = 64 * (EAST_2 if side == 2 else WEST_2) + king
        n = list_moves(t, p, False, legal)
        for i in range(n):
            if legal[i] == castling and king == 4:
                return castling
        return ILLEGAL
    square, from_file, from_rank, kind, promoted = _parse_name(data, start, end)
    if square == NO_MOVE:
        return NO_MOVE
    goal = square ^ flip
    flipped = 7 if flip else 0
    match = ILLEGAL
    n = list_moves(t, p, False, legal)
    for j in range(n):
        action = int64(legal[j])
        plane, origin = action >> 6, action & 63
        to = (origin + int64(lookup(t, tables.DELTA, plane))) & 63
        if to != goal:
            continue
        if from_file >= 0 and origin & 7 != from_file:
            continue
        if from_rank >= 0 and (origin >> 3) ^ flipped != from_rank:
            continue
        mover = _kind_at(p, origin)
        if kind != _NONE:
            if mover != kind:
                continue
            if kind == _KING and plane in (EAST_2, WEST_2):
                continue  # castling is only written O-O
        if _promotion(plane, mover, to) != promoted:
            continue
        if match != ILLEGAL:
            return AMBIGUOUS
        match = action
    return match


@kernel(int64(WORDS, WORDS, boolean, BYTES, LIST))
def find_move(t, row, black, name, legal):
    """:func:`find_san` for a single name, for Python callers."""
    return find_san(t, load(row), 56 if black else 0, name, 0, name.shape[0], legal)
