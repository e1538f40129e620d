"""Tables of solved positions: the option ``tables=``, and what agents ask of open tables.

Values are in alpha-beta's unit: a win is worth 10,001 less a thousandth for each action that the
tables count.  So in Choko 10,000.941 is a win of the first player in 59 actions, and -10,000.941 a
win of the second player.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from playproof.agents.identity import FileOption, path_digest
from playproof.core.errors import UsageError

if TYPE_CHECKING:
    from playproof.agents.base import Decision
    from playproof.core.game import Game
    from playproof.core.state import State


def tables_digest(source: str, game: Game) -> str:
    if game.name == "choko":
        if source == "true":
            from playproof.tables.choko.store import default_folder

            source = str(default_folder(game.options["lone_jump"]))
        elif source.startswith("unix:"):
            return _server_digest(source)
    return path_digest(source, game)


def _server_digest(source: str) -> str:
    """The fingerprint of the tables that a probe server holds; empty if there is no server."""
    from playproof.tables.choko.probe_server.client import NoServer, RemoteStore, socket_of

    try:
        path = socket_of(source)
        return "" if path is None else RemoteStore(path, wait=0.0).hello.fingerprint
    except NoServer:
        return ""


TABLES = FileOption(
    "tables",
    "",
    "a folder of solved positions: Choko's (true for the usual one), or Syzygy's; or "
    "unix:SOCKET for a server of Choko's",
    digest=tables_digest,
)


class SolvedTables(ABC):
    """Open tables.  A search of ``game`` probes them at its nodes, if they are in files."""

    source: str  # a folder, or unix:SOCKET
    game: Game
    has_distances: bool = True

    @abstractmethod
    def decision(self, state: State, word: int, *, reports: bool = False) -> Decision | None:
        """The quickest win, a draw or the slowest loss; ``word`` chooses among equal moves.

        None where the tables do not reach.  ``reports`` asks for a report on every move.
        """

    def decisions(
        self, states: Sequence[State], words: Sequence[int], *, reports: bool = False
    ) -> list[Decision | None]:
        """The decisions in many positions, each as ``decision`` gives it."""
        return [
            self.decision(state, word, reports=reports)
            for state, word in zip(states, words, strict=True)
        ]


def open_tables(owner: str, game: Game, source: str) -> SolvedTables:
    """Open the tables in a folder, or of a server with ``unix:SOCKET``.

    Error messages begin with ``owner``, the name of the agent.
    """
    if game.name == "choko":
        from playproof.agents.exact.choko_tables import ChokoTables

        return ChokoTables(owner, game, source)
    if game.name == "chess":
        from playproof.agents.exact.syzygy_tables import ChessTables

        return ChessTables(owner, game, source)
    raise UsageError(f"{owner}: there are tables for choko and chess, not for {game.name}")
