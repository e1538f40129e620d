"""Chess positions packed into 40 bytes: board, rights, clock, move, value and source.

Everything is from the side to move: for Black the board is flipped, colours are exchanged, and the
value is negated.  The words are little-endian, so a file of them is an array of :data:`LAYOUT`.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import int64, types, uint64
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.kernels import ROWS, WORDS
from playproof.games.chess.kernels import observe
from playproof.games.chess.rows import CLOCK, LEDGER, PLY, clock_of
from playproof.rules.bits import folded_multiply, lowest, without_lowest
from playproof.rules.chess.board import NOTHING, RANK_6, load, occupied_of

LAYOUT = np.dtype(
    [
        ("occupied", "<u8"),  # occupied squares: a1 is bit 0, from the mover's side
        ("pieces", "u1", 16),  # the pieces on them in order, 4 bits each, low bits first:
        # pawn, knight, bishop, rook, queen, king of the mover 0 to 5, of the other side 6 to 11
        ("action", "<u2"),  # the move that was played, 0 to 4671
        ("ply", "<u2"),  # plies before it
        ("game", "<u4"),  # number of the game in its file, from 0
        ("clock", "u1"),  # plies since a pawn moved or a piece was captured, at most 255
        ("rights", "u1"),  # bits: castling own short, own long, other's short, long; 4 whether
        # en passant is legal, 5 to 7 its file
        ("times", "u1"),  # how often the position has occurred, this time included, at most 3
        ("flags", "u1"),  # bits: 0 Black is to move, 1 the board occurs in another fold
        ("value", "i1"),  # result of the game for the mover: 1 won, 0 drawn, -1 lost
        ("fold", "u1"),
        ("source", "<u2"),  # number of the file
    ]
)
WORDS_EACH = 5
GAME_PLY = 16  # a shift within word 3
TIMES, FLAGS, VALUE, FOLD, SOURCE = 16, 24, 32, 40, 48  # shifts within the last word
IS_BLACK, IS_SHARED = 1, 2
_CORNERS = (7, 0, 63, 56)


@register_jitable
def pack(row, action, times, value, game, source, out):
    """Pack a position with its move, value and source into five words."""
    p = load(row)
    occupied = occupied_of(p)
    pieces, place = NOTHING, uint64(0)
    out[0], out[1], out[2] = occupied, NOTHING, NOTHING
    left = occupied
    while left != NOTHING:
        at, one = uint64(lowest(left)), uint64(1)
        left = without_lowest(left)
        d, s = p.diagonal >> at & one, p.straight >> at & one
        kind = (p.knights >> at & one) + uint64(2) * d + uint64(3) * s - (d & s)
        kind += uint64(5) * (p.kings >> at & one) + uint64(6) * (one - (p.own >> at & one))
        pieces |= kind << (uint64(4) * (place & uint64(15)))
        place += one
        if place == uint64(16):
            out[1], pieces = pieces, NOTHING
    out[1 if place < uint64(16) else 2] = pieces
    rights = NOTHING
    for i in range(4):
        rights |= (p.rights >> uint64(_CORNERS[i]) & uint64(1)) << uint64(i)
    passant = p.rights & RANK_6
    if passant != NOTHING:
        rights |= uint64(16) | uint64(lowest(passant) & 7) << uint64(5)
    ledger = row[LEDGER]
    ply = min(int64(ledger >> uint64(PLY)), 65535)
    out[3] = uint64(action) | uint64(ply) << uint64(GAME_PLY) | uint64(game) << uint64(32)
    last = uint64(min(clock_of(ledger), 255)) | rights << uint64(8) | uint64(times) << uint64(TIMES)
    last |= (ledger & uint64(1)) << uint64(FLAGS) | uint64(value & 255) << uint64(VALUE)
    out[4] = last | uint64(source) << uint64(SOURCE)


@register_jitable
def unpack(words, row):
    """Unpack a position into ``row``."""
    for i in range(8):
        row[i] = NOTHING
    left, place = words[0], uint64(0)
    while left != NOTHING:
        at = left & (~left + uint64(1))
        left ^= at
        pieces = words[1] if place < uint64(16) else words[2]
        kind = int64(pieces >> (uint64(4) * (place & uint64(15))) & uint64(15))
        place += uint64(1)
        if kind < 6:
            row[5] |= at
        else:
            kind -= 6
        if kind == 0:
            row[0] |= at
        elif kind == 1:
            row[1] |= at
        elif kind == 5:
            row[4] |= at
        if kind == 2 or kind == 4:
            row[2] |= at
        if kind == 3 or kind == 4:
            row[3] |= at
    rights = words[4] >> uint64(8)
    for i in range(4):
        row[6] |= (rights >> uint64(i) & uint64(1)) << uint64(_CORNERS[i])
    if rights & uint64(16) != NOTHING:
        row[6] |= uint64(1) << (uint64(40) + (rights >> uint64(5) & uint64(7)))
    row[LEDGER] = (
        words[4] >> uint64(FLAGS) & uint64(1)
        | (words[4] & uint64(255)) << uint64(CLOCK)
        | (words[3] >> uint64(GAME_PLY) & uint64(65535)) << uint64(PLY)
    )


@kernel(types.void(ROWS, types.Array(int64, 2, "C"), ROWS), counted=False)
def pack_rows(rows, details, packed):
    """Pack (n, 8) rows into (n, 5) words; ``details`` are action, times, value, game, source."""
    for i in range(rows.shape[0]):
        action, times, value, game, source = details[i]
        pack(rows[i], action, times, value, game, source, packed[i])


@kernel(types.void(ROWS, ROWS), counted=False)
def unpack_rows(packed, rows):
    """Unpack (n, 5) packed positions into (n, 8) rows."""
    for i in range(packed.shape[0]):
        unpack(packed[i], rows[i])


@kernel(types.void(WORDS, WORDS, ROWS, int64, types.Array(types.float32, 2, "C")))
def observe_packed(options, tables, packed, kind, out):
    """Write the observations of (n, 5) packed positions, one to each row of ``out``."""
    row, past = np.empty(8, np.uint64), np.empty(0, np.uint64)
    for i in range(packed.shape[0]):
        unpack(packed[i], row)
        observe(options, tables, row, past, kind, out[i])
        if kind == 1:  # planes 18 and 19 of ``full`` count occurrences; the past is not stored
            times = packed[i, 4] >> uint64(TIMES) & uint64(255)
            for square in range(64):
                out[i, 18 * 64 + square] = 1.0 if times > uint64(1) else 0.0
                out[i, 19 * 64 + square] = 1.0 if times > uint64(2) else 0.0


@kernel(types.void(ROWS, WORDS), counted=False)
def board_keys(packed, keys):
    """Write a key for each board, equal for boards with the same ``paper-13`` observation."""
    salt = (uint64(0x9E3779B97F4A7C15), uint64(0xD1B54A32D192ED03), uint64(0x8CB92BA72F3D8DD7))
    for i in range(packed.shape[0]):
        h = folded_multiply(packed[i, 0] ^ salt[0], packed[i, 1] ^ salt[1])
        keys[i] = folded_multiply(h ^ salt[2], packed[i, 2] ^ salt[0])
