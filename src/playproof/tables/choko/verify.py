"""Checking tables against the engine that plays the game, by samples of their cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import int64, void

from playproof.core.compiling import kernel
from playproof.core.game import Game
from playproof.core.state import State
from playproof.rules.choko import PIECES
from playproof.tables.choko.index import SHAPE, UINT32S, maps, shape_of
from playproof.tables.choko.passes import sets_at
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.slices import Slice
from playproof.tables.choko.store import DISTANCE, FileStore, MemoryStore
from playproof.tables.choko.value_codes import DRAW


@kernel(void(UINT32S, UINT32S, SHAPE, SHAPE, SHAPE, SHAPE))
def _decode(atlas, reps, shape, cells, larges, smalls):  # type: ignore[no-untyped-def]
    for i in range(len(cells)):
        _, large, small = sets_at(atlas, reps, shape, int64(cells[i]))
        larges[i], smalls[i] = large, small


def positions(game: Game, slice_: Slice, cells: npt.NDArray[np.int64]) -> list[State]:
    """The positions of some cells of a slice, with Blue to move."""
    larges, smalls = np.empty_like(cells), np.empty_like(cells)
    shared = maps()
    _decode(shared.atlas, shared.reps, shape_of(slice_), cells, larges, smalls)
    blues, reds = (larges, smalls) if slice_.mover == 0 else (smalls, larges)
    hands, ply = (slice_.hands, slice_.hands), 2 * (PIECES - slice_.hands)
    return [
        State(game, game.row_of(int(blue), int(red), 0, 0, hands, ply), set_up=True)  # type: ignore[attr-defined]
        for blue, red in zip(blues, reds, strict=True)
    ]


@dataclass(frozen=True)
class SampleCheck:
    """The outcome of checking some cells of a slice."""

    slice: Slice
    checked: int
    wrong: list[str]  # the first few positions with a wrong value


def check_sample(
    probe: Probe, slice_: Slice, count: int, seed: int, max_wrong: int = 5
) -> SampleCheck:
    """Compare ``count`` random cells of a slice with the values that the engine's moves lead to."""
    chooser = np.random.default_rng([seed, slice_.hands, slice_.large, slice_.small, slice_.mover])
    cells = np.unique(chooser.integers(0, slice_.cells, count))
    codes = probe.store.read(slice_, cells).astype(np.int64)
    states = positions(probe.game, slice_, cells)
    ongoing = [state for state in states if not state.is_terminal]
    move_codes = iter(probe.codes_of(ongoing) if ongoing else [])
    wrong = []
    exact = probe.store.kind == DISTANCE
    for state, code in zip(states, codes, strict=True):
        best = DRAW if state.is_terminal else max(next(move_codes).values())
        same = best == code if exact else np.sign(best - DRAW) == np.sign(code - DRAW)
        if not same:
            wrong.append(state.position)
    return SampleCheck(slice_, len(cells), wrong[:max_wrong])


def example_position(
    store: FileStore | MemoryStore, game: Game, slice_: Slice, code: int
) -> str | None:
    """The text of a position of a slice with a code, or None if there is none."""
    cell = store.find(slice_, code)
    return None if cell < 0 else positions(game, slice_, np.array([cell], np.int64))[0].position
