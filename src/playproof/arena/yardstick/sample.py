"""Candidate positions for the yardstick: all phases of Choko, from games of very different players.

Half of the players move at random, others are greedy or search a few plies, and all of them err now
and then, as a learner does.  Positions from perfect play alone would leave out most of what happens
on a board.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.core.registry import make
from playproof.rules.choko import PIECES
from playproof.search.alphabeta.config import AlphaBetaConfig
from playproof.search.alphabeta.search import AlphaBeta
from playproof.search.one_ply import best_actions

PHASES = ("opening", "middle", "end")
_OPENING = 7  # pieces in each hand, at least
_GAMES = 1024  # in a round
_SEARCHED = 96  # games of a round in which both sides may search, which is slow
_PLIES = 110  # of a game, at most
_MAX_ROUNDS = 200
_RANDOM, _GREEDY, _DEPTH_2, _DEPTH_3 = range(4)
_ERRORS = (0.05, 0.15, 0.35)  # shares of moves that a player makes at random

T = TypeVar("T")


def uncapped(game: Game) -> Game:
    """The same game without a cap on actions.  Exact values disregard the cap, and a win that takes
    longer is still worth keeping."""
    if game.name != "choko":
        raise UsageError(f"there is no yardstick for {game.name}: want choko")
    return make("choko", lone_jump=game.options["lone_jump"], cap=0)


def phase_of(hands: tuple[int, int]) -> str:
    """``opening`` while both hands hold at least 7 of 12 pieces, ``end`` when both are empty, and
    ``middle`` in between."""
    if min(hands) >= _OPENING:
        return "opening"
    return "middle" if max(hands) else "end"


def sample(
    game: Game, count: int, seed: int, on_progress: Callable[[int, int], None] | None = None
) -> list[str]:
    """``count`` positions of Choko with a choice of moves, in random order.

    No two are images of each other, with or without exchanging the sides.  A third is from each
    phase.  Within a phase every material (pieces in hand, pieces on the board) is equally frequent,
    as far as play reaches it.  The number of actions played is the smallest that fits the hands.
    """
    game = uncapped(game)
    if not 0 < count <= 10**7:
        raise UsageError(f"{count} positions cannot be sampled: want 1 to {10**7}")
    per_phase = [(count + 2 - i) // 3 for i in range(3)]
    rows = np.empty((0, 3), np.uint64)
    known = np.empty((0, 2), np.uint64)
    for number in range(_MAX_ROUNDS):
        fresh = _with_a_choice(game, _round(game, derive_seed(seed, number)))
        known, first = np.unique(
            np.concatenate([known, canonical(game, fresh)]), axis=0, return_index=True
        )
        rows = np.concatenate([rows, fresh])[first]
        phases = _phases(rows)
        # Four times as many as needed, so that there is a choice of material.
        counts = [int((phases == phase).sum()) for phase in range(3)]
        progress = min(
            have / (4 * need) for have, need in zip(counts, per_phase, strict=True) if need
        )
        if on_progress:
            on_progress(int(count * min(1.0, progress)), count)
        if progress >= 1:
            break
    else:
        raise UsageError(f"{count} different positions cannot be sampled: ask for fewer")
    rng = np.random.default_rng(derive_seed(seed, _MAX_ROUNDS))
    material = _material(rows)
    chosen = [
        index
        for phase, need in enumerate(per_phase)
        for index in stratified_sample(
            np.flatnonzero(phases == phase).tolist(), need, [material], rng
        )
    ]
    return [game.write_position(_earliest(rows[index])) for index in rng.permutation(chosen)]


def stratified_sample(
    items: Sequence[T],
    count: int,
    keys: Sequence[Callable[[T], Hashable]],
    rng: np.random.Generator,
) -> list[T]:
    """``count`` items at random, or all if there are fewer.

    Items with the same first key are a stratum.  Each stratum contributes equally, unless it has
    too few items, and is itself sampled by the next key in the same way.
    """
    if not keys:
        return [items[i] for i in rng.permutation(len(items))[:count]]
    strata: dict[Hashable, list[T]] = {}
    for item in items:
        strata.setdefault(keys[0](item), []).append(item)
    sample: list[T] = []
    # From the smallest on, so that what it lacks is shared among the others.
    for done, stratum in enumerate(sorted(strata.values(), key=len)):
        share = -((len(sample) - count) // (len(strata) - done))
        sample += stratified_sample(stratum, share, keys[1:], rng)
    return sample


# Playing


def _round(game: Game, seed: int) -> Words:
    """The positions of many games, shape (n, 3)."""
    rng = np.random.default_rng(seed)
    batch = Batch.start(game, _GAMES, seed=seed)
    players = rng.integers(_RANDOM, _GREEDY + 1, (_GAMES, 2))
    players[:_SEARCHED] = rng.integers(_RANDOM, _DEPTH_3 + 1, (_SEARCHED, 2))
    errors = rng.choice(_ERRORS, (_GAMES, 2))
    searches = {
        depth: AlphaBeta(game, AlphaBetaConfig(depth=level, table=False, table_mb=1))
        for level, depth in ((2, _DEPTH_2), (3, _DEPTH_3))
    }
    positions = []
    for _ in range(_PLIES):
        active = np.flatnonzero(~batch.finished())
        if not len(active):
            break
        batch, players, errors = batch.take(active), players[active], errors[active]
        positions.append(batch.rows.copy())
        index, sides = np.arange(len(batch)), batch.players()
        actions = batch.random_actions()
        mover, error_rate = players[index, sides], errors[index, sides]
        mover = np.where(rng.random(len(batch)) < error_rate, _RANDOM, mover)
        greedy = np.flatnonzero(mover == _GREEDY)
        if len(greedy):
            actions[greedy] = best_actions(batch.take(greedy))[0]
        for row in np.flatnonzero(mover > _GREEDY):
            action = searches[int(mover[row])].search(batch[int(row)]).action
            assert action is not None  # finished games are left out
            actions[row] = action
        batch.apply(actions, check=False)
    return np.concatenate(positions)


def _with_a_choice(game: Game, rows: Words) -> Words:
    offsets = Batch(game, rows).legal_lists().offsets
    return rows[np.diff(offsets) > 1]


# Positions


def canonical(game: Game, rows: Words) -> Words:
    """A key for each position, shape (n, 2).  It is the same for the images under the 8 symmetries
    and for the position with the sides exchanged."""
    own, other = _sides(rows)
    ledgers = rows[:, 2].astype(np.int64)
    hands = np.where(ledgers & 1, ledgers >> 8 & 15, ledgers >> 4 & 15) << 1 | ledgers >> 1 & 1
    best: npt.NDArray[np.int64] | None = None
    for symmetry in range(game.symmetries):
        low, high = _image_tables(game, symmetry)
        image = [low[side & 0x1FFF] | high[side >> 13] for side in (own, other)]
        pair = image[0] << 25 | image[1]
        best = pair if best is None else np.minimum(best, pair)
    assert best is not None
    return np.stack([best, hands], axis=1).astype(np.uint64)


def _image_tables(game: Game, symmetry: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The images of all sets of the lower 13 squares, and of all sets of the upper 12."""
    transform = game.kernels.transform_action
    goals = [int(transform(game.option_words, square, symmetry)) for square in range(25)]
    tables = []
    for first, size in ((0, 13), (13, 12)):
        sets = np.arange(1 << size)
        images = [(sets >> i & 1) << goals[first + i] for i in range(size)]
        tables.append(np.bitwise_or.reduce(images))
    return tables[0], tables[1]


def _sides(rows: Words) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(the mover's board, the other side's board)"""
    blue, red, ledgers = rows.astype(np.int64).T
    return np.where(ledgers & 1, red, blue), np.where(ledgers & 1, blue, red)


def _hands(rows: Words) -> npt.NDArray[np.int64]:
    ledgers = rows[:, 2].astype(np.int64)
    return np.stack([ledgers >> 4 & 15, ledgers >> 8 & 15], axis=1)


def _phases(rows: Words) -> npt.NDArray[np.int64]:
    """The phases as indices into ``PHASES``."""
    return np.array([PHASES.index(phase_of((a, b))) for a, b in _hands(rows).tolist()])


def _material(rows: Words) -> Callable[[int], tuple[int, int]]:
    hands = _hands(rows).sum(axis=1).tolist()
    boards = np.bitwise_count(rows[:, :2]).sum(axis=1).tolist()
    return lambda index: (hands[index], boards[index])


def _earliest(row: Words) -> Words:
    """The row with the smallest number of actions played that the hands and the side allow."""
    ledger = int(row[2])
    placed = 2 * PIECES - (ledger >> 4 & 15) - (ledger >> 8 & 15)
    ply = placed + (placed + ledger & 1)
    return np.array([row[0], row[1], ledger & 0xFFFF | ply << 16], np.uint64)
