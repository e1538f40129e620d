"""The search for a reachable position with many legal moves, in three steps.

1. The occupied squares of a reachable position grow from the centre.  Few such
   sets carry a position with many moves; they are enumerated by SAT.
2. Each set is coloured in every way that has so many moves.
3. These positions are taken back, stone by stone.  If nothing is left, none of
   them is reachable; otherwise the search meets positions that play reaches.

For a bound that is refuted, ``theorems.UnreachableBound`` is the theorem to certify.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from playproof.core.stopping import StopFlag, stop_flag
from playproof.proofs.othello.boards import Position, position_images
from playproof.proofs.othello.census.search import ReachablePosition, census
from playproof.proofs.othello.reachability import (
    Colourings,
    ConstructibleSets,
    colourings,
    constructible_sets,
)
from playproof.proofs.othello.retrograde.search import Retreat, retreat
from playproof.proofs.theorems import UnreachableBound

_FEW = 200  # sets: up to so many are taken back together, more of them by number of stones

OnFinding = Callable[[str], None]  # called with the result of each step, in one line


@dataclass(frozen=True)
class ReachabilityResult:
    """The result of ``search``, step by step."""

    at_least: int
    size: int
    max_stones: int
    sets: ConstructibleSets
    colourings: Colourings | None
    retreat: Retreat | None
    reachable: tuple[ReachablePosition, ...]
    exists: bool | None  # None if a limit or the stop flag ended the search
    seconds: dict[str, float]  # by step

    @property
    def depth(self) -> int:
        """The number of placements to take back until nothing is left."""
        assert self.retreat is not None
        return len(self.retreat.counts)

    def theorem(self) -> UnreachableBound:
        """The theorem that a certificate proves, if no position was found."""
        assert self.exists is False
        return UnreachableBound(
            self.at_least, self.sets.sets, self.depth, self.size, self.max_stones
        )


def search(
    at_least: int,
    *,
    size: int = 8,
    max_stones: int | None = None,
    seconds: float | None = None,
    on_finding: OnFinding = lambda line: None,
    stop: StopFlag | None = None,
) -> ReachabilityResult:
    """Look for a reachable position with ``at_least`` moves.

    If there are many sets, the bound is probably reachable.  They are then searched in
    order of their number of stones until a position is reachable.
    """
    steps = _Steps(at_least, size, seconds, on_finding, stop_flag() if stop is None else stop)
    most = size**2 - at_least if max_stones is None else max_stones
    sets = steps.find_sets(most)
    if not sets.complete:
        return steps.result(sets, most)
    if len(sets.sets) > _FEW:
        return steps.search_by_stones(sets, most)
    coloured = steps.colour(sets.sets)
    if not coloured.complete:
        return steps.result(sets, most, coloured)
    back = steps.take_back(all_colourings(sets, coloured, size))
    if back.exhausted or not back.finished:
        exists = False if back.finished else None
        return steps.result(sets, most, coloured, back, exists=exists)
    return steps.search_by_stones(sets, most)


class _Steps:
    """The steps of the search; each is timed and reported."""

    def __init__(
        self,
        at_least: int,
        size: int,
        seconds: float | None,
        on_finding: OnFinding,
        stop: StopFlag,
    ) -> None:
        self.at_least, self.size, self.stop = at_least, size, stop
        self.on_finding = on_finding
        self.ends = None if seconds is None else time.perf_counter() + seconds
        self.seconds: dict[str, float] = {}  # spent so far, by step

    def seconds_left(self) -> float | None:
        return None if self.ends is None else max(0.0, self.ends - time.perf_counter())

    def should_stop(self) -> bool:
        return bool(self.stop[0])

    def find_sets(self, most: int) -> ConstructibleSets:
        """The constructible sets of at most ``most`` stones."""
        sets = constructible_sets(
            self.at_least, most, size=self.size, seconds=self.seconds_left(),
            should_stop=self.should_stop,
        )  # fmt: skip
        self.seconds["sets"] = sets.seconds
        counts = ", ".join(f"{n} with {stones}" for stones, n in sets.by_stones().items())
        by_stones = f" ({counts} stones)" if counts else ""
        self.on_finding(f"constructible sets: {len(sets.sets)} up to symmetry{by_stones}")
        return sets

    def colour(self, sets: tuple[int, ...]) -> Colourings:
        """The colourings of the sets."""
        coloured = colourings(
            sets, self.at_least, size=self.size, seconds=self.seconds_left(),
            should_stop=self.should_stop,
        )  # fmt: skip
        self.seconds["colourings"] = self.seconds.get("colourings", 0.0) + coloured.seconds
        total, positions = coloured.total, len(coloured.positions)
        self.on_finding(f"colourings: {total:,} ({positions:,} up to symmetry)")
        return coloured

    def take_back(self, positions: list[Position]) -> Retreat:
        """The levels of predecessors of the positions."""
        start = time.perf_counter()
        back = retreat(positions, size=self.size, symmetric=False, stop=self.stop)
        self.seconds["retreat"] = time.perf_counter() - start
        if back.counts:
            self.on_finding(f"retrograde levels: {', '.join(f'{n:,}' for n in back.counts)}")
        return back

    def search_by_stones(self, sets: ConstructibleSets, most: int) -> ReachabilityResult:
        """Search the positions on the sets by number of stones until one is reachable."""
        coloured = None
        reachable: tuple[ReachablePosition, ...] = ()
        exists: bool | None = False
        for stones in sets.by_stones():
            coloured = self.colour(tuple(s for s in sets.sets if s.bit_count() == stones))
            start = time.perf_counter()
            counted = census(
                coloured.positions, size=self.size, seconds=self.seconds_left(), stop=self.stop
            )
            elapsed = time.perf_counter() - start
            self.seconds["census"] = elapsed + self.seconds.get("census", 0.0)
            reachable = counted.reachable
            count = len(reachable)
            self.on_finding(f"{stones} stones: {count} of {counted.done:,} are reachable")
            if reachable:
                exists = True
                break
            if not (coloured.complete and counted.finished and counted.unknown == 0):
                exists = None
                break
        return self.result(sets, most, coloured, reachable=reachable, exists=exists)

    def result(
        self,
        sets: ConstructibleSets,
        most: int,
        coloured: Colourings | None = None,
        back: Retreat | None = None,
        *,
        reachable: tuple[ReachablePosition, ...] = (),
        exists: bool | None = None,
    ) -> ReachabilityResult:
        return ReachabilityResult(
            self.at_least, self.size, most, sets, coloured, back, reachable, exists, self.seconds
        )


def all_colourings(
    sets: ConstructibleSets, coloured: Colourings, size: int
) -> list[tuple[int, int]]:
    """Every colouring of the sets, including images that lie on the same set."""
    occupied_sets = set(sets.sets)
    images = {q for p in coloured.positions for q in position_images(p, size)}
    return sorted(q for q in images if q[0] | q[1] in occupied_sets)
