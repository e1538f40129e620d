"""Building tables of Choko: what will be done, what it will cost, and doing it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from playproof.core.errors import UsageError
from playproof.rules.choko import PIECES
from playproof.tables.choko.slices import Slice, needed_by, pairs
from playproof.tables.choko.solve import Codes, Counts, Device, disagreements, solve_pair, work
from playproof.tables.choko.store import DISTANCE, Files, Memory
from playproof.tables.choko.value_codes import DRAW, distance

# Cells a second, measured: an estimate before anything is known of this machine.
INDEX = 1_500_000_000  # bytes: the maps, and on a GPU the list of cells
RATES = {"cpu": 0.8e6, "cuda": 600e6}

Report = Callable[[int, int], None]  # work done, work in all, in cells


@dataclass(frozen=True)
class Plan:
    """The slices to solve, pair by pair."""

    lone_jump: bool
    kind: str
    pairs: list[tuple[Slice, ...]]

    @property
    def slices(self) -> list[Slice]:
        return [one for pair in self.pairs for one in pair]

    @property
    def cells(self) -> int:
        return sum(one.cells for one in self.slices)

    @property
    def work(self) -> int:
        return sum(work(one) for one in self.slices)

    @property
    def disk(self) -> int:
        """Bytes of all files, nearly."""
        return sum(self.stored(one) for one in self.slices)

    def stored(self, one: Slice) -> int:
        return one.cells if self.kind == DISTANCE else (one.cells + 3) // 4

    @property
    def memory(self) -> int:
        """Bytes that the hungriest pair takes, with what its moves lead to."""
        return max(self._working(pair) + self._before(pair) for pair in self.pairs) + INDEX

    def _working(self, pair: tuple[Slice, ...]) -> int:
        """Codes and exits of both layouts, and the forced positions."""
        return 4 * pair[0].cells + max(work(one) - 2 * one.cells for one in pair)

    def _before(self, pair: tuple[Slice, ...]) -> int:
        before = (exit_ for one in pair for exit_ in needed_by(one, self.lone_jump))
        return max((exit_.cells for exit_ in before), default=0)

    def resident(self, keep_all: bool) -> int:
        """Bytes at the height of a build in memory, which keeps all slices or only those that
        are still needed."""
        last_use = {
            exit_: place
            for place, pair in enumerate(self.pairs)
            for one in pair
            for exit_ in needed_by(one, self.lone_jump)
        }
        kept: dict[Slice, int] = {}
        most = 0
        for place, pair in enumerate(self.pairs):
            unpacked = 0 if self.kind == DISTANCE else self._before(pair)
            most = max(most, sum(kept.values()) + self._working(pair) + unpacked)
            kept |= {one: self.stored(one) for one in pair}
            if not keep_all:
                kept = {one: n for one, n in kept.items() if last_use.get(one, -1) > place}
        return most + INDEX

    def seconds(self, device: str, cores: int) -> float:
        """What to expect, from rates measured elsewhere."""
        return self.cells / (RATES[device] * (cores if device == "cpu" else 1))


def plan(
    lone_jump: bool, kind: str, *, hands: int | None = None, pieces: int | None = None
) -> Plan:
    """The slices with at most so many pieces in each hand, and in play (on the board or in
    hand, both sides together); everything if neither is given.

    What moves lead to is always among them: hands only get emptier and pieces fewer."""
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
    return Plan(lone_jump, kind, chosen)


@dataclass(frozen=True)
class Line:
    """What is known of a slice once it is solved."""

    slice: Slice
    counts: Counts  # positions by code, symmetric ones told apart
    longest_win: int
    longest_loss: int
    wrong: int | None = None  # cells that a check found wrong, None if there was none

    @property
    def wins(self) -> int:
        return int(self.counts[DRAW + 1 :].sum())

    @property
    def losses(self) -> int:
        return int(self.counts[:DRAW].sum())

    @property
    def draws(self) -> int:
        return int(self.counts[DRAW])


def line_of(one: Slice, counts: Counts, wrong: int | None = None) -> Line:
    win = max((distance(c) for c in range(DRAW + 1, 256) if counts[c]), default=0)
    loss = max((distance(c) for c in range(1, DRAW) if counts[c]), default=0)
    return Line(one, counts, win, loss, wrong)


@dataclass
class Built:
    """What a build did."""

    lines: list[Line] = field(default_factory=list)
    solved: int = 0  # cells solved now, not found on disk
    solving: float = 0.0  # seconds
    checking: float = 0.0
    wrong: int = 0


class _Meter:
    """How far a build is."""

    def __init__(self, whole: int, report: Report) -> None:
        self._whole, self._report = whole, report
        self._finished = self._begun = 0  # in pairs that are done, and in the present one

    def tick(self, cells: int) -> None:
        self._begun += cells
        self._report(min(self._whole, self._finished + self._begun), self._whole)

    def finish(self, pair: tuple[Slice, ...]) -> None:
        self._finished += sum(work(one) for one in pair)
        self._begun = 0
        self._report(self._finished, self._whole)


def build(
    made: Plan,
    device: Device,
    store: Files | Memory,
    *,
    verify: bool = False,
    keep_all: bool = True,
    small: Device | None = None,
    each: Callable[[Line], None] = lambda line: None,
    report: Report = lambda done, whole: None,
    until: float | None = None,
) -> Built:
    """Solve what the store does not have yet.

    ``keep_all=False`` drops slices from memory once nothing needs them.
    ``small`` solves pairs that are not worth a large device's while.  After
    ``until`` (a monotonic clock) no new pair is begun."""
    built, meter = Built(), _Meter(made.work, report)
    for place, pair in enumerate(made.pairs):
        fresh: dict[Slice, Codes] = {}
        if not all(store.has(one) for one in pair):
            if until is not None and time.monotonic() > until:
                return built
            began = time.perf_counter()
            fresh = _solve(device, small, pair, made.lone_jump, store, meter.tick)
            for one in pair:
                store.save(one, fresh[one], device.histogram(one, fresh[one]))
            built.solving += time.perf_counter() - began
            built.solved += sum(one.cells for one in pair)
        meter.finish(pair)
        for one in pair:
            wrong = None
            if verify:
                began = time.perf_counter()
                wrong = disagreements(device, one, made.lone_jump, _first(fresh, store))
                built.checking += time.perf_counter() - began
                built.wrong += wrong
            built.lines.append(line_of(one, store.counts(one), wrong))
            each(built.lines[-1])
        if isinstance(store, Files):
            for one in pair:
                store.close(one)
        elif not keep_all:
            _drop(store, made, place)
    return built


def _first(fresh: dict[Slice, Codes], store: Files | Memory) -> Callable[[Slice], Codes]:
    return lambda one: fresh[one] if one in fresh else store.fetch(one)


_SMALL = 500_000  # cells: launching the passes costs a GPU more than doing them


def _solve(
    device: Device, small: Device | None, pair: tuple[Slice, ...], lone_jump: bool,
    store: Files | Memory, tick: Callable[[int], None],
) -> dict[Slice, Codes]:  # fmt: skip
    if small is None or sum(one.cells for one in pair) > _SMALL:
        return solve_pair(device, pair, lone_jump, store.fetch, tick)

    def fetch(one: Slice) -> Codes:
        codes = store.fetch(one)
        return small.take(device.give(codes, len(codes)))

    found = solve_pair(small, pair, lone_jump, fetch, tick)
    return {one: device.take(codes) for one, codes in found.items()}


def _drop(store: Memory, made: Plan, place: int) -> None:
    """Forget slices that no pair after this one needs; what the last needs can be asked for."""
    needed = {
        exit_
        for pair in (*made.pairs[place + 1 :], made.pairs[-1])
        for one in pair
        for exit_ in needed_by(one, made.lone_jump)
    }
    last = set(made.pairs[-1])
    for one in store.names():
        if one not in needed and one not in last:
            store.drop(one)
