"""Small boards of Go and its variants, solved whole under simple ko.

Under simple ko all that matters is in a state's row, so play is a graph: its
nodes are decisions, and it has circles.  Two values are found for each node by
going round until nothing changes: what Black can force, where endless play
counts as lost by Black, and what White can hold Black to, where it counts as
lost by White.  Where they meet, that is the value, whatever endless play is
worth.
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

_MOST = 30_000_000  # nodes: more would not fit into the memory of a desktop
_CHUNK = 1 << 16  # nodes expanded at a time

OnProgress = Callable[[int, int], None]  # nodes expanded, nodes known


@dataclass(frozen=True)
class Solved:
    """Black's margin, komi aside, from the start."""

    lower: int  # Black can force it
    upper: int  # White can hold Black to it
    nodes: int
    seconds: float

    @property
    def exact(self) -> bool:
        return self.lower == self.upper


def solve(game: Game | str, *, on_progress: OnProgress | None = None) -> Solved:
    """Explore every decision that can be reached, and work backwards."""
    return solve_all(game, on_progress=on_progress).start


@dataclass(frozen=True)
class Values:
    """The value of every decision that a game can come to."""

    game: Game
    start: Solved
    _numbers: dict[bytes, int]
    _lower: npt.NDArray[np.float64]
    _upper: npt.NDArray[np.float64]

    def of(self, state: State) -> tuple[int, int]:
        """Black's margin, komi aside, as ``Solved`` has it; of an end, what it is."""
        row = state.row[np.newaxis, :].copy()
        number = self._numbers.get((_canonical(self.game, row) & self.game.position_mask).tobytes())
        if state.game != self.game or number is None:
            raise DataError(f"no game of {self.game.spec} comes to this position")
        return int(self._lower[number]), int(self._upper[number])


def solve_all(game: Game | str, *, on_progress: OnProgress | None = None) -> Values:
    """As ``solve``, with every decision's value kept."""
    game = resolve_game(game)
    if game.options.get("ko") != "simple":
        raise UsageError("only ko=simple makes a graph of a board: superko needs all of the past")
    began = time.perf_counter()
    graph = explore(game, on_progress=on_progress)
    lower, upper = (_settle(graph, worst) for worst in (-graph.area, graph.area))
    seconds = time.perf_counter() - began
    start = Solved(int(lower[0]), int(upper[0]), len(graph.players), seconds)
    return Values(game, start, graph.numbers, lower, upper)


@dataclass(frozen=True)
class Graph:
    """Nodes in the order they were found; node ``i`` leads to
    ``children[offsets[i] : offsets[i + 1]]``, none if it is an end."""

    players: npt.NDArray[np.int64]
    margins: npt.NDArray[np.float64]  # of ends: Black's, komi aside
    offsets: npt.NDArray[np.int64]
    children: npt.NDArray[np.int64]
    area: int
    numbers: dict[bytes, int]  # of the nodes, by their position up to symmetry


def explore(game: Game, *, on_progress: OnProgress | None = None) -> Graph:
    """Every decision that can be reached, up to the symmetries of the board."""
    numbers: dict[bytes, int] = {}
    rows: list[Words] = []
    players, margins, counts, children = [], [], [], []

    def enter(found: Words) -> npt.NDArray[np.int64]:
        """The number of each row; new ones get one."""
        keys = _canonical(game, found) & game.position_mask
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
            rows.append(found[fresh])
        entered: npt.NDArray[np.int64] = out[back.reshape(-1)]
        return entered

    enter(game.start_row()[np.newaxis, :])
    komi = float(game.options["komi"])
    while rows:
        waiting = np.concatenate(rows)
        rows.clear()
        for begin in range(0, len(waiting), _CHUNK):
            batch = Batch(game, waiting[begin : begin + _CHUNK])
            if (batch.players() == CHANCE).any():
                raise UsageError("chance has no best play: want collapse=owner")
            lists = batch.legal_lists()
            number = np.diff(lists.offsets)
            players.append(batch.players())
            margins.append(batch.score() + komi)
            counts.append(number)
            after = Batch(game, np.repeat(batch.rows, number, axis=0))
            after.apply(lists.actions.astype(np.int64), check=False)
            children.append(enter(after.rows))
            if len(numbers) > _MOST:
                raise PlayproofError(f"more than {_MOST:,} decisions: this board is too large")
            if on_progress:
                on_progress(sum(map(len, players)), len(numbers))
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return Graph(
        np.concatenate(players), np.concatenate(margins), offsets, np.concatenate(children),
        game.points.count, numbers,  # type: ignore[attr-defined]
    )  # fmt: skip


def _canonical(game: Game, rows: Words) -> Words:
    """The least image of every row, as far as it is the position."""
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
    """Row by row, the first word that differs decides."""
    differ = a != b
    where = differ.argmax(axis=1)
    take = np.arange(len(a))
    less: npt.NDArray[np.bool_] = differ.any(axis=1) & (a[take, where] < b[take, where])
    return less


def _settle(graph: Graph, worst: float) -> npt.NDArray[np.float64]:
    """The value of each node when every decision is first thought ``worst`` for one side."""
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
