"""Perft: the number of move sequences of a given length, for checking rules.

Conventions differ, and each game declares its own.  Othello counts a game that ended early as one
leaf.  Chess does not count it at all, and plays on where a draw would have ended the game.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import boolean, int64, prange
from numba.extending import register_jitable

from playproof.core.batch import Batch
from playproof.core.compiling import kernel
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import (
    COUNTS,
    LISTS,
    ROWS,
    TABLE,
    WORDS,
    actions_of,
    apply_of,
    count_of,
    hash_of,
)
from playproof.core.registry import resolve_state
from playproof.core.state import State
from playproof.core.stopping import STOP, interruptible

_LEAST_SUBTREES = 512  # to share among the cores
_ROUND = 128  # subtrees between two calls of ``progress``


@register_jitable
def _last_ply(  # type: ignore[no-untyped-def]
    count, actions, options, tables, state, history, legal, finished
):
    """The leaves one ply below ``state``: its moves, counted without playing them."""
    n = count(options, tables, state, history)
    if n < 0:  # the game counts by listing
        n = actions(options, tables, state, history, legal)
    return 1 if n == 0 and finished else n


@kernel(
    int64(TABLE, WORDS, WORDS, ROWS, LISTS, WORDS, int64, int64, boolean, boolean, STOP),
    counted=False,
)
def _subtree(  # type: ignore[no-untyped-def]
    kernels, options, tables, states, lists, hashes, length, depth, finished, uses_history, stop
):
    """The leaves below ``states[depth]``.  ``states`` and ``lists`` have one row for each level."""
    actions, count, apply = actions_of(kernels), count_of(kernels), apply_of(kernels)
    hash_ = hash_of(kernels)
    state, history = states[depth], hashes[:length]
    if depth == 0:
        return 1
    if depth == 1:
        return _last_ply(count, actions, options, tables, state, history, lists[depth], finished)
    if stop[0] != 0:
        return 0  # the count will not be used
    n = actions(options, tables, state, history, lists[depth])
    if n == 0:  # the game is over
        return 1 if finished else 0
    child_length = length
    if uses_history:
        hashes[length] = hash_(options, state)
        child_length = length + 1
    leaves, child, child_history = 0, states[depth - 1], hashes[:child_length]
    for i in range(n):
        for w in range(state.shape[0]):
            child[w] = state[w]
        apply(options, tables, child, history, int64(lists[depth, i]))
        if depth == 2:  # most nodes: save the recursive call
            leaves += _last_ply(
                count, actions, options, tables, child, child_history, lists[depth - 1], finished
            )
        else:
            leaves += _subtree(
                kernels, options, tables, states, lists, hashes, child_length, depth - 1, finished,
                uses_history, stop,
            )  # fmt: skip
    return leaves


@kernel(
    int64(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, int64, boolean, boolean, STOP),
    parallel=True,
)
def _forest(  # type: ignore[no-untyped-def]
    kernels, options, tables, roots, histories, lengths, depth, max_actions, finished,
    uses_history, stop,
):  # fmt: skip
    """The leaves ``depth`` plies below all ``roots`` together."""
    leaves = 0
    for i in prange(roots.shape[0]):
        states = np.empty((depth + 1, roots.shape[1]), np.uint64)
        states[depth, :] = roots[i]
        lists = np.empty((depth + 1, max_actions), np.int32)
        hashes = np.empty(histories.shape[1] + depth, np.uint64)
        hashes[: histories.shape[1]] = histories[i]
        leaves += _subtree(
            kernels, options, tables, states, lists, hashes, lengths[i], depth, finished,
            uses_history, stop,
        )  # fmt: skip
    return leaves


def perft(
    position: Game | State | str,
    depth: int,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """The number of leaves ``depth`` plies below a position, or below a game's start.

    ``progress(done, total)`` is called now and then with numbers of subtrees of equal depth.

    >>> import playproof
    >>> [playproof.perft("othello", depth) for depth in range(1, 7)]
    [4, 12, 56, 244, 1396, 8200]
    """
    if depth < 0:
        raise UsageError(f"perft: depth {depth} is negative: want 0, 1, 2 ...")
    state = resolve_state(position)
    state = state.game.perft_root(state)
    game = state.game
    finished = game.perft_counts_finished
    # Breadth first until there is work for every core, then depth first.
    leaves, level, remaining = 0, Batch.of([state]), depth
    while remaining > 1 and 0 < len(level) < _LEAST_SUBTREES:
        lists = level.legal_lists()
        counts = np.diff(lists.offsets)
        leaves += int((counts == 0).sum()) * finished
        level = level.take(np.repeat(np.arange(len(level)), counts))
        level.apply(lists.actions, check=False)
        remaining -= 1
    for first in range(0, len(level), _ROUND):
        if progress:
            progress(first, len(level))
        subtrees = np.arange(first, min(first + _ROUND, len(level)))
        leaves += _count(level.take(subtrees), remaining)
    if progress:
        progress(len(level), len(level))
    return leaves


def _count(batch: Batch, depth: int) -> int:
    """The leaves below all rows of a batch."""
    game = batch.game
    return interruptible(
        lambda stop: int(
            _forest(
                game.kernel_table, game.option_words, game.tables, batch.rows, batch.histories,
                batch.history_lengths, depth, game.action_room, game.perft_counts_finished,
                game.uses_history, stop,
            )
        )
    )  # fmt: skip
