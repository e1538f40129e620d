"""Statements of one's own about positions of Othello.

A subclass of ``OthelloPosition`` says what it requires of a position, with the words that
``PositionWords`` offers, and in which words.  ``placements`` restricts it to what play can
lead to, so that a refutation says that no *reachable* position satisfies it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from playproof.core.errors import UsageError, one_of
from playproof.core.registry import make
from playproof.proofs.othello.boards import PLACES, add_position, position_text, require_growth
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.play import after_pass, place_or_wait
from playproof.proofs.sat.cardinality import cardinality_field, check_cardinality
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.words import Word, choose
from playproof.proofs.statements import Statement
from playproof.rules import othello as rules

_BEFORE = "own before", "opponent before"  # the stones before the last placements


class PositionWords:
    """The words of a position, and requirements on how many of their bits are set.

    ``own`` are the stones of the side to move, ``opponent`` those of the other side.
    Further requirements are made with ``problem``.
    """

    def __init__(self, problem: Problem, size: int, own: Word, opponent: Word) -> None:
        self.problem, self.size = problem, size
        self.own, self.opponent = own, opponent
        self.board = rules.board(size)
        self.min_empties = 0  # what the requirements imply so far

    @cached_property
    def own_moves(self) -> Word:
        """The squares where the side to move can place a stone."""
        return self._named("own_moves", rules.moves(self.own, self.opponent, self.board))

    @cached_property
    def opponent_moves(self) -> Word:
        """The squares where the other side could place a stone if it were to move."""
        return self._named("opponent_moves", rules.moves(self.opponent, self.own, self.board))

    @cached_property
    def occupied(self) -> Word:
        """The squares with a stone."""
        return self._named("occupied", self.own | self.opponent)

    @cached_property
    def empties(self) -> Word:
        """The squares without a stone."""
        return self._named("empties", ~(self.own | self.opponent) & self.board)

    def _empty_words(self) -> list[Word]:
        """The words in use whose squares are all empty."""
        names = ("own_moves", "opponent_moves", "empties")
        return [word for name in names if (word := vars(self).get(name)) is not None]

    def _named(self, name: str, word: Word) -> Word:
        return self.problem.name(name, word, PLACES)

    def at_least(self, count: int, *words: Word) -> None:
        """Require that at least ``count`` bits of the words, added up, are set."""
        self.problem.at_least(self._literals(count, words), count)
        if all(any(word is empty for empty in self._empty_words()) for word in words):
            # Each empty square is counted once by each word.
            self.min_empties = max(self.min_empties, -(-count // len(words)))

    def at_most(self, count: int, *words: Word) -> None:
        """Require that at most ``count`` bits of the words, added up, are set."""
        self.problem.at_most(self._literals(count, words), count)

    def exactly(self, count: int, *words: Word) -> None:
        """Require that exactly ``count`` bits of the words, added up, are set."""
        self.at_least(count, *words)
        self.at_most(count, *words)

    def _literals(self, count: int, words: tuple[Word, ...]) -> list[int]:
        if not isinstance(count, int) or not words:
            raise UsageError("a bound needs a number and words: want at_least(20, own_moves)")
        return [literal for word in words for literal in word.literals]


@dataclass(frozen=True)
class OthelloPosition(Statement):
    """Base class of statements about a position of Othello.

    A subclass defines ``condition`` and ``requirements``.  Without ``placements`` the position
    need not be reachable; its centre is occupied.  With ``placements=n`` the game's last n
    placements, or all of them if there are fewer, lead to it by the rules, and the occupied
    squares before them grow from the centre.  Every reachable position satisfies that for
    every n, so if such a statement is refuted, no reachable position satisfies its condition.
    """

    reserved: ClassVar[tuple[str, ...]] = ("enumerate", "reachable")

    size: int = field(default=8, kw_only=True, metadata={"help": "Size of the board: 4, 6 or 8"})
    placements: int | None = field(
        default=None, kw_only=True,
        metadata={"help": "Only after so many placements, from squares that grow from the centre"},
    )  # fmt: skip

    cardinality: str = cardinality_field(kw_only=True)

    def __post_init__(self) -> None:
        check_cardinality(self.cardinality)
        if self.size not in rules.SIZES:
            sizes = one_of([str(size) for size in rules.SIZES])
            raise UsageError(f"there is no board of size {self.size}: want {sizes}")
        most = self.size**2 - 4
        if self.placements is not None and not 0 <= self.placements <= most:
            raise UsageError(f"{self.placements} placements: want 0 to {most}")

    @abstractmethod
    def condition(self) -> str:
        """What is required of the position, to follow "an Othello position on 8x8"."""
        raise TypeError(f"{type(self).__name__} does not define condition()")

    @abstractmethod
    def requirements(self, position: PositionWords) -> None:
        """Make the requirements on the position."""
        raise TypeError(f"{type(self).__name__} does not define requirements()")

    def sentence(self) -> str:
        text = f"an Othello position on {self.size}x{self.size} {self.condition()}"
        if self.placements is None:
            return text
        if self.placements == 0:
            return f"{text}, on squares that grow from the centre"
        noun = "placement" if self.placements == 1 else "placements"
        return (
            f"{text}, after the last {self.placements} {noun} of a game, which begin on squares "
            "that grow from the centre"
        )

    def problem(self) -> Problem:
        return self.words().problem

    def words(self) -> PositionWords:
        """The words of the position, with all requirements."""
        problem = Problem(cardinality=self.cardinality)
        if not self.placements:
            position = PositionWords(problem, self.size, *add_position(problem, self.size))
            self.requirements(position)
            if self.placements == 0:
                most = self.size**2 - position.min_empties
                require_growth(problem, position.own | position.opponent, self.size, most)
            return position
        before = add_position(problem, self.size, _BEFORE)
        end = before
        for number in range(1, self.placements + 1):
            if number > 1:
                end = after_pass(end, self.size)
            free = rules.board(self.size) & ~centre(self.size)
            end = place_or_wait(problem, end, free, self.size, f"placement {number}")
        own, opponent = _with_pass(problem, end, self.size)
        problem.name("own", own, PLACES)
        problem.name("opponent", opponent, PLACES)
        position = PositionWords(problem, self.size, own, opponent)
        self.requirements(position)
        # At the start itself, where a placement may be left out, no square need be added.
        most = self.size**2 - position.min_empties - self.placements
        require_growth(problem, before[0] | before[1], self.size, most)
        return position

    def describe(self, witness: dict[str, int]) -> str:
        """The position, with both sides' moves counted by the game: the solver is not trusted."""
        text = position_text((witness["own"], witness["opponent"]), self.size)
        return describe_position(text, self.size)


def describe_position(text: str, size: int) -> str:
    """A board with the numbers of moves and empty squares, counted by the game."""
    game = make("othello", size=size)
    squares, side = text.split()
    counts = []
    for mover in (side, "XO".replace(side, "")):
        names = game.position(f"{squares} {mover}").legal_names()
        counts.append(len([name for name in names if name != "pass"]))
    own, other = counts
    return (
        f"{game.position(text)}\nposition  {text}\n"
        f"moves     {own}, of the other side {other}; {squares.count('-')} empty squares"
    )


def _with_pass(problem: Problem, end: tuple[Word, Word], size: int) -> tuple[Word, Word]:
    """The position after the last placement, or after a pass that then follows it."""
    own, opponent = end
    board = rules.board(size)
    passed = problem.input("passed", 1, ("pass",))[0]
    problem.require_any((passed ^ 1, rules.moves(own, opponent, board).any() ^ 1))
    problem.require_any((passed ^ 1, rules.moves(opponent, own, board).any()))
    return choose(passed, opponent, own), choose(passed, own, opponent)
