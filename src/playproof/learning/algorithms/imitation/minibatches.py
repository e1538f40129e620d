"""Minibatches of imitation, assembled in the background: positions, legal moves and targets.

A minibatch stays packed until it is on the device: 40 bytes a position and two for each legal
move.  Its positions depend only on the seed and the number of the step, so a resumed run sees the
same minibatches as one that was never stopped.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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

if TYPE_CHECKING:
    import torch

_QUEUE_SIZE = 8  # minibatches assembled in advance
_STEP = 16  # the widths of lists of moves are multiples of it

Indices = npt.NDArray[np.int64]


class PackedMinibatch(NamedTuple):
    """Packed positions and their targets.

    words   (n, 5) int64, packed positions
    legal   (n, w) int16, legal moves, -1 after the last
    slots   (n, k) int16, indices in ``legal`` of the moves to learn; anything where there are fewer
    shares  (n, k) float32, the target probabilities of these, 0 where there are fewer
    values  (n,) float32, the target values for the mover, -1 to 1
    """

    words: npt.NDArray[np.int64]
    legal: npt.NDArray[np.int16]
    slots: npt.NDArray[np.int16]
    shares: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]


class TensorMinibatch(NamedTuple):
    """A :class:`PackedMinibatch` as PyTorch's tensors."""

    words: torch.Tensor
    legal: torch.Tensor
    slots: torch.Tensor
    shares: torch.Tensor
    values: torch.Tensor

    def to(self, device: Any) -> TensorMinibatch:
        """The tensors on a device; copies from pinned memory run in the background."""
        return TensorMinibatch(*(tensor.to(device, non_blocking=True) for tensor in self))


class PositionSource:
    """One folder of positions, split into training and held-out positions."""

    def __init__(self, folder: str, fold: int) -> None:
        self.positions = Positions(folder)
        size = len(self.positions)
        self.lines = int(self.positions.metadata.get("lines", 0))  # moves labelled per position
        self.labels = labels.open_labels(Path(folder), size, self.lines) if self.lines else None
        self.train, self.test = self.positions.train(fold), self.positions.test(fold)
        self._words = self.positions.array.view("<u8").reshape(-1, WORDS_EACH)
        if not len(self.train):
            raise DataError(f"{folder}: nothing to learn from outside fold {fold}")

    def packed(self, indices: Indices) -> npt.NDArray[np.uint64]:
        return np.asarray(self._words.take(indices, axis=0), np.uint64)

    def keys(self, indices: Indices) -> npt.NDArray[np.uint64]:
        """A 64-bit key for each board."""
        out = np.empty(len(indices), np.uint64)
        for start in range(0, len(indices), 1 << 18):
            part = indices[start : start + (1 << 18)]
            board_keys(self.packed(part), out[start : start + len(part)])
        return out


class PositionSources:
    """All folders that a run learns from."""

    def __init__(
        self, folders: str, fold: int, *, labelled: float = 0.5, temperature: float = 0.25,
        mirrored: float = 0.0,
    ) -> None:  # fmt: skip
        names = [name.strip() for name in folders.split(",") if name.strip()]
        if not names:
            raise UsageError("no folders of positions: want data=DIR or data=DIR,DIR")
        self.parts = [PositionSource(name, fold) for name in names]
        self.temperature, self.mirrored = temperature, mirrored
        self.game = self.parts[0].positions.game
        self._options = np.array(OPTIONS["none"], np.uint64)
        self.shares = self._shares(labelled)
        self._orders: dict[tuple[int, int], Indices] = {}
        if len(self.parts) > 1:
            self._hold_out()

    def _shares(self, labelled: float) -> list[float]:
        """The share of each folder in a minibatch; within a kind it is proportional to size."""
        sizes = np.array([len(part.train) for part in self.parts], np.float64)
        kinds = np.array([part.lines > 0 for part in self.parts])
        if kinds.all() or not kinds.any():
            return list(sizes / sizes.sum())
        both = np.where(kinds, labelled, 1.0 - labelled)
        whole = np.where(kinds, sizes[kinds].sum(), sizes[~kinds].sum())
        return list(both * sizes / whole)

    def _hold_out(self) -> None:
        """Remove boards from the held-out ones that are learned from in another folder."""
        for part in self.parts:
            own = part.keys(part.test)
            fresh = np.ones(len(own), bool)
            for other in self.parts:
                if other is not part:
                    fresh &= ~np.isin(own, other.keys(other.train))
            part.test = part.test[fresh]

    def minibatch(self, step: int, batch: int, seed: int) -> PackedMinibatch:
        """The minibatch of a step; ``batch`` is its size."""
        picked = []
        edges = np.rint(np.cumsum([0.0, *self.shares]) * batch).astype(np.int64)
        for number, part in enumerate(self.parts):
            count = int(edges[number + 1] - edges[number])
            picked.append(self._next(number, len(part.train), step * count, count, seed))
        chosen = [part.train[places] for part, places in zip(self.parts, picked, strict=True)]
        if not self.mirrored:
            return self.assemble(chosen)
        drawn = np.random.default_rng(derive_seed(derive_seed(seed, 0), step)).random(batch)
        return self.assemble(chosen, drawn < self.mirrored)

    def _next(self, number: int, size: int, start: int, count: int, seed: int) -> Indices:
        """``count`` indices from position ``start`` of an endless sequence of shuffles."""
        parts = []
        while count > 0:
            epoch, at = divmod(start, size)
            if (number, epoch) not in self._orders:
                stale = [key for key in self._orders if key[0] == number]
                if len(stale) > 1:  # the previous one may still be in use
                    del self._orders[min(stale)]
                rng = np.random.default_rng(derive_seed(derive_seed(seed, 1 + number), epoch))
                self._orders[number, epoch] = rng.permutation(size)
            part = self._orders[number, epoch][at : at + count]
            parts.append(part)
            start, count = start + len(part), count - len(part)
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def assemble(
        self, chosen: list[Indices], mirrored: npt.NDArray[np.bool_] | None = None
    ) -> PackedMinibatch:
        """A minibatch from the indices of each folder's positions; a DataError for a bad one.

        Positions that are chosen to be ``mirrored``, and can be, are mirrored."""
        lines = max(1, *(part.lines for part in self.parts))
        total = sum(map(len, chosen))
        words = np.empty((total, WORDS_EACH), np.uint64)
        moves = np.full((total, lines), -1, np.int16)
        shares = np.zeros((total, lines), np.float32)
        values = np.empty(total, np.float32)
        start = 0
        for part, indices in zip(self.parts, chosen, strict=True):
            here = slice(start, start + len(indices))
            start += len(indices)
            words[here] = part.packed(indices)
            if part.labels is None:
                moves[here, 0] = (words[here, 3] & np.uint64(0xFFFF)).astype(np.int16)
                shares[here, 0] = 1.0
                values[here] = (words[here, 4] >> np.uint64(32)).astype(np.uint8).view(np.int8)
                continue
            labelled = part.labels[indices]
            columns = slice(0, part.lines)
            moves[here, columns] = labelled["actions"].astype(np.int16)
            shares[here, columns] = labels.policies(labelled["scores"], self.temperature)
            values[here] = labels.values(labelled["scores"])
        if mirrored is not None:
            mirror(words, moves, mirrored_actions(), mirrored)
        return self._with_moves(words, moves, shares, values, chosen)

    def _with_moves(
        self, words: Any, moves: Any, shares: Any, values: Any, chosen: list[Indices]
    ) -> PackedMinibatch:
        """Add the lists of legal moves, and replace the target ``moves`` by indices in these."""
        n = len(words)
        legal, slots = np.empty((n, ROOM), np.int16), np.empty(moves.shape, np.int16)
        counts = np.empty(n, np.int64)
        legal_and_slots(self._options, self.game.tables, words, moves, legal, slots, counts)
        bad = np.flatnonzero((slots == -2).any(axis=1) | (np.abs(values) > 1))
        if len(bad):
            row = int(bad[0])
            sizes = np.cumsum([len(indices) for indices in chosen])
            which = int(np.searchsorted(sizes, row, side="right"))
            number = int(np.concatenate(chosen)[row])
            raise DataError(
                f"{self.parts[which].positions.folder}: position {number} has a move or value "
                "that is impossible: build the data again"
            )
        width = -(-int(counts.max(initial=1)) // _STEP) * _STEP
        return PackedMinibatch(
            words.view(np.int64),
            np.ascontiguousarray(legal[:, :width]),
            np.maximum(slots, 0),
            shares,
            values,
        )


class Prefetcher:
    """Assembles the minibatches of steps ``start`` to ``end`` in a thread, ahead of their use."""

    def __init__(
        self, sources: PositionSources, start: int, end: int, batch: int, seed: int, *, pinned: bool
    ) -> None:
        self._queue: queue.Queue[Any] = queue.Queue(_QUEUE_SIZE)
        self._stop = threading.Event()
        self._work = sources, start, end, batch, seed, pinned
        self._thread = threading.Thread(target=self._produce, daemon=True)
        self._thread.start()

    def _produce(self) -> None:
        sources, start, end, batch, seed, pinned = self._work
        try:
            for step in range(start, end):
                minibatch: Any = sources.minibatch(step, batch, seed)
                if not self._put(tensors_of(minibatch, pinned=pinned)):
                    return
            self._put(None)
        except Exception as error:  # raised again where the minibatches are taken
            self._put(error)

    def _put(self, item: TensorMinibatch | Exception | None) -> bool:
        """Put an item into the queue, once there is room; False if the prefetcher was closed."""
        while not self._stop.is_set():
            with suppress(queue.Full):
                self._queue.put(item, timeout=0.2)
                return True
        return False

    def __iter__(self) -> Iterator[TensorMinibatch]:
        while (item := self._queue.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


def tensors_of(minibatch: PackedMinibatch, *, pinned: bool) -> TensorMinibatch:
    """A minibatch as tensors; in page-locked memory, for copies to a GPU, if ``pinned``."""
    import torch

    tensors = [torch.from_numpy(array) for array in minibatch]
    return TensorMinibatch(*(tensor.pin_memory() if pinned else tensor for tensor in tensors))
