"""The agent ``perfect``: plays without mistakes from tables of solved positions.

It wins as fast as possible, keeps a draw, and loses as slowly as possible; its seed chooses among
equally good moves.  It respects the cap on actions: a win that would come too late is a draw.  In
positions that are not in the tables it searches by alpha-beta, which probes the tables at every
node if they are in files.  Values are those of ``alphabeta``.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playproof.agents.alphabeta import decision_of_lines
from playproof.agents.base import Agent, Decision, OnProgress
from playproof.agents.exact.tables import TABLES, open_tables
from playproof.agents.limits import Limits, least
from playproof.core.errors import UsageError
from playproof.core.spec import Option
from playproof.search.alphabeta.config import AlphaBetaConfig

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag
    from playproof.search.alphabeta.search import AlphaBeta


class Perfect(Agent):
    name = "perfect"
    summary = "no mistakes, from tables of solved positions: perfect:choko"
    first_word = "solved"
    unit = "points"
    batch_size = 512  # one look-up for all of them
    option_fields = (
        Option("solved", "choko", "the game that the tables are for", choices=("choko",)),
        replace(TABLES, default="true"),
        Option("time", 1.0, "seconds for a move where the tables do not reach", minimum=0.01),
    )

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        super().__init__(game, seed=seed, **options)
        if game.name != "choko":
            raise UsageError(f"perfect plays choko, not {game.name}")
        self.tables = open_tables(self.name, game, self.options["tables"])
        if not self.tables.has_distances:
            raise UsageError(
                f"perfect: the tables in {self.tables.source} have no distances: "
                "build them again with --distance"
            )

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        states = [batch[row] for row in range(len(batch))]
        words = batch.words(self.seed).tolist()
        exact = self.tables.decisions(states, words, reports=limits.lines > 1)
        return [
            decision or self._search(state, limits, stop)
            for state, decision in zip(states, exact, strict=True)
        ]

    def _search(self, state: State, limits: Limits, stop: StopFlag | None) -> Decision:
        """The decision where the tables do not reach."""
        config = self._alphabeta.config
        seconds = least(config.seconds, limits.thinking_seconds)
        return decision_of_lines(
            self._alphabeta.search_lines(
                state, limits.lines, config=replace(config, seconds=seconds), stop=stop
            )
        )

    @functools.cached_property
    def _alphabeta(self) -> AlphaBeta:
        """The search for positions that are not in the tables."""
        from playproof.search.alphabeta.search import AlphaBeta

        return AlphaBeta(self.tables.game, AlphaBetaConfig(seconds=self.options["time"]))
