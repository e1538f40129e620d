"""All distinct positions of a game, level by level, up to symmetry.

The search is breadth first.  Every successor of a position is brought to its canonical image, the
least under the game's symmetries, and inserted into a hash table.  Finished games are neither
counted nor expanded.

A level is a ply.  A game may name one action that makes no level of its own where it is the only
legal one (Othello's pass), so that its levels are, say, stones on the board.  Where colours can be
swapped (Othello), a position and its colour-swapped image with the other side to move count as
one.  The table compares whole positions, never hashes alone, so the counts are exact.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import boolean, int64, prange, types, uint32, void

from playproof.core import batch_kernels
from playproof.core.bits import mix
from playproof.core.compiling import kernel
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import (
    COUNTS,
    ONGOING,
    ROWS,
    TABLE,
    WORDS,
    Words,
    actions_of,
    apply_of,
    outcome_of,
    player_of,
    transform_of,
)
from playproof.core.registry import resolve_game

_CHUNK = 1 << 16  # parents expanded before their children are inserted
_SLOTS = types.Array(uint32, 1, "C")
_FREE = 0xFFFFFFFF
_FIRST_SLOTS = 1 << 16


@kernel(void(TABLE, WORDS, WORDS, int64, WORDS, WORDS, WORDS))
def _canonical(kernels, options, mask, symmetries, state, image, best):
    """Write the image of ``state`` whose position is least to ``best``."""
    transform = transform_of(kernels)
    best[:] = state
    for symmetry in range(1, symmetries):
        transform(options, state, symmetry, image)
        for w in range(mask.shape[0]):
            a, b = image[w] & mask[w], best[w] & mask[w]
            if a != b:
                if a < b:
                    best[:] = image
                break


@kernel(
    void(TABLE, WORDS, WORDS, WORDS, ROWS, COUNTS, int64, int64, boolean, int64, ROWS, COUNTS),
    parallel=True,
)
def _expand(
    kernels, options, tables, mask, parents, offsets, max_actions, symmetries, swap_colours,
    skipped, children, child_counts,
):  # fmt: skip
    """Write the canonical children of ``parents[i]`` to ``children`` from ``offsets[i]`` on.

    ``child_counts[i]`` is their number, without finished games.
    """
    actions, apply, player = actions_of(kernels), apply_of(kernels), player_of(kernels)
    outcome, transform = outcome_of(kernels), transform_of(kernels)
    words = parents.shape[1]
    empty = np.zeros(0, np.uint64)
    blocks = (parents.shape[0] + 255) // 256
    for block in prange(blocks):
        legal = np.empty(max_actions, np.int32)
        other = np.empty(max_actions, np.int32)
        child = np.empty(words, np.uint64)
        image = np.empty(words, np.uint64)
        for i in range(block * 256, min(parents.shape[0], (block + 1) * 256)):
            n = actions(options, tables, parents[i], empty, legal)
            count = 0
            for j in range(n):
                child[:] = parents[i]
                apply(options, tables, child, empty, int64(legal[j]))
                while outcome(options, tables, child, empty) == ONGOING:
                    if actions(options, tables, child, empty, other) != 1:
                        break
                    if int64(other[0]) != skipped:
                        break
                    apply(options, tables, child, empty, skipped)
                if outcome(options, tables, child, empty) == ONGOING:
                    if swap_colours and player(options, child) == 1:
                        transform(options, child, symmetries, image)
                        child[:] = image
                    _canonical(
                        kernels, options, mask, symmetries, child, image,
                        children[offsets[i] + count],
                    )  # fmt: skip
                    count += 1
            child_counts[i] = count


@kernel(int64(WORDS, ROWS, COUNTS, COUNTS, ROWS, int64, _SLOTS))
def _insert(mask, children, offsets, child_counts, positions, size, slots):
    """Add the children that are new to ``positions[:size]``; return the new size."""
    limit = slots.shape[0] - 1  # a power of two, less one
    for i in range(child_counts.shape[0]):
        for j in range(offsets[i], offsets[i] + child_counts[i]):
            h = np.uint64(0)
            for w in range(mask.shape[0]):
                h = mix(h ^ (children[j, w] & mask[w]))
            slot = int64(h) & limit
            while True:
                entry = slots[slot]
                if entry == uint32(_FREE):
                    positions[size, :] = children[j]
                    slots[slot] = uint32(size)
                    size += 1
                    break
                same = True
                for w in range(mask.shape[0]):
                    if (children[j, w] ^ positions[int64(entry), w]) & mask[w] != 0:
                        same = False
                        break
                if same:
                    break
                slot = (slot + 1) & limit
    return size


@kernel(void(ROWS, int64, WORDS, _SLOTS))
def _rehash(positions, size, mask, slots):
    """Insert ``positions[:size]``, which all differ, into empty ``slots``."""
    limit = slots.shape[0] - 1
    for i in range(size):
        h = np.uint64(0)
        for w in range(mask.shape[0]):
            h = mix(h ^ (positions[i, w] & mask[w]))
        slot = int64(h) & limit
        while slots[slot] != uint32(_FREE):
            slot = (slot + 1) & limit
        slots[slot] = uint32(i)


@dataclass(frozen=True)
class PositionLevel:
    """The distinct positions of one level that are not finished."""

    number: int
    rows: Words  # (positions, words)

    @property
    def count(self) -> int:
        return len(self.rows)


def enumerate_positions(
    game: Game | str, levels: int, *, symmetric: bool = True, skip: bool = True
) -> Iterator[PositionLevel]:
    """Yield the levels 0 (the start) to ``levels``, each with all its distinct positions.

    ``symmetric`` counts positions up to symmetry.  With ``skip``, the game's ``skipped_action``
    makes no level of its own.

    >>> import playproof
    >>> [level.count for level in playproof.enumerate_positions("othello", 4)]
    [1, 1, 3, 14, 60]
    """
    game = resolve_game(game)
    if game.uses_history:
        raise UsageError(f"{game.name} cannot be enumerated: its rules depend on the past")
    if levels < 0:
        raise UsageError(f"enumerate: level {levels} is negative: want 0, 1, 2 ...")
    symmetries = game.symmetries if symmetric else 1
    skipped = game.skipped_action if skip else -1
    rows: Words = game.start_row()[np.newaxis, :].copy()
    yield PositionLevel(0, rows)
    for number in range(1, levels + 1):
        rows = _next_level(game, rows, symmetries, skipped)
        yield PositionLevel(number, rows)


def _next_level(game: Game, parents: Words, symmetries: int, skipped: int) -> Words:
    kernels, options, tables = game.kernel_table, game.option_words, game.tables
    mask = game.position_mask
    offsets = np.zeros(len(parents) + 1, np.int64)
    batch_kernels.counts(
        kernels, options, tables, parents, np.zeros((len(parents), 0), np.uint64),
        np.zeros(len(parents), np.int64), game.action_room, offsets[1:],
    )  # fmt: skip
    np.cumsum(offsets, out=offsets)
    # Room for every child, as if all were different: pages that are not touched cost no memory,
    # and nothing has to be moved.
    positions = np.empty((int(offsets[-1]), game.words), np.uint64)
    slots = np.full(_FIRST_SLOTS, _FREE, np.uint32)
    size = 0
    for first in range(0, len(parents), _CHUNK):
        chunk = parents[first : first + _CHUNK]
        local = offsets[first : first + len(chunk) + 1] - offsets[first]
        children = np.empty((int(local[-1]), game.words), np.uint64)
        child_counts = np.zeros(len(chunk), np.int64)
        _expand(
            kernels, options, tables, mask, chunk, local, game.action_room, symmetries,
            game.colour_symmetry and symmetries > 1, skipped, children, child_counts,
        )  # fmt: skip
        incoming = int(child_counts.sum())
        if 3 * (size + incoming) > 2 * len(slots):  # keep the table at most two thirds full
            slots = np.full(_power_above(3 * (size + incoming) // 2), _FREE, np.uint32)
            _rehash(positions, size, mask, slots)
        size = int(_insert(mask, children, local, child_counts, positions, size, slots))
    return positions[:size]


def _power_above(number: int) -> int:
    """The least power of two above ``number``."""
    return 1 << number.bit_length()
