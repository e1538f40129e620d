"""The compiled loops of Batch, the same for all games and shared among the cores."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import boolean, float32, int64, prange, types, uint8, uint64, void
from numba.extending import register_jitable

from playproof.core.bits import below, mix
from playproof.core.compiling import kernel
from playproof.core.kernels import (
    CHANCE,
    COUNTS,
    LIST,
    PROBABILITIES,
    ROWS,
    TABLE,
    WORDS,
    actions_of,
    apply_of,
    chance_of,
    count_of,
    hash_of,
    observe_of,
    outcome_of,
    player_of,
    score_of,
    transform_of,
)
from playproof.core.playouts import draw

_MASKS = types.Array(uint8, 2, "C")
_PLANES = types.Array(float32, 2, "C")
_BLOCK = 64  # rows of a task, so that scratch space is seldom allocated


@register_jitable
def _load(rows, i, state):
    """Copy row ``i`` into ``state``; cheaper than a view, whose references are counted."""
    for w in range(state.shape[0]):
        state[w] = rows[i, w]


@register_jitable
def _blocks(rows):
    """The number of tasks."""
    return (rows.shape[0] + _BLOCK - 1) // _BLOCK


@register_jitable
def _block(rows, block):
    """The numbers of the rows of a task."""
    return range(block * _BLOCK, min(rows.shape[0], (block + 1) * _BLOCK))


@register_jitable
def _history(histories, lengths, i, empty):
    """The history of row ``i``; ``empty`` for games that use none."""
    return histories[i, : lengths[i]] if histories.shape[1] > 0 else empty


@register_jitable
def _flag(masks, i, number):
    """The index of set flag ``number`` of row ``i``, counted from 0."""
    a = 0
    while number > 0 or masks[i, a] == uint8(0):
        number -= int64(masks[i, a])
        a += 1
    return a


@kernel(void(TABLE, WORDS, ROWS, COUNTS), parallel=True)
def players(kernels, options, rows, out):
    player = player_of(kernels)
    for block in prange(_blocks(rows)):
        state = np.empty(rows.shape[1], np.uint64)
        for i in _block(rows, block):
            _load(rows, i, state)
            out[i] = player(options, state)


@kernel(void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, COUNTS), parallel=True)
def outcomes(kernels, options, tables, rows, histories, lengths, out):
    outcome = outcome_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        for i in _block(rows, block):
            _load(rows, i, state)
            out[i] = outcome(options, tables, state, _history(histories, lengths, i, empty))


@kernel(void(TABLE, WORDS, ROWS, WORDS), parallel=True)
def transformations(kernels, options, rows, symmetries):
    """Replace every row by its image."""
    transform = transform_of(kernels)
    for block in prange(_blocks(rows)):
        state, image = np.empty(rows.shape[1], np.uint64), np.empty(rows.shape[1], np.uint64)
        for i in _block(rows, block):
            _load(rows, i, state)
            transform(options, state, int64(symmetries[i]), image)
            for w in range(image.shape[0]):
                rows[i, w] = image[w]


@kernel(void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, PROBABILITIES), parallel=True)
def scores(kernels, options, tables, rows, histories, lengths, out):
    score = score_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        for i in _block(rows, block):
            _load(rows, i, state)
            out[i] = score(options, tables, state, _history(histories, lengths, i, empty))


@kernel(void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, COUNTS), parallel=True)
def counts(kernels, options, tables, rows, histories, lengths, max_actions, out):
    count, actions = count_of(kernels), actions_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        legal = np.empty(max_actions, np.int32)
        for i in _block(rows, block):
            _load(rows, i, state)
            history = _history(histories, lengths, i, empty)
            n = count(options, tables, state, history)
            if n < 0:  # the game counts by listing
                n = actions(options, tables, state, history, legal)
            out[i] = n


@kernel(void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, COUNTS, LIST), parallel=True)
def lists(kernels, options, tables, rows, histories, lengths, max_actions, offsets, out):
    actions = actions_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        legal = np.empty(max_actions, np.int32)
        for i in _block(rows, block):
            _load(rows, i, state)
            n = actions(options, tables, state, _history(histories, lengths, i, empty), legal)
            for j in range(n):
                out[offsets[i] + j] = legal[j]


@kernel(void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, _MASKS), parallel=True)
def masks(kernels, options, tables, rows, histories, lengths, max_actions, out):
    actions = actions_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        legal = np.empty(max_actions, np.int32)
        for i in _block(rows, block):
            _load(rows, i, state)
            n = actions(options, tables, state, _history(histories, lengths, i, empty), legal)
            for a in range(out.shape[1]):
                out[i, a] = uint8(0)
            for j in range(n):
                out[i, legal[j]] = uint8(1)


@kernel(void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, _PLANES), parallel=True)
def observations(kernels, options, tables, rows, histories, lengths, kind, out):
    observe = observe_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        for i in _block(rows, block):
            _load(rows, i, state)
            observe(options, tables, state, _history(histories, lengths, i, empty), kind, out[i])


@kernel(void(WORDS, COUNTS, uint64, WORDS), parallel=True)
def words(seeds, plies, salt, out):
    for i in prange(seeds.shape[0]):
        out[i] = mix(mix(seeds[i] ^ mix(salt)) + uint64(plies[i]))


@kernel(
    void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, WORDS, COUNTS),
    parallel=True,
)
def random_actions(kernels, options, tables, rows, histories, lengths, max_actions, words, out):
    actions, player, chance = actions_of(kernels), player_of(kernels), chance_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        legal = np.empty(max_actions, np.int32)
        odds = np.empty(max_actions, np.float64)
        for i in _block(rows, block):
            _load(rows, i, state)
            history = _history(histories, lengths, i, empty)
            n = actions(options, tables, state, history, legal)
            if n == 0:
                out[i] = -1
            elif player(options, state) == CHANCE:
                n = chance(options, tables, state, history, legal, odds)
                out[i] = draw(legal, odds, n, words[i])
            else:
                out[i] = int64(legal[below(words[i], n)])


@kernel(void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, WORDS, _MASKS, COUNTS), parallel=True)
def random_flags(
    kernels, options, tables, rows, histories, lengths, max_actions, words, masks, out
):
    """Like ``random_actions``, from the flags of legal actions; in ascending order."""
    player, chance = player_of(kernels), chance_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        legal = np.empty(max_actions, np.int32)
        odds = np.empty(max_actions, np.float64)
        for i in _block(rows, block):
            n = 0
            for a in range(masks.shape[1]):
                n += int64(masks[i, a])
            if n == 0:
                out[i] = -1
                continue
            _load(rows, i, state)
            if player(options, state) == CHANCE:
                n = chance(
                    options, tables, state, _history(histories, lengths, i, empty), legal, odds
                )
                out[i] = draw(legal, odds, n, words[i])
            else:
                out[i] = _flag(masks, i, below(words[i], n))


@kernel(int64(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, COUNTS), parallel=True)
def first_illegal(kernels, options, tables, rows, histories, lengths, max_actions, chosen):
    """The first row whose chosen action is not legal, or -1."""
    actions = actions_of(kernels)
    firsts = np.full(_blocks(rows), -1, np.int64)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        legal = np.empty(max_actions, np.int32)
        for i in _block(rows, block):
            if chosen[i] == -1:
                continue
            _load(rows, i, state)
            n = actions(options, tables, state, _history(histories, lengths, i, empty), legal)
            is_legal = False
            for j in range(n):
                is_legal |= int64(legal[j]) == chosen[i]
            if not is_legal and firsts[block] < 0:
                firsts[block] = i
    for block in range(len(firsts)):
        if firsts[block] >= 0:
            return firsts[block]
    return -1


@kernel(void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, boolean, COUNTS, COUNTS), parallel=True)
def applications(kernels, options, tables, rows, histories, lengths, uses_history, chosen, plies):
    apply, hash_ = apply_of(kernels), hash_of(kernels)
    for block in prange(_blocks(rows)):
        state, empty = np.empty(rows.shape[1], np.uint64), np.empty(0, np.uint64)
        for i in _block(rows, block):
            if chosen[i] < 0:
                continue
            _load(rows, i, state)
            here = hash_(options, state) if uses_history else uint64(0)
            apply(options, tables, state, _history(histories, lengths, i, empty), chosen[i])
            for w in range(state.shape[0]):
                rows[i, w] = state[w]
            if uses_history:
                histories[i, lengths[i]] = here
                lengths[i] += 1
            plies[i] += 1
