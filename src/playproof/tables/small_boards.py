"""Small boards of Go and its variants, solved completely under simple ko.

Under simple ko a state's row holds everything that matters, so play is a finite graph, with cycles,
whose nodes are decisions. Two values are computed for each node by iterating to a fixed point: the
margin that Black can force if endless play counts as a loss for Black, and the margin to which
White can hold Black if endless play counts as a loss for White. Where the two are equal, that is
the value, however endless play is scored.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, Words
from playproof.core.registry import resolve_game
from playproof.core.state import State

_MAX_NODES = 30_000_000  # more would not fit into the memory of a desktop computer
_CHUNK = 1 << 16  # nodes expanded at a time

OnProgress = Callable[[int, int], None]  # nodes expanded, nodes reached


@dataclass(frozen=True)
class MarginBounds:
    """Bounds of Black's margin from the start, komi aside."""

    lower: int  # Black can force this
    upper: int  # White can hold Black to this
    nodes: int
    seconds: float

    @property
    def exact(self) -> bool:
        return self.lower == self.upper


def solve(game: Game | str, *, on_progress: OnProgress | None = None) -> MarginBounds:
    """Solve a board from its start, by exploring every decision that can be reached."""
    return solve_all(game, on_progress=on_progress).start


@dataclass(frozen=True)
class BoardValues:
    """The values of all decisions that a game can reach."""

    game: Game
    start: MarginBounds
    _numbers: dict[bytes, int]
    _lower: npt.NDArray[np.float64]
    _upper: npt.NDArray[np.float64]

    def of(self, state: State) -> tuple[int, int]:
        """The bounds of Black's margin, komi aside; both are the margin in a finished game."""
        row = state.row[np.newaxis, :].copy()
        number = self._numbers.get((_canonical(self.game, row) & self.game.position_mask).tobytes())
        if state.game != self.game or number is None:
            raise DataError(f"no game of {self.game.spec} comes to this position")
        return int(self._lower[number]), int(self._upper[number])


def solve_all(game: Game | str, *, on_progress: OnProgress | None = None) -> BoardValues:
    """Solve a board, and keep the value of every decision."""
    game = resolve_game(game)
    if game.options.get("ko") != "simple":
        raise UsageError("only ko=simple makes a graph of a board: superko needs all of the past")
    started = time.perf_counter()
    graph = explore(game, on_progress=on_progress)
    lower, upper = (_iterate_values(graph, worst) for worst in (-graph.area, graph.area))
    seconds = time.perf_counter() - started
    start = MarginBounds(int(lower[0]), int(upper[0]), len(graph.players), seconds)
    return BoardValues(game, start, graph.numbers, lower, upper)


@dataclass(frozen=True)
class PlayGraph:
    """Nodes in the order of discovery.

    Node ``i`` leads to ``children[offsets[i] : offsets[i + 1]]``; it has none if the game is over.
    """

    players: npt.NDArray[np.int64]
    margins: npt.NDArray[np.float64]  # Black's margin, komi aside, where the game is over
    offsets: npt.NDArray[np.int64]
    children: npt.NDArray[np.int64]
    area: int
    numbers: dict[bytes, int]  # node numbers by position, up to symmetry


def explore(game: Game, *, on_progress: OnProgress | None = None) -> PlayGraph:
    """Every decision that can be reached, up to the symmetries of the board."""
    numbers: dict[bytes, int] = {}
    rows: list[Words] = []
    players, margins, counts, children = [], [], [], []

    def number_rows(reached: Words) -> npt.NDArray[np.int64]:
        """The number of each row; new positions get the next numbers."""
        keys = _canonical(game, reached) & game.position_mask
        distinct, first, back = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        out = np.empty(len(distinct), np.int64)
        fresh = []
        for i, key in enumerate(distinct):
            name = key.tobytes()
            number = numbers.get(name)
            if number is None:
                number = numbers[name] = len(numbers)
                fresh.append(first[i])
            out[i] = number
        if fresh:
            rows.append(reached[fresh])
        row_numbers: npt.NDArray[np.int64] = out[back.reshape(-1)]
        return row_numbers

    number_rows(game.start_row()[np.newaxis, :])
    komi = float(game.options["komi"])
    while rows:
        queue = np.concatenate(rows)
        rows.clear()
        for start in range(0, len(queue), _CHUNK):
            batch = Batch(game, queue[start : start + _CHUNK])
            if (batch.players() == CHANCE).any():
                raise UsageError("chance has no best play: want collapse=owner")
            lists = batch.legal_lists()
            degrees = np.diff(lists.offsets)
            players.append(batch.players())
            margins.append(batch.score() + komi)
            counts.append(degrees)
            after = Batch(game, np.repeat(batch.rows, degrees, axis=0))
            after.apply(lists.actions.astype(np.int64), check=False)
            children.append(number_rows(after.rows))
            if len(numbers) > _MAX_NODES:
                raise PlayproofError(f"more than {_MAX_NODES:,} decisions: this board is too large")
            if on_progress:
                on_progress(sum(map(len, players)), len(numbers))
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return PlayGraph(
        np.concatenate(players), np.concatenate(margins), offsets, np.concatenate(children),
        game.points.count, numbers,  # type: ignore[attr-defined]
    )  # fmt: skip


def _canonical(game: Game, rows: Words) -> Words:
    """The least of the images of every row under the symmetries, position bits only."""
    least = rows & game.position_mask
    if game.symmetries == 1:
        return least
    image = np.empty_like(rows)
    for symmetry in range(1, game.symmetries):
        for i in range(len(rows)):
            game.kernels.transform(game.option_words, rows[i], symmetry, image[i])
        masked = image & game.position_mask
        less = _less(masked, least)
        least[less] = masked[less]
    return least


def _less(a: Words, b: Words) -> npt.NDArray[np.bool_]:
    """Whether each row of ``a`` is lexicographically less than that of ``b``."""
    differ = a != b
    where = differ.argmax(axis=1)
    take = np.arange(len(a))
    less: npt.NDArray[np.bool_] = differ.any(axis=1) & (a[take, where] < b[take, where])
    return less


def _iterate_values(graph: PlayGraph, worst: float) -> npt.NDArray[np.float64]:
    """The value of each node, iterated to a fixed point from ``worst`` at every decision."""
    inner = np.diff(graph.offsets) > 0
    values = np.where(inner, float(worst), graph.margins)
    starts = graph.offsets[:-1][inner]
    black = graph.players[inner] == 0
    while True:
        reached = values[graph.children]
        best = np.where(
            black, np.maximum.reduceat(reached, starts), np.minimum.reduceat(reached, starts)
        )
        if np.array_equal(values[inner], best):
            return values
        values[inner] = best
