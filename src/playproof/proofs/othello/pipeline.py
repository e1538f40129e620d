"""Is there a reachable position with so many legal moves?  Three steps to the answer.

1. The occupied squares of a reachable position grow from the centre.  Few such
   sets carry a position with many moves: enumerate them by SAT.
2. Colour each set in every way that has the moves.
3. Take these positions back, stone by stone.  If nothing is left, none of them
   is reachable; otherwise the search meets the positions that play reaches.

A bound that is refuted has a theorem to certify (``theorems.Unreachable``).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from playproof.core.stopping import StopFlag, stop_flag
from playproof.proofs.othello.boards import Position, position_images
from playproof.proofs.othello.census import ReachablePosition, census
from playproof.proofs.othello.reachability import (
    Colourings,
    ConstructibleSets,
    colourings,
    constructible_sets,
)
from playproof.proofs.othello.retrograde.search import Retreat, retreat
from playproof.proofs.theorems import Unreachable

_FEW = 200  # sets: so few are taken back together, more of them by their stones

OnFinding = Callable[[str], None]  # is told what each step found, in a line


@dataclass(frozen=True)
class ReachabilityResult:
    """What each step found.  ``exists`` is None if a limit, or the stop flag, came first."""

    at_least: int
    size: int
    max_stones: int
    sets: ConstructibleSets
    colourings: Colourings | None
    retreat: Retreat | None
    reachable: tuple[ReachablePosition, ...]
    exists: bool | None
    seconds: dict[str, float]  # by step

    @property
    def depth(self) -> int:
        """How many placements back nothing is left."""
        assert self.retreat is not None
        return len(self.retreat.counts)

    def theorem(self) -> Unreachable:
        """What a certificate is to prove, if there is none."""
        assert self.exists is False
        return Unreachable(self.at_least, self.sets.sets, self.depth, self.size, self.max_stones)


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

    Where there are many sets the bound is hardly refuted; they are then taken
    by their stones, few first, until some position is reachable.
    """
    work = _Work(at_least, size, seconds, on_finding, stop_flag() if stop is None else stop)
    most = size**2 - at_least if max_stones is None else max_stones
    sets = work.sets(most)
    if not sets.complete:
        return ReachabilityResult(at_least, size, most, sets, None, None, (), None, work.spent)
    if len(sets.sets) > _FEW:
        return work.by_stones(sets, most)
    coloured = work.colour(sets.sets)
    if not coloured.complete:
        return ReachabilityResult(at_least, size, most, sets, coloured, None, (), None, work.spent)
    back = work.retreat(all_colourings(sets, coloured, size))
    if back.exhausted or not back.finished:
        exists = False if back.finished else None
        return ReachabilityResult(
            at_least, size, most, sets, coloured, back, (), exists, work.spent
        )
    return work.by_stones(sets, most)


class _Work:
    """The steps, each timed and told of."""

    def __init__(
        self,
        at_least: int,
        size: int,
        seconds: float | None,
        on_finding: OnFinding,
        stop: StopFlag,
    ) -> None:
        self.at_least, self.size, self.tell, self.stop = at_least, size, on_finding, stop
        self.ends = None if seconds is None else time.perf_counter() + seconds
        self.spent: dict[str, float] = {}

    def left(self) -> float | None:
        return None if self.ends is None else max(0.0, self.ends - time.perf_counter())

    def stopped(self) -> bool:
        return bool(self.stop[0])

    def sets(self, most: int) -> ConstructibleSets:
        found = constructible_sets(
            self.at_least, most, size=self.size, seconds=self.left(), stopped=self.stopped
        )
        self.spent["sets"] = found.seconds
        counts = ", ".join(f"{n} with {stones}" for stones, n in found.by_stones().items())
        told = f" ({counts} stones)" if counts else ""
        self.tell(f"constructible sets: {len(found.sets)} up to symmetry{told}")
        return found

    def colour(self, sets: tuple[int, ...]) -> Colourings:
        found = colourings(
            sets, self.at_least, size=self.size, seconds=self.left(), stopped=self.stopped
        )
        self.spent["colourings"] = self.spent.get("colourings", 0.0) + found.seconds
        self.tell(f"colourings: {found.total:,} ({len(found.positions):,} up to symmetry)")
        return found

    def retreat(self, positions: list[Position]) -> Retreat:
        began = time.perf_counter()
        found = retreat(positions, size=self.size, symmetric=False, stop=self.stop)
        self.spent["retreat"] = time.perf_counter() - began
        if found.counts:
            self.tell(f"retrograde levels: {', '.join(f'{n:,}' for n in found.counts)}")
        return found

    def by_stones(self, sets: ConstructibleSets, most: int) -> ReachabilityResult:
        coloured = None
        found: tuple[ReachablePosition, ...] = ()
        exists: bool | None = False
        for stones in sets.by_stones():
            chosen = tuple(s for s in sets.sets if s.bit_count() == stones)
            coloured = self.colour(chosen)
            began = time.perf_counter()
            counted = census(
                coloured.positions, size=self.size, seconds=self.left(), stop=self.stop
            )
            self.spent["census"] = time.perf_counter() - began + self.spent.get("census", 0.0)
            found = counted.reachable
            self.tell(f"{stones} stones: {len(found)} of {counted.done:,} are reachable")
            if found:
                exists = True
                break
            if not (coloured.complete and counted.finished and counted.unknown == 0):
                exists = None
                break
        return ReachabilityResult(
            self.at_least, self.size, most, sets, coloured, None, found, exists, self.spent
        )


def all_colourings(
    sets: ConstructibleSets, coloured: Colourings, size: int
) -> list[tuple[int, int]]:
    """Every colouring of the sets, images that lie on the same set included."""
    known = set(sets.sets)
    images = {q for p in coloured.positions for q in position_images(p, size)}
    return sorted(q for q in images if q[0] | q[1] in known)
