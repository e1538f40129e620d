"""What self-play has shown: positions with the policy of a search and a value.

Games are kept whole, as rows of words.  So the past of a position is there, as
the hashes of the rows before it, and that of its image under a symmetry as
well: it is made again when the image is learned.  A policy is a list of the
legal actions with a share each.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import boolean, int64, prange, void

from playproof.core.batch import Batch
from playproof.core.compiling import kernel
from playproof.core.game import Game
from playproof.core.kernels import (
    COUNTS,
    FLOATS,
    LIST,
    ROWS,
    TABLE,
    WORDS,
    Words,
    hash_of,
    transform_action_of,
    transform_of,
)

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Shown:
    """Positions of whole games, in their order.

    rows      (n, words); ``firsts`` (n,) where the position's game begins among them
    offsets   (n + 1,) of ``actions`` and ``policy``, lists end to end
    values    (n,) for the mover, -1 to 1
    learned   (n,) whether it is to be learned; others are there for the past they make
    """

    rows: Words
    firsts: Counts
    offsets: Counts
    actions: npt.NDArray[np.int32]
    policy: Floats
    values: Floats
    learned: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def none(cls, words: int) -> Shown:
        return cls(
            np.zeros((0, words), np.uint64), np.zeros(0, np.int64), np.zeros(1, np.int64),
            np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.float32),
            np.zeros(0, np.bool_),
        )  # fmt: skip


@dataclass(frozen=True)
class Lessons:
    """A minibatch: what is seen, and what should have been answered.

    observations  (n, *shape); ``values`` (n,) for the mover
    actions       (n, most) the legal ones, then 0; ``policy`` (n, most) their shares, then 0
    counts        (n,) legal actions
    """

    observations: Floats
    actions: Counts
    policy: Floats
    counts: Counts
    values: Floats


class SearchReplay:
    """The latest positions; whole games make room for new ones, the oldest first.

    Games are written one after the other into arrays with room to spare.  Those from
    ``_begin`` on are kept; when the room is used up they move to the front.  So adding costs
    what is added, not what is kept."""

    def __init__(self, game: Game, size: int, observation: str) -> None:
        self.game, self.size, self.observation = game, size, observation
        self._load(Shown.none(game.words))

    def _load(self, shown: Shown) -> None:
        self._room, self._begin, self._end = shown, 0, len(shown)
        self._learned = np.flatnonzero(shown.learned)

    def __len__(self) -> int:
        """Positions to learn."""
        return len(self._learned)

    @property
    def shown(self) -> Shown:
        """What is kept, in arrays of its own."""
        room, at, end = self._room, self._begin, self._end
        lists = slice(int(room.offsets[at]), int(room.offsets[end]))
        return Shown(
            room.rows[at:end].copy(), room.firsts[at:end] - at,
            room.offsets[at : end + 1] - lists.start, room.actions[lists].copy(),
            room.policy[lists].copy(), room.values[at:end].copy(), room.learned[at:end].copy(),
        )  # fmt: skip

    def add(self, shown: Shown) -> None:
        """Positions of games that have ended; the oldest games go where there are too many."""
        n, listed = len(shown), len(shown.actions)
        if self._end + n > len(self._room) or int(self._room.offsets[self._end]) + listed > len(
            self._room.actions
        ):
            self._make_room(n, listed)
        room, at = self._room, self._end
        first, end = int(room.offsets[at]), at + n
        for name in ("rows", "values", "learned"):
            getattr(room, name)[at:end] = getattr(shown, name)
        room.firsts[at:end] = shown.firsts + at
        room.offsets[at + 1 : end + 1] = shown.offsets[1:] + first
        room.actions[first : first + listed] = shown.actions
        room.policy[first : first + listed] = shown.policy
        self._end = end
        self._forget()

    def _make_room(self, positions: int, listed: int) -> None:
        """Move what is kept to the front of arrays that hold it twice, and new positions."""
        kept = self.shown
        n, m = 2 * (len(kept) + positions), 2 * (len(kept.actions) + listed)
        lengths = {"offsets": n + 1, "actions": m, "policy": m}
        made = {}
        for field in fields(Shown):
            old = getattr(kept, field.name)
            made[field.name] = np.empty((lengths.get(field.name, n), *old.shape[1:]), old.dtype)
            made[field.name][: len(old)] = old
        self._room, self._begin, self._end = Shown(**made), 0, len(kept)

    def _forget(self) -> None:
        """Keep the last whole games with at most ``size`` positions to learn, or the last game."""
        at, end = self._begin, self._end
        learned, firsts = self._room.learned[at:end], self._room.firsts[at:end]
        after = np.cumsum(learned[::-1])[::-1]  # of those from here on
        begins = np.flatnonzero(firsts == np.arange(at, end))
        fitting = begins[after[begins] <= self.size]
        if len(begins):
            self._begin += int(fitting[0]) if len(fitting) else int(begins[-1])
        self._learned = self._begin + np.flatnonzero(self._room.learned[self._begin : end])

    def lessons(
        self, chooser: np.random.Generator, size: int, *, images: bool, wide: int = 1
    ) -> Lessons:
        """``size`` positions drawn at random, each as a random image of itself if asked to."""
        picked = self._learned[chooser.integers(0, len(self), size)]
        symmetries = np.zeros(size, np.int64)
        if images:
            symmetries = chooser.integers(0, self.game.symmetries, size)
        return self._images(picked, symmetries, wide)

    def images(self, picked: Counts, symmetries: Counts) -> Lessons:
        """Positions by their numbers, as their images under symmetries by theirs."""
        return self._images(picked + self._begin, symmetries, 1)

    def _images(self, picked: Counts, symmetries: Counts, wide: int) -> Lessons:
        """Those at some places of the arrays, with room for ``wide`` legal actions or more."""
        game, shown, n = self.game, self._room, len(picked)
        rows = np.empty((n, game.words), np.uint64)
        before = picked - shown.firsts[picked]
        pasts = np.zeros((n, int(before.max(initial=0)) if game.uses_history else 0), np.uint64)
        counts = shown.offsets[picked + 1] - shown.offsets[picked]
        actions = np.zeros((n, int(counts.max(initial=wide))), np.int64)
        policy = np.zeros(actions.shape, np.float32)
        symmetries = np.ascontiguousarray(symmetries, np.int64)
        _images(
            game.kernel_table, game.option_words, shown.rows, shown.firsts, picked, symmetries,
            game.uses_history, rows, pasts,
        )  # fmt: skip
        _policies(
            game.kernel_table, game.option_words, shown.offsets, shown.actions, shown.policy,
            picked, symmetries, actions.reshape(-1), policy.reshape(-1), actions.shape[1],
        )  # fmt: skip
        batch = Batch(game, rows)
        if game.uses_history:
            batch.histories, batch.history_lengths = pasts, before
        seen = batch.observe(self.observation)
        return Lessons(seen, actions, policy, counts, shown.values[picked])

    def state(self) -> dict[str, npt.NDArray[Any]]:
        shown = self.shown
        return {field.name: getattr(shown, field.name) for field in fields(Shown)}

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        self._load(Shown(**{field.name: arrays[field.name].copy() for field in fields(Shown)}))


@kernel(void(TABLE, WORDS, ROWS, COUNTS, COUNTS, COUNTS, boolean, ROWS, ROWS), parallel=True)
def _images(kernels, options, rows, firsts, picked, symmetries, uses_history, out, pasts):
    transform, hash_ = transform_of(kernels), hash_of(kernels)
    for i in prange(picked.shape[0]):
        at, symmetry = picked[i], symmetries[i]
        state = np.empty(rows.shape[1], np.uint64)
        image = np.empty(rows.shape[1], np.uint64)
        begin = firsts[at] if uses_history else at
        for k in range(begin, at + 1):
            for w in range(rows.shape[1]):
                state[w] = rows[k, w]
            transform(options, state, symmetry, image)
            if k < at:
                pasts[i, k - begin] = hash_(options, image)
        for w in range(rows.shape[1]):
            out[i, w] = image[w]


@kernel(
    void(TABLE, WORDS, COUNTS, LIST, FLOATS, COUNTS, COUNTS, COUNTS, FLOATS, int64), parallel=True
)
def _policies(kernels, options, offsets, actions, policy, picked, symmetries, out, shares, wide):
    transform_action = transform_action_of(kernels)
    for i in prange(picked.shape[0]):
        begin = offsets[picked[i]]
        for j in range(offsets[picked[i] + 1] - begin):
            action = transform_action(options, int64(actions[begin + j]), symmetries[i])
            out[i * wide + j] = action
            shares[i * wide + j] = policy[begin + j]
