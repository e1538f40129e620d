"""Theorems: what follows when several statements are refuted together.

A theorem lists the statements it needs.  The list is always the same for the
same fields, so a checker can rebuild it and see that nothing was left out.
Each docstring explains why the theorem follows from its statements.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from playproof.core.errors import DataError, UsageError, one_of
from playproof.proofs.choko.mobility import ChokoMobility, ChokoRemovals
from playproof.proofs.fields import read_fields, read_name, word_field, write_fields
from playproof.proofs.othello.boards import position_images
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.equivalence import FIGURES, Equivalence
from playproof.proofs.othello.last_placements import OthelloChain
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat.cardinality import OWN, cardinality_field, check_cardinality
from playproof.proofs.statements import Statement
from playproof.rules import othello as rules


@dataclass(frozen=True)
class Theorem:
    """Base class of all theorems; the fields of a subclass are written to JSON."""

    family: ClassVar[str]

    def sentence(self) -> str:
        """The theorem in one readable line."""
        raise TypeError(f"{type(self).__name__} does not define sentence()")

    def assumptions(self) -> list[str]:
        """What the sentence does not say, in readable lines (see ``Statement.assumptions``).

        Fields that only say how the parts prove the sentence are no assumptions.
        """
        return []

    def statements(self) -> list[Statement]:
        """The statements to refute, in order."""
        raise TypeError(f"{type(self).__name__} does not define statements()")

    def json(self) -> str:
        """The theorem as one line of JSON."""
        return write_fields(self, "theorem", self.family)


@dataclass(frozen=True)
class ByCubes(Theorem):
    """No position of Othello, reachable or not, has so many moves and empty squares.

    The centre is occupied; each of the four squares that touch its corners may
    be empty or hold either colour.  For every filling of these eight squares, it
    or an image of it is a part.  The question has the symmetries of the board, so
    any such position, or an image of it, would be a witness of some part.  Each
    part is far easier than its share of the whole.
    """

    family: ClassVar[str] = "othello-mobility-by-cubes"

    at_least: int
    size: int = 8
    empties_at_least: int = 0
    cardinality: str = cardinality_field()

    def __post_init__(self) -> None:
        self._whole()  # raises if the fields make no sense

    def sentence(self) -> str:
        return f"there is no {self._whole().sentence().removeprefix('an ')}"

    def assumptions(self) -> list[str]:
        return self._whole().assumptions()

    def _whole(self) -> OthelloMobility:
        return OthelloMobility(
            self.at_least, self.size, self.empties_at_least, cardinality=self.cardinality
        )

    def statements(self) -> list[Statement]:
        whole = self._whole()
        return [replace(whole, fixed=cube) for cube in cubes(self.size)]


def cubes(size: int) -> Iterator[tuple[int, int, int]]:
    """The fillings of the centre and the four squares that touch its corners, up to symmetry.

    Yields (own stones, opponent's stones, empty squares) as words.
    """
    low, high = size // 2 - 2, size // 2 + 1
    around = [1 << (8 * row + column) for row in (low, high) for column in (low, high)]
    middle = [1 << square for square in range(64) if centre(size) >> square & 1]
    seen: set[tuple[int, int]] = set()
    for inner in itertools.product((1, 2), repeat=4):
        for outer in itertools.product((0, 1, 2), repeat=4):
            filled = list(zip([*middle, *around], [*inner, *outer], strict=True))
            own, opponent, empty = (
                sum(square for square, content in filled if content == kind) for kind in (1, 2, 0)
            )
            # An earlier image already represents this filling.
            if seen.isdisjoint(position_images((own, opponent), size)):
                seen.add((own, opponent))
                yield own, opponent, empty


@dataclass(frozen=True)
class UnreachableBound(Theorem):
    """No reachable position of Othello has ``at_least`` moves.

    The occupied squares of a reachable position grow from the centre, because
    a placed stone turns one over.  The first part says that, for a position
    with so many moves, they are one of ``sets`` or an image of one: it blocks
    these sets and nothing else.  Each blocked set has a part of its own, which
    says that no ``steps`` placements end on this set with so many moves after
    beginning on squares that grow from the centre.  The last placements before
    any reachable position do begin on such squares.
    """

    family: ClassVar[str] = "othello-unreachable"

    at_least: int
    sets: tuple[int, ...] = word_field(())
    steps: int = 1
    size: int = 8
    max_stones: int = 64
    # None, for theorems of version 0.1: those that the two kinds of statements had then.
    cardinality: str | None = field(default=OWN, metadata={"absent": None})

    def __post_init__(self) -> None:
        if self.size not in rules.SIZES:
            raise UsageError(f"there is no board of size {self.size}: want 4, 6 or 8")
        most = self.size**2 - 4
        if not 1 <= self.at_least <= most:
            raise UsageError(
                f"at_least {self.at_least}: want 1 to {most}, as the centre squares are occupied"
            )
        if not 4 <= self.max_stones <= 64:
            raise UsageError(f"max_stones {self.max_stones}: want 4 to 64")
        # Without sets there are no last placements to look at.
        if self.steps < (1 if self.sets else 0):
            raise UsageError(f"{self.steps} last placements say nothing: want 1 or more")
        if len(set(self.sets)) < len(self.sets):
            raise UsageError("a set of squares is in the theorem twice: want it once")
        if self.cardinality is not None:
            check_cardinality(self.cardinality)

    def sentence(self) -> str:
        most = self.size**2 - self.at_least  # each move needs an empty square
        few = "" if self.max_stones >= most else f" and at most {self.max_stones} stones"
        return (
            f"no reachable position of Othello on {self.size}x{self.size} has at least "
            f"{self.at_least} legal moves{few}"
        )

    def statements(self) -> list[Statement]:
        empties = self.size**2 - min(self.max_stones, self.size**2)
        others = OthelloMobility(
            self.at_least, self.size, empties, constructible=True, blocked=self.sets,
            cardinality=self.cardinality or "mtotalizer",
        )  # fmt: skip
        chains = [
            OthelloChain(
                occupied,
                self.at_least,
                min(self.steps, occupied.bit_count() - 4),
                self.size,
                cardinality=self.cardinality or "totalizer",
            )
            for occupied in self.sets
        ]
        return [others, *chains]


@dataclass(frozen=True)
class ChokoAtMost(Theorem):
    """No position of Choko has ``at_least`` legal actions.

    The first part shows that all jumps of a position have the same number of
    removals, the factor that the second part multiplies jumps by.
    """

    family: ClassVar[str] = "choko-mobility"

    at_least: int
    condition: str = "none"
    lone_jump: bool = False
    cardinality: str = cardinality_field(before="totalizer")

    def __post_init__(self) -> None:
        self._whole()  # raises if the fields make no sense

    def sentence(self) -> str:
        return f"there is no {self._whole().sentence().removeprefix('a ')}"

    def assumptions(self) -> list[str]:
        return self._whole().assumptions()

    def _whole(self) -> ChokoMobility:
        return ChokoMobility(self.at_least, self.condition, self.lone_jump, self.cardinality)

    def statements(self) -> list[Statement]:
        return [ChokoRemovals(self.lone_jump), self._whole()]


@dataclass(frozen=True)
class SameRules(Theorem):
    """Our rules of Othello equal the paper's functions; there is one part for each function."""

    family: ClassVar[str] = "equivalence"

    def sentence(self) -> str:
        return "our rules of Othello equal Figures 2, 3 and 4 of the paper"

    def statements(self) -> list[Statement]:
        return [Equivalence(figure) for figure in FIGURES]


FAMILIES = {
    theorem.family: theorem for theorem in (ByCubes, UnreachableBound, ChokoAtMost, SameRules)
}


def read_theorem(text: str | bytes) -> Theorem:
    """Read a theorem from the output of ``Theorem.json``."""
    name, data = read_name(text, "theorem")
    if name not in FAMILIES:
        raise DataError(f"no theorem is called {name[:80]!a}: want {one_of(list(FAMILIES))}")
    theorem: Theorem = read_fields(FAMILIES[name], "theorem", name, data)
    return theorem
