"""Random games, compiled once for all games, on all cores.

Game ``i`` of a seed is the same whatever the number of threads, because each game draws from a
generator of its own, seeded by the run's seed and ``i``.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, prange, types, uint64, void

from playproof.core.bits import advance, below, mix
from playproof.core.compiling import kernel
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import (
    CHANCE,
    COUNTS,
    LIST,
    PROBABILITIES,
    TABLE,
    WORDS,
    Actions,
    Words,
    actions_of,
    apply_of,
    chance_of,
    hash_of,
    outcome_of,
    player_of,
)
from playproof.core.registry import resolve_state
from playproof.core.state import State

LIMIT = 10_000  # plies after which a game is cut off as unfinished
_CHUNK = 64  # games of a task


@kernel(int64(LIST, PROBABILITIES, int64, uint64))
def draw(actions, probabilities, n, word):
    """The chance outcome that the random ``word`` falls on."""
    point = float(int64(word >> uint64(11))) * 2.0**-53
    for i in range(n - 1):
        point -= probabilities[i]
        if point < 0.0:
            return int64(actions[i])
    return int64(actions[n - 1])


@kernel(
    types.UniTuple(int64, 4)(
        TABLE, WORDS, WORDS, WORDS, WORDS, int64, LIST, PROBABILITIES, int64, uint64, boolean,
        boolean,
    ),
    counted=False,
)  # fmt: skip
def random_game(
    kernels: Words, options: Words, tables: Words, state: Words, hashes: Words, past: int,
    legal: Actions, odds: npt.NDArray[np.float64], limit: int, random: int, uses_history: bool,
    has_chance: bool,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Play ``state``, in place, to the end at random.

    ``hashes[:past]`` is its history, with room for ``limit`` more if the game uses history.
    Returns the outcome, the length, the sum of legal actions over all decisions, and the most
    at one decision.
    """
    actions, apply, player = actions_of(kernels), apply_of(kernels), player_of(kernels)
    chance, hash_ = chance_of(kernels), hash_of(kernels)
    length, choices, widest = 0, 0, 0
    history = hashes[:past]
    while length < limit:
        n = actions(options, tables, state, history, legal)
        if n == 0:
            break
        random = advance(random)
        if has_chance and player(options, state) == CHANCE:
            n = chance(options, tables, state, history, legal, odds)
            action = draw(legal, odds, n, mix(random))
        else:
            choices += n
            widest = max(widest, n)
            action = int64(legal[below(mix(random), n)])
        if uses_history:
            here = hash_(options, state)
            apply(options, tables, state, history, action)
            hashes[past + length] = here
            history = hashes[: past + length + 1]
        else:
            apply(options, tables, state, history, action)
        length += 1
    return outcome_of(kernels)(options, tables, state, history), length, choices, widest


@kernel(
    void(
        TABLE, WORDS, WORDS, WORDS, WORDS, int64, int64, int64, uint64, boolean, boolean,
        COUNTS, COUNTS, COUNTS, COUNTS,
    ),
    parallel=True,
)  # fmt: skip
def _play(
    kernels, options, tables, start, start_history, max_actions, first, limit, seed, uses_history,
    has_chance, results, lengths, choices, widest,
):  # fmt: skip
    games = results.shape[0]
    for chunk in prange((games + _CHUNK - 1) // _CHUNK):
        legal = np.empty(max_actions, np.int32)
        odds = np.empty(max_actions, np.float64)
        state = np.empty_like(start)
        past = start_history.shape[0]
        hashes = np.empty(past + (limit if uses_history else 0), np.uint64)
        hashes[:past] = start_history
        for game in range(chunk * _CHUNK, min(games, (chunk + 1) * _CHUNK)):
            state[:] = start
            results[game], lengths[game], choices[game], widest[game] = random_game(
                kernels, options, tables, state, hashes, past, legal, odds, limit,
                mix(mix(seed) + uint64(first + game)), uses_history, has_chance,
            )  # fmt: skip


@dataclass(frozen=True)
class Playouts:
    """Random games from one position; every array has one entry for each game."""

    seed: int
    results: npt.NDArray[np.int64]  # 1, 0, -1 from the first player's side; 2 unfinished
    lengths: npt.NDArray[np.int64]  # actions played
    choices: npt.NDArray[np.int64]  # legal actions, summed over the decisions of a game
    widest: npt.NDArray[np.int64]  # most legal actions at one decision

    @property
    def games(self) -> int:
        return len(self.results)

    @property
    def steps(self) -> int:
        return int(self.lengths.sum())

    def share(self, result: int) -> float:
        """The share of games with this result."""
        return float(np.mean(self.results == result))


def playouts(
    position: Game | State | str, games: int, *, seed: int, limit: int = LIMIT, first: int = 0
) -> Playouts:
    """Play ``games`` uniformly random games of at most ``limit`` plies.

    They are the games numbered from ``first`` on of ``seed``.

    >>> import playproof
    >>> games = playproof.playouts("othello", 100, seed=1)
    >>> len(games.results), int(games.lengths.max()) > 50
    (100, True)
    """
    if games < 1:
        raise UsageError(f"{games} random games: want 1 or more")
    state = resolve_state(position)
    game = state.game
    arrays = [np.empty(games, np.int64) for _ in range(4)]
    _play(
        game.kernel_table, game.option_words, game.tables, state.row.copy(), state.history,
        game.action_room, first, limit, np.uint64(seed % 2**64), game.uses_history,
        game.has_chance, *arrays,
    )  # fmt: skip
    result = Playouts(seed, *arrays)
    if result.widest.max() > game.max_actions:
        raise game.too_many_actions(int(result.widest.max()))
    return result
