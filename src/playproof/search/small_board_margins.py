"""The exact margin of a small board: by how much the first player wins with best play.

A komi of half a point turns "by how much" into "who wins", and a search that proves a win proves
it for good: a forced win within some number of plies holds even if play could repeat elsewhere.
So the margin lies between the largest komi under which Black is proven to win and the smallest
under which White is. Where a rule on repetition makes every game finite, the two bounds meet.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.stopping import StopFlag, stop_flag
from playproof.search.alphabeta.config import MAX_DEPTH, AlphaBetaConfig
from playproof.search.alphabeta.search import AlphaBeta


@dataclass(frozen=True)
class Margin:
    """Black's margin without komi lies from ``lower`` to ``upper``; it is exact if they meet."""

    lower: int
    upper: int
    line: tuple[str, ...]  # the line of the last proof that Black wins
    nodes: int
    seconds: float

    @property
    def exact(self) -> bool:
        return self.lower == self.upper


def solve_margin(
    game: Game,
    *,
    seconds: float | None = None,
    megabytes: int = 256,
    stop: StopFlag | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Margin:
    """Bisect the margin, one komi at a time; ``on_progress(lower, upper)`` follows each step.

    At each komi the search deepens until one side is proven to win or the time is up.
    """
    if "komi" not in game.options or not hasattr(game, "points"):
        raise UsageError(f"margins are of Go and its variants, not of {game.name}")
    flag = stop_flag() if stop is None else stop
    started = time.perf_counter()
    area = game.points.count
    lower, upper = -area, area
    line: tuple[str, ...] = ()
    nodes = 0
    while lower < upper:
        left = None if seconds is None else seconds - (time.perf_counter() - started)
        if flag[0] or (left is not None and left <= 0.0):
            break
        middle = (lower + upper) // 2  # does Black win by more than this?
        with_komi = make(game.name, **{**game.options, "komi": middle + 0.5})
        config = AlphaBetaConfig(depth=MAX_DEPTH, seconds=left, table_mb=megabytes)
        result = AlphaBeta(with_komi, config).search(with_komi.start(), stop=flag)
        nodes += result.nodes
        if not result.proven:
            break
        if result.value > 0:
            lower = middle + 1
            line = tuple(map(with_komi.action_name, result.line))
        else:
            upper = middle
        if on_progress:
            on_progress(lower, upper)
    return Margin(lower, upper, line, nodes, time.perf_counter() - started)
