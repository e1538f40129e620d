"""Othello endings, solved: the score with perfect play, and a line that keeps it.

The answer is a proof by search, not an estimate.  The solver asks whether the
score is at least this or that, and each answer is a proven bound; an exact
score is where the bounds meet.  A won game is asked two questions at most:
more than a draw?  at least a draw?

What it is made of: fastest-first and parity ordering, a look ahead to order
moves high in the tree, a hash table of proven bounds, cut-offs by stable discs
and by transpositions, and the last five empties apart.  The classics are M.
Buro's Logistello, G. Andersson's Zebra and R. Delorme's Edax.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.core.kernels import Words
from playproof.core.state import State
from playproof.core.stopping import StopFlag, deadline, stop_flag
from playproof.games.othello.game import Othello
from playproof.games.othello.kernels import FLAGS, OVER, SIDE
from playproof.search.othello_endgame import hash_table as memory
from playproof.search.othello_endgame import kernels

_GUESS_PLIES = 4
# The first question is easier than the guess: answers of yes are cheap, and
# what they leave in the table orders the moves of the harder ones.
_BELOW_GUESS = 8


@dataclass(frozen=True)
class Solution:
    """What is proven about a position, from the side of the player to move."""

    score: int | None
    """Disc difference, or its sign if not ``exact``; None if not ``finished``."""
    exact: bool
    """Whether the score was asked for, rather than win, loss or draw."""
    finished: bool
    """Whether the question was answered before a limit or a stop."""
    lower: int
    """The disc difference is at least this, proven."""
    upper: int
    """The disc difference is at most this, proven."""
    best_move: int | None
    """An action that reaches ``lower``; None if the game is over or nothing is proven."""
    line: tuple[int, ...]
    """Play that keeps the score, or its sign, for both sides: to the end of the game,
    passes included, or as far as the limits allowed."""
    player: int
    """Whose side this is seen from: 0 or 1."""
    nodes: int
    seconds: float

    @property
    def first_player_score(self) -> int | None:
        """The score from the first player's side."""
        return None if self.score is None else -self.score if self.player else self.score


class _Halted(Exception):
    """A limit was reached, or the flag was raised."""


def solve(
    state: State,
    *,
    exact: bool = True,
    megabytes: float = 64,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: StopFlag | None = None,
) -> Solution:
    """Solve a position of Othello, or find out who wins (``exact=False``).

    ``megabytes`` is the size of the hash table.  ``seconds``, ``nodes`` and
    ``stop`` end the search early: the solution is then not ``finished``, and
    its bounds are what has been proven so far.
    """
    if not isinstance(state.game, Othello):
        raise UsageError(f"the endgame solver is for othello, not for {state.game.name}")
    if not megabytes > 0:
        raise UsageError(f"megabytes={megabytes}: want a hash table of more than 0 megabytes")
    began = time.perf_counter()
    root = _Node(state.game, state.row)
    search = _Search(root, megabytes, nodes, stop_flag() if stop is None else stop)
    score: int | None = None
    line: list[int] = []
    limits = search.space.statistics

    def withdraw() -> None:
        limits[memory.NODE_LIMIT] = -1  # the right to further nodes

    with deadline(seconds, withdraw), suppress(_Halted):
        score = search.exact_score(root) if exact else search.sign(root)
        for action in search.line(root, score, exact):
            line.append(action)  # a line cut short is a line still
    return Solution(
        score=score,
        exact=exact,
        finished=score is not None,
        lower=search.lower,
        upper=search.upper,
        best_move=line[0] if line else search.best_move,
        line=tuple(line),
        player=root.side,
        nodes=int(search.space.statistics[memory.NODES]),
        seconds=time.perf_counter() - began,
    )


class _Node:
    """A position as the solver holds it, and how it goes on."""

    def __init__(self, game: Othello, row: Words) -> None:
        self.game = game
        self.side = int(row[FLAGS]) & SIDE
        self.own, self.opponent = row[self.side], row[1 - self.side]
        self.over = bool(int(row[FLAGS]) & OVER)
        self._row = row.copy()

    def action(self, square: int) -> int:
        if square == memory.PASS:
            return self.game.pass_action
        return (square >> 3) * self.game.size + (square & 7)

    @property
    def lead(self) -> int:
        """What the player to move is ahead by; in a finished game, the score."""
        game = self.game
        ahead = int(game.kernels.score(game.option_words, game.tables, self._row, self._row[:0]))
        return -ahead if self.side else ahead

    def after(self, action: int) -> _Node:
        game, row = self.game, self._row.copy()
        game.kernels.apply(game.option_words, game.tables, row, row[:0], action)
        return _Node(game, row)


class _Search:
    """The questions asked about one position, and what they have proven."""

    def __init__(self, root: _Node, megabytes: float, nodes: int | None, stop: StopFlag) -> None:
        self.options = root.game.option_words
        total = root.game.size**2
        self.lower, self.upper = (root.lead, root.lead) if root.over else (-total, total)
        self.best_move: int | None = None
        self.space = memory.space(root.game.size, megabytes, stop)
        if nodes is not None:
            self.space.statistics[memory.NODE_LIMIT] = nodes

    def ask(self, node: _Node, least: int) -> int:
        """Is the score at least ``least``?  A bound: if not, it is below."""
        bound = int(kernels.ask(self.space, self.options, node.own, node.opponent, least - 1))
        if self.space.statistics[memory.STOPPED]:
            raise _Halted
        return bound

    def _ask_root(self, root: _Node, least: int) -> bool:
        bound = self.ask(root, least)
        yes = bound >= least
        if yes:
            self.lower = bound
        else:
            self.upper = bound
        if yes or self.best_move is None:
            self.best_move = root.action(int(self.space.statistics[memory.BEST_MOVE]))
        return yes

    def _expected(self, root: _Node) -> int:
        stones = root.own, root.opponent
        return int(kernels.guess(self.space, self.options, *stones, _GUESS_PLIES))

    def exact_score(self, root: _Node) -> int:
        """Climb from below the guess until a question is denied."""
        worst, down = self.lower, 2
        least = self._expected(root) - _BELOW_GUESS
        while self.lower < self.upper:
            least = min(max(least, self.lower + 1), self.upper)
            if self._ask_root(root, least) or self.lower > worst:
                least = self.lower + 1
            else:
                least, down = self.upper - down, 2 * down
        return self.lower

    def sign(self, root: _Node) -> int:
        """1 if the player to move wins, 0 for a draw, -1 for a loss."""
        # One answer settles a win or a loss, if it is the right question.
        for least in (0, 1) if self._expected(root) < 0 else (1, 0):
            if self.lower < least <= self.upper:
                self._ask_root(root, least)
        return 1 if self.lower > 0 else -1 if self.upper < 0 else 0

    def line(self, node: _Node, score: int, exact: bool) -> Iterator[int]:
        """Play to the end that keeps the score, or its sign, for both sides.

        Who has lost anyway is asked for a draw, which orders the moves.
        """
        while not node.over:
            self.ask(node, score if exact or score > 0 else 0)
            action = node.action(int(self.space.statistics[memory.BEST_MOVE]))
            yield action
            node, score = node.after(action), -score
