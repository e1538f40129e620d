"""Policy-guided tree search: the Choko paper's PGTS, for any game.

To a fixed depth only the moves that a policy likes best are followed, fewer at
every ply; the leaves are valued, and each side takes what is best for it.  All
positions of one ply are asked about in one batch, and so are all games.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import int64, prange, void

from playproof.core.batch import Batch
from playproof.core.compiling import kernel
from playproof.core.errors import UsageError
from playproof.core.kernels import CHANCE, COUNTS, FLOATS, LIST, ONGOING
from playproof.core.parallel.threads import sharing
from playproof.search.evaluators import Evaluator, evaluate

PAPER_WIDTHS = (12, 6, 3, 3, 3)


@kernel(void(COUNTS, LIST, FLOATS, FLOATS, COUNTS, COUNTS, LIST, FLOATS), parallel=True)
def _keep_best(offsets, actions, priors, noise, widths, starts, kept, weights):
    """The ``widths[row]`` likeliest actions of each row, best first."""
    for row in prange(widths.shape[0]):
        begin, n = offsets[row], offsets[row + 1] - offsets[row]
        for k in range(widths[row]):
            best = int64(-1)
            for j in range(begin, begin + n):
                taken = False
                for m in range(k):
                    taken |= kept[starts[row] + m] == actions[j]
                if not taken and (best < 0 or priors[j] + noise[j] > priors[best] + noise[best]):
                    best = j
            kept[starts[row] + k] = actions[best]
            weights[starts[row] + k] = priors[best]


@dataclass(frozen=True)
class Guided:
    """What the search found for one position; values from the first player's side."""

    actions: npt.NDArray[np.int32]  # those followed, likeliest first
    priors: npt.NDArray[np.float32]
    values: npt.NDArray[np.float64]
    value: float
    action: int
    line: tuple[int, ...]
    line_of: Callable[[int], tuple[int, ...]]  # the play after the i-th action, that one first
    positions: int  # valued or asked about, for this position's share of the batch


@dataclass
class _Level:
    """One ply of all trees: its inner nodes, and their children side by side."""

    signs: npt.NDArray[np.float64]  # of each inner node: 1, -1, or 0 for chance
    starts: npt.NDArray[np.int64]  # first child of each inner node
    actions: npt.NDArray[np.int32]  # of each child
    weights: npt.NDArray[np.float32]  # prior or odds of each child
    values: npt.NDArray[np.float64]  # of each child
    inner: npt.NDArray[np.int64]  # children that are inner nodes of the next level


def search(
    batch: Batch,
    evaluator: Evaluator,
    widths: tuple[int, ...] = PAPER_WIDTHS,
    *,
    salt: int = 0,
) -> list[Guided]:
    """Search every row of ``batch``, none of them finished."""
    if not widths or min(widths) < 1:
        raise UsageError(f"pgts: widths {widths} must be whole numbers from 1 on")
    levels: list[_Level] = []
    nodes, positions = batch, 0
    for ply, width in enumerate(widths):
        positions += len(nodes)
        level, children = _follow(nodes, evaluator, width, salt + ply)
        levels.append(level)
        outcome = children.outcome()
        finished = outcome != ONGOING
        level.values[finished] = outcome[finished]
        level.inner = np.flatnonzero(~finished)
        if not len(level.inner):
            break
        nodes = children.take(level.inner)
    last = levels[-1]
    if len(last.inner):
        positions += len(nodes)
        last.values[last.inner] = evaluate(evaluator, nodes, nodes.legal_lists()).values
    for above, below in zip(levels[-2::-1], levels[:0:-1], strict=True):
        above.values[above.inner] = _best(below)
    return _roots(levels, positions // max(len(batch), 1))


def _follow(nodes: Batch, evaluator: Evaluator, width: int, salt: int) -> tuple[_Level, Batch]:
    """The children that the policy would look at; chance has all of its outcomes."""
    legal = nodes.legal_lists()
    counts = np.diff(legal.offsets)
    priors = evaluate(evaluator, nodes, legal).priors
    players = nodes.players()
    widths = np.where(players == CHANCE, counts, np.minimum(counts, width)).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    kept = np.empty(int(starts[-1]), np.int32)
    weights = np.empty(len(kept), np.float32)
    # Equally likely moves are told apart by chance, not by their place in the list.
    noise = (np.random.default_rng(salt).random(len(priors)) * 1e-6).astype(np.float32)
    with sharing(len(nodes)):
        _keep_best(legal.offsets, legal.actions, priors, noise, widths, starts, kept, weights)
    children = nodes.take(np.repeat(np.arange(len(nodes)), widths))
    children.apply(kept, check=False)
    signs = np.where(players == CHANCE, 0.0, np.where(players == 1, -1.0, 1.0))
    values = np.zeros(len(kept))
    return _Level(signs, starts[:-1], kept, weights, values, np.zeros(0, np.int64)), children


def _best(level: _Level) -> npt.NDArray[np.float64]:
    """The value of each inner node: its mover's best child, chance's average."""
    spans = np.diff(np.append(level.starts, len(level.values)))
    signs = np.repeat(level.signs, spans)
    best = np.maximum.reduceat(signs * level.values, level.starts) * level.signs
    if (level.signs == 0.0).any():
        average = np.add.reduceat(level.weights * level.values, level.starts)
        best = np.where(level.signs == 0.0, average, best)
    return best


def _roots(levels: list[_Level], positions: int) -> list[Guided]:
    top = levels[0]
    ends = np.append(top.starts, len(top.values))
    found = []
    for row, value in enumerate(_best(top)):
        mine = slice(int(ends[row]), int(ends[row + 1]))
        order = int(np.argmax(top.signs[row] * top.values[mine]))
        found.append(
            Guided(
                actions=top.actions[mine],
                priors=top.weights[mine],
                values=top.values[mine],
                value=float(value),
                action=int(top.actions[mine][order]),
                line=_line(levels, row),
                line_of=functools.partial(_line_of, levels, mine.start),
                positions=positions,
            )
        )
    return found


def _line(levels: list[_Level], node: int) -> tuple[int, ...]:
    """The best way down from inner node ``node`` of the first level."""
    top = levels[0]
    if top.signs[node] == 0.0:
        return ()
    end = top.starts[node + 1] if node + 1 < len(top.starts) else len(top.values)
    mine = slice(int(top.starts[node]), int(end))
    best = int(np.argmax(top.signs[node] * top.values[mine]))
    return _line_of(levels, mine.start, best)


def _line_of(levels: list[_Level], first: int, i: int) -> tuple[int, ...]:
    """A child of the first level, number ``first + i``, and the best way down from there."""
    child = first + i
    line = [int(levels[0].actions[child])]
    below = int(np.searchsorted(levels[0].inner, child))
    if below < len(levels[0].inner) and levels[0].inner[below] == child and len(levels) > 1:
        line += _line(levels[1:], below)
    return tuple(line)
