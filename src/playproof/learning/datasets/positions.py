"""Reads a folder of positions with moves and values, as ``playproof data build`` makes it.

``positions.bin`` has 40 bytes a position (:data:`playproof.learning.datasets.packed.LAYOUT`),
``games.npy`` a row for each game, ``data.json`` the settings and the counts.  Any fold can be the
test set, with the others as the training set.  A board that occurs in both is left out of the test
set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.learning.datasets.packed import (
    IS_SHARED,
    LAYOUT,
    WORDS_EACH,
    observe_packed,
    unpack_rows,
)

POSITIONS, GAMES, METADATA = "positions.bin", "games.npy", "data.json"
VERSION = 1
GAME = np.dtype(
    [
        ("source", "<u2"),  # number of the file
        ("fold", "u1"),
        ("result", "i1"),  # 1 White won, 0 drawn, -1 Black won
        ("game", "<u4"),  # number in its file, from 0
        ("line", "<u4"),  # its first line in the file, from 1
        ("plies", "<u4"),
        ("first", "<u8"),  # index of its first position
        ("drawn", "<u4"),  # number of positions sampled from it
    ]
)

Indices = npt.NDArray[np.int64]


class PositionSamples(NamedTuple):
    """Inputs and targets for a network."""

    observations: npt.NDArray[np.float32]  # (n, planes, 8, 8)
    actions: npt.NDArray[np.int64]  # (n,) 0 to 4671
    values: npt.NDArray[np.float32]  # (n,) -1, 0 or 1 for the mover


class Positions:
    """The positions of a folder, as memory-mapped files."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.metadata = _read_metadata(self.folder)
        size, file = self.metadata["positions"], self.folder / POSITIONS
        try:
            if file.stat().st_size != size * LAYOUT.itemsize:
                raise DataError(f"{file} is not complete: build the data again")
            empty = np.zeros(0, LAYOUT)
            self.array: Any = np.memmap(file, LAYOUT, "r") if size else empty
            self.games: Any = np.load(self.folder / GAMES)
        except (OSError, ValueError) as error:
            raise DataError(f"{self.folder} cannot be read: {error}") from None
        self.game = make("chess")

    def __len__(self) -> int:
        return len(self.array)

    @property
    def folds(self) -> int:
        return int(self.metadata["folds"])

    def train(self, fold: int) -> Indices:
        """The indices of the training set if ``fold`` is held out."""
        return np.flatnonzero(self.array["fold"] != self._fold(fold))

    def test(self, fold: int) -> Indices:
        """The indices of the test set: positions of ``fold`` whose boards occur in no other."""
        fresh = self.array["flags"] & IS_SHARED == 0
        return np.flatnonzero((self.array["fold"] == self._fold(fold)) & fresh)

    def samples(self, indices: npt.ArrayLike, observation: str = "paper-13") -> PositionSamples:
        """The inputs and targets for a network at some positions."""
        kind = self.game.observation_kind(observation)
        chosen = self.array[np.asarray(indices, np.int64)]
        shape = self.game.observations[observation]
        out = np.empty((len(chosen), int(np.prod(shape))), np.float32)
        options = self.game.option_words
        observe_packed(options, self.game.tables, _words(chosen), kind, out)
        return PositionSamples(
            out.reshape(-1, *shape),
            chosen["action"].astype(np.int64),
            chosen["value"].astype(np.float32),
        )

    def batches(
        self,
        indices: Indices,
        size: int,
        *,
        seed: int | None = None,
        observation: str = "paper-13",
    ) -> Iterator[PositionSamples]:
        """Batches of ``size`` samples, each of ``indices`` once; shuffled if there is a seed."""
        if size < 1:
            raise UsageError(f"batches of {size}: want 1 or more")
        if seed is not None:
            indices = np.random.default_rng(seed).permutation(indices)
        for start in range(0, len(indices), size):
            # Within a batch positions are read in the order in which they are on the disk.
            yield self.samples(np.sort(indices[start : start + size]), observation)

    def state(self, number: int) -> State:
        """One position as a state, without its past."""
        if not 0 <= number < len(self):
            raise UsageError(f"there is no position {number}: want 0 to {len(self) - 1}")
        rows = np.empty((1, 8), np.uint64)
        unpack_rows(_words(self.array[number : number + 1]), rows)
        return State(self.game, rows[0], set_up=True)

    def _fold(self, fold: int) -> int:
        if not 0 <= fold < self.folds:
            raise UsageError(f"there is no fold {fold}: want 0 to {self.folds - 1}")
        return fold


def _words(chosen: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Packed positions as words, (n, 5)."""
    whole = np.frombuffer(chosen.tobytes(), np.dtype("<u8")).astype(np.uint64)
    return whole.reshape(-1, WORDS_EACH)


def _read_metadata(folder: Path) -> dict[str, Any]:
    file = folder / METADATA
    try:
        metadata = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"{folder} holds no finished data: playproof data build GAMES.pgn --out {folder}"
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(f"{file} cannot be read: {error}") from None
    if not isinstance(metadata, dict) or metadata.get("version") != VERSION:
        raise DataError(f"{file} is not of version {VERSION}: build the data again")
    return metadata
