"""Candidates for reachable positions with many legal moves: sets of squares and their colourings.

The occupied squares of a reachable position grow from the centre.  Few such sets
carry many moves.  They are enumerated up to symmetry, and then each is coloured in
all ways that have so many moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.proofs.othello.boards import PLACES, Position, canonical, images, position_images
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat.cardinality import OWN
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.solvers import UNSAT, ShouldStop, models
from playproof.rules import othello as rules

OnCount = Callable[[int, float], None]  # how many are done so far, and the seconds


@dataclass(frozen=True)
class ConstructibleSets:
    """Occupied sets, none the image of another."""

    sets: tuple[int, ...]  # each its least image; by number of stones, then by value
    complete: bool  # whether these are all
    statement: OthelloMobility  # for the certificate: it is refuted if there is no other set
    seconds: float

    def by_stones(self) -> dict[int, int]:
        """The number of sets for each number of stones."""
        return _by_stones(self.sets)


def _by_stones(sets: Iterable[int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for occupied in sets:
        counts[occupied.bit_count()] = counts.get(occupied.bit_count(), 0) + 1
    return dict(sorted(counts.items()))


def constructible_sets(
    at_least: int,
    max_stones: int | None = None,
    *,
    size: int = 8,
    seconds: float | None = None,
    on_progress: OnCount | None = None,
    should_stop: ShouldStop | None = None,
) -> ConstructibleSets:
    """The constructible sets with a colouring that has ``at_least`` moves, up to symmetry."""
    empties = 0 if max_stones is None else size**2 - max_stones
    statement = OthelloMobility(at_least, size, empties, constructible=True)
    cnf = statement.cnf
    least_images: list[int] = []
    start = time.perf_counter()

    def report(_: object = None) -> None:
        if on_progress is not None:
            on_progress(len(least_images), time.perf_counter() - start)

    def block(model: tuple[int, ...]) -> list[tuple[int, ...]]:
        clauses = (cnf.differs(occupied=i) for i in dict.fromkeys(images(least_images[-1], size)))
        return [clause for clause in clauses if clause is not None]

    complete = False
    for answer in models(cnf, block, seconds=seconds, on_progress=report, should_stop=should_stop):
        if answer.model is None:
            complete = answer.status == UNSAT
            break
        least_images.append(min(images(cnf.decode(answer.model)["occupied"], size)))
        report()
    sets = tuple(sorted(least_images, key=lambda occupied: (occupied.bit_count(), occupied)))
    others = OthelloMobility(at_least, size, empties, constructible=True, blocked=sets)
    return ConstructibleSets(sets, complete, others, time.perf_counter() - start)


@dataclass(frozen=True)
class Colourings:
    """All positions on some occupied sets that have so many moves."""

    positions: tuple[Position, ...]  # up to symmetry: least images, sorted
    total: int  # counting also the images that lie on the same set
    complete: bool
    seconds: float

    def by_stones(self) -> dict[int, int]:
        """The number of positions, up to symmetry, for each number of stones."""
        return _by_stones(own | other for own, other in self.positions)


def colourings(
    sets: Iterable[int],
    at_least: int,
    *,
    size: int = 8,
    seconds: float | None = None,
    on_progress: OnCount | None = None,
    should_stop: ShouldStop | None = None,
) -> Colourings:
    """Every colouring of the sets in which the side to move has ``at_least`` moves.

    The sets must not be images of each other.  ``on_progress(done, seconds)`` is called
    after each set.
    """
    start = time.perf_counter()
    positions: list[Position] = []
    total = 0
    for done, occupied in enumerate(sets, 1):
        remaining = None if seconds is None else seconds - (time.perf_counter() - start)
        orbits = _colour(occupied, at_least, size, remaining, should_stop)
        if orbits is None:
            return Colourings(tuple(positions), total, False, time.perf_counter() - start)
        positions += (canonical(min(orbit), size) for orbit in orbits)
        total += sum(len(orbit) for orbit in orbits)
        if on_progress is not None:
            on_progress(done, time.perf_counter() - start)
    return Colourings(tuple(sorted(positions)), total, True, time.perf_counter() - start)


def _colour(
    occupied: int, at_least: int, size: int, seconds: float | None, should_stop: ShouldStop | None
) -> list[set[Position]] | None:
    """The colourings of one set as orbits, each of the images that lie on the set; None if
    the time ran out."""
    board = rules.board(size)
    if occupied & ~board:
        raise UsageError(f"a set has squares off the {size}x{size} board")
    problem = Problem(cardinality=OWN)
    own = problem.input("own", occupied, PLACES)
    opponent = occupied & ~own
    problem.at_least(rules.moves(own, opponent, board).literals, at_least)
    cnf = problem.encode()
    orbits: list[set[Position]] = []

    def block(model: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [clause for own, _ in orbits[-1] if (clause := cnf.differs(own=own)) is not None]

    for answer in models(cnf, block, seconds=seconds, should_stop=should_stop):
        if answer.model is None:
            return orbits if answer.status == UNSAT else None
        stones = cnf.decode(answer.model)["own"]
        orbit = position_images((stones, occupied & ~stones), size)
        orbits.append({(a, b) for a, b in orbit if a | b == occupied})
    return None
