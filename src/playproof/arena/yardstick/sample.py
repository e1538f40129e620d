"""Positions to try players on: all phases of Choko, reached by players of different strength.

Half of the players move at random, others take what they can or look a few
plies ahead, and all of them err now and then, as a learner does: positions of
perfect play alone would leave out most of what happens on a board.
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
_GAMES = 1024  # of a round
_SEARCHED = 96  # games of a round, in which both sides may search: a search is dear
_PLIES = 110  # of a game, at most
_MOST_ROUNDS = 200
_RANDOM, _GREEDY, _DEPTH_2, _DEPTH_3 = range(4)
_ERRORS = (0.05, 0.15, 0.35)  # shares of moves that a player makes at random

T = TypeVar("T")


def uncapped(game: Game) -> Game:
    """The game in which positions are tried.  It has no cap on actions: exact values know of none,
    and a win that takes longer is still to be kept."""
    if game.name != "choko":
        raise UsageError(f"there is a yardstick for choko, none for {game.name}")
    return make("choko", lone_jump=game.options["lone_jump"], cap=0)


def phase_of(hands: tuple[int, int]) -> str:
    """``opening`` while both hands hold at least 7 of their 12 pieces, ``end`` when both are
    empty, and ``middle`` between."""
    if min(hands) >= _OPENING:
        return "opening"
    return "middle" if max(hands) else "end"


def sample(
    game: Game, count: int, seed: int, progress: Callable[[int, int], None] | None = None
) -> list[str]:
    """``count`` positions of Choko with a choice of moves, in random order; no two are images of
    each other, the other side's pieces and move included.

    A third is of each phase.  Within a phase every material (pieces in hand, on the board) has
    as many as any other, as far as play brings them about.  The number of actions played is the
    smallest that fits the hands.
    """
    game = uncapped(game)
    if not 0 < count <= 10**7:
        raise UsageError(f"{count} positions cannot be sampled: want 1 to {10**7}")
    wanted = [(count + 2 - i) // 3 for i in range(3)]
    rows = np.empty((0, 3), np.uint64)
    known = np.empty((0, 2), np.uint64)
    for number in range(_MOST_ROUNDS):
        fresh = _with_a_choice(game, _round(game, derive_seed(seed, number)))
        known, first = np.unique(
            np.concatenate([known, canonical(game, fresh)]), axis=0, return_index=True
        )
        rows = np.concatenate([rows, fresh])[first]
        phases = _phases(rows)
        # A few rounds more than are needed leave room to spread over material.
        counts = [int((phases == phase).sum()) for phase in range(3)]
        enough = min(found / (4 * want) for found, want in zip(counts, wanted, strict=True) if want)
        if progress:
            progress(int(count * min(1.0, enough)), count)
        if enough >= 1:
            break
    else:
        raise UsageError(f"{count} different positions cannot be sampled: ask for fewer")
    chance = np.random.default_rng(derive_seed(seed, _MOST_ROUNDS))
    material = _material(rows)
    chosen = [
        index
        for phase, want in enumerate(wanted)
        for index in stratified_sample(
            np.flatnonzero(phases == phase).tolist(), want, [material], chance
        )
    ]
    return [game.write_position(_earliest(rows[index])) for index in chance.permutation(chosen)]


def stratified_sample(
    items: Sequence[T],
    count: int,
    keys: Sequence[Callable[[T], Hashable]],
    chance: np.random.Generator,
) -> list[T]:
    """``count`` of the items at random, all if there are no more.

    Each stratum (items of the same first key) gives as many as any other unless it has too few,
    and shares them out by the next key in the same way.
    """
    if not keys:
        return [items[i] for i in chance.permutation(len(items))[:count]]
    strata: dict[Hashable, list[T]] = {}
    for item in items:
        strata.setdefault(keys[0](item), []).append(item)
    out: list[T] = []
    # From the smallest on: what it cannot give is shared among those that are left.
    for done, stratum in enumerate(sorted(strata.values(), key=len)):
        share = -((len(out) - count) // (len(strata) - done))
        out += stratified_sample(stratum, share, keys[1:], chance)
    return out


# Playing


def _round(game: Game, seed: int) -> Words:
    """The positions of many games, as (n, 3) rows."""
    chance = np.random.default_rng(seed)
    batch = Batch.start(game, _GAMES, seed=seed)
    players = chance.integers(_RANDOM, _GREEDY + 1, (_GAMES, 2))
    players[:_SEARCHED] = chance.integers(_RANDOM, _DEPTH_3 + 1, (_SEARCHED, 2))
    errors = chance.choice(_ERRORS, (_GAMES, 2))
    searches = {
        depth: AlphaBeta(game, AlphaBetaConfig(depth=level, table=False, table_mb=1))
        for level, depth in ((2, _DEPTH_2), (3, _DEPTH_3))
    }
    seen = []
    for _ in range(_PLIES):
        going = np.flatnonzero(~batch.finished())
        if not len(going):
            break
        batch, players, errors = batch.take(going), players[going], errors[going]
        seen.append(batch.rows.copy())
        each, sides = np.arange(len(batch)), batch.players()
        actions = batch.random_actions()
        mover, erring = players[each, sides], errors[each, sides]
        mover = np.where(chance.random(len(batch)) < erring, _RANDOM, mover)
        greedy = np.flatnonzero(mover == _GREEDY)
        if len(greedy):
            actions[greedy] = best_actions(batch.take(greedy))[0]
        for row in np.flatnonzero(mover > _GREEDY):
            found = searches[int(mover[row])].search(batch[int(row)]).action
            assert found is not None  # games that are over have been left out
            actions[row] = found
        batch.apply(actions, check=False)
    return np.concatenate(seen)


def _with_a_choice(game: Game, rows: Words) -> Words:
    offsets = Batch(game, rows).legal_lists().offsets
    return rows[np.diff(offsets) > 1]


# Positions


def canonical(game: Game, rows: Words) -> Words:
    """(n, 2) a number for each position: the same for its images under the 8 symmetries, and for
    the position with the sides exchanged."""
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
    """The images of the lower 13 squares and of the upper 12, of all sets of them."""
    transform = game.kernels.transform_action
    goals = [int(transform(game.option_words, square, symmetry)) for square in range(25)]
    tables = []
    for first, size in ((0, 13), (13, 12)):
        sets = np.arange(1 << size)
        images = [(sets >> i & 1) << goals[first + i] for i in range(size)]
        tables.append(np.bitwise_or.reduce(images))
    return tables[0], tables[1]


def _sides(rows: Words) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The boards of who is to move, and of the other."""
    blue, red, ledgers = rows.astype(np.int64).T
    return np.where(ledgers & 1, red, blue), np.where(ledgers & 1, blue, red)


def _hands(rows: Words) -> npt.NDArray[np.int64]:
    ledgers = rows[:, 2].astype(np.int64)
    return np.stack([ledgers >> 4 & 15, ledgers >> 8 & 15], axis=1)


def _phases(rows: Words) -> npt.NDArray[np.int64]:
    """As numbers, in the order of ``PHASES``."""
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
