"""The loops of Batch, compiled once for all games and shared among the cores."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import boolean, float32, int64, prange, types, uint8, uint64, void

from playproof.core.bits import below, mix
from playproof.core.compiling import kernel
from playproof.core.kernels import (
    ACTIONS,
    APPLY,
    CHANCE,
    CHANCES,
    COUNT,
    COUNTS,
    HASH,
    LIST,
    OBSERVE,
    OUTCOME,
    PLAYER,
    PROBABILITIES,
    ROWS,
    SCORE,
    WORDS,
)
from playproof.core.playouts import draw

_MASKS = types.Array(uint8, 2, "C")
_PLANES = types.Array(float32, 2, "C")
_BLOCK = 64  # rows to a task, so that scratch space is made seldom


@kernel(void(PLAYER, WORDS, ROWS, COUNTS), parallel=True)
def players(player, options, rows, out):
    for i in prange(rows.shape[0]):
        out[i] = player(options, rows[i])


@kernel(void(OUTCOME, WORDS, WORDS, ROWS, ROWS, COUNTS, COUNTS), parallel=True)
def outcomes(outcome, options, tables, rows, pasts, known, out):
    for i in prange(rows.shape[0]):
        out[i] = outcome(options, tables, rows[i], pasts[i, : known[i]])


@kernel(void(SCORE, WORDS, WORDS, ROWS, ROWS, COUNTS, PROBABILITIES), parallel=True)
def scores(score, options, tables, rows, pasts, known, out):
    for i in prange(rows.shape[0]):
        out[i] = score(options, tables, rows[i], pasts[i, : known[i]])


@kernel(
    void(COUNT, ACTIONS, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, COUNTS), parallel=True
)
def counts(count, actions, options, tables, rows, pasts, known, max_actions, out):
    for block in prange((rows.shape[0] + _BLOCK - 1) // _BLOCK):
        scratch = np.empty(max_actions, np.int32)
        for i in range(block * _BLOCK, min(rows.shape[0], (block + 1) * _BLOCK)):
            past = pasts[i, : known[i]]
            n = count(options, tables, rows[i], past)
            if n < 0:  # the game counts by listing
                n = actions(options, tables, rows[i], past, scratch)
            out[i] = n


@kernel(
    void(ACTIONS, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, COUNTS, LIST), parallel=True
)
def lists(actions, options, tables, rows, pasts, known, max_actions, offsets, out):
    for block in prange((rows.shape[0] + _BLOCK - 1) // _BLOCK):
        scratch = np.empty(max_actions, np.int32)
        for i in range(block * _BLOCK, min(rows.shape[0], (block + 1) * _BLOCK)):
            n = actions(options, tables, rows[i], pasts[i, : known[i]], scratch)
            for j in range(n):
                out[offsets[i] + j] = scratch[j]


@kernel(void(ACTIONS, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, _MASKS), parallel=True)
def masks(actions, options, tables, rows, pasts, known, max_actions, out):
    for block in prange((rows.shape[0] + _BLOCK - 1) // _BLOCK):
        scratch = np.empty(max_actions, np.int32)
        for i in range(block * _BLOCK, min(rows.shape[0], (block + 1) * _BLOCK)):
            n = actions(options, tables, rows[i], pasts[i, : known[i]], scratch)
            out[i, :] = uint8(0)
            for j in range(n):
                out[i, scratch[j]] = uint8(1)


@kernel(void(OBSERVE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, _PLANES), parallel=True)
def observations(observe, options, tables, rows, pasts, known, kind, out):
    for i in prange(rows.shape[0]):
        observe(options, tables, rows[i], pasts[i, : known[i]], kind, out[i])


@kernel(void(WORDS, COUNTS, uint64, WORDS), parallel=True)
def words(seeds, plies, salt, out):
    for i in prange(seeds.shape[0]):
        out[i] = mix(mix(seeds[i] ^ mix(salt)) + uint64(plies[i]))


@kernel(
    void(ACTIONS, PLAYER, CHANCES, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, WORDS, COUNTS),
    parallel=True,
)
def random_actions(
    actions, player, chance, options, tables, rows, pasts, known, max_actions, words, out
):
    for block in prange((rows.shape[0] + _BLOCK - 1) // _BLOCK):
        scratch = np.empty(max_actions, np.int32)
        odds = np.empty(max_actions, np.float64)
        for i in range(block * _BLOCK, min(rows.shape[0], (block + 1) * _BLOCK)):
            past = pasts[i, : known[i]]
            n = actions(options, tables, rows[i], past, scratch)
            if n == 0:
                out[i] = -1
            elif player(options, rows[i]) == CHANCE:
                n = chance(options, tables, rows[i], past, scratch, odds)
                out[i] = draw(scratch, odds, n, words[i])
            else:
                out[i] = int64(scratch[below(words[i], n)])


@kernel(int64(ACTIONS, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, COUNTS), parallel=True)
def first_illegal(actions, options, tables, rows, pasts, known, max_actions, chosen):
    """The first row whose chosen action is not legal, or -1."""
    blocks = (rows.shape[0] + _BLOCK - 1) // _BLOCK
    firsts = np.full(blocks, -1, np.int64)
    for block in prange(blocks):
        scratch = np.empty(max_actions, np.int32)
        for i in range(block * _BLOCK, min(rows.shape[0], (block + 1) * _BLOCK)):
            if chosen[i] == -1:
                continue
            n = actions(options, tables, rows[i], pasts[i, : known[i]], scratch)
            legal = False
            for j in range(n):
                legal |= int64(scratch[j]) == chosen[i]
            if not legal and firsts[block] < 0:
                firsts[block] = i
    for block in range(blocks):
        if firsts[block] >= 0:
            return firsts[block]
    return -1


@kernel(
    void(APPLY, HASH, WORDS, WORDS, ROWS, ROWS, COUNTS, boolean, COUNTS, COUNTS), parallel=True
)
def applications(
    apply, hash_, options, tables, rows, pasts, known, uses_history, chosen, plies
):
    for i in prange(rows.shape[0]):
        if chosen[i] >= 0:
            here = hash_(options, rows[i]) if uses_history else uint64(0)
            apply(options, tables, rows[i], pasts[i, : known[i]], chosen[i])
            if uses_history:
                pasts[i, known[i]] = here
                known[i] += 1
            plies[i] += 1
