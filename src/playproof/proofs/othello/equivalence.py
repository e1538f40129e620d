"""Equivalence of the rules with the paper's functions.

Each statement is a *miter*: both functions on the same inputs, and the claim
that some output bit differs.  If it has no model, the functions are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from playproof.core.errors import UsageError
from playproof.proofs.othello.boards import PLACES
from playproof.proofs.othello.takizawa_functions import (
    carried_flips,
    multiplied_count,
    prefix_moves,
    rays_of_word,
)
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.words import Word, population, word_of
from playproof.proofs.statements import Statement
from playproof.rules import othello as rules

FIGURES = {
    2: "legal moves by parallel prefix",
    3: "population count by multiplication",
    4: "flips without tables",
}


@dataclass(frozen=True)
class Equivalence(Statement):
    """An input on which a figure of the paper and our rules differ."""

    family: ClassVar[str] = "equivalence"

    figure: int

    def __post_init__(self) -> None:
        if self.figure not in FIGURES:
            raise UsageError(f"figure {self.figure} is no function of the paper: want 2, 3 or 4")

    def sentence(self) -> str:
        return f"an input where Figure {self.figure}, {FIGURES[self.figure]}, differs from ours"

    def assumptions(self) -> list[str]:
        return [] if self.figure == 3 else ["no square has a stone of each side"]

    def problem(self) -> Problem:
        problem = Problem()
        own = problem.input("own", rules.board(8), PLACES)
        if self.figure == 3:
            ours, theirs = population(own), multiplied_count(own)
        else:
            opponent = problem.input("opponent", rules.board(8), PLACES)
            for a, b in zip(own.literals, opponent.literals, strict=True):
                problem.require_any((a ^ 1, b ^ 1))
            if self.figure == 2:
                ours = rules.moves(own, opponent, rules.board(8))
                theirs = prefix_moves(own, opponent)
            else:
                square = problem.input("square", -1, [f"bit {i}" for i in range(6)])
                move = one_hot(square)
                problem.require((move & (own | opponent)).any() ^ 1)
                ours = rules.flips(own, opponent, move)
                theirs = carried_flips(own, opponent, *rays_of_word(square))
        problem.require((ours ^ word_of(theirs, ours)).any())
        return problem


def one_hot(number: Word) -> Word:
    """The word whose only set bit has the index ``number``."""
    graph = number.graph
    ways = range(1 << len(number))
    return Word(
        graph,
        [
            graph.all_of(bit ^ (way >> i & 1) ^ 1 for i, bit in enumerate(number.literals))
            for way in ways
        ],
    )
