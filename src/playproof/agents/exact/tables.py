"""Exact moves from tables of solved positions, for the agents that are given some.

Values are in alpha-beta's unit: a win is worth 10,001 less a thousandth for
each action that the tables count, so that 10,000.941 is a win of the first
player in 59 actions of Choko and -10,000.941 one of the second.
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
    """Tables that are open; a search that asks them at its nodes is one of ``game``."""

    folder: Path
    game: Game
    has_distances: bool = True

    @abstractmethod
    def decision(self, state: State, word: int, *, reports: bool = False) -> Decision | None:
        """The quickest win, a draw or the slowest loss; ``word`` chooses among equals.

        None where the tables do not reach.  ``reports`` asks for one on every move.
        """


def open_tables(owner: str, game: Game, folder: str) -> SolvedTables:
    """The tables for an agent called ``owner``."""
    if game.name == "choko":
        from playproof.agents.exact.choko_tables import ChokoTables

        return ChokoTables(owner, game, folder)
    if game.name == "chess":
        from playproof.agents.exact.syzygy_tables import ChessTables

        return ChessTables(owner, game, folder)
    raise UsageError(f"{owner}: there are tables of choko and chess, not of {game.name}")
