"""Othello endings, solved: the score with perfect play, and a line that achieves it.

The score is proven by search, not estimated. Each null-window search proves a bound, and the score
is exact where the bounds meet. Whether a game is won takes two searches at most: is the score more
than a draw, and is it at least a draw?

The solver uses fastest-first and parity ordering, a lookahead that orders moves high in the tree,
a hash table of proven bounds, cut-offs by stable discs and by transpositions, and separate code for
the last five empties. Its models are M. Buro's Logistello, G. Andersson's Zebra and R. Delorme's
Edax.
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
from playproof.search.othello_endgame import hash_table, kernels

_ESTIMATE_PLIES = 4
# The first bound to prove lies this far below the estimate: lower bounds are cheap, and what their
# searches leave in the table orders the moves of the harder ones.
_BELOW_ESTIMATE = 8


@dataclass(frozen=True)
class Solution:
    """What is proven about a position, from the side of the player to move."""

    score: int | None
    """Disc difference, or its sign if not ``exact``; None if not ``finished``."""
    exact: bool
    """Whether the score was to be solved, rather than only win, draw or loss."""
    finished: bool
    """Whether it was solved before a limit was reached or the search was stopped."""
    lower: int
    """A proven lower bound of the disc difference."""
    upper: int
    """A proven upper bound of the disc difference."""
    best_move: int | None
    """An action that reaches ``lower``; None if the game is over or nothing is proven."""
    line: tuple[int, ...]
    """Play that achieves the score, or its sign, for both sides, passes included: to the end of
    the game, or as far as the limits allowed."""
    player: int
    """The player whose side the score is seen from: 0 or 1."""
    nodes: int
    seconds: float

    @property
    def first_player_score(self) -> int | None:
        """The score from the first player's side."""
        return None if self.score is None else -self.score if self.player else self.score


class _Stopped(Exception):
    """A limit was reached, or the stop flag was raised."""


def solve(
    state: State,
    *,
    exact: bool = True,
    megabytes: float = 64,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: StopFlag | None = None,
) -> Solution:
    """Solve a position of Othello, or only find out who wins (``exact=False``).

    ``megabytes`` is the size of the hash table. ``seconds``, ``nodes`` and ``stop`` may end the
    search early: the solution is then not ``finished``, and its bounds are those proven so far.
    """
    if not isinstance(state.game, Othello):
        raise UsageError(f"the endgame solver is for othello, not for {state.game.name}")
    if not megabytes > 0:
        raise UsageError(f"megabytes={megabytes}: want a hash table of more than 0 megabytes")
    started = time.perf_counter()
    root = _Node(state.game, state.row)
    search = _Search(root, megabytes, nodes, stop_flag() if stop is None else stop)
    score: int | None = None
    line: list[int] = []
    limits = search.arrays.statistics

    def exhaust_nodes() -> None:
        limits[hash_table.NODE_LIMIT] = -1

    with deadline(seconds, exhaust_nodes), suppress(_Stopped):
        score = search.exact_score(root) if exact else search.sign(root)
        for action in search.line(root, score, exact):
            line.append(action)  # a line that is cut short is still returned
    return Solution(
        score=score,
        exact=exact,
        finished=score is not None,
        lower=search.lower,
        upper=search.upper,
        best_move=line[0] if line else search.best_move,
        line=tuple(line),
        player=root.side,
        nodes=int(search.arrays.statistics[hash_table.NODES]),
        seconds=time.perf_counter() - started,
    )


class _Node:
    """A position by its stones, from the side of the player to move."""

    def __init__(self, game: Othello, row: Words) -> None:
        self.game = game
        self.side = int(row[FLAGS]) & SIDE
        self.own, self.opponent = row[self.side], row[1 - self.side]
        self.over = bool(int(row[FLAGS]) & OVER)
        self._row = row.copy()

    def action(self, square: int) -> int:
        if square == hash_table.PASS:
            return self.game.pass_action
        return (square >> 3) * self.game.size + (square & 7)

    @property
    def lead(self) -> int:
        """The mover's lead in discs, which is the score of a finished game."""
        game = self.game
        ahead = int(game.kernels.score(game.option_words, game.tables, self._row, self._row[:0]))
        return -ahead if self.side else ahead

    def after(self, action: int) -> _Node:
        game, row = self.game, self._row.copy()
        game.kernels.apply(game.option_words, game.tables, row, row[:0], action)
        return _Node(game, row)


class _Search:
    """The null-window searches of one position, and the bounds they have proven."""

    def __init__(self, root: _Node, megabytes: float, nodes: int | None, stop: StopFlag) -> None:
        self.options = root.game.option_words
        total = root.game.size**2
        self.lower, self.upper = (root.lead, root.lead) if root.over else (-total, total)
        self.best_move: int | None = None
        self.arrays = hash_table.allocate(root.game.size, megabytes, stop)
        if nodes is not None:
            self.arrays.statistics[hash_table.NODE_LIMIT] = nodes

    def bound(self, node: _Node, least: int) -> int:
        """A proven bound that decides whether the score is at least ``least``."""
        bound = int(
            kernels.null_window_search(
                self.arrays, self.options, node.own, node.opponent, least - 1
            )
        )
        if self.arrays.statistics[hash_table.STOPPED]:
            raise _Stopped
        return bound

    def _bound_root(self, root: _Node, least: int) -> bool:
        """Raise the lower bound to ``least`` or lower the upper one; whether it was the lower."""
        bound = self.bound(root, least)
        is_lower = bound >= least
        if is_lower:
            self.lower = bound
        else:
            self.upper = bound
        if is_lower or self.best_move is None:
            self.best_move = root.action(int(self.arrays.statistics[hash_table.BEST_MOVE]))
        return is_lower

    def _estimate(self, root: _Node) -> int:
        stones = root.own, root.opponent
        return int(kernels.lookahead_score(self.arrays, self.options, *stones, _ESTIMATE_PLIES))

    def exact_score(self, root: _Node) -> int:
        """Raise the lower bound from below the estimate until it meets the upper bound."""
        worst, down = self.lower, 2
        least = self._estimate(root) - _BELOW_ESTIMATE
        while self.lower < self.upper:
            least = min(max(least, self.lower + 1), self.upper)
            if self._bound_root(root, least) or self.lower > worst:
                least = self.lower + 1
            else:
                least, down = self.upper - down, 2 * down
        return self.lower

    def sign(self, root: _Node) -> int:
        """1 if the player to move wins, 0 for a draw, -1 for a loss."""
        # One search is enough to prove a win or a loss if the right bound comes first.
        for least in (0, 1) if self._estimate(root) < 0 else (1, 0):
            if self.lower < least <= self.upper:
                self._bound_root(root, least)
        return 1 if self.lower > 0 else -1 if self.upper < 0 else 0

    def line(self, node: _Node, score: int, exact: bool) -> Iterator[int]:
        """Play to the end that achieves the score, or its sign, for both sides.

        In a lost game the search tests for a draw, so that its best move is still a good one.
        """
        while not node.over:
            self.bound(node, score if exact or score > 0 else 0)
            action = node.action(int(self.arrays.statistics[hash_table.BEST_MOVE]))
            yield action
            node, score = node.after(action), -score
