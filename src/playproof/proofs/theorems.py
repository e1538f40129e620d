"""Theorems: what follows when several statements are refuted together.

A theorem lists the statements it needs, always the same for the same fields,
so that a checker can rebuild the list and see that nothing was left out.  Why
the theorem follows from them is said in each docstring.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from playproof.core.errors import DataError, UsageError, one_of
from playproof.proofs.choko.mobility import ChokoMobility, ChokoRemovals
from playproof.proofs.fields import read_fields, read_name, word_field, write_fields
from playproof.proofs.othello.boards import position_images
from playproof.proofs.othello.chain import OthelloChain
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.equivalence import FIGURES, Equivalence
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.statements import Statement
from playproof.rules import othello as rules


@dataclass(frozen=True)
class Theorem:
    """What a family of theorems shares; its fields are the JSON's."""

    family: ClassVar[str]

    def sentence(self) -> str:
        """The theorem, as one line for a person."""
        raise TypeError(f"{type(self).__name__} says nothing")

    def statements(self) -> list[Statement]:
        """What must be refuted, in order."""
        raise TypeError(f"{type(self).__name__} needs nothing")

    def json(self) -> str:
        return write_fields(self, "theorem", self.family)


@dataclass(frozen=True)
class ByCubes(Theorem):
    """No position of Othello, reachable or not, has so many moves and empty squares.

    The centre is occupied; the four squares that touch its corners may be
    anything.  Every way to fill these eight, or an image of it, is a part, and
    the question has the symmetries of the board, so a position would be a
    witness of a part, or an image of one would.  Each part is far easier than
    a fair share of the whole.
    """

    family: ClassVar[str] = "othello-mobility-by-cubes"

    at_least: int
    size: int = 8
    empties_at_least: int = 0

    def sentence(self) -> str:
        return f"there is no {self._whole().sentence().removeprefix('an ')}"

    def _whole(self) -> OthelloMobility:
        return OthelloMobility(self.at_least, self.size, self.empties_at_least)

    def statements(self) -> list[Statement]:
        whole = self._whole()
        return [
            OthelloMobility(whole.at_least, whole.size, whole.empties_at_least, fixed=cube)
            for cube in cubes(self.size)
        ]


def cubes(size: int) -> Iterator[tuple[int, int, int]]:
    """The fillings of the centre and of its corners' neighbours, up to symmetry, as
    (own stones, the other's, empty squares)."""
    low, high = size // 2 - 2, size // 2 + 1
    around = [1 << (8 * row + column) for row in (low, high) for column in (low, high)]
    middle = [1 << square for square in range(64) if centre(size) >> square & 1]
    seen: set[tuple[int, int]] = set()
    for inner in itertools.product((1, 2), repeat=4):
        for outer in itertools.product((0, 1, 2), repeat=4):
            filled = list(zip([*middle, *around], [*inner, *outer], strict=True))
            own, other, empty = (
                sum(square for square, content in filled if content == wanted)
                for wanted in (1, 2, 0)
            )
            # An image that was there before stands for this one.
            if seen.isdisjoint(position_images((own, other), size)):
                seen.add((own, other))
                yield own, other, empty


@dataclass(frozen=True)
class Unreachable(Theorem):
    """No reachable position of Othello has ``at_least`` moves.

    Its occupied squares would grow from the centre (a placed stone turns one
    over).  By the first part they are then one of ``sets``, or an image of
    one: it blocks these and nothing else.  Every blocked set has a part of its
    own: no ``steps`` placements end on it with the moves and begin on squares
    that grow from the centre, as those of every reachable position do.
    """

    family: ClassVar[str] = "othello-unreachable"

    at_least: int
    sets: tuple[int, ...] = word_field(())
    steps: int = 1
    size: int = 8
    max_stones: int = 64

    def __post_init__(self) -> None:
        if self.size not in rules.SIZES:
            raise UsageError(f"no board of size {self.size}: want 4, 6 or 8")

    def sentence(self) -> str:
        most = self.size**2 - self.at_least  # a move goes to an empty square
        few = "" if self.max_stones >= most else f" and at most {self.max_stones} stones"
        return (
            f"no reachable position of Othello on {self.size}x{self.size} has at least "
            f"{self.at_least} legal moves{few}"
        )

    def statements(self) -> list[Statement]:
        empties = self.size**2 - min(self.max_stones, self.size**2)
        others = OthelloMobility(
            self.at_least, self.size, empties, constructible=True, blocked=self.sets
        )
        chains = [
            OthelloChain(
                occupied, self.at_least, min(self.steps, occupied.bit_count() - 4), self.size
            )
            for occupied in self.sets
        ]
        return [others, *chains]


@dataclass(frozen=True)
class ChokoAtMost(Theorem):
    """No position of Choko has ``at_least`` legal actions.

    By the first part all jumps of a position have as many removals as the
    second part multiplies by.
    """

    family: ClassVar[str] = "choko-mobility"

    at_least: int
    condition: str = "none"
    lone_jump: bool = False

    def sentence(self) -> str:
        return f"there is no {self._whole().sentence().removeprefix('a ')}"

    def _whole(self) -> ChokoMobility:
        return ChokoMobility(self.at_least, self.condition, self.lone_jump)

    def statements(self) -> list[Statement]:
        return [ChokoRemovals(self.lone_jump), self._whole()]


@dataclass(frozen=True)
class SameRules(Theorem):
    """Our rules of Othello equal the paper's functions, each a part."""

    family: ClassVar[str] = "equivalence"

    def sentence(self) -> str:
        return "our rules of Othello equal Figures 2, 3 and 4 of the paper"

    def statements(self) -> list[Statement]:
        return [Equivalence(figure) for figure in FIGURES]


FAMILIES = {theorem.family: theorem for theorem in (ByCubes, Unreachable, ChokoAtMost, SameRules)}


def read_theorem(text: str) -> Theorem:
    """The theorem that ``Theorem.json`` wrote."""
    name, data = read_name(text, "theorem")
    if name not in FAMILIES:
        raise DataError(f"no theorem is called {name[:80]!r}: want {one_of(list(FAMILIES))}")
    theorem: Theorem = read_fields(FAMILIES[name], "theorem", name, data)
    return theorem
