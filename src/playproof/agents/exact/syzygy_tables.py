"""Syzygy tables for agents: chess endings with few pieces, played without losing half a point.

Only the position on the board and those after its moves are probed, not the nodes of a search:
probing one position in Python takes longer than searching a thousand.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playproof.agents.base import Decision, MoveReport
from playproof.agents.exact.tables import SolvedTables
from playproof.core.errors import PlayproofError, UsageError

if TYPE_CHECKING:
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.tables.syzygy import SyzygyValue


class ChessTables(SolvedTables):
    def __init__(self, owner: str, game: Game, folder: str) -> None:
        from playproof.tables.syzygy import Syzygy

        if folder in ("", "true"):
            raise UsageError(f"{owner}: name the folder of the Syzygy tables: tables=DIR")
        self.source, self.game = folder, game
        try:
            self._tables = Syzygy(Path(folder).expanduser())
        except PlayproofError as error:
            raise type(error)(f"{owner}: {error}") from None

    def decision(self, state: State, word: int, *, reports: bool = False) -> Decision | None:
        moves = self._tables.moves(state)
        if not moves:
            return None
        best = moves[0][1]
        equal = [action for action, verdict in moves if verdict == best]
        action = equal[word % len(equal)]
        first = [(action, best)] + [pair for pair in moves if pair[0] != action]
        return Decision(
            action,
            _points(state, best),
            (action,),
            {"proven": True, "dtz": best.dtz},
            tuple(MoveReport(a, _points(state, verdict), line=(a,)) for a, verdict in first)
            if reports
            else (),
        )


def _points(state: State, verdict: SyzygyValue) -> float:
    """The value for the mover, in alpha-beta's unit and from the first player's side."""
    from playproof.search.alphabeta.search import WIN

    sign = -1 if state.current_player == 1 else 1
    return float(sign * verdict.outcome * (WIN + 1 - verdict.dtz / 1000))
