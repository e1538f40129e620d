"""Building tables of Choko: the plan, its estimated cost, and the build itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from playproof.core.errors import UsageError
from playproof.rules.choko import PIECES
from playproof.tables.choko.slices import Slice, needed_by, pairs
from playproof.tables.choko.solve import Codes, Counts, Device, disagreements, solve_pair, work
from playproof.tables.choko.store import DISTANCE, FileStore, MemoryStore
from playproof.tables.choko.value_codes import DRAW, distance

INDEX_BYTES = 1_500_000_000  # the maps, and on a GPU the list of cells
# Cells per second (and per core on a CPU), measured elsewhere, for a first estimate.
RATES = {"cpu": 0.8e6, "cuda": 600e6}

OnProgress = Callable[[int, int], None]  # work done and total work, in cells


@dataclass(frozen=True)
class BuildPlan:
    """The slices to solve, pair by pair."""

    lone_jump: bool
    kind: str
    pairs: list[tuple[Slice, ...]]

    @property
    def slices(self) -> list[Slice]:
        return [slice_ for pair in self.pairs for slice_ in pair]

    @property
    def cells(self) -> int:
        return sum(slice_.cells for slice_ in self.slices)

    @property
    def work(self) -> int:
        return sum(work(slice_) for slice_ in self.slices)

    @property
    def disk(self) -> int:
        """Bytes of all files, without headers and checksums."""
        return sum(self.stored(slice_) for slice_ in self.slices)

    def stored(self, slice_: Slice) -> int:
        """Bytes of a slice as it is stored."""
        return slice_.cells if self.kind == DISTANCE else (slice_.cells + 3) // 4

    @property
    def memory(self) -> int:
        """Bytes of memory for the largest pair and the slices that its moves lead to."""
        return max(self._working(pair) + self._needed(pair) for pair in self.pairs) + INDEX_BYTES

    def _working(self, pair: tuple[Slice, ...]) -> int:
        """Bytes of the codes and exits of both layouts, and of the forced positions."""
        return 4 * pair[0].cells + max(work(slice_) - 2 * slice_.cells for slice_ in pair)

    def _needed(self, pair: tuple[Slice, ...]) -> int:
        """Bytes of the largest slice that a pair's moves lead to."""
        needed = (successor for slice_ in pair for successor in needed_by(slice_, self.lone_jump))
        return max((successor.cells for successor in needed), default=0)

    def peak_memory(self, keep_all: bool) -> int:
        """The most bytes of a build in memory that keeps all slices, or only those still needed."""
        last_use = {
            successor: place
            for place, pair in enumerate(self.pairs)
            for slice_ in pair
            for successor in needed_by(slice_, self.lone_jump)
        }
        kept: dict[Slice, int] = {}
        most = 0
        for place, pair in enumerate(self.pairs):
            unpacked = 0 if self.kind == DISTANCE else self._needed(pair)
            most = max(most, sum(kept.values()) + self._working(pair) + unpacked)
            kept |= {slice_: self.stored(slice_) for slice_ in pair}
            if not keep_all:
                kept = {slice_: n for slice_, n in kept.items() if last_use.get(slice_, -1) > place}
        return most + INDEX_BYTES

    def seconds(self, device: str, cores: int) -> float:
        """The estimated duration, from rates measured elsewhere."""
        return self.cells / (RATES[device] * (cores if device == "cpu" else 1))


def plan_build(
    lone_jump: bool, kind: str, *, hands: int | None = None, pieces: int | None = None
) -> BuildPlan:
    """A plan for the slices with at most ``hands`` pieces in each hand and ``pieces`` in play.

    Pieces in play are those on the board and in hand, both sides together. Without limits the plan
    has all slices. All positions that moves lead to are included, since moves never add pieces to
    a hand or to the game.
    """
    if pieces is not None and not 2 <= pieces <= 2 * PIECES:
        raise UsageError(f"--pieces {pieces}: want 2 to {2 * PIECES}, hands included")
    if hands is not None and not 0 <= hands <= PIECES:
        raise UsageError(f"--hands {hands}: want 0 to {PIECES}")
    chosen = [
        pair
        for pair in pairs(lone_jump)
        if (hands is None or pair[0].hands <= hands)
        and (pieces is None or pair[0].large + pair[0].small + 2 * pair[0].hands <= pieces)
    ]
    if not chosen:
        raise UsageError("no position has so few pieces: want more --pieces")
    return BuildPlan(lone_jump, kind, chosen)


@dataclass(frozen=True)
class SliceSummary:
    """Statistics of a solved slice."""

    slice: Slice
    counts: Counts  # positions by code, symmetric ones counted separately
    longest_win: int  # actions
    longest_loss: int
    wrong: int | None = None  # cells that a check found wrong; None without a check

    @property
    def wins(self) -> int:
        return int(self.counts[DRAW + 1 :].sum())

    @property
    def losses(self) -> int:
        return int(self.counts[:DRAW].sum())

    @property
    def draws(self) -> int:
        return int(self.counts[DRAW])


def summarize_slice(slice_: Slice, counts: Counts, wrong: int | None = None) -> SliceSummary:
    """The statistics of a slice from its positions by code."""
    win = max((distance(c) for c in range(DRAW + 1, 256) if counts[c]), default=0)
    loss = max((distance(c) for c in range(1, DRAW) if counts[c]), default=0)
    return SliceSummary(slice_, counts, win, loss, wrong)


@dataclass
class BuildResult:
    """The outcome of a build."""

    summaries: list[SliceSummary] = field(default_factory=list)
    solved: int = 0  # cells that were solved rather than found on disk
    solving: float = 0.0  # seconds
    checking: float = 0.0  # seconds
    wrong: int = 0  # cells


class _Progress:
    """The progress of a build, in cells."""

    def __init__(self, total: int, on_progress: OnProgress) -> None:
        self._total, self._on_progress = total, on_progress
        self._finished = 0  # cells of the pairs that are done
        self._current = 0  # cells of the pair in progress

    def tick(self, cells: int) -> None:
        self._current += cells
        self._on_progress(min(self._total, self._finished + self._current), self._total)

    def finish(self, pair: tuple[Slice, ...]) -> None:
        self._finished += sum(work(slice_) for slice_ in pair)
        self._current = 0
        self._on_progress(self._finished, self._total)


def build(
    plan: BuildPlan,
    device: Device,
    store: FileStore | MemoryStore,
    *,
    verify: bool = False,
    keep_all: bool = True,
    small_device: Device | None = None,
    on_slice: Callable[[SliceSummary], None] = lambda summary: None,
    on_progress: OnProgress = lambda done, total: None,
    until: float | None = None,
) -> BuildResult:
    """Solve the slices of a plan that the store does not have yet.

    ``keep_all=False`` drops slices from memory once nothing needs them. ``small_device`` solves
    pairs that are too small for ``device`` to pay off. After ``until`` (a monotonic time) no new
    pair is started.
    """
    result, progress = BuildResult(), _Progress(plan.work, on_progress)
    for place, pair in enumerate(plan.pairs):
        fresh: dict[Slice, Codes] = {}
        if not all(store.has(slice_) for slice_ in pair):
            if until is not None and time.monotonic() > until:
                return result
            started = time.perf_counter()
            fresh = _solve(device, small_device, pair, plan.lone_jump, store, progress.tick)
            for slice_ in pair:
                store.save(slice_, fresh[slice_], device.histogram(slice_, fresh[slice_]))
            result.solving += time.perf_counter() - started
            result.solved += sum(slice_.cells for slice_ in pair)
        progress.finish(pair)
        for slice_ in pair:
            wrong = None
            if verify:
                started = time.perf_counter()
                wrong = disagreements(device, slice_, plan.lone_jump, _fetch_from(fresh, store))
                result.checking += time.perf_counter() - started
                result.wrong += wrong
            result.summaries.append(summarize_slice(slice_, store.counts(slice_), wrong))
            on_slice(result.summaries[-1])
        if isinstance(store, FileStore):
            for slice_ in pair:
                store.close(slice_)
        elif not keep_all:
            _drop_unneeded(store, plan, place)
    return result


def _fetch_from(
    fresh: dict[Slice, Codes], store: FileStore | MemoryStore
) -> Callable[[Slice], Codes]:
    return lambda slice_: fresh[slice_] if slice_ in fresh else store.fetch(slice_)


_SMALL = 500_000  # cells; below this, launching the passes takes a GPU longer than running them


def _solve(
    device: Device, small_device: Device | None, pair: tuple[Slice, ...], lone_jump: bool,
    store: FileStore | MemoryStore, tick: Callable[[int], None],
) -> dict[Slice, Codes]:  # fmt: skip
    if small_device is None or sum(slice_.cells for slice_ in pair) > _SMALL:
        return solve_pair(device, pair, lone_jump, store.fetch, tick)

    def fetch(slice_: Slice) -> Codes:
        codes = store.fetch(slice_)
        return small_device.to_device(device.to_host(codes, len(codes)))

    solved = solve_pair(small_device, pair, lone_jump, fetch, tick)
    return {slice_: device.to_device(codes) for slice_, codes in solved.items()}


def _drop_unneeded(store: MemoryStore, plan: BuildPlan, place: int) -> None:
    """Drop slices that no pair after this one needs.

    The last pair and the slices that it needs are kept, so that they can be probed afterwards.
    """
    needed = {
        successor
        for pair in (*plan.pairs[place + 1 :], plan.pairs[-1])
        for slice_ in pair
        for successor in needed_by(slice_, plan.lone_jump)
    }
    last = set(plan.pairs[-1])
    for slice_ in store.slices():
        if slice_ not in needed and slice_ not in last:
            store.drop(slice_)
