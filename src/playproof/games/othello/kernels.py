"""The kernels of Othello.

A row is (black, white, placements, flags).  ``placements`` are the legal squares of
the side to move.  They follow from the position, but storing them makes it cheap to
list and count moves and to detect the end.  In the flags, bit 0 is the side to move
(1 for White), and bit 1 says that the game is over.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import GOLDEN, lowest, mix, popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
    COUNT_SIGNATURE,
    HASH_SIGNATURE,
    OBSERVE_SIGNATURE,
    ONGOING,
    OUTCOME_SIGNATURE,
    PLAYER_SIGNATURE,
    SCORE_SIGNATURE,
    TRANSFORM_ACTION_SIGNATURE,
    TRANSFORM_SIGNATURE,
    Kernels,
)
from playproof.games.square_symmetries import image
from playproof.rules import othello as rules

BLACK, WHITE, PLACEMENTS, FLAGS = 0, 1, 2, 3
WORDS = 4
SIDE, OVER = 1, 2  # flags

SIZE, BOARD, EMPTIES_TO_WINNER = 0, 1, 2  # options

# Eight squares as eight floats, for each value of a byte: copying these is several times faster
# than extracting bits.
_ROW_PLANES = np.array([[n >> i & 1 for i in range(8)] for n in range(256)], np.float32)


@register_jitable
def fill_derived(options, state):
    """Fill in the placements and the flags, from the stones and the side to move."""
    side = int64(state[FLAGS] & uint64(SIDE))
    own, opponent = state[side], state[1 - side]
    placements = uint64(rules.moves(own, opponent, options[BOARD]))
    state[PLACEMENTS] = placements
    state[FLAGS] = uint64(side)
    if placements == 0 and uint64(rules.moves(opponent, own, options[BOARD])) == 0:
        state[FLAGS] = uint64(side | OVER)


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):
    if state[FLAGS] & uint64(OVER):
        return 0
    size = int64(options[SIZE])
    left = state[PLACEMENTS]
    if left == 0:
        out[0] = size * size
        return 1
    n = 0
    while left != 0:
        square = lowest(left)
        out[n] = (square >> 3) * size + (square & 7)
        n += 1
        left &= left - uint64(1)
    return n


@kernel(COUNT_SIGNATURE)
def count(options, tables, state, history):
    if state[FLAGS] & uint64(OVER):
        return 0
    return max(popcount(state[PLACEMENTS]), 1)


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):
    size = int64(options[SIZE])
    side = int64(state[FLAGS] & uint64(SIDE))
    if action < size * size:
        square = action if size == 8 else (action // size) * 8 + action % size
        move = uint64(1) << uint64(square)
        own, opponent = state[side], state[1 - side]
        turned = uint64(rules.flips(own, opponent, move))
        state[side] = own | turned | move
        state[1 - side] = opponent & ~turned
    state[FLAGS] = uint64(1 - side)
    fill_derived(options, state)


@kernel(PLAYER_SIGNATURE)
def player(options, state):
    return int64(state[FLAGS] & uint64(SIDE))


@register_jitable
def _difference(options, state):
    """Black's discs minus White's; at the end with the empty squares, if the option says so."""
    lead = popcount(state[BLACK]) - popcount(state[WHITE])
    if options[EMPTIES_TO_WINNER] != 0 and state[FLAGS] & uint64(OVER):
        empties = popcount(options[BOARD] & ~(state[BLACK] | state[WHITE]))
        if lead > 0:
            lead += empties
        elif lead < 0:
            lead -= empties
    return lead


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):
    if state[FLAGS] & uint64(OVER) == 0:
        return ONGOING
    lead = _difference(options, state)
    return int64(lead > 0) - int64(lead < 0)


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):
    return float(_difference(options, state))


@register_jitable
def _write_plane(out, at, stones, size):
    # Unsigned indices need no check for negative ones, which would prevent the compiler from
    # copying a row at once.
    for row in range(size):
        line = (stones >> uint64(8 * row)) & uint64(0xFF)
        start = uint64(at + row * size)
        for column in range(size):
            out[start + uint64(column)] = _ROW_PLANES[line, uint64(column)]


@register_jitable
def _frontier(stones, empty):
    """How many of ``stones`` have an empty neighbour, and so may give the opponent a move."""
    around = (
        rules.east(empty)
        | rules.west(empty)
        | rules.south(empty)
        | rules.north(empty)
        | rules.southeast(empty)
        | rules.northwest(empty)
        | rules.southwest(empty)
        | rules.northeast(empty)
    )
    return popcount(uint64(around) & stones)


@kernel(SCORE_SIGNATURE)
def evaluate(options, tables, state, history):
    """A heuristic from Black's side, roughly in discs: mobility, corners, frontier and parity,
    which matter more than discs before the end."""
    size = int64(options[SIZE])
    black, white, squares = state[BLACK], state[WHITE], options[BOARD]
    side = int64(state[FLAGS] & uint64(SIDE))
    other = uint64(rules.moves(state[1 - side], state[side], squares))
    lead = popcount(state[PLACEMENTS]) - popcount(other)
    mobility = lead if side == 0 else -lead
    row = uint64(1) | uint64(1) << uint64(size - 1)
    corner = row | row << uint64(8 * (size - 1))
    corners = popcount(black & corner) - popcount(white & corner)
    empty = squares & ~(black | white)
    frontier = _frontier(black, empty) - _frontier(white, empty)
    # The side that moves with an odd number of empty squares left plays last.
    parity = 1.0 if (popcount(empty) + side) & 1 else -1.0
    return 1.0 * mobility + 6.0 * corners - 0.4 * frontier + 0.5 * parity


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):
    """``planes``: the mover's discs, the opponent's, and the legal placements."""
    size = int64(options[SIZE])
    side = int64(state[FLAGS] & uint64(SIDE))
    squares = size * size
    if size == 8:  # with a constant size the compiler can copy whole rows
        _write_plane(out, 0, state[side], 8)
        _write_plane(out, 64, state[1 - side], 8)
        _write_plane(out, 128, state[PLACEMENTS], 8)
    else:
        _write_plane(out, 0, state[side], size)
        _write_plane(out, squares, state[1 - side], size)
        _write_plane(out, 2 * squares, state[PLACEMENTS], size)


@kernel(HASH_SIGNATURE)
def hash_(options, state):
    side = (state[FLAGS] & uint64(SIDE)) * uint64(GOLDEN)
    return mix(state[BLACK] ^ mix(state[WHITE])) ^ side


@register_jitable
def transpose(x):
    """An 8 x 8 board mirrored at the diagonal a1-h8, by three swaps."""
    t = (x ^ (x >> uint64(7))) & uint64(0x00AA00AA00AA00AA)
    x = x ^ t ^ (t << uint64(7))
    t = (x ^ (x >> uint64(14))) & uint64(0x0000CCCC0000CCCC)
    x = x ^ t ^ (t << uint64(14))
    t = (x ^ (x >> uint64(28))) & uint64(0x00000000F0F0F0F0)
    return x ^ t ^ (t << uint64(28))


@register_jitable
def mirror_rows(x):
    a, b = uint64(0x00FF00FF00FF00FF), uint64(0x0000FFFF0000FFFF)
    x = (x >> uint64(8)) & a | (x & a) << uint64(8)
    x = (x >> uint64(16)) & b | (x & b) << uint64(16)
    return x >> uint64(32) | x << uint64(32)


@register_jitable
def mirror_columns(x):
    a, b, c = uint64(0x5555555555555555), uint64(0x3333333333333333), uint64(0x0F0F0F0F0F0F0F0F)
    x = (x >> uint64(1)) & a | (x & a) << uint64(1)
    x = (x >> uint64(2)) & b | (x & b) << uint64(2)
    return (x >> uint64(4)) & c | (x & c) << uint64(4)


@register_jitable
def _image(size, x, symmetry):
    # A mirrored board smaller than 8 x 8 is shifted back to a1.
    gap = uint64(8 - size)
    if symmetry & 4:
        x = transpose(x)
    if symmetry & 2:
        x = mirror_rows(x) >> (gap * uint64(8))
    if symmetry & 1:
        x = mirror_columns(x) >> gap
    return x


@kernel(TRANSFORM_SIGNATURE)
def transform(options, state, symmetry, out):
    """Symmetries 0 to 7 are those of the square; 8 to 15 also swap the colours and the side."""
    size = int64(options[SIZE])
    swap = symmetry >> 3
    out[BLACK + swap] = _image(size, state[BLACK], symmetry)
    out[WHITE - swap] = _image(size, state[WHITE], symmetry)
    out[PLACEMENTS] = _image(size, state[PLACEMENTS], symmetry)
    out[FLAGS] = state[FLAGS] ^ uint64(swap)


@kernel(TRANSFORM_ACTION_SIGNATURE)
def transform_action(options, action, symmetry):
    size = int64(options[SIZE])
    if action == size * size:
        return action
    return image(size, action // size, action % size, symmetry)


KERNELS = Kernels(
    actions=actions,
    apply=apply,
    player=player,
    outcome=outcome,
    score=score,
    observe=observe,
    hash=hash_,
    count=count,
    transform=transform,
    transform_action=transform_action,
    evaluate=evaluate,
)
