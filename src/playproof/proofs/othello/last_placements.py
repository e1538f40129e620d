"""Chains: the last placements before a position with many moves, as a circuit.

A reachable position has a predecessor, which has one too, and so on, and the
occupied squares of each grow from the centre.  Take a set of squares that cannot
be filled by ``steps`` placements that start on such a smaller set and end with
so many moves.  Then no position on that set with so many moves is reachable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from playproof.core.errors import UsageError
from playproof.proofs.fields import word_field
from playproof.proofs.othello.boards import (
    CENTRE_OCCUPIED,
    PLACES,
    add_position,
    require_growth,
    squares_text,
)
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.play import after_pass, place
from playproof.proofs.sat.cardinality import cardinality_field, check_cardinality
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.words import Word
from playproof.proofs.statements import Statement
from playproof.rules import othello as rules


@dataclass(frozen=True)
class OthelloChain(Statement):
    """``steps`` placements, with forced passes between them, that end on the squares
    ``occupied`` with ``at_least`` moves, and start on squares that grow from the centre."""

    family: ClassVar[str] = "othello-chain"

    occupied: int = word_field(0)
    at_least: int = 34
    steps: int = 8
    size: int = 8
    cardinality: str = cardinality_field(before="totalizer")

    def __post_init__(self) -> None:
        if self.size not in rules.SIZES:
            raise UsageError(f"there is no board of size {self.size}: want 4, 6 or 8")
        if self.occupied & ~rules.board(self.size) or centre(self.size) & ~self.occupied:
            raise UsageError("the occupied squares must hold the centre and lie on the board")
        if not 1 <= self.steps <= self.occupied.bit_count() - 4:
            raise UsageError(f"{self.steps} placements cannot lead to these squares")
        empty = self.size**2 - self.occupied.bit_count()
        if not 1 <= self.at_least <= empty:
            raise UsageError(
                f"at_least {self.at_least}: want 1 to {empty}, as each move needs an empty square"
            )
        check_cardinality(self.cardinality)

    def sentence(self) -> str:
        stones = self.occupied.bit_count()
        return (
            f"{self.steps} placements of Othello on {self.size}x{self.size} that fill a given set "
            f"of {stones} squares, end with at least {self.at_least} moves and begin on squares "
            "that grow from the centre"
        )

    def assumptions(self) -> list[str]:
        lines = [f"the given set is {squares_text(self.occupied)}", CENTRE_OCCUPIED]
        if self.cardinality != type(self).cardinality:
            lines.append(f"moves are counted by the encoding {self.cardinality}")
        return lines

    def problem(self) -> Problem:
        problem = Problem(cardinality=self.cardinality)
        board = rules.board(self.size)
        own, opponent = add_position(problem, self.size)
        before: Word = own | opponent
        for square, stone in enumerate(before.literals):
            if not self.occupied >> square & 1:
                problem.require_any((stone ^ 1,))
        require_growth(problem, before, self.size, self.occupied.bit_count() - self.steps)
        position = own, opponent
        free = self.occupied & ~centre(self.size)
        for step in range(1, self.steps + 1):
            position = place(problem, position, free, self.size, f"move {step}")
            position = after_pass(position, self.size)
        end = position[0] | position[1]
        for square in range(64):
            if self.occupied >> square & 1:
                problem.require_any((end[square],))
        moves = problem.name("moves", rules.moves(*position, board), PLACES)
        problem.at_least(moves.literals, self.at_least)
        return problem
