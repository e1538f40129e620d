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

    def then(self, other: Shown) -> Shown:
        """These and then others."""
        both = np.concatenate
        return Shown(
            both([self.rows, other.rows]), both([self.firsts, other.firsts + len(self)]),
            both([self.offsets, other.offsets[1:] + self.offsets[-1]]),
            both([self.actions, other.actions]), both([self.policy, other.policy]),
            both([self.values, other.values]), both([self.learned, other.learned]),
        )  # fmt: skip

    def latest(self, size: int) -> Shown:
        """The last whole games with at most ``size`` positions to learn, or the last game."""
        after = np.cumsum(self.learned[::-1])[::-1]  # of those from here on
        begins = np.flatnonzero(self.firsts == np.arange(len(self)))
        fitting = begins[after[begins] <= size]
        if not len(begins) or (len(fitting) and fitting[0] == 0):
            return self
        at = int(fitting[0]) if len(fitting) else int(begins[-1])
        edge = int(self.offsets[at])
        return Shown(
            self.rows[at:].copy(), self.firsts[at:] - at, self.offsets[at:] - edge,
            self.actions[edge:].copy(), self.policy[edge:].copy(), self.values[at:].copy(),
            self.learned[at:].copy(),
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
    """The latest positions; whole games make room for new ones, the oldest first."""

    def __init__(self, game: Game, size: int, observation: str) -> None:
        self.game, self.size, self.observation = game, size, observation
        self._keep(Shown.none(game.words))

    def _keep(self, shown: Shown) -> None:
        self.shown = shown
        self._learned = np.flatnonzero(shown.learned)

    def __len__(self) -> int:
        """Positions to learn."""
        return len(self._learned)

    def add(self, shown: Shown) -> None:
        self._keep(self.shown.then(shown).latest(self.size))

    def lessons(self, chooser: np.random.Generator, size: int, *, images: bool) -> Lessons:
        """``size`` positions drawn at random, each as a random image of itself if asked to."""
        picked = self._learned[chooser.integers(0, len(self), size)]
        symmetries = np.zeros(size, np.int64)
        if images:
            symmetries = chooser.integers(0, self.game.symmetries, size)
        return self.images(picked, symmetries)

    def images(self, picked: Counts, symmetries: Counts) -> Lessons:
        """Positions by their numbers, as their images under symmetries by theirs."""
        game, shown, n = self.game, self.shown, len(picked)
        rows = np.empty((n, game.words), np.uint64)
        before = picked - shown.firsts[picked]
        pasts = np.zeros((n, int(before.max(initial=0)) if game.uses_history else 0), np.uint64)
        counts = shown.offsets[picked + 1] - shown.offsets[picked]
        actions = np.zeros((n, int(counts.max(initial=1))), np.int64)
        policy = np.zeros(actions.shape, np.float32)
        _images(
            game.kernel_table, game.option_words, shown.rows, shown.firsts, picked,
            np.ascontiguousarray(symmetries, np.int64), game.uses_history, rows, pasts,
        )  # fmt: skip
        _actions(
            game.kernel_table, game.option_words, shown.offsets, shown.actions, picked,
            np.ascontiguousarray(symmetries, np.int64), actions.reshape(-1), actions.shape[1],
        )  # fmt: skip
        inside = np.arange(actions.shape[1]) < counts[:, None]
        places = (shown.offsets[picked][:, None] + np.arange(actions.shape[1]))[inside]
        policy[inside] = shown.policy[places]
        batch = Batch(game, rows)
        if game.uses_history:
            batch.pasts, batch.known = pasts, before
        seen = batch.observe(self.observation)
        return Lessons(seen, actions, policy, counts, shown.values[picked])

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {field.name: getattr(self.shown, field.name) for field in fields(Shown)}

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        self._keep(Shown(**{field.name: arrays[field.name].copy() for field in fields(Shown)}))


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


@kernel(void(TABLE, WORDS, COUNTS, LIST, COUNTS, COUNTS, COUNTS, int64), parallel=True)
def _actions(kernels, options, offsets, actions, picked, symmetries, out, wide):
    transform_action = transform_action_of(kernels)
    for i in prange(picked.shape[0]):
        begin = offsets[picked[i]]
        for j in range(offsets[picked[i] + 1] - begin):
            action = transform_action(options, int64(actions[begin + j]), symmetries[i])
            out[i * wide + j] = action
