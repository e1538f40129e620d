"""Greedy search of one ply: the action with the best result, or else the best score.

It is the weakest search and the baseline for the others.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, prange, uint64, void

from playproof.core.batch import Batch
from playproof.core.bits import below, mix
from playproof.core.compiling import kernel
from playproof.core.kernels import (
    COUNTS,
    ONGOING,
    PROBABILITIES,
    ROWS,
    TABLE,
    WORDS,
    actions_of,
    apply_of,
    hash_of,
    outcome_of,
    player_of,
    score_of,
)
from playproof.core.parallel.threads import share_threads

_WIN = 1e9  # a won game outweighs any score


@kernel(
    void(TABLE, WORDS, WORDS, ROWS, ROWS, COUNTS, int64, boolean, WORDS, COUNTS, PROBABILITIES),
    parallel=True,
)
def _best(
    kernels, options, tables, rows, pasts, known, max_actions, uses_history, words, chosen, values
):
    actions, apply, player = actions_of(kernels), apply_of(kernels), player_of(kernels)
    outcome, score, hash_ = outcome_of(kernels), score_of(kernels), hash_of(kernels)
    for i in prange(rows.shape[0]):
        legal = np.empty(max_actions, np.int32)
        child = np.empty(rows.shape[1], np.uint64)
        past = pasts[i, : known[i]]
        after = past
        if uses_history:
            after = np.empty(known[i] + 1, np.uint64)
            after[: known[i]] = past
            after[known[i]] = hash_(options, rows[i])
        n = actions(options, tables, rows[i], past, legal)
        sign = 1.0 if player(options, rows[i]) == 0 else -1.0
        chosen[i] = -1
        values[i] = score(options, tables, rows[i], past)
        best = -np.inf
        ties = 0
        word = words[i]
        for j in range(n):
            child[:] = rows[i]
            apply(options, tables, child, past, int64(legal[j]))
            points = score(options, tables, child, after)
            result = outcome(options, tables, child, after)
            worth = sign * points
            if result != ONGOING:
                worth += sign * _WIN * result
            if worth > best:
                best, ties = worth, 1
                chosen[i], values[i] = int64(legal[j]), points
            elif worth == best:
                # Reservoir sampling: every tied action is chosen with the same probability.
                ties += 1
                word = mix(word + uint64(j))
                if below(word, ties) == 0:
                    chosen[i], values[i] = int64(legal[j]), points


def best_actions(
    batch: Batch, *, salt: int = 0
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """For every row, the mover's best action by one ply and the first player's score after it.

    Ties are broken at random by ``salt``; the action is -1 in a finished game.
    """
    game = batch.game
    chosen = np.empty(len(batch), np.int64)
    values = np.empty(len(batch), np.float64)
    with share_threads(len(batch)):
        _best(
            game.kernel_table, game.option_words, game.tables, batch.rows, batch.histories,
            batch.history_lengths, game.action_room, game.uses_history, batch.words(salt), chosen,
            values,
        )  # fmt: skip
    return chosen, values
