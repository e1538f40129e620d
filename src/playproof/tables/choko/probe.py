"""Probing tables: the value of a position of Choko and of each of its moves.

Moves come from the engine that plays the game, so tables and engine must agree on the rules. No
table holds forced positions; their values are those of the best replies. Values ignore the cap of
100 actions, unless ``capped`` is set: then a win counts only if it comes in time, since the other
side can hold out until the cap.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.core.game import Game
from playproof.core.parallel.threads import share_threads
from playproof.core.registry import make
from playproof.core.state import State
from playproof.tables.choko import successors
from playproof.tables.choko.index import maps
from playproof.tables.choko.store import DISTANCE, SliceStore
from playproof.tables.choko.value_codes import DRAW, distance, outcome

_PORTION = 1 << 22  # successors looked up at a time, about 100 MB


class TableValue(NamedTuple):
    """The value of a position, from the side of the player to move."""

    outcome: int  # 1, 0 or -1
    distance: int | None  # actions to the end with best play; None for a draw or if unknown

    @property
    def text(self) -> str:
        name = ("lost", "drawn", "won")[self.outcome + 1]
        return name if self.distance is None else f"{name} in {self.distance}"


class ActionCodes(NamedTuple):
    """The code of every legal action in n positions, for the player who makes it.

    Position i has those from ``offsets[i]`` to ``offsets[i + 1]``, in the order of the engine's
    lists of legal actions. A larger code is better: see ``value_codes``.
    """

    offsets: npt.NDArray[np.int64]  # (n + 1,)
    actions: npt.NDArray[np.int32]
    codes: npt.NDArray[np.uint8]


class Probe:
    """Values and best play from a store of solved slices."""

    def __init__(self, store: SliceStore) -> None:
        self.store = store
        self.game: Game = make("choko", lone_jump=store.lone_jump, cap=0)
        self._maps = tuple(maps())

    def value(self, state: State, *, capped: bool = False) -> TableValue:
        """The value of a position that is not over."""
        return self._value(max(self._codes(state).values()), state, capped)

    def moves(self, state: State, *, capped: bool = False) -> list[tuple[int, TableValue]]:
        """Every legal action with its value for the player who makes it, best first."""
        ordered = sorted(self._codes(state).items(), key=lambda move: (-move[1], move[0]))
        return [(action, self._value(code, state, capped)) for action, code in ordered]

    def line(self, state: State, *, longest: int = 500) -> list[int]:
        """Best play to the end of the game, or until only a draw is left.

        The winner takes the shortest way and the loser the longest.
        """
        if self.store.kind != DISTANCE:
            raise UsageError("tables without distances show no line: build them with --distance")
        line: list[int] = []
        here = self._uncapped(state)
        while not here.is_terminal and len(line) < longest:
            codes = self._codes(here)
            action = max(codes, key=lambda a: (codes[a], -a))
            if codes[action] == DRAW:
                break
            line.append(action)
            here = here.apply(action)
        return line

    def codes_of(self, states: Sequence[State]) -> list[dict[int, int]]:
        """For each position, the code of every legal action, for the player who makes it."""
        if not states:
            return []
        offsets, actions, codes = self.action_codes(np.stack([self._row(one) for one in states]))
        moves = list(zip(actions.tolist(), codes.tolist(), strict=True))
        return [dict(moves[begin:end]) for begin, end in itertools.pairwise(offsets.tolist())]

    def action_codes(self, rows: npt.NDArray[np.uint64]) -> ActionCodes:
        """The code of every legal action in many positions, none of which is over.

        ``rows`` (n, 3) are those of ``self.game``, or of the same game with a cap, which makes no
        difference here. Positions may be forced.
        """
        rows = np.require(rows, np.uint64, ("C", "W"))
        options, counts = self.game.option_words, np.zeros((2, len(rows) + 1), np.int64)
        with share_threads(len(rows)):
            successors.count_successors(options, rows, counts[0, 1:], counts[1, 1:])
        over = np.flatnonzero(counts[0, 1:] == 0)
        if len(over):
            raise DataError(f"the game is over in row {over[0]}: there is nothing to look up")
        offsets, starts = np.cumsum(counts, axis=1)
        actions, codes = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.uint8)
        first = 0
        while first < len(rows):
            end = int(np.searchsorted(starts, starts[first] + _PORTION, "right")) - 1
            end = max(end, first + 1)
            part = slice(offsets[first], offsets[end])
            self._fill_codes(
                rows[first:end], offsets[first : end + 1] - offsets[first],
                starts[first : end + 1] - starts[first], actions[part], codes[part],
            )  # fmt: skip
            first = end
        return ActionCodes(offsets, actions, codes)

    def _codes(self, state: State) -> dict[int, int]:
        return self.codes_of([state])[0]

    def _value(self, code: int, state: State, capped: bool) -> TableValue:
        exact = self.store.kind == DISTANCE
        if capped and outcome(code):
            left = self._actions_left(state)
            if left is not None and not exact:
                raise UsageError(
                    "tables without distances do not know what fits under a cap: "
                    "build them with --distance"
                )
            if left is not None and distance(code) > left:
                code = DRAW
        return TableValue(outcome(code), distance(code) if exact and outcome(code) else None)

    def _actions_left(self, state: State) -> int | None:
        left = getattr(state.game, "actions_left", None)
        return None if left is None else left(state)

    def _uncapped(self, state: State) -> State:
        return State(self.game, self._row(state), set_up=True)

    def _row(self, state: State) -> npt.NDArray[np.uint64]:
        """The row of a position, which is the same in the game without a cap."""
        if state.game.name != "choko" or state.game.options["lone_jump"] != self.store.lone_jump:
            raise UsageError(f"these are tables of {self.game.spec}, not of {state.game.spec}")
        if state.is_terminal:
            raise DataError(f"the game is over ({state.view().over}): there is nothing to look up")
        return np.asarray(state.row)

    def _fill_codes(
        self,
        rows: npt.NDArray[np.uint64],
        offsets: npt.NDArray[np.int64],
        starts: npt.NDArray[np.int64],
        actions: npt.NDArray[np.int32],
        out: npt.NDArray[np.uint8],
    ) -> None:
        """Write the actions of some rows, and their codes."""
        endings, firsts = np.empty(len(out), np.uint8), np.empty(len(out) + 1, np.int64)
        firsts[-1] = starts[-1]
        keys, cells = np.empty(starts[-1], np.int16), np.empty(starts[-1], np.int64)
        codes = np.empty(starts[-1], np.uint8)
        with share_threads(len(rows)):
            successors.list_successors(
                self.game.option_words, rows, *self._maps, successors.shapes(), offsets, starts,
                actions, endings, firsts, keys, cells, codes,
            )  # fmt: skip
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        borders = np.flatnonzero(np.diff(ordered, prepend=successors.NO_SLICE, append=-2))
        for begin, end in itertools.pairwise(borders):
            places = order[begin:end]
            slice_ = successors.slice_with_key(int(ordered[begin]))
            codes[places] = self.store.read(slice_, cells[places])
        with share_threads(len(rows)):
            successors.combine(endings, firsts, codes, out)
