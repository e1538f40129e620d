"""Statements about how many legal moves a position of Othello can have.

The paper's first question (Takizawa, 2023) is about positions in which the
centre is occupied, reachable or not.  With ``constructible`` the occupied
squares must also grow from the centre, as in all reachable positions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from playproof.core.errors import UsageError, one_of
from playproof.proofs.fields import word_field
from playproof.proofs.othello.boards import (
    CENTRE_OCCUPIED,
    PLACES,
    Position,
    add_position,
    canonical,
    images,
    position_images,
    require_growth,
    squares_text,
)
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.positions import OthelloPosition
from playproof.proofs.sat.bracketing import Maximum, maximum
from playproof.proofs.sat.cardinality import cardinality_field, check_cardinality
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.solvers import UNSAT, ShouldStop, models
from playproof.proofs.sat.words import Word
from playproof.proofs.statements import Statement
from playproof.rules import othello as rules


@dataclass(frozen=True)
class OthelloMobility(Statement):
    """A position in which the side to move has ``at_least`` placements.

    ``blocked`` holds sets of occupied squares and ``blocked_positions`` positions; they
    and their eight images are excluded.  ``fixed`` holds three words that the position
    must match: own stones, the opponent's, and empty squares.  ``cardinality`` names the
    counting.
    """

    family: ClassVar[str] = "othello-mobility"

    at_least: int
    size: int = 8
    empties_at_least: int = 0
    constructible: bool = False
    blocked: tuple[int, ...] = word_field(())
    blocked_positions: tuple[Position, ...] = word_field(())
    fixed: tuple[int, ...] = word_field(())
    cardinality: str = cardinality_field()

    def __post_init__(self) -> None:
        if self.size not in rules.SIZES:
            raise UsageError(f"there is no board of size {self.size}: want {one_of(_SIZES)}")
        check_cardinality(self.cardinality)
        squares, most = self.size**2, self.size**2 - 4
        for name, least in (("at_least", 1), ("empties_at_least", 0)):
            if not least <= getattr(self, name) <= most:
                raise UsageError(
                    f"{name} {getattr(self, name)} on {squares} squares: want {least} to {most}, "
                    "as the four centre squares are occupied"
                )
        self._check_blocked()
        self._check_fixed()

    def _check_blocked(self) -> None:
        board = rules.board(self.size)
        if any(len(both) != 2 for both in self.blocked_positions):
            raise UsageError("a blocked position must be two words: own stones and the other's")
        words = [*self.blocked, *(word for both in self.blocked_positions for word in both)]
        if any(word & ~board for word in words):
            raise UsageError(f"a blocked set has squares off the {self.size}x{self.size} board")
        if any(own & other for own, other in self.blocked_positions):
            raise UsageError("a blocked position has a square with a stone of each side")
        sets = {min(images(word, self.size)) for word in self.blocked}
        positions = {canonical(both, self.size) for both in self.blocked_positions}
        if len(sets) < len(self.blocked) or len(positions) < len(self.blocked_positions):
            raise UsageError("a set or position is blocked twice, or with an image of it: want one")
        if self._all_blocked():
            raise UsageError("every set of squares is blocked, so nothing is claimed: want fewer")

    def _all_blocked(self) -> bool:
        """Whether the blocked sets are all that so few stones can occupy."""
        middle = centre(self.size)
        extra = range(self.max_stones - 4 + 1)
        total = sum(math.comb(self.size**2 - 4, count) for count in extra)
        if 8 * len(self.blocked) < total:  # a set has at most eight images
            return False
        sets = {image for word in self.blocked for image in images(word, self.size)}
        possible = [
            word for word in sets
            if middle & ~word == 0 and word.bit_count() <= self.max_stones
        ]  # fmt: skip
        return len(possible) == total

    def _check_fixed(self) -> None:
        if not self.fixed:
            return
        board, middle = rules.board(self.size), centre(self.size)
        if len(self.fixed) != 3 or any(word & ~board for word in self.fixed):
            raise UsageError("fixed squares must be three words on the board: own, other, empty")
        own, other, empty = self.fixed
        overlap = own & other | own & empty | other & empty
        if overlap:
            raise UsageError(
                f"fixed squares overlap on {squares_text(overlap)}: want each square once"
            )
        if not own | other | empty:
            raise UsageError("fixed squares must give a square: leave them out")
        if empty & middle:
            raise UsageError(
                f"{squares_text(empty & middle)} cannot be fixed as empty: the centre is occupied"
            )

    @property
    def max_stones(self) -> int:
        """The largest possible number of stones, since each move needs an empty square."""
        return self.size**2 - max(self.at_least, self.empties_at_least)

    def sentence(self) -> str:
        parts = [
            f"an Othello position on {self.size}x{self.size} with at least {self.at_least} moves"
        ]
        if self.empties_at_least:
            parts.append(f"at least {self.empties_at_least} empty squares")
        if self.constructible:
            parts.append("an occupied set that grows from the centre")
        if self.blocked or self.blocked_positions:
            count = len(self.blocked) + len(self.blocked_positions)
            parts.append(f"not one of {count} named in the statement")
        if self.fixed:
            parts.append(f"{sum(word.bit_count() for word in self.fixed)} squares given")
        return ", ".join(parts)

    def assumptions(self) -> list[str]:
        lines = [CENTRE_OCCUPIED]
        if self.fixed:
            labels = ("the side to move has", "the opponent has", "empty are")
            lines += [
                f"{label} {squares_text(word)}"
                for label, word in zip(labels, self.fixed, strict=True)
                if word
            ]
        lines += [
            f"the occupied squares are not {squares_text(word)}, nor an image of these"
            for word in self.blocked
        ]
        lines += [
            f"the position is not {squares_text(own)} against {squares_text(other)}, nor an image"
            for own, other in self.blocked_positions
        ]
        if self.cardinality != type(self).cardinality:
            lines.append(f"moves are counted by the encoding {self.cardinality}")
        return lines

    def problem(self) -> Problem:
        problem = Problem(cardinality=self.cardinality)
        own, opponent = add_position(problem, self.size)
        board = rules.board(self.size)
        moves = problem.name("moves", rules.moves(own, opponent, board), PLACES)
        problem.at_least(moves.literals, self.at_least)
        occupied: Word = own | opponent
        if self.empties_at_least:
            empty = [occupied[i] ^ 1 for i in range(64) if board >> i & 1]
            problem.at_least(empty, self.empties_at_least)
        if self.constructible:
            problem.name("occupied", occupied, PLACES)
            require_growth(problem, occupied, self.size, self.max_stones)
        for fixed, word in zip(self.fixed, (own, opponent, ~occupied), strict=False):
            for square in range(64):
                if fixed >> square & 1:
                    problem.require_any((word[square],))
        for blocked in self.blocked:
            for image in dict.fromkeys(images(blocked, self.size)):
                problem.require_any(_differs(occupied, image, board))
        for position in self.blocked_positions:
            for own_image, opponent_image in dict.fromkeys(position_images(position, self.size)):
                problem.require_any(
                    (*_differs(own, own_image, board), *_differs(opponent, opponent_image, board))
                )
        return problem


_SIZES = [str(size) for size in rules.SIZES]


def _differs(word: Word, value: int, board: int) -> list[int]:
    """Literals of which at least one is true if and only if the word differs from ``value``."""
    return [word[i] ^ (value >> i & 1) for i in range(64) if board >> i & 1]


@dataclass(frozen=True)
class Enumeration:
    """Positions, none the image of another."""

    positions: list[Position]
    complete: bool  # whether these are all
    seconds: float


def enumerate_positions(
    statement: OthelloMobility | OthelloPosition,
    count: int | None = None,
    *,
    seconds: float | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    should_stop: ShouldStop | None = None,
) -> Enumeration:
    """Find up to ``count`` positions that satisfy the statement; without ``count``, all.

    ``on_progress(count, seconds)`` is called after each position, and while the solver
    runs.  Each position excludes itself and its images.
    """
    cnf, size = statement.cnf, statement.size
    positions: list[Position] = []
    start = time.perf_counter()

    def report(_: object = None) -> None:
        if on_progress is not None:
            on_progress(len(positions), time.perf_counter() - start)

    def block(model: tuple[int, ...]) -> list[tuple[int, ...]]:
        pairs = dict.fromkeys(position_images(positions[-1], size))
        clauses = (cnf.differs(own=own, opponent=opponent) for own, opponent in pairs)
        return [clause for clause in clauses if clause is not None]

    complete = False
    for answer in models(cnf, block, seconds=seconds, on_progress=report, should_stop=should_stop):
        if answer.model is None:
            complete = answer.status == UNSAT
            break
        values = cnf.decode(answer.model)
        positions.append(canonical((values["own"], values["opponent"]), size))
        report()
        if count is not None and len(positions) >= count:
            break
    return Enumeration(positions, complete, time.perf_counter() - start)


def largest(
    size: int = 8,
    empties_at_least: int = 0,
    *,
    constructible: bool = False,
    solver: str | None = None,
    seconds: float | None = None,
    on_progress: Callable[[int, int, float], None] | None = None,
    should_stop: ShouldStop | None = None,
) -> Maximum:
    """Find the largest number of moves, with a witness for it and a refutation of one more."""
    return maximum(
        lambda bound: OthelloMobility(bound, size, empties_at_least, constructible),
        lambda witness: witness["moves"].bit_count(),
        above=size**2 - 3,  # four squares are occupied
        solver=solver,
        seconds=seconds,
        on_progress=on_progress,
        should_stop=should_stop,
    )
