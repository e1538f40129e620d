"""The tables that a run learns from: a folder, a probe server, or the game solved in memory.

Runs in one process that ask for the same tables share them, so the game is solved once.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.core.jobs.recorder import current
from playproof.core.parallel.executor import cores
from playproof.core.registry import make
from playproof.learning.algorithms.distillation.settings import SOLVE, DistillationSettings
from playproof.rules.choko import PIECES
from playproof.tables.choko.build import BuildPlan, build, plan_build
from playproof.tables.choko.devices import open_device
from playproof.tables.choko.game import build_command, open_source
from playproof.tables.choko.probe import ActionCodes, Probe
from playproof.tables.choko.probe_server.client import socket_of
from playproof.tables.choko.slices import Slice, needed_by
from playproof.tables.choko.solve import Counts, Device
from playproof.tables.choko.store import DISTANCE, CellGroups, MemoryStore, SliceStore

_MOST_HOURS = 1.0  # that a run may solve before it learns
_SIZES = PIECES + 2  # numbers of pieces, and one more for a piece that is about to be placed

_open: dict[tuple[object, ...], Truth] = {}
_opening = threading.Lock()


class LockedStore:
    """A store that one thread reads at a time, since devices allow no more."""

    def __init__(self, store: SliceStore) -> None:
        self.lone_jump, self.kind, self._store = store.lone_jump, store.kind, store
        self._lock = threading.Lock()

    def has(self, slice_: Slice) -> bool:
        return self._store.has(slice_)

    def slices(self) -> list[Slice]:
        return self._store.slices()

    def counts(self, slice_: Slice) -> Counts:
        return self._store.counts(slice_)

    def read(self, slice_: Slice, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        with self._lock:
            return self._store.read(slice_, cells)

    def read_many(self, groups: CellGroups) -> npt.NDArray[np.uint8]:
        with self._lock:
            return self._store.read_many(groups)


@dataclass(frozen=True, eq=False)
class Truth:
    """Tables to learn from.

    slices     (m, 3) int64: hands, the mover's pieces, the other side's pieces
    sizes      (m,) the number of positions in each slice
    available  (hands, own, other) flags of these slices
    """

    probe: Probe
    slices: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.float64]
    available: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, store: SliceStore, slices: list[Slice]) -> Truth:
        """The tables of some slices of a store."""
        available = np.zeros((_SIZES, _SIZES, _SIZES), np.uint8)
        for one in slices:
            available[one.hands, one.own, one.other] = 1
        numbers = np.array([(one.hands, one.own, one.other) for one in slices], np.int64)
        sizes = np.array([float(one.raw) for one in slices])
        return cls(Probe(LockedStore(store)), numbers, sizes, available)

    @property
    def has_start(self) -> bool:
        """Whether the tables have the empty board, and so every position of a game."""
        return bool(self.available[PIECES, 0, 0])

    def label(self, rows: npt.NDArray[np.uint64]) -> ActionCodes:
        """The code of every legal action in positions that are not over."""
        return self.probe.action_codes(rows)


def open_truth(settings: DistillationSettings, device: str) -> Truth:
    """The tables that settings name; ``device`` solves them if they must be solved first."""
    s = settings
    lone_jump = bool(make(s.game).options["lone_jump"])
    key = (*_place(s.tables, device), lone_jump, s.hands, s.pieces)
    with _opening:
        if key not in _open:
            opened = _solve(s, lone_jump, device) if s.tables == SOLVE else _read(s, lone_jump)
            _open.clear()  # tables are large: keep the latest ones alone
            _open[key] = opened
        return _open[key]


def forget() -> None:
    """Free the tables that are kept for the next run."""
    with _opening:
        _open.clear()


def _place(tables: str, device: str) -> tuple[str, str]:
    """What holds the tables, and where it is, whatever the current folder."""
    if tables == SOLVE:
        return SOLVE, device
    socket = socket_of(tables)
    if socket is not None:
        return "server", str(socket.resolve())
    return "folder", str(Path(tables).expanduser().resolve())


def _read(s: DistillationSettings, lone_jump: bool) -> Truth:
    """The tables of a folder or a server, without slices whose moves lead to missing ones."""
    store = open_source(s.tables, lone_jump)
    present, chosen = set(store.slices()), list[Slice]()
    for one in store.slices():  # those that moves lead to come first
        needed = [one.mirror if one.large != one.small else one, *needed_by(one, lone_jump)]
        is_pair_whole = all(other in present for other in needed)
        leads_on = all(other in chosen for other in needed_by(one, lone_jump))
        small = one.hands <= s.hands and one.large + one.small + 2 * one.hands <= s.pieces
        if is_pair_whole and leads_on and small:
            chosen.append(one)
    if not chosen:
        remedy = f"build them with '{build_command(lone_jump)}'"
        if socket_of(s.tables) is not None:
            remedy = "want more hands or pieces, or a server that holds more"
        raise DataError(
            f"{s.tables} has no whole tables with hands={s.hands} and pieces={s.pieces}: {remedy}"
        )
    return Truth.of(store, chosen)


def _solve(s: DistillationSettings, lone_jump: bool, device: str) -> Truth:
    """The game, or a part of it, solved in the memory of a device."""
    plan = plan_build(lone_jump, DISTANCE, hands=s.hands, pieces=s.pieces)
    worker = open_device(device)
    # A GPU does not pay off for small slices.
    small = None if device == "cpu" else open_device("cpu")
    _check_cost(plan, worker)
    store, job = MemoryStore(lone_jump, DISTANCE, worker), current()
    if job is not None:
        job.start_part("solving")

    def report(done: int, total: int) -> None:
        if job is not None:
            job.report(done=done, total=total)

    build(plan, worker, store, small_device=small, on_progress=report)
    return Truth.of(store, plan.slices)


def _check_cost(plan: BuildPlan, worker: Device) -> None:
    needed, free = plan.peak_memory(keep_all=True), worker.free_memory()
    if needed > free:
        raise UsageError(
            f"tables=solve takes {needed / 2**30:.1f} GiB and {worker.name} has "
            f"{free / 2**30:.1f} GiB of memory free: want a smaller part, such as hands=0 and "
            "pieces=8, or tables=DIR"
        )
    hours = plan.seconds(worker.name, cores()) / 3600
    if hours > _MOST_HOURS:
        raise UsageError(
            f"tables=solve takes about {hours:.0f} hours on {worker.name}: want --device cuda, a "
            "smaller part, such as hands=0 and pieces=8, or tables=DIR"
        )
