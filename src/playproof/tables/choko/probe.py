"""Probing tables: the value of a position of Choko and of each of its moves.

Moves come from the engine that plays the game, so tables and engine must agree on the rules. No
table holds forced positions; their values are those of the best replies. Values ignore the cap of
100 actions, unless ``capped`` is set: then a win counts only if it comes in time, since the other
side can hold out until the cap.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint64, void

from playproof.core.compiling import kernel
from playproof.core.errors import DataError, UsageError
from playproof.core.game import Game
from playproof.core.kernels import ROWS, WORDS
from playproof.core.registry import make
from playproof.core.state import State
from playproof.games.choko import kernels as engine
from playproof.tables.choko.index import SHAPE, UINT16S, UINT32S, cell_of, maps, shape_of
from playproof.tables.choko.slices import Slice, slice_of
from playproof.tables.choko.store import DISTANCE, SliceStore
from playproof.tables.choko.value_codes import DRAW, WIN_AT_ONCE, aged, distance, negated, outcome

_COUNTS = types.Array(int64, 1, "C")
_BATCH = 2048  # positions looked up at a time
_MAX_SUCCESSORS = 26 * 600  # free positions after the moves and forced replies of one position

# How a successor follows a move: at once or after a reply; or the game is over by then.
DIRECT, REPLY, OVER, OVER_BY_REPLY = range(4)


class TableValue(NamedTuple):
    """The value of a position, from the side of the player to move."""

    outcome: int  # 1, 0 or -1
    distance: int | None  # actions to the end with best play; None for a draw or if unknown

    @property
    def text(self) -> str:
        name = ("lost", "drawn", "won")[self.outcome + 1]
        return name if self.distance is None else f"{name} in {self.distance}"


@kernel(int64(WORDS, ROWS, int64, ROWS, _COUNTS, _COUNTS))
def _list_successors(options, rows, which, after, actions, kinds):
    """Write the free positions after each move of row ``which``; returns how many there are.

    Where the game is over, the row's first word is the code for the player who moved.
    """
    state, child, past = rows[which], np.empty(3, np.uint64), np.empty(0, np.uint64)
    legal, answers = np.empty(600, np.int32), np.empty(600, np.int32)
    n = 0
    for place in range(engine.actions(options, past, state, past, legal)):
        child[:] = state
        engine.apply(options, past, child, past, int64(legal[place]))
        ended = engine.field(child[engine.LEDGER], engine.ENDED)
        if ended != engine.ENDED_ONGOING:
            after[n, 0] = uint64(DRAW if ended == engine.ENDED_DRAW else WIN_AT_ONCE)
            actions[n], kinds[n] = int64(legal[place]), OVER
            n += 1
        elif not engine.field(child[engine.LEDGER], engine.FORCED):
            after[n] = child
            actions[n], kinds[n] = int64(legal[place]), DIRECT
            n += 1
        else:
            for i in range(engine.actions(options, past, child, past, answers)):
                after[n] = child
                engine.apply(options, past, after[n], past, int64(answers[i]))
                actions[n], kinds[n] = int64(legal[place]), REPLY
                if engine.field(after[n, engine.LEDGER], engine.ENDED) != engine.ENDED_ONGOING:
                    after[n, 0] = uint64(DRAW)  # a reply ends the game only if no move is left
                    kinds[n] = OVER_BY_REPLY
                n += 1
    return n


@kernel(void(UINT32S, UINT16S, UINT32S, UINT32S, SHAPE, _COUNTS, _COUNTS, _COUNTS))
def _cells(atlas, ranks, orbits, reps, shape, larges, smalls, out):
    for i in range(len(out)):
        out[i] = cell_of(atlas, ranks, orbits, reps, shape, larges[i], smalls[i])


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
        rows = np.stack([self._row(state) for state in states])
        out: list[dict[int, int]] = []
        for first in range(0, len(rows), _BATCH):
            out += self._batch(rows[first : first + _BATCH])
        return out

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

    def _batch(self, rows: npt.NDArray[np.uint64]) -> list[dict[int, int]]:
        successors = []
        after = np.empty((_MAX_SUCCESSORS, 3), np.uint64)
        actions, kinds = np.empty((2, _MAX_SUCCESSORS), np.int64)
        options, rows = self.game.option_words, np.ascontiguousarray(rows)
        for which in range(len(rows)):
            n = _list_successors(options, rows, which, after, actions, kinds)
            successors.append((after[:n].copy(), actions[:n].copy(), kinds[:n].copy()))
        rows_after, _, kinds_after = (
            np.concatenate(part) for part in zip(*successors, strict=True)
        )
        codes = self._free_codes(rows_after, kinds_after)
        out, at = [], 0
        for part in successors:
            n = len(part[0])
            out.append(_combine(codes[at : at + n], *part[1:]))
            at += n
        return out

    def _free_codes(
        self, rows: npt.NDArray[np.uint64], kinds: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """The code of each free position for its mover; in ended games, the first word as it is."""
        ledgers = rows[:, 2].astype(np.int64)
        side = ledgers & 1
        boards = rows[:, :2].astype(np.int64)
        own = np.where(side == 0, boards[:, 0], boards[:, 1])
        other = np.where(side == 0, boards[:, 1], boards[:, 0])
        own_count, other_count = np.bitwise_count(own), np.bitwise_count(other)
        keys = (ledgers >> 4 & 15) * 1024 + own_count.astype(np.int64) * 32 + other_count
        over = kinds >= OVER
        keys[over] = -1
        out = np.zeros(len(rows), np.int64)
        for key in np.unique(keys[keys >= 0]):
            chosen = np.flatnonzero(keys == key)
            slice_ = slice_of(int(key) >> 10, int(key) >> 5 & 31, int(key) & 31)
            larges, smalls = (own, other) if slice_.mover == 0 else (other, own)
            cells = self._cells_of(slice_, larges[chosen], smalls[chosen])
            out[chosen] = self.store.read(slice_, cells)
        return np.where(over, boards[:, 0], out)

    def _cells_of(
        self, slice_: Slice, larges: npt.NDArray[np.int64], smalls: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        out = np.empty(len(larges), np.int64)
        atlas, ranks, orbits, reps = self._maps
        _cells(atlas, ranks, orbits, reps, shape_of(slice_), larges, smalls, out)
        return out


def _combine(
    codes: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], kinds: npt.NDArray[np.int64]
) -> dict[int, int]:
    """The code of each move, from the codes of the free positions that follow it."""
    out: dict[int, int] = {}
    replies: dict[int, int] = {}
    for code, action, kind in zip(codes.tolist(), actions.tolist(), kinds.tolist(), strict=True):
        if kind == DIRECT:
            out[action] = int(negated(code))
        elif kind == OVER:
            out[action] = code
        else:
            replies[action] = min(replies.get(action, WIN_AT_ONCE), code)
    return out | {action: int(aged(worst)) for action, worst in replies.items()}
