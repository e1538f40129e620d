"""Othello played on words: one placement, with the pass that may follow it."""

from __future__ import annotations

from playproof.proofs.othello.boards import PLACES
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.words import FALSE, Word, choose
from playproof.rules import othello as rules

Words = tuple[Word, Word]  # the stones of the side to move, and the other's


def place(problem: Problem, position: Words, squares: int, size: int, name: str) -> Words:
    """The position after a free legal placement on one of ``squares``, before any pass."""
    own, opponent = position
    move = problem.input(name, squares, PLACES)
    legal = rules.moves(own, opponent, rules.board(size))
    for chosen, allowed in zip(move.literals, legal.literals, strict=True):
        problem.require_any((chosen ^ 1, allowed))
    only_one(problem, move)
    problem.require_any(move.literals)
    return turned(position, move)


def turned(position: Words, move: Word) -> Words:
    """The position after the one-hot ``move``, the other side to move."""
    own, opponent = position
    flips = rules.flips(own, opponent, move)
    return opponent & ~flips, own | move | flips


def after_pass(position: Words, size: int) -> Words:
    """The position with the sides swapped if the side to move has no placement.

    If neither has one the game is over; then no placement can follow either way.
    """
    own, opponent = position
    stuck = rules.moves(own, opponent, rules.board(size)).any() ^ 1
    return choose(stuck, opponent, own), choose(stuck, own, opponent)


def only_one(problem: Problem, move: Word) -> None:
    """No two squares at once."""
    free = [literal for literal in move.literals if literal != FALSE]
    for i, one in enumerate(free):
        for other in free[i + 1 :]:
            problem.require_any((one ^ 1, other ^ 1))
