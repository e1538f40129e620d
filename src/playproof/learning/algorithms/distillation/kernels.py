"""Compiled loops of distillation: drawing and sorting positions, and the targets of a network."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import float32, int64, prange, types, uint8, uint64, void
from numba.extending import register_jitable

from playproof.core.bits import advance, below, mix, popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, FLOATS, LIST, ROWS, WORDS
from playproof.games.choko import kernels as engine
from playproof.rules.choko import PIECES
from playproof.tables.choko.value_codes import DRAW, distance, outcome

SQUARES = 25
# What a position is used for.
UNUSED, TRAINING, HELD_OUT = 0, 1, 2
_FEW = 4  # positions with fewer pieces on the board are too few to hold some out

_SLICES = types.Array(int64, 2, "C")
_FLAGS = types.Array(uint8, 1, "C")
_AVAILABLE = types.Array(uint8, 3, "C")


@register_jitable
def _draw_squares(squares, count, first, word):
    """Move ``count`` random squares of a list to the places from ``first`` on.

    Returns their set and the next random word (Fisher and Yates)."""
    out = uint64(0)
    for place in range(first, first + count):
        word = advance(word)
        other = place + below(mix(word), SQUARES - place)
        squares[place], squares[other] = squares[other], squares[place]
        out |= uint64(1) << uint64(squares[place])
    return out, word


@kernel(void(WORDS, _SLICES, COUNTS, _FLAGS, WORDS, ROWS), parallel=True)
def draw_positions(options, slices, chosen, forced, words, rows):
    """Write a random position of each chosen slice (hands, mover's pieces, other's pieces).

    Where ``forced`` is set, the mover of the slice has placed one more piece, and the other side
    must reply.  The number of actions played is the smallest that fits."""
    for i in prange(rows.shape[0]):
        squares = np.arange(SQUARES)
        hands, own, other = slices[chosen[i], 0], slices[chosen[i], 1], slices[chosen[i], 2]
        word = advance(words[i])
        side = int64(mix(word) & uint64(1))
        must = int64(forced[i] != 0 and hands > 0)
        first, word = _draw_squares(squares, own + must, 0, word)
        second, word = _draw_squares(squares, other, own + must, word)
        # The player of ``own`` is to move, unless that player has just placed.
        player = 1 - side if must else side
        rows[i, player], rows[i, 1 - player] = first, second
        own_hand, other_hand = hands - must, hands
        blue = own_hand if player == 0 else other_hand
        red = other_hand if player == 0 else own_hand
        ply = 2 * PIECES - blue - red
        ply += (ply + side) & 1
        initiative = player + 1 if must else 0
        rows[i, engine.LEDGER] = engine.write_ledger(side, must, initiative, blue, red, 0, ply)
        ended = engine.ending(options, rows[i], side, ply)
        rows[i, engine.LEDGER] |= uint64(ended) << uint64(12)


@register_jitable
def _key(options, state, image):
    """A number that is the same for all images of a position, and with the sides exchanged."""
    ledger = state[engine.LEDGER]
    side = engine.field(ledger, engine.SIDE)
    best = uint64(0xFFFFFFFFFFFFFFFF)
    for symmetry in range(8):
        engine.transform(options, state, symmetry, image)
        best = min(best, image[side] | image[1 - side] << uint64(SQUARES))
    hands = uint64(engine.hand(ledger, side) << 1 | engine.field(ledger, engine.FORCED))
    return mix(best | hands << uint64(2 * SQUARES))


@kernel(void(WORDS, ROWS, WORDS), parallel=True)
def position_keys(options, rows, out):
    for i in prange(rows.shape[0]):
        state, image = rows[i].copy(), np.empty(3, np.uint64)
        out[i] = _key(options, state, image)


@register_jitable
def _is_available(available, state):
    """Whether the tables have the position, or, of a forced one, the positions after the reply."""
    ledger = state[engine.LEDGER]
    side = engine.field(ledger, engine.SIDE)
    own, other = popcount(state[side]), popcount(state[1 - side])
    hands = engine.hand(ledger, 1 - side)
    if engine.field(ledger, engine.FORCED):
        return available[hands, other, own + 1] != 0
    return available[hands, own, other] != 0


@kernel(void(WORDS, ROWS, _AVAILABLE, WORDS, int64, _FLAGS), parallel=True)
def sort_positions(options, rows, available, reserved, one_in, uses):
    """Write what each position is used for.

    Unused are finished games and positions that the tables do not have.  Held out is one in
    ``one_in`` by its key, and those whose keys are ``reserved`` (sorted) are never used, so that
    they can measure what was learned."""
    for i in prange(rows.shape[0]):
        state, image = rows[i].copy(), np.empty(3, np.uint64)
        uses[i] = UNUSED
        ongoing = engine.field(state[engine.LEDGER], engine.ENDED) == engine.ENDED_ONGOING
        if not ongoing or not _is_available(available, state):
            continue
        key = _key(options, state, image)
        place = np.searchsorted(reserved, key)
        if place < len(reserved) and reserved[place] == key:
            continue
        many = popcount(state[0] | state[1]) >= _FEW
        uses[i] = HELD_OUT if many and key % uint64(one_in) == uint64(0) else TRAINING


@kernel(void(COUNTS, _FLAGS, float32, float32, FLOATS, FLOATS), parallel=True)
def targets(offsets, codes, temperature, discount, policy, values):
    """Write the target probability of each action, and the target value of each position.

    Only actions that keep the result have probability.  In a won position the weight of an action
    that takes n actions longer than the quickest is exp(-n / temperature); in a lost one the
    slowest loss comes first.  With temperature 0 only the best ones count.  The value is the
    result times ``discount`` to the power of the number of actions to the end."""
    for i in prange(len(offsets) - 1):
        first, end = offsets[i], offsets[i + 1]
        best = 0
        for j in range(first, end):
            best = max(best, int64(codes[j]))
        total = 0.0
        for j in range(first, end):
            code, weight = int64(codes[j]), 0.0
            if outcome(code) == outcome(best):
                apart = abs(distance(code) - distance(best))
                if apart == 0:
                    weight = 1.0
                elif temperature > 0.0:
                    weight = np.exp(-apart / temperature)
            policy[j] = float32(weight)
            total += weight
        for j in range(first, end):
            policy[j] = float32(policy[j] / total)
        values[i] = float32(outcome(best) * discount ** distance(best))


@kernel(void(COUNTS, LIST, int64, int64, int64, LIST), parallel=True)
def flat_indices(offsets, actions, first, end, width, out):
    """Write for each action of the rows ``first`` to ``end`` its place in a matrix of logits."""
    start = offsets[first]
    for i in prange(first, end):
        for j in range(offsets[i], offsets[i + 1]):
            out[j - start] = (i - first) * width + actions[j]


@kernel(void(COUNTS, _FLAGS, _FLAGS, _FLAGS), parallel=True)
def judge(offsets, codes, keeps, critical):
    """Write whether each action keeps the result, and whether an action of a position loses it."""
    for i in prange(len(offsets) - 1):
        best, count = 0, 0
        for j in range(offsets[i], offsets[i + 1]):
            best = max(best, int64(codes[j]))
        for j in range(offsets[i], offsets[i + 1]):
            kept = int64(outcome(int64(codes[j])) == outcome(best))
            keeps[j] = uint8(kept)
            count += kept
        critical[i] = uint8(best >= DRAW and count < offsets[i + 1] - offsets[i])
