"""Tables of solved positions: the option ``tables=``, and what agents ask of open tables.

Values are in alpha-beta's unit: a win is worth 10,001 less a thousandth for each action that the
tables count.  So in Choko 10,000.941 is a win of the first player in 59 actions, and -10,000.941 a
win of the second player.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.agents.identity import FileOption, path_digest
from playproof.core.errors import UsageError

if TYPE_CHECKING:
    from playproof.agents.base import Decision
    from playproof.core.game import Game
    from playproof.core.state import State


def tables_digest(folder: str, game: Game) -> str:
    if folder == "true" and game.name == "choko":
        from playproof.tables.choko.store import default_folder

        folder = str(default_folder(game.options["lone_jump"]))
    return path_digest(folder, game)


TABLES = FileOption(
    "tables",
    "",
    "a folder of solved positions: Choko's (true for the usual one), or Syzygy's",
    digest=tables_digest,
)


class SolvedTables(ABC):
    """Open tables.  A search of ``game`` probes them at its nodes."""

    folder: Path
    game: Game
    has_distances: bool = True

    @abstractmethod
    def decision(self, state: State, word: int, *, reports: bool = False) -> Decision | None:
        """The quickest win, a draw or the slowest loss; ``word`` chooses among equal moves.

        None where the tables do not reach.  ``reports`` asks for a report on every move.
        """


def open_tables(owner: str, game: Game, folder: str) -> SolvedTables:
    """Open the tables in a folder; error messages begin with ``owner``, the name of the agent."""
    if game.name == "choko":
        from playproof.agents.exact.choko_tables import ChokoTables

        return ChokoTables(owner, game, folder)
    if game.name == "chess":
        from playproof.agents.exact.syzygy_tables import ChessTables

        return ChessTables(owner, game, folder)
    raise UsageError(f"{owner}: there are tables for choko and chess, not for {game.name}")
