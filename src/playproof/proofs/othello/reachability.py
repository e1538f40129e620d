"""Where positions with many legal moves could come from: sets, then colourings.

Every reachable position's occupied squares grow from the centre.  There are
few such sets that carry many moves: they are enumerated up to symmetry, then
each is coloured in all ways that have the moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.proofs.othello.boards import PLACES, Position, canonical, images, position_images
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.solvers import UNSAT, Stopped, models
from playproof.rules import othello as rules

Progress = Callable[[int, float], None]  # how many were found or done, and the seconds spent


@dataclass(frozen=True)
class ConstructibleSets:
    """Occupied sets, none the image of another; ``complete`` if there are no more."""

    sets: tuple[int, ...]  # each its least image; by number of stones, then by value
    complete: bool
    statement: OthelloMobility  # that there is no other: what a certificate is to prove
    seconds: float

    def by_stones(self) -> dict[int, int]:
        """How many sets there are of each number of stones."""
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
    on_progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> ConstructibleSets:
    """The constructible sets with a colouring that has ``at_least`` moves, up to symmetry."""
    empties = 0 if max_stones is None else size**2 - max_stones
    statement = OthelloMobility(at_least, size, empties, constructible=True)
    cnf = statement.cnf
    found: list[int] = []
    start = time.perf_counter()

    def report(_: object = None) -> None:
        if on_progress is not None:
            on_progress(len(found), time.perf_counter() - start)

    def block(model: tuple[int, ...]) -> list[tuple[int, ...]]:
        clauses = (cnf.differs(occupied=i) for i in dict.fromkeys(images(found[-1], size)))
        return [clause for clause in clauses if clause is not None]

    complete = False
    for answer in models(cnf, block, seconds=seconds, on_progress=report, stopped=stopped):
        if answer.model is None:
            complete = answer.status == UNSAT
            break
        found.append(min(images(cnf.decode(answer.model)["occupied"], size)))
        report()
    sets = tuple(sorted(found, key=lambda occupied: (occupied.bit_count(), occupied)))
    rest = OthelloMobility(at_least, size, empties, constructible=True, blocked=sets)
    return ConstructibleSets(sets, complete, rest, time.perf_counter() - start)


@dataclass(frozen=True)
class Colourings:
    """All positions on some occupied sets that have the moves."""

    positions: tuple[Position, ...]  # up to symmetry: each the least image, in order
    total: int  # with the images that lie on the same set counted too
    complete: bool
    seconds: float

    def by_stones(self) -> dict[int, int]:
        """How many positions, up to symmetry, there are of each number of stones."""
        return _by_stones(own | other for own, other in self.positions)


def colourings(
    sets: Iterable[int],
    at_least: int,
    *,
    size: int = 8,
    seconds: float | None = None,
    on_progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> Colourings:
    """Every colouring of the sets in which the side to move has ``at_least`` moves.

    The sets must not be images of each other.  ``on_progress(sets done, seconds)``.
    """
    start = time.perf_counter()
    positions: list[Position] = []
    total = 0
    for done, occupied in enumerate(sets, 1):
        left = None if seconds is None else seconds - (time.perf_counter() - start)
        found = _colour(occupied, at_least, size, left, stopped)
        if found is None:
            return Colourings(tuple(positions), total, False, time.perf_counter() - start)
        positions += (canonical(min(orbit), size) for orbit in found)
        total += sum(len(orbit) for orbit in found)
        if on_progress is not None:
            on_progress(done, time.perf_counter() - start)
    return Colourings(tuple(sorted(positions)), total, True, time.perf_counter() - start)


def _colour(
    occupied: int, at_least: int, size: int, seconds: float | None, stopped: Stopped | None
) -> list[set[Position]] | None:
    """The colourings of one set, as orbits of those images that lie on it again."""
    board = rules.board(size)
    if occupied & ~board:
        raise UsageError(f"a set has squares off the {size}x{size} board")
    problem = Problem(cardinality="totalizer")
    own = problem.input("own", occupied, PLACES)
    opponent = occupied & ~own
    problem.at_least(rules.moves(own, opponent, board).literals, at_least)
    cnf = problem.encode()
    orbits: list[set[Position]] = []

    def block(model: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [clause for own, _ in orbits[-1] if (clause := cnf.differs(own=own)) is not None]

    for answer in models(cnf, block, seconds=seconds, stopped=stopped):
        if answer.model is None:
            return orbits if answer.status == UNSAT else None
        mine = cnf.decode(answer.model)["own"]
        orbit = position_images((mine, occupied & ~mine), size)
        orbits.append({(a, b) for a, b in orbit if a | b == occupied})
    return None
