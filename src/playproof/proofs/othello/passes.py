"""How many passes a game of Othello can have: why an unrolled game needs so few plies.

The paper (Takizawa, 2023) unrolls the game over 42 plies, because an exhaustive search of the
opening found at most two passes before the 18th stone.  This is that search, by levels of
positions with the same number of stones, up to symmetry and colours.

While a game goes on, there is at most one pass at each number of stones: after two in a row
nobody can place a stone again.  So a game that shall have ``passes`` of them at ``stones`` stones
or fewer has at least ``passes - (stones - n)`` at ``n`` or fewer.  A position reached with fewer
is dropped, and only the early levels hold all positions of the game.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import int64, types, uint8, uint64

from playproof.core.compiling import kernel
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.kernels import ROWS
from playproof.core.registry import make
from playproof.core.state import State
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.retrograde.canonical import least_image
from playproof.proofs.othello.retrograde.forward import START_STONES
from playproof.proofs.othello.retrograde.forward_kernels import node_after
from playproof.proofs.othello.retrograde.kernels import before
from playproof.proofs.othello.retrograde.levels import MASKS, ForwardLevel, LevelBuilder
from playproof.proofs.othello.retrograde.path import node_of
from playproof.rules import othello as rules

MAX_PASSES = 7  # a position's numbers of passes are the bits of a byte
_CHUNK = 1 << 18  # children generated between two insertions
_ZERO, _ONE = uint64(0), uint64(1)


@kernel(types.UniTuple(int64, 2)(ROWS, MASKS, int64, uint64, int64, int64, ROWS, MASKS))
def _expand(parents, masks, first, squares, size, least, rows, row_masks):
    """Write the children of ``parents[first:]`` until the rows are full, as least images.

    Bit p of a mask says that a game with p passes leads to the position.  A forced pass is
    played; finished games, and positions with fewer than ``least`` passes, are left out.
    Returns the number of rows written and the first parent that was not expanded.
    """
    n, i = 0, first
    while i < parents.shape[0] and n + 64 <= rows.shape[0]:
        own, opponent = parents[i, 0], parents[i, 1]
        remaining = uint64(rules.moves(own, opponent, squares))
        while remaining != _ZERO:
            move = remaining & (~remaining + _ONE)
            remaining ^= move
            a, b, plies = node_after(own, opponent, move, squares)
            if plies == 0:
                continue
            mask = (int64(masks[i]) << (plies - 1) >> least) << least
            if mask == 0:
                continue
            rows[n, 0], rows[n, 1], _ = least_image(a, b, size)
            row_masks[n] = uint8(mask)
            n += 1
        i += 1
    return n, i


@dataclass(frozen=True)
class PassSearch:
    """Whether a game has so many passes at so many stones or fewer, and then goes on."""

    passes: int
    stones: int
    size: int
    positions: tuple[int, ...]  # in the levels of 4, 5, ... stones
    record: str | None  # such a game, if there is one


def search(passes: int, stones: int, size: int = 8) -> PassSearch:
    """Search all games for one with ``passes`` passes at ``stones`` stones or fewer.

    The game must not be over: passes that end it are not counted, since no position after
    them has a legal move.
    """
    if size not in rules.SIZES:
        raise UsageError(f"there is no board of size {size}: want 4, 6 or 8")
    if not 0 <= passes <= MAX_PASSES:
        raise UsageError(f"{passes} passes: want 0 to {MAX_PASSES}")
    if not START_STONES <= stones <= size**2:
        raise UsageError(f"{stones} stones: want {START_STONES} to {size**2}")
    black, white = rules.start(size)
    own, opponent, _ = least_image(np.uint64(black), np.uint64(white), size)
    builder = LevelBuilder()
    if passes <= stones - START_STONES:
        builder.insert(np.array([[own, opponent]], np.uint64), np.array([1], np.uint8), 1)
    levels = [builder.finish()]
    for count in range(START_STONES + 1, stones + 1):
        levels.append(_next_level(levels[-1], max(0, passes - (stones - count)), size))
    record = _record(levels, passes, size) if len(levels[-1].rows) else None
    return PassSearch(passes, stones, size, tuple(len(level.rows) for level in levels), record)


def most_passes(stones: int, size: int = 8) -> int:
    """The largest number of passes at ``stones`` stones or fewer, in games that then go on."""
    passes = 0
    while passes < MAX_PASSES and search(passes + 1, stones, size).record is not None:
        passes += 1
    return passes


def plies_for(at_least: int, passes: int, stones: int, size: int = 8) -> int:
    """A number of plies within which every game that reaches ``at_least`` moves does so.

    It follows from at most ``passes`` passes at ``stones`` stones or fewer.  Each move needs an
    empty square, so the position has at most ``size**2 - at_least`` stones.  The plies are the
    placements; the passes before the last of them, at most one at each larger number of stones;
    and a pass after it.
    """
    most = size**2 - at_least
    return (most - START_STONES) + passes + max(0, most - 1 - stones) + 1


def _next_level(level: ForwardLevel, least: int, size: int) -> ForwardLevel:
    squares = np.uint64(rules.board(size))
    builder = LevelBuilder()
    rows, masks = np.empty((_CHUNK, 2), np.uint64), np.empty(_CHUNK, np.uint8)
    first = 0
    while first < len(level.rows):
        n, first = _expand(level.rows, level.masks, first, squares, size, least, rows, masks)
        builder.insert(rows, masks, n)
    return builder.finish()


_Step = tuple[int, int, int]  # own and opponent of a least image, and the passes so far


def _record(levels: list[ForwardLevel], passes: int, size: int) -> str:
    """A game to the first position of the last level, found backwards."""
    last = levels[-1]
    passes = max(number for number in range(MAX_PASSES + 1) if last.masks[0] >> number & 1)
    path = [(int(last.rows[0, 0]), int(last.rows[0, 1]), passes)]
    for level in levels[-2::-1]:
        path.append(_predecessor(path[-1], level, size))
    state = make(f"othello:size={size}").start()
    for step in path[-2::-1]:
        state = _played(state, step)
    return state.game.join_moves(state.moves)


def _predecessor(step: _Step, level: ForwardLevel, size: int) -> _Step:
    own, opponent, passes = step
    squares, middle = np.uint64(rules.board(size)), np.uint64(centre(size))
    rows, n = before(np.uint64(own), np.uint64(opponent), squares, middle)
    for a, b, plies in rows[:n].tolist():
        x, y, _ = least_image(np.uint64(a), np.uint64(b), size)
        earlier = passes - (plies - 1)
        if earlier >= 0 and level.mask(int(x), int(y)) >> earlier & 1:
            return int(x), int(y), earlier
    raise PlayproofError("a level of positions has one without a predecessor")


def _played(state: State, step: _Step) -> State:
    """The state after a placement, and a pass if it is forced, that lead to an image of a step."""
    for action in state.legal_actions():
        after = state.apply(action)
        if after.legal_names() == ["pass"]:
            after = after.apply("pass")
        own, opponent, _ = node_of(after, exact=False)
        if (own, opponent) == step[:2] and after.moves.count("pass") == step[2]:
            return after
    raise PlayproofError("the path cannot be played forward: the search and the rules differ")
