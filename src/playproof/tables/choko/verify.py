"""Checking tables that lie on disk: sums, samples by the playing engine, or every cell."""

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
from playproof.tables.choko.store import DISTANCE, Files, Memory
from playproof.tables.choko.value_codes import DRAW


@kernel(void(UINT32S, UINT32S, SHAPE, SHAPE, SHAPE, SHAPE))
def _decode(atlas, reps, shape, cells, larges, smalls):  # type: ignore[no-untyped-def]
    for i in range(len(cells)):
        _, large, small = sets_at(atlas, reps, shape, int64(cells[i]))
        larges[i], smalls[i] = large, small


def positions(game: Game, one: Slice, cells: npt.NDArray[np.int64]) -> list[State]:
    """The positions of some cells, with Blue to move."""
    larges, smalls = np.empty_like(cells), np.empty_like(cells)
    shared = maps()
    _decode(shared.atlas, shared.reps, shape_of(one), cells, larges, smalls)
    blues, reds = (larges, smalls) if one.mover == 0 else (smalls, larges)
    hands, ply = (one.hands, one.hands), 2 * (PIECES - one.hands)
    return [
        State(game, game.row_of(int(blue), int(red), 0, 0, hands, ply), set_up=True)  # type: ignore[attr-defined]
        for blue, red in zip(blues, reds, strict=True)
    ]


@dataclass(frozen=True)
class Verdict:
    slice: Slice
    checked: int
    wrong: list[str]  # positions, a few of them


def sample(probe: Probe, one: Slice, count: int, seed: int, shown: int = 5) -> Verdict:
    """Compare some cells of a slice with the best of what the engine's moves lead to."""
    chooser = np.random.default_rng([seed, one.hands, one.large, one.small, one.mover])
    cells = np.unique(chooser.integers(0, one.cells, count))
    codes = probe.store.read(one, cells).astype(np.int64)
    states = positions(probe.game, one, cells)
    going = [state for state in states if not state.is_terminal]
    found = iter(probe.codes_of(going) if going else [])
    wrong = []
    exact = probe.store.kind == DISTANCE
    for state, code in zip(states, codes, strict=True):
        best = DRAW if state.is_terminal else max(next(found).values())
        same = best == code if exact else np.sign(best - DRAW) == np.sign(code - DRAW)
        if not same:
            wrong.append(state.position)
    return Verdict(one, len(cells), wrong[:shown])


def example(store: Files | Memory, game: Game, one: Slice, code: int) -> str | None:
    """A position of a slice with that code, as text."""
    cell = store.find(one, code)
    return None if cell < 0 else positions(game, one, np.array([cell], np.int64))[0].position
