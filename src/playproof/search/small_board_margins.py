"""The exact margin of a small board: by how much the first player wins with best play.

A komi of half a point turns "by how much" into "who wins", and a search that
proves a win proves it for good: a forced win within some plies does not care
whether play could go round in circles elsewhere.  So the margin lies between
the largest komi under which Black is proven to win and the least under which
White is.  Where a rule on repetition makes every game finite, they meet.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.stopping import StopFlag, stop_flag
from playproof.search.alphabeta.config import MAX_DEPTH, Settings
from playproof.search.alphabeta.search import AlphaBeta


@dataclass(frozen=True)
class Margin:
    """Black's margin without komi is ``lower`` to ``upper``; exact if they are equal."""

    lower: int
    upper: int
    line: tuple[str, ...]  # a game that begins as the last proof of a win for Black does
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
    report: Callable[[int, int], None] | None = None,
) -> Margin:
    """Halve what is open, komi after komi; ``report(lower, upper)`` hears of each step.

    Each komi is searched deeper and deeper until one side is proven to win, or
    the time is up.
    """
    if "komi" not in game.options or not hasattr(game, "points"):
        raise UsageError(f"margins are of Go and its variants, not of {game.name}")
    flag = stop_flag() if stop is None else stop
    began = time.perf_counter()
    area = game.points.count
    lower, upper = -area, area
    line: tuple[str, ...] = ()
    nodes = 0
    while lower < upper:
        left = None if seconds is None else seconds - (time.perf_counter() - began)
        if flag[0] or (left is not None and left <= 0.0):
            break
        between = (lower + upper) // 2  # Black wins under this and a half, or does not
        asked = make(game.name, **{**game.options, "komi": between + 0.5})
        settings = Settings(depth=MAX_DEPTH, seconds=left, table_mb=megabytes)
        found = AlphaBeta(asked, settings).search(asked.start(), stop=flag)
        nodes += found.nodes
        if not found.proven:
            break
        if found.value > 0:
            lower = between + 1
            line = tuple(map(asked.action_name, found.line))
        else:
            upper = between
        if report:
            report(lower, upper)
    return Margin(lower, upper, line, nodes, time.perf_counter() - began)
