"""Othello on words of literals: one placement, and the pass that may follow it."""

from __future__ import annotations

from playproof.proofs.othello.boards import PLACES
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.words import FALSE, Word, choose
from playproof.rules import othello as rules

WordPosition = tuple[Word, Word]  # the stones of the side to move, and the opponent's


def place(
    problem: Problem, position: WordPosition, squares: int, size: int, name: str
) -> WordPosition:
    """The position after any legal placement on one of ``squares``, before a pass."""
    move = _legal_move(problem, position, squares, size, name)
    problem.require_any(move.literals)
    return after_move(position, move)


def place_or_wait(
    problem: Problem, position: WordPosition, squares: int, size: int, name: str
) -> WordPosition:
    """The same, but at the start of a game nothing need be placed yet."""
    own, opponent = position
    black, white = rules.start(size)
    at_start = problem.graph.conjunction(own.equals(black), opponent.equals(white))
    move = _legal_move(problem, position, squares, size, name)
    placed = move.any()
    problem.require_any((placed, at_start))
    after = after_move(position, move)
    return choose(placed, after[0], own), choose(placed, after[1], opponent)


def _legal_move(
    problem: Problem, position: WordPosition, squares: int, size: int, name: str
) -> Word:
    """A free word with at most one legal placement on ``squares``."""
    own, opponent = position
    move = problem.input(name, squares, PLACES)
    legal = rules.moves(own, opponent, rules.board(size))
    for chosen, allowed in zip(move.literals, legal.literals, strict=True):
        problem.require_any((chosen ^ 1, allowed))
    only_one(problem, move)
    return move


def after_move(position: WordPosition, move: Word) -> WordPosition:
    """The position after the one-hot ``move``, with the other side to move."""
    own, opponent = position
    flips = rules.flips(own, opponent, move)
    return opponent & ~flips, own | move | flips


def after_pass(position: WordPosition, size: int) -> WordPosition:
    """The position, with the sides swapped if the side to move has no placement.

    If neither side has one, the game is over, and no placement can follow in either case.
    """
    own, opponent = position
    stuck = rules.moves(own, opponent, rules.board(size)).any() ^ 1
    return choose(stuck, opponent, own), choose(stuck, own, opponent)


def only_one(problem: Problem, move: Word) -> None:
    """Require that at most one square of ``move`` is set."""
    free = [literal for literal in move.literals if literal != FALSE]
    for i, one in enumerate(free):
        for other in free[i + 1 :]:
            problem.require_any((one ^ 1, other ^ 1))
