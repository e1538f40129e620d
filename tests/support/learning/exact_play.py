"""Small games solved whole, and players held against the truth.

Positions are rows without their ply, so play is a graph, and may go round in
circles: a position has what the first player can force and what the second can
hold it to, endless play counting against whoever wants more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import ONGOING, Words
from playproof.learning.algorithms.alphazero.learner import AlphaZero
from playproof.learning.algorithms.alphazero.presets import preset_for
from playproof.nets import architectures
from playproof.nets.evaluators.leaves import NetEvaluator
from playproof.search.mcts import SearchConfig, TreeSearch

Choose = Callable[[Batch], npt.NDArray[np.int64]]  # an action for every row


@dataclass
class Exact:
    """Every position of a game by its number, with its bounds."""

    game: Game
    numbers: dict[bytes, int]
    rows: Words
    lower: npt.NDArray[np.int64]
    upper: npt.NDArray[np.int64]

    def of(self, rows: Words) -> npt.NDArray[np.int64]:
        keys = rows & self.game.position_mask
        return np.array([self.numbers[key.tobytes()] for key in keys])

    @property
    def value(self) -> int:
        """Of the start, which has to be certain."""
        assert self.lower[0] == self.upper[0]
        return int(self.lower[0])


def solve(game: Game) -> Exact:
    """Every position that can be reached, and work backwards until nothing changes."""
    numbers = {(game.start_row() & game.position_mask).tobytes(): 0}
    levels = [game.start_row()[np.newaxis, :]]
    edges, players, ends = [], [], []
    while len(levels[-1]):
        batch = Batch(game, levels[-1])
        legal = batch.legal_lists()
        counts = np.diff(legal.offsets)
        players.append(batch.players())
        ends.append(batch.outcome())
        after = Batch(game, np.repeat(batch.rows, counts, axis=0))
        after.apply(legal.actions.astype(np.int64), check=False)
        fresh, mine = [], []
        for i, key in enumerate(after.rows & game.position_mask):
            name = key.tobytes()
            if name not in numbers:
                numbers[name] = len(numbers)
                fresh.append(i)
            mine.append(numbers[name])
        edges.append((counts, np.array(mine, np.int64)))
        levels.append(after.rows[fresh])
    counts = np.concatenate([count for count, _ in edges])
    children = np.concatenate([child for _, child in edges])
    player, end = np.concatenate(players), np.concatenate(ends)
    bounds = [_settle(counts, children, player, end, worst) for worst in (-1, 1)]
    return Exact(game, numbers, np.concatenate(levels), *bounds)


def _settle(counts, children, player, end, worst):  # type: ignore[no-untyped-def]
    inner = counts > 0
    starts = (np.cumsum(counts) - counts)[inner]
    values = np.where(inner, worst, np.where(end == ONGOING, 0, end))
    while True:
        reached = values[children]
        best = np.where(
            player[inner] == 0,
            np.maximum.reduceat(reached, starts),
            np.minimum.reduceat(reached, starts),
        )
        if np.array_equal(values[inner], best):
            return values
        values[inner] = best


def errors(exact: Exact, choose: Choose, sides: tuple[int, ...] = (0, 1)) -> tuple[list[str], int]:
    """(positions whose value was given away, how many were asked): against every opponent.

    It plays each of ``sides`` in turn; where the other one moves, all its moves are followed.
    """
    game, asked = exact.game, 0
    wrong: list[str] = []
    for side in sides:
        seen: set[int] = set()
        rows = game.start_row()[np.newaxis, :]
        while len(rows):
            batch = Batch(game, rows)
            mine = batch.players() == side
            own, theirs = batch.take(np.flatnonzero(mine)), batch.take(np.flatnonzero(~mine))
            nexts = []
            if len(own):
                before, after = exact.of(own.rows), own.copy()
                after.apply(choose(own))
                then, sign = exact.of(after.rows), 1 - 2 * side
                bounds = exact.lower if side == 0 else exact.upper
                worse = sign * bounds[then] < sign * bounds[before]
                wrong += [game.write_position(row) for row in own.rows[worse]]
                asked += len(own)
                nexts.append(after.rows)
            if len(theirs):
                legal = theirs.legal_lists()
                after = Batch(game, np.repeat(theirs.rows, np.diff(legal.offsets), axis=0))
                after.apply(legal.actions.astype(np.int64), check=False)
                nexts.append(after.rows)
            found = np.concatenate(nexts)
            found = found[Batch(game, found).outcome() == ONGOING]
            kept = []
            for i, number in enumerate(exact.of(found) if len(found) else ()):
                if number not in seen:
                    seen.add(int(number))
                    kept.append(i)
            rows = found[kept]
    return wrong, asked


def by_search(run: AlphaZero, simulations: int) -> Choose:
    """The net that a run has now, with so many simulations and no noise."""
    evaluator = NetEvaluator(
        architectures.forward_of(run.architecture, run.trainer.weights), "planes"
    )
    config = SearchConfig(simulations=simulations, policy="puct", exploration=1.5, seed=1)

    def choose(batch: Batch) -> npt.NDArray[np.int64]:
        trees = TreeSearch.from_states(batch, config, evaluator)
        trees.run()
        return trees.policies().chosen

    return choose


def learn(
    spec: str, sides: tuple[int, ...], iterations: int, seed: int = 1
) -> tuple[int, list[str], int]:
    """From nothing until a search of 64 gives nothing away; (errors at the start, those at the
    end, iterations it took)."""
    run = AlphaZero(replace(preset_for(spec), iterations=40, evaluate_every=0, seed=seed))
    exact = solve(run.game)
    begin, _ = errors(exact, by_search(run, 16), sides)
    wrong = begin
    while wrong and run.iteration < iterations:
        run.iterate()
        if run.iteration % 2 == 0:
            wrong, _ = errors(exact, by_search(run, 64), sides)
    return len(begin), wrong, run.iteration
