"""``alphabeta`` and ``minimax``: search to a depth or for a time.

Values are in the game's points; beyond 5,000 they say who wins for certain.
``alphabeta`` can be given tables of solved positions: it plays from them where
they reach, and asks them at every node where they do not.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.tables import TABLES, open_tables
from playproof.core.spec import Option
from playproof.search.alphabeta_settings import MAX_DEPTH, Settings, minimax

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.search.alphabeta import Result


class _Searching(Agent):
    """What both have in common: a search with its memory."""

    def __init__(self, game: Game, *, seed: int = 0, **options: Any) -> None:
        from playproof.search.alphabeta import AlphaBeta

        super().__init__(game, seed=seed, **options)
        folder = self.options.get("tables", "")
        self.tables = open_tables(self.name, game, folder) if folder else None
        self.search = AlphaBeta(self.tables.game if self.tables else game, self._settings())

    @abstractmethod
    def _settings(self) -> Settings: ...

    def choose(self, batch: Batch) -> list[Decision]:
        return [self._look(batch[row]) for row in range(len(batch))]

    def _look(self, state: State) -> Decision:
        # Without a clock a decision is repeatable: it must not depend on earlier games.
        if self.search.settings.seconds is None:
            self.search.forget()
        return decision_of(self.search.search(state))

    def analyse(self, state: State, *, seed: int = 0) -> Decision:
        known = self.tables and self.tables.analysis(state, self.seed, seed)
        return known or decision_of(self.search.search(state), self.search.rank(state))


def decision_of(found: Result, ranked: Sequence[tuple[int, Result]] = ()) -> Decision:
    """What a search found, and what follows each move, as an agent says it."""
    statistics = {
        "depth": found.depth,
        "nodes": found.nodes,
        "seconds": found.seconds,
        "proven": found.proven,
        **found.statistics,
    }
    action = -1 if found.action is None else found.action
    reports = tuple(
        MoveReport(action, after.value, line=(action, *after.line)) for action, after in ranked
    )
    return Decision(action, found.value, found.line, statistics, reports)


class AlphaBetaAgent(_Searching):
    name = "alphabeta"
    summary = "alpha-beta search to a depth or for a time"
    option_fields = (
        Option("depth", MAX_DEPTH, "plies to search at most", minimum=1, maximum=MAX_DEPTH),
        Option("time", 1.0, "seconds for a move, 0 for no limit", minimum=0.0, maximum=86400.0),
        Option("nodes", 0, "nodes for a move, 0 for no limit", minimum=0),
        Option("table", 64, "megabytes of memory for known positions", minimum=1, maximum=16384),
        Option("quiescence", False, "follow captures beyond the depth"),
        Option(
            "endgame",
            12,
            "Othello: solve from so many empties on, 0 for never",
            minimum=0,
            maximum=30,
        ),
        TABLES,
    )

    def choose(self, batch: Batch) -> list[Decision]:
        words = batch.words(self.seed)
        return [self._choose(batch[row], int(words[row])) for row in range(len(batch))]

    def _choose(self, state: State, word: int) -> Decision:
        known = self.tables and self.tables.decision(state, word)
        return known or self._solve(state) or self._look(state)

    def _solve(self, state: State) -> Decision | None:
        """The perfect move, where Othello is near its end and time allows."""
        empties = getattr(self.game, "empties", None)
        if empties is None or empties(state) > self.options["endgame"]:
            return None
        from playproof.search.alphabeta import WIN
        from playproof.search.othello_endgame import solve

        found = solve(state, megabytes=16, seconds=self.search.settings.seconds)
        score = found.first_player_score
        if score is None or found.best_move is None:
            return None
        value = score + WIN * ((score > 0) - (score < 0))
        statistics = {"nodes": found.nodes, "seconds": found.seconds, "proven": True}
        return Decision(found.best_move, value, found.line, statistics)

    def _settings(self) -> Settings:
        o = self.options
        return Settings(
            depth=o["depth"],
            seconds=_seconds(o),
            nodes=o["nodes"],
            table_mb=o["table"],
            quiescence=o["quiescence"],
        )

    @classmethod
    def time_control(cls, options: Mapping[str, Any]) -> str:
        return super().time_control({"time": _seconds(options)})


def _seconds(options: Mapping[str, Any]) -> float | None:
    """A depth or a number of nodes is a limit of its own; time is the default one."""
    fixed = options["depth"] < MAX_DEPTH or options["nodes"] > 0
    untimed = options["time"] == 0.0 or (fixed and options["time"] == 1.0)
    return None if untimed else options["time"]


class Minimax(_Searching):
    name = "minimax"
    summary = "every line to a fixed depth, as in the Choko paper"
    option_fields = (Option("depth", 3, "plies to search", minimum=1, maximum=20),)

    def _settings(self) -> Settings:
        return minimax(self.options["depth"])
