"""``perfect``: plays from tables of solved positions and makes no mistake there.

It wins as fast as can be, keeps a draw, and loses as slowly as can be; among
equally good moves its seed chooses.  The cap on actions is respected: a win
that comes too late is a draw.  Where the tables end it searches, with alpha-beta
that asks them at every node.  Values are those of ``alphabeta``.
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
    option_fields = (
        Option("solved", "choko", "the game that the tables are of", choices=("choko",)),
        replace(TABLES, default="true"),
        Option("time", 1.0, "seconds for a move that is not in the tables", minimum=0.01),
    )

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        super().__init__(game, seed=seed, **options)
        if game.name != "choko":
            raise UsageError(f"perfect plays choko, not {game.name}")
        self.tables = open_tables(self.name, game, self.options["tables"])
        if not self.tables.has_distances:
            raise UsageError(
                f"perfect: the tables in {self.tables.folder} have no distances: "
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
        words, decisions = batch.words(self.seed), []
        for row in range(len(batch)):
            state, word = batch[row], int(words[row])
            known = self.tables.decision(state, word, reports=limits.lines > 1)
            decisions.append(known or self._searched(state, limits, stop))
        return decisions

    def _searched(self, state: State, limits: Limits, stop: StopFlag | None) -> Decision:
        """Where the tables do not reach."""
        settings = self._search.config
        seconds = least(settings.seconds, limits.thinking_seconds)
        return decision_of_lines(
            self._search.search_lines(
                state, limits.lines, config=replace(settings, seconds=seconds), stop=stop
            )
        )

    @functools.cached_property
    def _search(self) -> AlphaBeta:
        """For positions that are not in the tables."""
        from playproof.search.alphabeta.search import AlphaBeta

        return AlphaBeta(self.tables.game, AlphaBetaConfig(seconds=self.options["time"]))
