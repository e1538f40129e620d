"""What the tests of Choko's tables share: small tables in memory, cells and positions."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int64, void

from playproof.core.compiling import kernel
from playproof.core.game import Game
from playproof.core.state import State
from playproof.tables.choko.build import BuildResult, build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.index import SHAPE, UINT16S, UINT32S, cell_of, maps, shape_of
from playproof.tables.choko.passes import sets_at
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.slices import Slice, slice_of
from playproof.tables.choko.store import DISTANCE, MemoryStore
from tests.support.oracles.choko_solver_naive import Position, on_the_board

Numbers = npt.NDArray[np.int64]


class Solved(NamedTuple):
    store: MemoryStore
    built: BuildResult
    probe: Probe


@functools.cache
def cpu() -> Cpu:
    return Cpu()


@functools.cache
def solved(lone_jump: bool, pieces: int, kind: str = DISTANCE) -> Solved:
    """All slices with so many pieces in play: built once, and so not to be changed."""
    store = MemoryStore(lone_jump, kind, cpu())
    built = build(plan_build(lone_jump, kind, pieces=pieces), cpu(), store)
    return Solved(store, built, Probe(store))


@kernel(void(UINT32S, UINT16S, UINT32S, UINT32S, SHAPE, SHAPE, SHAPE, SHAPE))
def _encode(atlas, ranks, orbits, reps, shape, larges, smalls, out):
    for i in range(len(out)):
        out[i] = cell_of(atlas, ranks, orbits, reps, shape, larges[i], smalls[i])


@kernel(void(UINT32S, UINT32S, SHAPE, SHAPE, SHAPE, SHAPE))
def _decode(atlas, reps, shape, cells, larges, smalls):
    for i in range(len(cells)):
        _, large, small = sets_at(atlas, reps, shape, int64(cells[i]))
        larges[i], smalls[i] = large, small


def cells_of(one: Slice, larges: Numbers, smalls: Numbers) -> Numbers:
    """The cell of each position of a slice, by the two sides' sets."""
    out = np.empty(len(larges), np.int64)
    _encode(*maps(), shape_of(one), larges, smalls, out)
    return out


def sets_of(one: Slice, cells: Numbers) -> tuple[Numbers, Numbers]:
    """The two sides' sets, of the one with more pieces first."""
    larges, smalls = np.empty_like(cells), np.empty_like(cells)
    _decode(maps().atlas, maps().reps, shape_of(one), cells, larges, smalls)
    return larges, smalls


def word(squares: frozenset[int]) -> int:
    return sum(1 << square for square in squares)


def squares(bits: int) -> frozenset[int]:
    return frozenset(square for square in range(25) if bits >> square & 1)


def slice_with(position: Position) -> Slice:
    """The slice of a free position."""
    assert not position.forced
    return slice_of(position.hand, len(position.own), len(position.other))


def stored(store: MemoryStore, one: Slice, positions: list[Position]) -> list[int]:
    """The codes that a store holds for free positions of a slice."""
    sets = [np.array([word(p[i]) for p in positions], np.int64) for i in range(2)]
    larges, smalls = sets if one.mover == 0 else reversed(sets)
    return list(store.read(one, cells_of(one, larges, smalls)).tolist())


def some_positions(one: Slice, count: int, seed: int) -> list[Position]:
    """Free positions of a slice, by chance."""
    chooser = np.random.default_rng([seed, one.hands, one.large, one.small, one.mover])
    chosen = []
    for _ in range(count):
        there = chooser.permutation(25)[: one.own + one.other].tolist()
        own, other = frozenset(there[: one.own]), frozenset(there[one.own :])
        chosen.append(Position(own, other, one.hands, False))
    return chosen


def state_of(game: Game, position: Position, side: int = 0, ply: int | None = None) -> State:
    """The position as text would give it, with ``side`` to move."""
    naive = on_the_board(position, False, side)
    rows = ["".join("." if c is None else "br"[c] for c in row) for row in reversed(naive.board)]
    gaps = ["".join("1" if letter == "." else letter for letter in row) for row in rows]
    holder = "br"[1 - side] if position.forced else "-"
    hands = f"{naive.hands[0]} {naive.hands[1]}"
    moves = naive.ply if ply is None else ply
    return game.position(f"{'/'.join(gaps)} {'br'[side]} {hands} {holder} {moves}")
