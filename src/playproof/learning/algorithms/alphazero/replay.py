"""The replay of AlphaZero: positions of self-play, each with the policy of a search and a value.

Whole games are stored, as rows of words.  So the history of a position, the hashes of the rows
before it, can be rebuilt whenever it is learned, and for its image under a symmetry too.  A policy
is a list of the legal actions with a probability each.
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
class Trajectories:
    """Positions of whole games, in order.

    rows      (n, words)
    firsts    (n,) the index of the first position of the same game
    offsets   (n + 1,) the bounds of each position's list in ``actions`` and ``policy``
    values    (n,) for the mover, -1 to 1
    learned   (n,) whether the position is to be learned; the others only provide history
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
    def empty(cls, words: int) -> Trajectories:
        return cls(
            np.zeros((0, words), np.uint64), np.zeros(0, np.int64), np.zeros(1, np.int64),
            np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.float32),
            np.zeros(0, np.bool_),
        )  # fmt: skip


@dataclass(frozen=True)
class Minibatch:
    """Inputs and targets of one gradient step.

    observations  (n, *shape)
    actions       (n, width) the legal actions, then 0
    policy        (n, width) the target probabilities of these actions, then 0
    counts        (n,) the number of legal actions
    values        (n,) the target values for the mover, -1 to 1
    """

    observations: Floats
    actions: Counts
    policy: Floats
    counts: Counts
    values: Floats


class SearchReplay:
    """The latest positions of self-play; new games replace the oldest ones.

    Games are written one after the other into arrays with spare room.  Those from ``_start`` on
    are current; when the arrays are full, they move to the front of new ones.  So the cost of
    adding games depends on their size, not on that of the replay."""

    def __init__(self, game: Game, size: int, observation: str) -> None:
        self.game, self.size, self.observation = game, size, observation
        self._load(Trajectories.empty(game.words))

    def _load(self, trajectories: Trajectories) -> None:
        self._room, self._start, self._end = trajectories, 0, len(trajectories)
        self._learned = np.flatnonzero(trajectories.learned)

    def __len__(self) -> int:
        """The number of positions to learn from."""
        return len(self._learned)

    @property
    def trajectories(self) -> Trajectories:
        """A copy of the current games."""
        room, at, end = self._room, self._start, self._end
        lists = slice(int(room.offsets[at]), int(room.offsets[end]))
        return Trajectories(
            room.rows[at:end].copy(), room.firsts[at:end] - at,
            room.offsets[at : end + 1] - lists.start, room.actions[lists].copy(),
            room.policy[lists].copy(), room.values[at:end].copy(), room.learned[at:end].copy(),
        )  # fmt: skip

    def add(self, trajectories: Trajectories) -> None:
        """Add finished games, and drop the oldest games if there are too many positions."""
        n, listed = len(trajectories), len(trajectories.actions)
        if self._end + n > len(self._room) or int(self._room.offsets[self._end]) + listed > len(
            self._room.actions
        ):
            self._make_room(n, listed)
        room, at = self._room, self._end
        first, end = int(room.offsets[at]), at + n
        for name in ("rows", "values", "learned"):
            getattr(room, name)[at:end] = getattr(trajectories, name)
        room.firsts[at:end] = trajectories.firsts + at
        room.offsets[at + 1 : end + 1] = trajectories.offsets[1:] + first
        room.actions[first : first + listed] = trajectories.actions
        room.policy[first : first + listed] = trajectories.policy
        self._end = end
        self._drop_oldest()

    def _make_room(self, positions: int, listed: int) -> None:
        """Move the current games to new arrays, twice as large as they and the new ones need."""
        current = self.trajectories
        n, m = 2 * (len(current) + positions), 2 * (len(current.actions) + listed)
        lengths = {"offsets": n + 1, "actions": m, "policy": m}
        arrays = {}
        for field in fields(Trajectories):
            old = getattr(current, field.name)
            arrays[field.name] = np.empty((lengths.get(field.name, n), *old.shape[1:]), old.dtype)
            arrays[field.name][: len(old)] = old
        self._room, self._start, self._end = Trajectories(**arrays), 0, len(current)

    def _drop_oldest(self) -> None:
        """Drop old games until at most ``size`` positions to learn are left, or a single game."""
        at, end = self._start, self._end
        learned, firsts = self._room.learned[at:end], self._room.firsts[at:end]
        after = np.cumsum(learned[::-1])[::-1]  # positions to learn from here to the end
        begins = np.flatnonzero(firsts == np.arange(at, end))
        fitting = begins[after[begins] <= self.size]
        if len(begins):
            self._start += int(fitting[0]) if len(fitting) else int(begins[-1])
        self._learned = self._start + np.flatnonzero(self._room.learned[self._start : end])

    def sample(
        self, rng: np.random.Generator, size: int, *, images: bool, width: int = 1
    ) -> Minibatch:
        """Draw ``size`` positions at random; with ``images``, each under a random symmetry.

        ``width`` is the least width of the lists of actions."""
        picked = self._learned[rng.integers(0, len(self), size)]
        symmetries = np.zeros(size, np.int64)
        if images:
            symmetries = rng.integers(0, self.game.symmetries, size)
        return self._images(picked, symmetries, width)

    def images(self, picked: Counts, symmetries: Counts) -> Minibatch:
        """The positions with the indices ``picked``, each under its symmetry."""
        return self._images(picked + self._start, symmetries, 1)

    def _images(self, picked: Counts, symmetries: Counts, width: int) -> Minibatch:
        """``images`` by indices into the arrays, with lists of ``width`` actions or more."""
        game, room, n = self.game, self._room, len(picked)
        rows = np.empty((n, game.words), np.uint64)
        before = picked - room.firsts[picked]
        pasts = np.zeros((n, int(before.max(initial=0)) if game.uses_history else 0), np.uint64)
        counts = room.offsets[picked + 1] - room.offsets[picked]
        actions = np.zeros((n, int(counts.max(initial=width))), np.int64)
        policy = np.zeros(actions.shape, np.float32)
        symmetries = np.ascontiguousarray(symmetries, np.int64)
        _images(
            game.kernel_table, game.option_words, room.rows, room.firsts, picked, symmetries,
            game.uses_history, rows, pasts,
        )  # fmt: skip
        _policies(
            game.kernel_table, game.option_words, room.offsets, room.actions, room.policy,
            picked, symmetries, actions.reshape(-1), policy.reshape(-1), actions.shape[1],
        )  # fmt: skip
        batch = Batch(game, rows)
        if game.uses_history:
            batch.histories, batch.history_lengths = pasts, before
        seen = batch.observe(self.observation)
        return Minibatch(seen, actions, policy, counts, room.values[picked])

    def state(self) -> dict[str, npt.NDArray[Any]]:
        trajectories = self.trajectories
        return {field.name: getattr(trajectories, field.name) for field in fields(Trajectories)}

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        self._load(
            Trajectories(
                **{field.name: arrays[field.name].copy() for field in fields(Trajectories)}
            )
        )


@kernel(void(TABLE, WORDS, ROWS, COUNTS, COUNTS, COUNTS, boolean, ROWS, ROWS), parallel=True)
def _images(kernels, options, rows, firsts, picked, symmetries, uses_history, out, pasts):
    transform, hash_ = transform_of(kernels), hash_of(kernels)
    for i in prange(picked.shape[0]):
        at, symmetry = picked[i], symmetries[i]
        state = np.empty(rows.shape[1], np.uint64)
        image = np.empty(rows.shape[1], np.uint64)
        start = firsts[at] if uses_history else at
        for k in range(start, at + 1):
            for w in range(rows.shape[1]):
                state[w] = rows[k, w]
            transform(options, state, symmetry, image)
            if k < at:
                pasts[i, k - start] = hash_(options, image)
        for w in range(rows.shape[1]):
            out[i, w] = image[w]


@kernel(
    void(TABLE, WORDS, COUNTS, LIST, FLOATS, COUNTS, COUNTS, COUNTS, FLOATS, int64), parallel=True
)
def _policies(kernels, options, offsets, actions, policy, picked, symmetries, out, shares, width):
    transform_action = transform_action_of(kernels)
    for i in prange(picked.shape[0]):
        start = offsets[picked[i]]
        for j in range(offsets[picked[i] + 1] - start):
            action = transform_action(options, int64(actions[start + j]), symmetries[i])
            out[i * width + j] = action
            shares[i * width + j] = policy[start + j]
