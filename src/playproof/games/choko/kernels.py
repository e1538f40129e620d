"""The kernels of Choko.

A row is (blue, red, ledger).  The ledger holds, from bit 0: the side to move
(1 for Red), the forced bit, the holder of the drop initiative (0 nobody, 1 Blue,
2 Red), both hands, how the game ended, and the number of actions played.
The side, the forced bit and the hands belong to the position.  The initiative does
not: for the mover it makes no difference whether nobody or the mover holds it, and
if the opponent does, the forced bit is set.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import lowest, mix, popcount
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
from playproof.rules import choko as rules

BLUE, RED, LEDGER = 0, 1, 2
WORDS = 3

# Fields of the ledger, as (shift, width) in bits.
SIDE, FORCED, INITIATIVE = (0, 1), (1, 1), (2, 2)
HANDS = ((4, 4), (8, 4))
ENDED, PLY = (12, 2), (16, 32)
ENDED_ONGOING, ENDED_BLUE, ENDED_RED, ENDED_DRAW = 0, 1, 2, 3

POSITION_BITS = 0b1111_1111_0011  # hands, forced, side

LONE, CAP = 0, 1  # options: the word ``lone`` of the rules, and the cap (0 for none)

FIRST_STEP, FIRST_JUMP, NUM_ACTIONS = 25, 125, 2625


@register_jitable
def field(ledger, place):
    """The value of a field of the ledger; ``place`` is its (shift, width)."""
    return int64(ledger >> uint64(place[0])) & ((1 << place[1]) - 1)


@register_jitable
def hand(ledger, side):
    return int64(ledger >> uint64(4 + 4 * side)) & 15


@register_jitable
def write_ledger(side, forced, initiative, blue_hand, red_hand, ended, ply):
    return uint64(
        side
        | forced << 1
        | initiative << 2
        | blue_hand << 4
        | red_hand << 8
        | ended << 12
        | ply << 16
    )


@register_jitable
def _condition_mask(condition):
    """A condition as a board, which is how the rules take it: full if it holds, else empty."""
    return uint64(rules.BOARD) if condition else uint64(0)


@register_jitable
def _can_move(own, enemy, lone):
    """Whether the mover has a step or a jump."""
    free = uint64(rules.BOARD)
    moving = (
        rules.steps(rules.down, own, enemy, free)
        | rules.steps(rules.left, own, enemy, free)
        | rules.steps(rules.up, own, enemy, free)
        | rules.steps(rules.right, own, enemy, free)
        | rules.jumps(rules.down, own, enemy, free, lone)
        | rules.jumps(rules.left, own, enemy, free, lone)
        | rules.jumps(rules.up, own, enemy, free, lone)
        | rules.jumps(rules.right, own, enemy, free, lone)
    )
    return uint64(moving) != 0


@register_jitable
def ending(options, state, side, ply):
    """The ENDED field of a position in which ``side`` is to move."""
    ledger = state[LEDGER]
    own, enemy = state[side], state[1 - side]
    if own == 0 and hand(ledger, side) == 0:  # all twelve captured
        return ENDED_RED if side == 0 else ENDED_BLUE
    if options[CAP] != 0 and ply >= int64(options[CAP]):
        return ENDED_DRAW
    # There are 24 pieces and 25 squares, so a piece in hand can always be placed.
    if hand(ledger, side) == 0 and not _can_move(own, enemy, options[LONE]):
        return ENDED_DRAW
    return ENDED_ONGOING


@register_jitable
def _list_steps(backward, direction, own, enemy, free, out, n):
    movers = uint64(rules.steps(backward, own, enemy, free))
    while movers != 0:
        out[n] = FIRST_STEP + 4 * lowest(movers) + direction
        n += 1
        movers &= movers - uint64(1)
    return n


@register_jitable
def _list_jumps(backward, direction, offset, own, enemy, free, lone, out, n):
    movers = uint64(rules.jumps(backward, own, enemy, free, lone))
    while movers != 0:
        square = lowest(movers)
        base = FIRST_JUMP + 25 * (4 * square + direction)
        jumped = uint64(1) << uint64(square + offset)
        removable = uint64(rules.removals(enemy, jumped, lone))
        while removable != 0:
            out[n] = base + lowest(removable)
            n += 1
            removable &= removable - uint64(1)
        movers &= movers - uint64(1)
    return n


@register_jitable
def _list_all_jumps(own, enemy, lone, out, n):
    free = uint64(rules.BOARD)
    n = _list_jumps(rules.down, 0, 5, own, enemy, free, lone, out, n)
    n = _list_jumps(rules.left, 1, 1, own, enemy, free, lone, out, n)
    n = _list_jumps(rules.up, 2, -5, own, enemy, free, lone, out, n)
    return _list_jumps(rules.right, 3, -1, own, enemy, free, lone, out, n)


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):
    ledger, lone = state[LEDGER], options[LONE]
    if field(ledger, ENDED) != ENDED_ONGOING:
        return 0
    side = field(ledger, SIDE)
    own, enemy = state[side], state[1 - side]
    empty = uint64(rules.placements(own, enemy, _condition_mask(hand(ledger, side) > 0)))
    n = 0
    while empty != 0:
        out[n] = lowest(empty)
        n += 1
        empty &= empty - uint64(1)
    if field(ledger, FORCED):
        return n
    free = uint64(rules.BOARD)
    n = _list_steps(rules.down, 0, own, enemy, free, out, n)
    n = _list_steps(rules.left, 1, own, enemy, free, out, n)
    n = _list_steps(rules.up, 2, own, enemy, free, out, n)
    n = _list_steps(rules.right, 3, own, enemy, free, out, n)
    return _list_all_jumps(own, enemy, lone, out, n)


@kernel(ACTIONS_SIGNATURE)
def noisy(options, tables, state, history, out):
    """The jumps: quiescence search must see a capture and the capture that answers it."""
    ledger, lone = state[LEDGER], options[LONE]
    if field(ledger, ENDED) != ENDED_ONGOING or field(ledger, FORCED):
        return 0
    side = field(ledger, SIDE)
    return _list_all_jumps(state[side], state[1 - side], lone, out, 0)


@register_jitable
def _count_movers(backward, own, enemy, free, lone):
    """The number of steps and of jumps in the direction opposite to ``backward``."""
    steps = popcount(uint64(rules.steps(backward, own, enemy, free)))
    jumps = popcount(uint64(rules.jumps(backward, own, enemy, free, lone)))
    return steps, jumps


@kernel(COUNT_SIGNATURE)
def count(options, tables, state, history):
    ledger, lone = state[LEDGER], options[LONE]
    if field(ledger, ENDED) != ENDED_ONGOING:
        return 0
    side = field(ledger, SIDE)
    own, enemy = state[side], state[1 - side]
    n = popcount(uint64(rules.placements(own, enemy, _condition_mask(hand(ledger, side) > 0))))
    if field(ledger, FORCED):
        return n
    free = uint64(rules.BOARD)
    up_steps, up_jumps = _count_movers(rules.down, own, enemy, free, lone)
    right_steps, right_jumps = _count_movers(rules.left, own, enemy, free, lone)
    down_steps, down_jumps = _count_movers(rules.up, own, enemy, free, lone)
    left_steps, left_jumps = _count_movers(rules.right, own, enemy, free, lone)
    jumps = up_jumps + right_jumps + down_jumps + left_jumps
    # Every jump has the same number of removals: all enemy pieces but the jumped one, or that
    # piece itself if it is the only one.
    removals = max(popcount(enemy) - 1, 1)
    return n + up_steps + right_steps + down_steps + left_steps + jumps * removals


@register_jitable
def _neighbour(square, direction):
    if direction == 0:
        return square + 5
    if direction == 1:
        return square + 1
    if direction == 2:
        return square - 5
    return square - 1


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):
    ledger = state[LEDGER]
    side = field(ledger, SIDE)
    blue_hand, red_hand = hand(ledger, 0), hand(ledger, 1)
    ply = field(ledger, PLY) + 1
    forced, initiative = 0, 0
    if action < FIRST_STEP:
        state[side] |= uint64(1) << uint64(action)
        if side == 0:
            blue_hand -= 1
        else:
            red_hand -= 1
        if field(ledger, FORCED):
            initiative = field(ledger, INITIATIVE)  # its holder is free again
        else:
            forced, initiative = 1, side + 1
    elif action < FIRST_JUMP:
        square, direction = (action - FIRST_STEP) >> 2, (action - FIRST_STEP) & 3
        goal = _neighbour(square, direction)
        state[side] ^= uint64(1) << uint64(square) | uint64(1) << uint64(goal)
    else:
        start, removed = (action - FIRST_JUMP) // 25, (action - FIRST_JUMP) % 25
        square, direction = start >> 2, start & 3
        jumped = _neighbour(square, direction)
        goal = _neighbour(jumped, direction)
        state[side] ^= uint64(1) << uint64(square) | uint64(1) << uint64(goal)
        state[1 - side] &= ~(uint64(1) << uint64(jumped) | uint64(1) << uint64(removed))
    state[LEDGER] = write_ledger(1 - side, forced, initiative, blue_hand, red_hand, 0, ply)
    state[LEDGER] |= uint64(ending(options, state, 1 - side, ply) << 12)


@kernel(PLAYER_SIGNATURE)
def player(options, state):
    return field(state[LEDGER], SIDE)


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):
    ended = field(state[LEDGER], ENDED)
    if ended == ENDED_ONGOING:
        return ONGOING
    return int64(ended == ENDED_BLUE) - int64(ended == ENDED_RED)


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):
    """Pieces captured by Blue minus pieces captured by Red."""
    ledger = state[LEDGER]
    blue = hand(ledger, 0) + popcount(state[BLUE])
    red = hand(ledger, 1) + popcount(state[RED])
    return float(blue - red)


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):
    """``paper-25``: each square is 0 (empty), 1 (the mover's) or 2 (the opponent's).
    ``paper-26``: the same and the initiative, 0 nobody's, 1 the mover's, 2 the opponent's.
    ``planes``: own and enemy pieces, own and enemy hand, forced, share of the cap used.
    ``position``: the same without the last, so all that decides the game if there is no cap.
    """
    ledger = state[LEDGER]
    side = field(ledger, SIDE)
    own, enemy = state[side], state[1 - side]
    if kind < 2:
        for square in range(25):
            mine = (own >> uint64(square)) & uint64(1)
            theirs = (enemy >> uint64(square)) & uint64(1)
            out[square] = np.float32(mine + uint64(2) * theirs)
        if kind == 1:
            holder = field(ledger, INITIATIVE)
            out[25] = np.float32(0 if holder == 0 else 1 if holder == side + 1 else 2)
        return
    own_hand = np.float32(hand(ledger, side) / rules.PIECES)
    enemy_hand = np.float32(hand(ledger, 1 - side) / rules.PIECES)
    forced = np.float32(field(ledger, FORCED))
    used = np.float32(field(ledger, PLY) / max(int64(options[CAP]), 1))
    if options[CAP] == 0:
        used = np.float32(0.0)
    for square in range(25):
        out[square] = np.float32((own >> uint64(square)) & uint64(1))
        out[25 + square] = np.float32((enemy >> uint64(square)) & uint64(1))
        out[50 + square] = own_hand
        out[75 + square] = enemy_hand
        out[100 + square] = forced
        if kind == 2:
            out[125 + square] = used


@kernel(HASH_SIGNATURE)
def hash_(options, state):
    ledger = state[LEDGER] & uint64(POSITION_BITS)
    return mix(state[BLUE] | state[RED] << uint64(25) | ledger << uint64(50))


@register_jitable
def _transpose(x):
    # Squares on the k-th diagonal from the main one move by 4 k bits.
    return (
        x & uint64(0x1041041)
        | (x & uint64(0x0082082)) << uint64(4)
        | (x & uint64(0x0004104)) << uint64(8)
        | (x & uint64(0x0000208)) << uint64(12)
        | (x & uint64(0x0000010)) << uint64(16)
        | (x & uint64(0x0820820)) >> uint64(4)
        | (x & uint64(0x0410400)) >> uint64(8)
        | (x & uint64(0x0208000)) >> uint64(12)
        | (x & uint64(0x0100000)) >> uint64(16)
    )


@register_jitable
def _mirror_rows(x):
    middle, row = x & uint64(0x7C00), uint64(0x1F)
    low = (x & row) << uint64(20) | (x >> uint64(5) & row) << uint64(15)
    return low | middle | (x >> uint64(15) & row) << uint64(5) | x >> uint64(20) & row


@register_jitable
def _mirror_columns(x):
    column = uint64(0x108421)
    left = (x & column) << uint64(4) | (x >> uint64(1) & column) << uint64(3)
    middle = x & column << uint64(2)
    return left | middle | (x >> uint64(3) & column) << uint64(1) | x >> uint64(4) & column


@register_jitable
def _image(x, symmetry):
    if symmetry & 4:
        x = _transpose(x)
    if symmetry & 2:
        x = _mirror_rows(x)
    if symmetry & 1:
        x = _mirror_columns(x)
    return x


@kernel(TRANSFORM_SIGNATURE)
def transform(options, state, symmetry, out):
    out[BLUE] = _image(state[BLUE], symmetry)
    out[RED] = _image(state[RED], symmetry)
    out[LEDGER] = state[LEDGER]


@register_jitable
def _image_direction(direction, symmetry):
    """The image of a direction: up, right, down, left (0 to 3)."""
    if symmetry & 4:
        direction ^= 1
    if symmetry & 2 and direction & 1 == 0:
        direction ^= 2
    if symmetry & 1 and direction & 1 == 1:
        direction ^= 2
    return direction


@kernel(TRANSFORM_ACTION_SIGNATURE)
def transform_action(options, action, symmetry):
    if action < FIRST_STEP:
        return image(5, action // 5, action % 5, symmetry)
    if action < FIRST_JUMP:
        square, direction = (action - FIRST_STEP) >> 2, (action - FIRST_STEP) & 3
        goal = image(5, square // 5, square % 5, symmetry)
        return FIRST_STEP + 4 * goal + _image_direction(direction, symmetry)
    start, removed = (action - FIRST_JUMP) // 25, (action - FIRST_JUMP) % 25
    square, direction = start >> 2, start & 3
    start = 4 * image(5, square // 5, square % 5, symmetry) + _image_direction(direction, symmetry)
    return FIRST_JUMP + 25 * start + image(5, removed // 5, removed % 5, symmetry)


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
    noisy=noisy,
)
