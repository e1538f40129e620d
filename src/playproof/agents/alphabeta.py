"""The agents ``alphabeta`` and ``minimax``: search to a depth or for a time.

Values are in the game's points; a value beyond 5,000 is a certain win.  ``alphabeta`` can use
tables of solved positions: it plays from them where the position is in the tables.  Elsewhere its
search probes Choko's tables at every node, if they are in files.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport, OnProgress, Statistics
from playproof.agents.exact.tables import TABLES, open_tables
from playproof.agents.game_clocks import TIME_CONTROL
from playproof.agents.limits import Limits, least
from playproof.core.spec import Option
from playproof.search.alphabeta.config import MAX_DEPTH, AlphaBetaConfig, minimax
from playproof.search.full_width.config import ENDS, TIES, FullWidthConfig

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag
    from playproof.search.alphabeta.search import AlphaBetaResult


class _AlphaBetaBase(Agent):
    """What ``alphabeta`` and ``minimax`` share: a search with its hash table."""

    unit = "points"
    takes_actions = True

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        from playproof.search.alphabeta.search import AlphaBeta

        super().__init__(game, seed=seed, **options)
        folder = self.options.get("tables", "")
        self._tables = open_tables(self.name, game, folder) if folder else None
        self._search = AlphaBeta(self._tables.game if self._tables else game, self._own_settings())

    @abstractmethod
    def _own_settings(self) -> AlphaBetaConfig: ...

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
        exact: list[Decision | None] = [None] * len(states)
        if self._tables is not None and not limits.actions:
            exact = self._tables.decisions(states, words, reports=limits.lines > 1)
        decisions = []
        for row, state in enumerate(states):
            on_row = None if on_progress is None else functools.partial(on_progress, row)
            decisions.append(exact[row] or self._choose(state, words[row], limits, stop, on_row))
        return decisions

    def _choose(
        self,
        state: State,
        word: int,
        limits: Limits,
        stop: StopFlag | None,
        on_progress: Callable[[Decision], None] | None,
    ) -> Decision:
        """The decision where tables do not reach; ``word`` is random, for choices by chance."""
        settings = self._settings_for(limits)
        solved = None if limits.actions else self._solve(state, limits, settings, stop)
        if solved is not None:
            return solved
        # Without a clock a decision must be repeatable, so it may not depend on earlier games.
        if settings.seconds is None:
            self._search.clear(settings)
        return decision_of_lines(
            self._search.search_lines(
                state, limits.lines, actions=limits.actions, config=settings, stop=stop,
                on_progress=on_progress and (lambda lines: on_progress(decision_of_lines(lines))),
            )
        )  # fmt: skip

    def _solve(
        self, state: State, limits: Limits, settings: AlphaBetaConfig, stop: StopFlag | None
    ) -> Decision | None:
        """The decision of an exact solver; None where there is none."""
        return None

    def _settings_for(self, limits: Limits) -> AlphaBetaConfig:
        own = self._search.config
        if limits.is_own_pace:
            return own
        own_seconds = own.seconds if "time" in self.options and self.asked_for("time") else None
        return replace(
            own,
            seconds=least(own_seconds, limits.thinking_seconds),
            depth=min(own.depth, limits.depth or MAX_DEPTH),
            nodes=int(least(own.nodes or None, limits.nodes) or 0),
        )

    def new_game(self) -> None:
        self._search.clear()


def decision_of_lines(lines: Sequence[AlphaBetaResult]) -> Decision:
    """The decision that the lines of a search, best first, amount to."""
    best = lines[0]
    statistics: Statistics = {
        "depth": best.depth,
        "nodes": max(line.nodes for line in lines),
        "seconds": max(line.seconds for line in lines),
        "proven": best.proven,
        **best.statistics,
    }
    action = -1 if best.action is None else best.action
    reports = tuple(
        MoveReport(line.action, line.value, line=line.line or (line.action,))
        for line in lines
        if line.action is not None
    )
    return Decision(action, best.value, best.line, statistics, reports)


class AlphaBetaAgent(_AlphaBetaBase):
    name = "alphabeta"
    summary = "alpha-beta search to a depth or for a time"
    option_fields = (
        Option("depth", MAX_DEPTH, "plies to search at most", minimum=1, maximum=MAX_DEPTH),
        Option("time", 1.0, "seconds for a move, 0 for no limit", minimum=0.0, maximum=86400.0),
        TIME_CONTROL,
        Option("nodes", 0, "nodes for a move, 0 for no limit", minimum=0),
        Option("table", 64, "megabytes for the hash table", minimum=1, maximum=16384),
        Option("quiescence", False, "follow captures beyond the depth"),
        Option(
            "endgame",
            12,
            "Othello: solve exactly from this many empties on, 0 for never",
            minimum=0,
            maximum=30,
        ),
        TABLES,
    )

    def _solve(
        self, state: State, limits: Limits, settings: AlphaBetaConfig, stop: StopFlag | None
    ) -> Decision | None:
        """The perfect move near the end of Othello, if there is time to find it."""
        empties = getattr(self.game, "empties", None)
        if empties is None or empties(state) > self.options["endgame"]:
            return None
        if limits.depth or limits.nodes:  # the endgame solver keeps neither limit
            return None
        from playproof.agents.exact.othello_endgame import endgame_decision

        return endgame_decision(state, limits.lines, settings.seconds, stop)

    def _own_settings(self) -> AlphaBetaConfig:
        o = self.options
        return AlphaBetaConfig(
            depth=o["depth"],
            seconds=_seconds(o),
            nodes=o["nodes"],
            table_mb=o["table"],
            quiescence=o["quiescence"],
        )

    @classmethod
    def time_control(cls, options: Mapping[str, Any]) -> str:
        return super().time_control({**options, "time": _seconds(options) or 0.0})


def _seconds(options: Mapping[str, Any]) -> float | None:
    """Seconds for a move; None if a depth or a number of nodes limits the search instead."""
    fixed = options["depth"] < MAX_DEPTH or options["nodes"] > 0
    untimed = options["time"] == 0.0 or (fixed and options["time"] == 1.0)
    return None if untimed else options["time"]


class Minimax(_AlphaBetaBase):
    name = "minimax"
    summary = "full-width search to a fixed depth, as in the Choko paper"
    option_fields = (
        Option("depth", 3, "plies to search", minimum=1, maximum=20),
        Option("ends", "known", "what a finished game is worth", choices=ENDS),
        Option("ties", "first", "which of equally good moves is played", choices=TIES),
    )

    def _own_settings(self) -> AlphaBetaConfig:
        return minimax(self.options["depth"])

    def _choose(
        self,
        state: State,
        word: int,
        limits: Limits,
        stop: StopFlag | None,
        on_progress: Callable[[Decision], None] | None,
    ) -> Decision:
        o = self.options
        if (o["ends"], o["ties"]) == ("known", "first"):
            return super()._choose(state, word, limits, stop, on_progress)
        from playproof.search.full_width import search as full_width

        own = self._settings_for(limits)
        result = full_width.search(
            state, FullWidthConfig(own.depth, o["ends"], o["ties"]), word=word,
            actions=limits.actions, nodes=own.nodes, seconds=own.seconds, stop=stop,
        )  # fmt: skip
        best = result.moves[0]
        statistics: Statistics = {
            "depth": result.depth, "nodes": result.nodes, "seconds": result.seconds,
        }  # fmt: skip
        reports = tuple(
            MoveReport(move.action, move.value, line=move.line)
            for move in result.moves[: limits.lines]
        )
        return Decision(best.action, best.value, best.line, statistics, reports)
