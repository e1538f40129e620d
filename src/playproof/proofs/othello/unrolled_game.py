"""The paper's encoding: the game from its start, ply by ply, as one large circuit.

As in the paper (Takizawa, 2023), two passes in a row do not end the game, and a
record's value is the largest number of legal moves at any ply.  A side that has
a placement must make one; otherwise it passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from playproof.core.errors import UsageError, one_of
from playproof.proofs.othello.boards import PLACES
from playproof.proofs.othello.play import after_move, only_one
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.words import FALSE, Word, unary_count
from playproof.proofs.statements import Statement
from playproof.rules import othello as rules

MOVERS = ("any", "black", "white")


def plies_that_suffice(size: int, at_least: int) -> int:
    """The number of plies after which too few squares are empty: so many placements, each with a
    pass, and one more ply."""
    return 2 * max(0, size**2 - at_least - 4) + 1


@dataclass(frozen=True)
class OthelloUnroll(Statement):
    """A game of at most ``plies`` plies that reaches ``at_least`` legal moves.

    ``mover`` is the side that has them.
    """

    family: ClassVar[str] = "othello-unroll"

    at_least: int
    plies: int
    size: int = 8
    mover: str = "any"

    def __post_init__(self) -> None:
        if self.size not in rules.SIZES:
            raise UsageError(f"there is no board of size {self.size}: want 4, 6 or 8")
        if not 0 <= self.plies <= 120:
            raise UsageError(f"{self.plies} plies cannot be unrolled: want 0 to 120")
        most = self.size**2 - 4
        if not 1 <= self.at_least <= most:
            raise UsageError(
                f"{self.at_least} moves: want 1 to {most}, as the centre squares are occupied"
            )
        if self.mover not in MOVERS:
            raise UsageError(f"no side {self.mover!a:.80}: want {one_of(MOVERS)}")
        if self.mover == "white" and not self.plies:
            raise UsageError("White does not move within 0 plies: want 1 or more")

    def sentence(self) -> str:
        whose = "" if self.mover == "any" else f" for {self.mover.capitalize()}"
        return (
            f"an Othello game on {self.size}x{self.size} that reaches at least {self.at_least} "
            f"moves{whose} within {self.plies} plies"
        )

    def assumptions(self) -> list[str]:
        return ["two passes in a row do not end the game"]

    def problem(self) -> Problem:
        problem = Problem()
        graph, board = problem.graph, rules.board(self.size)
        black, white = rules.start(self.size)
        own: Any = graph.constant(64, black)
        opponent: Any = graph.constant(64, white)
        enough = []  # a literal for each ply at which the bound may be reached
        for ply in range(self.plies + 1):
            legal: Word = rules.moves(own, opponent, board)
            if self.mover == "any" or (self.mover == "black") == (ply % 2 == 0):
                enough.append(_has_at_least(problem, legal, self.at_least))
            if ply == self.plies:
                break
            move = problem.input(f"ply {ply + 1}", board & ~(black | white), PLACES)
            for chosen, allowed in zip(move.literals, legal.literals, strict=True):
                problem.require_any((chosen ^ 1, allowed))
            only_one(problem, move)
            # A pass, which places nothing, is legal only without a placement.
            problem.require_any((*move.literals, legal.any() ^ 1))
            own, opponent = after_move((own, opponent), move)
        problem.require_any(enough)
        return problem

    def moves_of(self, witness: dict[str, int]) -> list[str]:
        """The moves of a witness, up to the ply at which the bound is reached."""
        board = rules.board(self.size)
        own, opponent = rules.start(self.size)
        names: list[str] = []
        for ply in range(self.plies + 1):
            counts = self.mover == "any" or (self.mover == "black") == (ply % 2 == 0)
            legal = int(rules.moves(own, opponent, board)).bit_count()
            if counts and legal >= self.at_least:
                break
            move = witness[f"ply {ply + 1}"]
            names.append(PLACES[move.bit_length() - 1] if move else "pass")
            flips = int(rules.flips(own, opponent, move))
            own, opponent = opponent & ~flips, own | move | flips
        return names


def _has_at_least(problem: Problem, legal: Word, at_least: int) -> int:
    """A literal that is true if the word has at least so many bits set."""
    free: Sequence[int] = [literal for literal in legal.literals if literal != FALSE]
    counts = unary_count(problem.graph, free)
    return counts[at_least - 1] if at_least <= len(counts) else 0
