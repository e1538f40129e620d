"""All distinct positions of a game, level by level, up to symmetry.

Breadth first: from the positions of one level every successor is made, brought
to its canonical image (the least under the game's symmetries) and entered into
a hash table.  Finished games are counted nowhere and expanded nowhere.

A level is a ply.  A game may name one action that does not count as a level
where it is the only one (Othello's pass): its levels are then, say, stones.
Where colours can be swapped (Othello), a position and its colour-swapped image,
the same for whoever is to move, count as one.  The table compares whole
positions, never hashes alone, so counts are exact.
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

_CHUNK = 1 << 16  # parents expanded before their children are entered
_SLOTS = types.Array(uint32, 1, "C")
_FREE = 0xFFFFFFFF
_FIRST_SLOTS = 1 << 16


@kernel(void(TABLE, WORDS, WORDS, int64, WORDS, WORDS, WORDS))
def _canonical(kernels, options, mask, symmetries, state, image, best):
    """The image of ``state`` whose position is least, into ``best``."""
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
    skipped, children, made,
):  # fmt: skip
    """Canonical children of ``parents[i]`` into ``children`` from ``offsets[i]`` on;
    ``made[i]`` of them, finished games left out."""
    actions, apply, player = actions_of(kernels), apply_of(kernels), player_of(kernels)
    outcome, transform = outcome_of(kernels), transform_of(kernels)
    words = parents.shape[1]
    none = np.zeros(0, np.uint64)
    blocks = (parents.shape[0] + 255) // 256
    for block in prange(blocks):
        legal = np.empty(max_actions, np.int32)
        other = np.empty(max_actions, np.int32)
        child = np.empty(words, np.uint64)
        image = np.empty(words, np.uint64)
        for i in range(block * 256, min(parents.shape[0], (block + 1) * 256)):
            n = actions(options, tables, parents[i], none, legal)
            kept = 0
            for j in range(n):
                child[:] = parents[i]
                apply(options, tables, child, none, int64(legal[j]))
                while outcome(options, tables, child, none) == ONGOING:
                    if actions(options, tables, child, none, other) != 1:
                        break
                    if int64(other[0]) != skipped:
                        break
                    apply(options, tables, child, none, skipped)
                if outcome(options, tables, child, none) == ONGOING:
                    if swap_colours and player(options, child) == 1:
                        transform(options, child, symmetries, image)
                        child[:] = image
                    _canonical(
                        kernels, options, mask, symmetries, child, image,
                        children[offsets[i] + kept],
                    )  # fmt: skip
                    kept += 1
            made[i] = kept


@kernel(int64(WORDS, ROWS, COUNTS, COUNTS, ROWS, int64, _SLOTS))
def _enter(mask, children, offsets, made, found, size, slots):
    """Add the children that are new to ``found[:size]``; the new size."""
    limit = slots.shape[0] - 1  # a power of two, less one
    for i in range(made.shape[0]):
        for j in range(offsets[i], offsets[i] + made[i]):
            h = np.uint64(0)
            for w in range(mask.shape[0]):
                h = mix(h ^ (children[j, w] & mask[w]))
            slot = int64(h) & limit
            while True:
                known = slots[slot]
                if known == uint32(_FREE):
                    found[size, :] = children[j]
                    slots[slot] = uint32(size)
                    size += 1
                    break
                same = True
                for w in range(mask.shape[0]):
                    if (children[j, w] ^ found[int64(known), w]) & mask[w] != 0:
                        same = False
                        break
                if same:
                    break
                slot = (slot + 1) & limit
    return size


@kernel(void(ROWS, int64, WORDS, _SLOTS))
def _rehash(found, size, mask, slots):
    limit = slots.shape[0] - 1
    for i in range(size):
        h = np.uint64(0)
        for w in range(mask.shape[0]):
            h = mix(h ^ (found[i, w] & mask[w]))
        slot = int64(h) & limit
        while slots[slot] != uint32(_FREE):
            slot = (slot + 1) & limit
        slots[slot] = uint32(i)


@dataclass(frozen=True)
class Level:
    """The distinct positions of one level that have a legal action."""

    number: int
    rows: Words  # (positions, words)

    @property
    def count(self) -> int:
        return len(self.rows)


def enumerate_positions(
    game: Game | str, levels: int, *, symmetric: bool = True, skip: bool = True
) -> Iterator[Level]:
    """Level 0 (the start) to ``levels``, each with all its distinct positions.

    ``symmetric`` counts positions up to symmetry; ``skip`` passes over the
    game's ``skipped_action`` without a level of its own.

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
    yield Level(0, rows)
    for number in range(1, levels + 1):
        rows = _next_level(game, rows, symmetries, skipped)
        yield Level(number, rows)


def _next_level(game: Game, parents: Words, symmetries: int, skipped: int) -> Words:
    kernels, options, tables = game.kernel_table, game.option_words, game.tables
    mask = game.position_mask
    offsets = np.zeros(len(parents) + 1, np.int64)
    batch_kernels.counts(
        kernels, options, tables, parents, np.zeros((len(parents), 0), np.uint64),
        np.zeros(len(parents), np.int64), game.action_room, offsets[1:],
    )  # fmt: skip
    np.cumsum(offsets, out=offsets)
    # Room for every child, were they all different: pages that stay untouched
    # cost no memory, and nothing is ever moved.
    found = np.empty((int(offsets[-1]), game.words), np.uint64)
    slots = np.full(_FIRST_SLOTS, _FREE, np.uint32)
    size = 0
    for begin in range(0, len(parents), _CHUNK):
        chunk = parents[begin : begin + _CHUNK]
        local = offsets[begin : begin + len(chunk) + 1] - offsets[begin]
        children = np.empty((int(local[-1]), game.words), np.uint64)
        made = np.zeros(len(chunk), np.int64)
        _expand(
            kernels, options, tables, mask, chunk, local, game.action_room, symmetries,
            game.colour_symmetry and symmetries > 1, skipped, children, made,
        )  # fmt: skip
        coming = int(made.sum())
        if 3 * (size + coming) > 2 * len(slots):  # keep the table at most two thirds full
            slots = np.full(_power_above(3 * (size + coming) // 2), _FREE, np.uint32)
            _rehash(found, size, mask, slots)
        size = int(_enter(mask, children, local, made, found, size, slots))
    return found[:size]


def _power_above(number: int) -> int:
    return 1 << number.bit_length()
