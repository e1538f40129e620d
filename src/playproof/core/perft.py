"""Perft: the number of move sequences of a given length, for checking rules.

Conventions differ between games and a game declares its own: Othello counts a
game that ended early as one leaf, chess does not count it at all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import boolean, int64, prange

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
from playproof.core.state import State
from playproof.core.stopping import STOP, interruptible

_TASKS = 512  # subtrees to share among cores, at least
_ROUND = 128  # subtrees between two reports of progress


@kernel(int64(TABLE, WORDS, WORDS, ROWS, LISTS, WORDS, int64, int64, boolean, boolean, STOP))
def _subtree(  # type: ignore[no-untyped-def]
    kernels, options, tables, states, lists, hashes, known, depth, finished, uses_history, stop
):
    """Leaves below ``states[depth]``; one row of ``states`` and ``lists`` a level."""
    actions, count, apply = actions_of(kernels), count_of(kernels), apply_of(kernels)
    hash_ = hash_of(kernels)
    if depth == 0:
        return 1
    if stop[0] != 0:
        return 0  # the count is of no use any more
    state = states[depth]
    history = hashes[:known]
    n = count(options, tables, state, history) if depth == 1 else -1
    if n < 0:
        n = actions(options, tables, state, history, lists[depth])
    if n == 0:  # the game is over
        return 1 if finished else 0
    if depth == 1:
        return n
    if uses_history:
        hashes[known] = hash_(options, state)
        deeper = known + 1
    else:
        deeper = known
    leaves = 0
    for i in range(n):
        states[depth - 1, :] = state
        apply(options, tables, states[depth - 1], history, int64(lists[depth, i]))
        leaves += _subtree(
            kernels, options, tables, states, lists, hashes, deeper, depth - 1, finished,
            uses_history, stop,
        )  # fmt: skip
    return leaves


@kernel(
    int64(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, int64, boolean, boolean, STOP),
    parallel=True,
)
def _forest(  # type: ignore[no-untyped-def]
    kernels, options, tables, roots, pasts, known, depth, max_actions, finished, uses_history,
    stop,
):  # fmt: skip
    leaves = 0
    for i in prange(roots.shape[0]):
        states = np.empty((depth + 1, roots.shape[1]), np.uint64)
        states[depth, :] = roots[i]
        lists = np.empty((depth + 1, max_actions), np.int32)
        hashes = np.empty(pasts.shape[1] + depth, np.uint64)
        hashes[: pasts.shape[1]] = pasts[i]
        leaves += _subtree(
            kernels, options, tables, states, lists, hashes, known[i], depth, finished,
            uses_history, stop,
        )  # fmt: skip
    return leaves


def perft(
    position: Game | State,
    depth: int,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Count the leaves ``depth`` plies below a position.

    ``progress(done, total)`` is called now and then, in units of equal depth.
    """
    if depth < 0:
        raise UsageError(f"perft: depth {depth} is negative: want 0, 1, 2 ...")
    state = position.start() if isinstance(position, Game) else position
    game = state.game
    finished = game.perft_counts_finished
    # Breadth first until there is work for every core, then depth first.
    leaves, level, left = 0, [state], depth
    while left > 1 and level and len(level) < _TASKS:
        following = []
        for node in level:
            if node.is_terminal:
                leaves += finished
            else:
                following += [node.apply(action) for action in node.legal_actions()]
        level, left = following, left - 1
    for begin in range(0, len(level), _ROUND):
        if progress:
            progress(begin, len(level))
        leaves += _count(game, level[begin : begin + _ROUND], left)
    if progress:
        progress(len(level), len(level))
    return leaves


def _count(game: Game, roots: list[State], depth: int) -> int:
    batch = Batch.of(roots)
    return interruptible(
        lambda stop: int(
            _forest(
                game.kernel_table, game.option_words, game.tables, batch.rows, batch.pasts,
                batch.known, depth, game.max_actions, game.perft_counts_finished,
                game.uses_history, stop,
            )
        )
    )  # fmt: skip
