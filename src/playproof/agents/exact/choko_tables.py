"""Choko's tables for agents: play without mistakes in every position that they cover."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Decision, MoveReport
from playproof.agents.exact.tables import SolvedTables
from playproof.core.errors import PlayproofError

if TYPE_CHECKING:
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.tables.choko.probe import TableValue


class ChokoTables(SolvedTables):
    """The tables in a folder.  A search of ``game`` probes them at its nodes."""

    def __init__(self, owner: str, game: Game, folder: str) -> None:
        """Open the tables; ``owner``, the name of the agent, begins every error message.

        ``folder`` is empty or ``true`` for the folder that tables are built into by default.
        """
        from playproof.tables.choko.game import open_store, with_tables
        from playproof.tables.choko.probe import Probe
        from playproof.tables.choko.store import DISTANCE, default_folder

        lone_jump = game.options["lone_jump"]
        is_default = folder in ("", "true")
        self.folder = default_folder(lone_jump) if is_default else Path(folder).expanduser()
        try:
            self._store = open_store(self.folder, lone_jump)
            self.game = with_tables(game, self._store)
        except PlayproofError as error:
            raise type(error)(f"{owner}: {error}") from None
        self.has_distances = self._store.kind == DISTANCE
        self._slices = set(self._store.slices())
        self._probe = Probe(self._store)

    def decision(self, state: State, word: int, *, reports: bool = False) -> Decision | None:
        """As in ``SolvedTables``; with ``reports`` the line is played out to the end.

        Also None if the tables have no distances: a side that knows only that it is winning may
        never make progress.
        """
        if not self.has_distances or not self._covers(state):
            return None
        moves = self._probe.moves(state)
        equal = [action for action, value in moves if value == moves[0][1]]
        action = equal[word % len(equal)]
        # Moves are ordered without the cap on actions, and valued with it: a win that comes after
        # the cap counts as a draw, but is still worth trying, as the other side may err.
        capped = dict(self._probe.moves(state, capped=True))
        value = capped[action]
        statistics: dict[str, Any] = {"proven": True}
        if value.distance is not None:
            statistics["distance"] = value.distance
        if not reports:
            return Decision(action, _points(state, value), (action,), statistics)
        order = [action, *(other for other, _ in moves if other != action)]
        return Decision(
            action,
            _points(state, value),
            self._line(state, action, value),
            statistics,
            tuple(MoveReport(a, _points(state, capped[a]), line=(a,)) for a in order),
        )

    def _line(self, state: State, action: int, value: TableValue) -> tuple[int, ...]:
        after = state.apply(action)
        if value.outcome == 0 or after.is_terminal:
            return (action,)
        return (action, *self._probe.line(after))

    def _covers(self, state: State) -> bool:
        """Whether the tables have every slice that a move may lead to."""
        from playproof.tables.choko.slices import needed_by, slice_of

        blue, red, ledger = (int(word) for word in state.row)
        side, forced = ledger & 1, ledger >> 1 & 1
        own, other = (word.bit_count() for word in ((red, blue) if side else (blue, red)))
        # The other side's hand. After a forced reply, and in free positions, both hold as many.
        hands = ledger >> (4 if side else 8) & 15
        if forced:
            needed = [slice_of(hands, other, own + 1)]
        else:
            here = slice_of(hands, own, other)
            needed = [slice_of(hands, other, own), *needed_by(here, self._store.lone_jump)]
        return self._slices.issuperset(needed)


def _points(state: State, value: TableValue) -> float:
    """The value for the player to move, in alpha-beta's unit and from the first player's side."""
    from playproof.search.alphabeta.search import WIN
    from playproof.tables.choko.probe_kernel import nearness

    sign = -1 if state.current_player == 1 else 1
    if value.outcome == 0:
        return 0.0
    return float(sign * (value.outcome * WIN + nearness(value.outcome, value.distance or 0)))
