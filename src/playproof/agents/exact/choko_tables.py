"""Choko's tables for agents: play without mistakes in every position that they cover."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.agents.base import Decision, MoveReport
from playproof.agents.exact.tables import SolvedTables
from playproof.core.errors import PlayproofError

if TYPE_CHECKING:
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.tables.choko.probe import ActionCodes, TableValue


class ChokoTables(SolvedTables):
    """The tables in a folder, or those of a probe server.

    A search of ``game`` probes the tables in a folder at its nodes.  It asks no server, since that
    takes longer than searching on: a server answers for the positions that are to be decided.
    """

    def __init__(self, owner: str, game: Game, source: str) -> None:
        """Open the tables; ``owner``, the name of the agent, begins every error message.

        ``source`` is a folder, ``unix:SOCKET``, or empty or ``true`` for the folder that tables are
        built into by default.
        """
        from playproof.tables.choko.game import open_source, with_tables
        from playproof.tables.choko.probe import Probe
        from playproof.tables.choko.store import DISTANCE, FileStore, default_folder

        lone_jump = game.options["lone_jump"]
        self.source = str(default_folder(lone_jump)) if source in ("", "true") else source
        try:
            self._store = open_source(self.source, lone_jump)
            self.game = game
            if isinstance(self._store, FileStore):
                self.game = with_tables(game, self._store)
        except PlayproofError as error:
            raise type(error)(f"{owner}: {error}") from None
        self.has_distances = self._store.kind == DISTANCE
        self._slices = set(self._store.slices())
        self._probe = Probe(self._store)
        self._is_covered = functools.cache(self._covers)

    def decision(self, state: State, word: int, *, reports: bool = False) -> Decision | None:
        """As in ``SolvedTables``; with ``reports`` the line is played out to the end.

        Also None if the tables have no distances: a side that knows only that it is winning may
        never make progress.
        """
        return self.decisions([state], [word], reports=reports)[0]

    def decisions(
        self, states: Sequence[State], words: Sequence[int], *, reports: bool = False
    ) -> list[Decision | None]:
        """As ``decision``; all positions are looked up at once."""
        out: list[Decision | None] = [None] * len(states)
        if not self.has_distances:
            return out
        covered = [i for i, state in enumerate(states) if self._is_covered(*_pieces(state))]
        if not covered:
            return out
        looked_up = self._probe.action_codes(np.stack([states[i].row for i in covered]))
        chosen = _chosen_moves(looked_up, np.array([words[i] for i in covered], np.uint64))
        for place, i in enumerate(covered):
            move = chosen[place]
            action, code = int(looked_up.actions[move]), int(looked_up.codes[move])
            out[i] = self._decision(states[i], action, code, looked_up.of(place) if reports else [])
        return out

    def _decision(
        self, state: State, action: int, code: int, moves: Sequence[tuple[int, int]]
    ) -> Decision:
        """The decision for an action; ``moves``, all actions with their codes, asks for reports."""
        # Moves are ordered without the cap on actions, and valued with it: a win that comes after
        # the cap counts as a draw, but is still worth trying, as the other side may err.
        value = self._probe.value_of(code, state, capped=True)
        statistics: dict[str, Any] = {"proven": True}
        if value.distance is not None:
            statistics["distance"] = value.distance
        if not moves:
            return Decision(action, _points(state, value), (action,), statistics)
        order = sorted(moves, key=lambda move: (move[0] != action, -move[1], move[0]))
        reports = [(a, self._probe.value_of(c, state, capped=True)) for a, c in order]
        return Decision(
            action,
            _points(state, value),
            self._line(state, action, value),
            statistics,
            tuple(MoveReport(a, _points(state, worth), line=(a,)) for a, worth in reports),
        )

    def _line(self, state: State, action: int, value: TableValue) -> tuple[int, ...]:
        after = state.apply(action)
        if value.outcome == 0 or after.is_terminal:
            return (action,)
        return (action, *self._probe.line(after))

    def _covers(self, forced: bool, hands: int, own: int, other: int) -> bool:
        """Whether the tables have every slice that a move may lead to; arguments by ``_pieces``."""
        from playproof.tables.choko.slices import needed_by, slice_of

        if forced:
            needed = [slice_of(hands, other, own + 1)]
        else:
            here = slice_of(hands, own, other)
            needed = [slice_of(hands, other, own), *needed_by(here, self._store.lone_jump)]
        return self._slices.issuperset(needed)


def _pieces(state: State) -> tuple[bool, int, int, int]:
    """(whether the mover is forced, pieces in the other's hand, the mover's on the board, theirs).

    In free positions, and after a forced reply, both hands hold as many.
    """
    blue, red, ledger = (int(word) for word in state.row)
    side, forced = ledger & 1, bool(ledger >> 1 & 1)
    own, other = (word.bit_count() for word in ((red, blue) if side else (blue, red)))
    return forced, ledger >> (4 if side else 8) & 15, own, other


def _chosen_moves(moves: ActionCodes, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Where each position's move is among all moves: one of the best, chosen by its word."""
    firsts, counts = moves.offsets[:-1], np.diff(moves.offsets)
    rows = np.repeat(np.arange(len(counts)), counts)
    best = np.flatnonzero(moves.codes == np.maximum.reduceat(moves.codes, firsts)[rows])
    best = best[np.lexsort((moves.actions[best], rows[best]))]
    equal = np.bincount(rows[best], minlength=len(counts))
    chosen = (words % equal.astype(np.uint64)).astype(np.int64)
    return np.asarray(best[np.cumsum(equal) - equal + chosen])


def _points(state: State, value: TableValue) -> float:
    """The value for the player to move, in alpha-beta's unit and from the first player's side."""
    from playproof.search.alphabeta.search import WIN
    from playproof.tables.choko.probe_kernel import nearness

    sign = -1 if state.current_player == 1 else 1
    if value.outcome == 0:
        return 0.0
    return float(sign * (value.outcome * WIN + nearness(value.outcome, value.distance or 0)))
