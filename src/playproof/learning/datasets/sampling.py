"""Samples positions from games: Algorithm 1 of *Reinforcement Learning in Chess* (Chu, Li and
Loh), corrected.

Every position before a move is taken with the same probability.  Each game has its own random
numbers, so the sample does not depend on the order of the work.  Boards with Black to move are
flipped and colours exchanged; the value is negated as well, which the paper forgets.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import float64, int64, uint64

from playproof.core.bits import advance, mix
from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, ROWS, WORDS
from playproof.formats.pgn import split as pgn_split
from playproof.formats.pgn.replay import MOVE_LIST
from playproof.formats.pgn.split import FIRST, PLIES, START, TABLE
from playproof.formats.pgn.stream import ReplayedBlock
from playproof.games.chess.evaluation import tables
from playproof.games.chess.kernels import OPTIONS, apply, hash_
from playproof.games.chess.rows import LEDGER, clock_of
from playproof.learning.datasets.packed import WORDS_EACH, pack
from playproof.rules.chess.draws import occurrences

# White's value of each result of ``pgn.split``; games with other results are left out.
VALUES = {pgn_split.WHITE: 1, pgn_split.DRAW: 0, pgn_split.BLACK: -1}
_SOURCES = 40  # bits for the number of a game within its file


@kernel(
    int64(
        WORDS, WORDS, TABLE, MOVE_LIST, ROWS, COUNTS, float64, uint64, int64, int64, WORDS,
        WORDS, COUNTS, ROWS,
    ),
    counted=False,
)  # fmt: skip
def _sample(
    options, t, games, moves, starts, values, share, seed, source, first, row, hashes, drawn, out
):
    """Replay the games and write positions to ``out``; returns how many.

    ``values`` are White's values of the games, 2 for one to leave out; the number of positions
    from each game is written to ``drawn``.  ``row`` and ``hashes`` are scratch space.
    """
    n = 0
    for g in range(games.shape[0]):
        drawn[g] = 0
        if values[g] == 2:
            continue
        number = first + g
        random = mix(mix(seed) + (uint64(source) << uint64(_SOURCES)) + uint64(number))
        for i in range(8):
            row[i] = starts[games[g, START], i]
        for ply in range(games[g, PLIES]):
            action = int64(moves[games[g, FIRST] + ply])
            here = hash_(options, row)
            random = advance(random)
            if float(int64(mix(random) >> uint64(11))) * 2.0**-53 < share:
                ledger = row[LEDGER]
                times = occurrences(hashes[:ply], here, clock_of(ledger), 3)
                value = -values[g] if ledger & uint64(1) else values[g]
                pack(row, action, times, value, number, source, out[n])
                n += 1
                drawn[g] += 1
            hashes[ply] = here
            apply(options, t, row, hashes[:0], action)
    return n


def sample(
    replayed: ReplayedBlock, values: npt.NDArray[np.int64], share: float, seed: int, source: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Sample the games of a block: packed positions in order, (n, 5), and their number by game.

    ``values`` is 1, 0 or -1 for White, or 2 to leave a game out.
    """
    games = replayed.games
    out = np.empty((len(replayed.moves), WORDS_EACH), np.uint64)
    drawn = np.zeros(len(games), np.int64)
    hashes = np.empty(int(games[:, PLIES].max(initial=0)) + 1, np.uint64)
    n = _sample(
        np.array(OPTIONS["none"], np.uint64), tables(), games, replayed.moves, replayed.starts,
        values, share, seed, source, replayed.block.first, np.empty(8, np.uint64), hashes, drawn,
        out,
    )  # fmt: skip
    return out[:n].copy(), drawn
