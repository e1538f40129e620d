"""Batches to imitate, made in the background: packed positions, legal moves, what to answer.

A batch stays packed, 40 bytes a position and two for a legal move, until it is
on the device.  Which positions are in it depends on the seed and the number of
its step alone, so a run that goes on sees what it would have seen.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.bits import derive_seed
from playproof.core.errors import DataError, UsageError
from playproof.games.chess.kernels import OPTIONS
from playproof.learning.algorithms.imitation.kernels import ROOM, legal_and_slots
from playproof.learning.algorithms.imitation.mirror import mirror, mirrored_actions
from playproof.learning.datasets import labels
from playproof.learning.datasets.packed import WORDS_EACH, board_keys
from playproof.learning.datasets.positions import Positions

_AHEAD = 8  # batches made before they are wanted
_STEP = 16  # the widths of lists of moves are multiples of it

Indices = npt.NDArray[np.int64]


class Lesson(NamedTuple):
    """Positions and what to answer.

    words   (n, 5) int64, packed
    legal   (n, w) int16, legal moves, -1 after the last
    slots   (n, k) int16, places in ``legal`` of the moves to learn; any where there are fewer
    shares  (n, k) float32, their probabilities, 0 where there are fewer
    values  (n,) float32, -1 to 1 for the mover
    """

    words: npt.NDArray[np.int64]
    legal: npt.NDArray[np.int16]
    slots: npt.NDArray[np.int16]
    shares: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]


class Source:
    """One folder: what of it is learned, and what held out."""

    def __init__(self, folder: str, fold: int) -> None:
        self.positions = Positions(folder)
        facts, size = self.positions.facts, len(self.positions)
        self.lines = int(facts.get("lines", 0))
        self.labels = labels.open_labels(Path(folder), size, self.lines) if self.lines else None
        self.train, self.test = self.positions.train(fold), self.positions.test(fold)
        self._words = self.positions.array.view("<u8").reshape(-1, WORDS_EACH)
        if not len(self.train):
            raise DataError(f"{folder}: nothing to learn from beside fold {fold}")

    def packed(self, indices: Indices) -> npt.NDArray[np.uint64]:
        return np.asarray(self._words.take(indices, axis=0), np.uint64)

    def keys(self, indices: Indices) -> npt.NDArray[np.uint64]:
        """A word for each board."""
        out = np.empty(len(indices), np.uint64)
        for begin in range(0, len(indices), 1 << 18):
            part = indices[begin : begin + (1 << 18)]
            board_keys(self.packed(part), out[begin : begin + len(part)])
        return out


class Sources:
    """All folders of a run."""

    def __init__(
        self, folders: str, fold: int, *, labelled: float = 0.5, temperature: float = 0.25,
        mirrored: float = 0.0,
    ) -> None:  # fmt: skip
        names = [name.strip() for name in folders.split(",") if name.strip()]
        if not names:
            raise UsageError("no folders of positions: want data=DIR or data=DIR,DIR")
        self.parts = [Source(name, fold) for name in names]
        self.temperature, self.mirrored = temperature, mirrored
        self.game = self.parts[0].positions.game
        self._options = np.array(OPTIONS["none"], np.uint64)
        self.shares = self._shares(labelled)
        self._orders: dict[tuple[int, int], Indices] = {}
        if len(self.parts) > 1:
            self._hold_out()

    def _shares(self, labelled: float) -> list[float]:
        """Of a batch, for each folder: within a kind by size."""
        sizes = np.array([len(part.train) for part in self.parts], np.float64)
        kinds = np.array([part.lines > 0 for part in self.parts])
        if kinds.all() or not kinds.any():
            return list(sizes / sizes.sum())
        both = np.where(kinds, labelled, 1.0 - labelled)
        whole = np.where(kinds, sizes[kinds].sum(), sizes[~kinds].sum())
        return list(both * sizes / whole)

    def _hold_out(self) -> None:
        """A board that is learned from in another folder is no test."""
        for part in self.parts:
            own = part.keys(part.test)
            fresh = np.ones(len(own), bool)
            for other in self.parts:
                if other is not part:
                    fresh &= ~np.isin(own, other.keys(other.train))
            part.test = part.test[fresh]

    def lesson(self, step: int, batch: int, seed: int) -> Lesson:
        """The batch of a step."""
        picked = []
        edges = np.rint(np.cumsum([0.0, *self.shares]) * batch).astype(np.int64)
        for number, part in enumerate(self.parts):
            count = int(edges[number + 1] - edges[number])
            picked.append(self._next(number, len(part.train), step * count, count, seed))
        chosen = [part.train[places] for part, places in zip(self.parts, picked, strict=True)]
        if not self.mirrored:
            return self.made(chosen)
        drawn = np.random.default_rng(derive_seed(derive_seed(seed, 0), step)).random(batch)
        return self.made(chosen, drawn < self.mirrored)

    def _next(self, number: int, size: int, begin: int, count: int, seed: int) -> Indices:
        """Places ``begin`` and on of an endless row of shuffles."""
        found = []
        while count > 0:
            epoch, at = divmod(begin, size)
            if (number, epoch) not in self._orders:
                stale = [key for key in self._orders if key[0] == number]
                if len(stale) > 1:  # the one before may still be in use
                    del self._orders[min(stale)]
                chooser = np.random.default_rng(derive_seed(derive_seed(seed, 1 + number), epoch))
                self._orders[number, epoch] = chooser.permutation(size)
            taken = self._orders[number, epoch][at : at + count]
            found.append(taken)
            begin, count = begin + len(taken), count - len(taken)
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def made(self, chosen: list[Indices], mirrored: npt.NDArray[np.bool_] | None = None) -> Lesson:
        """The positions of each folder by number, as a lesson; a DataError for a bad one.

        Those that are to be ``mirrored``, and can be, are shown in a mirror."""
        lines = max(1, *(part.lines for part in self.parts))
        total = sum(map(len, chosen))
        words = np.empty((total, WORDS_EACH), np.uint64)
        wanted = np.full((total, lines), -1, np.int16)
        shares = np.zeros((total, lines), np.float32)
        values = np.empty(total, np.float32)
        begin = 0
        for part, indices in zip(self.parts, chosen, strict=True):
            here = slice(begin, begin + len(indices))
            begin += len(indices)
            words[here] = part.packed(indices)
            if part.labels is None:
                wanted[here, 0] = (words[here, 3] & np.uint64(0xFFFF)).astype(np.int16)
                shares[here, 0] = 1.0
                values[here] = (words[here, 4] >> np.uint64(32)).astype(np.uint8).view(np.int8)
                continue
            told = part.labels[indices]
            known = slice(0, part.lines)
            wanted[here, known] = told["actions"].astype(np.int16)
            shares[here, known] = labels.policies(told["scores"], self.temperature)
            values[here] = labels.values(told["scores"])
        if mirrored is not None:
            mirror(words, wanted, mirrored_actions(), mirrored)
        return self._with_moves(words, wanted, shares, values, chosen)

    def _with_moves(
        self, words: Any, wanted: Any, shares: Any, values: Any, chosen: list[Indices]
    ) -> Lesson:
        n = len(words)
        legal, slots = np.empty((n, ROOM), np.int16), np.empty(wanted.shape, np.int16)
        counts = np.empty(n, np.int64)
        legal_and_slots(self._options, self.game.tables, words, wanted, legal, slots, counts)
        bad = np.flatnonzero((slots == -2).any(axis=1) | (np.abs(values) > 1))
        if len(bad):
            row = int(bad[0])
            sizes = np.cumsum([len(indices) for indices in chosen])
            which = int(np.searchsorted(sizes, row, side="right"))
            number = int(np.concatenate(chosen)[row])
            raise DataError(
                f"{self.parts[which].positions.folder}: position {number} has a move or value "
                "that cannot be: build the data again"
            )
        width = -(-int(counts.max(initial=1)) // _STEP) * _STEP
        return Lesson(
            words.view(np.int64),
            np.ascontiguousarray(legal[:, :width]),
            np.maximum(slots, 0),
            shares,
            values,
        )


class Ahead:
    """The lessons of steps ``begin`` to ``end``, made by a thread while others are learned."""

    def __init__(
        self, sources: Sources, begin: int, end: int, batch: int, seed: int, *, pinned: bool
    ) -> None:
        self._made: queue.Queue[Any] = queue.Queue(_AHEAD)
        self._stop = threading.Event()
        self._work = sources, begin, end, batch, seed, pinned
        self._thread = threading.Thread(target=self._make, daemon=True)
        self._thread.start()

    def _make(self) -> None:
        sources, begin, end, batch, seed, pinned = self._work
        try:
            for step in range(begin, end):
                lesson: Any = sources.lesson(step, batch, seed)
                if not self._put(tensors_of(lesson, pinned=pinned)):
                    return
            self._put(None)
        except Exception as error:  # told where the lessons are taken
            self._put(error)

    def _put(self, thing: Any) -> bool:
        while not self._stop.is_set():
            with suppress(queue.Full):
                self._made.put(thing, timeout=0.2)
                return True
        return False

    def __iter__(self) -> Iterator[Any]:
        while (found := self._made.get()) is not None:
            if isinstance(found, Exception):
                raise found
            yield found

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


def tensors_of(lesson: Lesson, *, pinned: bool) -> list[Any]:
    """A lesson as PyTorch's tensors, in memory from which a GPU copies by itself if ``pinned``."""
    import torch

    found = [torch.from_numpy(array) for array in lesson]
    return [tensor.pin_memory() for tensor in found] if pinned else found
