"""Policy-guided tree search (PGTS) of the Choko paper, for any game.

The search follows the moves that a policy likes best to a fixed depth, fewer at every ply. It
evaluates the leaves and backs their values up. All positions of one ply, in all games, are
evaluated in one batch.

The paper's text says: return "the action associated with the largest observed value". ``BACKUPS``
are the readings:

minimax       each side takes its own best
largest       every node takes the largest value for the root's side, whoever moves there
largest-leaf  the same, with each leaf's value as a critic gives it, for the side to move there
published     as in the code that the paper's authors published: minimax, plus rewards on the way,
              0.05 for a point that either side gains and 1 for a win of either side, always in
              favour of the root's side. A position without moves above the last ply is lost for its
              mover. (Their rewards are 0.1 and 2, with values to the same scale.)
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
from playproof.core.errors import UsageError, one_of
from playproof.core.kernels import CHANCE, COUNTS, FLOATS, LIST, ONGOING
from playproof.core.parallel.threads import share_threads
from playproof.search.evaluators import Evaluator, evaluate

PAPER_WIDTHS = (12, 6, 3, 3, 3)
BACKUPS = ("minimax", "largest", "largest-leaf", "published")
_POINT_REWARD, _WIN_REWARD = 0.05, 1.0
_LOST = 100.0  # by ``published``: beyond all values and rewards


@kernel(void(COUNTS, LIST, FLOATS, FLOATS, COUNTS, COUNTS, LIST, FLOATS), parallel=True)
def _select_best(offsets, actions, priors, noise, widths, starts, selected, weights):
    """The ``widths[row]`` likeliest actions of each row, best first."""
    for row in prange(widths.shape[0]):
        start, n = offsets[row], offsets[row + 1] - offsets[row]
        for k in range(widths[row]):
            best = int64(-1)
            for j in range(start, start + n):
                taken = False
                for m in range(k):
                    taken |= selected[starts[row] + m] == actions[j]
                if not taken and (best < 0 or priors[j] + noise[j] > priors[best] + noise[best]):
                    best = j
            selected[starts[row] + k] = actions[best]
            weights[starts[row] + k] = priors[best]


@dataclass(frozen=True)
class GuidedResult:
    """The result of a search for one position; values are from the first player's side."""

    actions: npt.NDArray[np.int32]  # the ones followed, likeliest first
    priors: npt.NDArray[np.float32]
    values: npt.NDArray[np.float64]
    value: float
    action: int
    line: tuple[int, ...]
    line_of: Callable[[int], tuple[int, ...]]  # the line that starts with the i-th action
    positions: int  # evaluated for this position: the batch's total, divided evenly


@dataclass
class _PlyNodes:
    """One ply of all trees: its inner nodes and their children, stored side by side."""

    signs: npt.NDArray[np.float64]  # for whom each inner node takes the best: 1, -1, 0 for chance
    roots: npt.NDArray[np.int64]  # the row of the batch that each child belongs to
    starts: npt.NDArray[np.int64]  # first child of each inner node
    actions: npt.NDArray[np.int32]  # of each child
    weights: npt.NDArray[np.float32]  # prior, or probability at a chance node, of each child
    values: npt.NDArray[np.float64]  # of each child
    rewards: npt.NDArray[np.float64]  # on the way to each child, added to its value
    inner: npt.NDArray[np.int64]  # indices of the children that are inner nodes of the next ply


def search(
    batch: Batch,
    evaluator: Evaluator,
    widths: tuple[int, ...] = PAPER_WIDTHS,
    *,
    salt: int = 0,
    backup: str = "minimax",
) -> list[GuidedResult]:
    """Search every row of ``batch``, none of which may be finished.

    ``widths`` has the number of moves to follow at each ply; ``salt`` decides ties; ``backup`` is
    one of ``BACKUPS``.
    """
    if not widths or min(widths) < 1:
        raise UsageError(f"pgts: widths {widths} must be whole numbers from 1 on")
    if backup not in BACKUPS:
        raise UsageError(f"pgts: backup {backup!r} is not {one_of(BACKUPS)}")
    plies: list[_PlyNodes] = []
    nodes, positions, roots = batch, 0, np.arange(len(batch))
    sides = _signs(batch)  # of the roots
    for ply, width in enumerate(widths):
        positions += len(nodes)
        expanded, children = _expand(nodes, evaluator, width, salt + ply, roots)
        plies.append(expanded)
        outcome = children.outcome()
        finished = outcome != ONGOING
        expanded.values[finished] = outcome[finished]
        expanded.inner = np.flatnonzero(~finished)
        if backup.startswith("largest"):
            expanded.signs = np.where(expanded.signs == 0.0, 0.0, sides[roots])
        if backup == "largest-leaf":
            expanded.values *= sides[expanded.roots] * _signs(children)
        if backup == "published":
            _reward(expanded, batch, nodes, children, ply, last=ply + 1 == len(widths))
        if not len(expanded.inner):
            break
        nodes, roots = children.take(expanded.inner), expanded.roots[expanded.inner]
    last = plies[-1]
    if len(last.inner):
        positions += len(nodes)
        values = evaluate(evaluator, nodes, nodes.legal_lists()).values
        if backup == "largest-leaf":
            values = values * sides[roots] * _signs(nodes)
        last.values[last.inner] = values
    last.values += last.rewards
    for above, below in zip(plies[-2::-1], plies[:0:-1], strict=True):
        above.values[above.inner] = _node_values(below)
        above.values += above.rewards
    return _results(plies, positions // max(len(batch), 1))


def _signs(batch: Batch) -> npt.NDArray[np.float64]:
    """1 where the first player is to move, -1 where the second is, 0 where chance is."""
    players = batch.players()
    return np.where(players == CHANCE, 0.0, np.where(players == 1, -1.0, 1.0))


def _reward(
    expanded: _PlyNodes, batch: Batch, nodes: Batch, children: Batch, ply: int, *, last: bool
) -> None:
    """Set the rewards and the values of finished children by the backup ``published``."""
    spans = np.diff(np.append(expanded.starts, len(expanded.values)))
    movers, sides = np.repeat(expanded.signs, spans), _signs(batch)[expanded.roots]
    outcome = children.outcome()
    gains = movers * (children.score() - np.repeat(nodes.score(), spans))
    wins = (outcome != ONGOING) & (movers * outcome > 0.0)
    expanded.rewards = sides * (_POINT_REWARD * gains + _WIN_REWARD * wins)
    expanded.rewards[movers == 0.0] = 0.0
    # On the last ply the critic is asked even if the game is over: it is taken to know the result.
    over = outcome != ONGOING
    if not last:
        expanded.values[over] = movers[over] * _LOST
    left = [batch.game.actions_left(batch[row]) for row in range(len(batch))]
    capped = np.array([n is not None and n <= ply + 1 for n in left])[expanded.roots]
    expanded.values[over & capped] = 0.0


def _expand(
    nodes: Batch, evaluator: Evaluator, width: int, salt: int, roots: npt.NDArray[np.int64]
) -> tuple[_PlyNodes, Batch]:
    """The nodes of a ply with the children that the policy selects, and those children.

    A chance node gets all of its outcomes.
    """
    legal = nodes.legal_lists()
    counts = np.diff(legal.offsets)
    priors = evaluate(evaluator, nodes, legal).priors
    players = nodes.players()
    widths = np.where(players == CHANCE, counts, np.minimum(counts, width)).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    selected = np.empty(int(starts[-1]), np.int32)
    weights = np.empty(len(selected), np.float32)
    # Ties between equally likely moves are broken at random, not by their place in the list.
    noise = (np.random.default_rng(salt).random(len(priors)) * 1e-6).astype(np.float32)
    with share_threads(len(nodes)):
        _select_best(legal.offsets, legal.actions, priors, noise, widths, starts, selected, weights)
    children = nodes.take(np.repeat(np.arange(len(nodes)), widths))
    children.apply(selected, check=False)
    zeros = np.zeros(len(selected))
    expanded = _PlyNodes(
        signs=_signs(nodes), roots=np.repeat(roots, widths), starts=starts[:-1], actions=selected,
        weights=weights, values=zeros, rewards=zeros.copy(), inner=np.zeros(0, np.int64),
    )  # fmt: skip
    return expanded, children


def _node_values(ply: _PlyNodes) -> npt.NDArray[np.float64]:
    """The value of each inner node: its best child, or the average at a chance node."""
    spans = np.diff(np.append(ply.starts, len(ply.values)))
    signs = np.repeat(ply.signs, spans)
    best = np.maximum.reduceat(signs * ply.values, ply.starts) * ply.signs
    if (ply.signs == 0.0).any():
        average = np.add.reduceat(ply.weights * ply.values, ply.starts)
        best = np.where(ply.signs == 0.0, average, best)
    return best


def _results(plies: list[_PlyNodes], positions: int) -> list[GuidedResult]:
    top = plies[0]
    ends = np.append(top.starts, len(top.values))
    results = []
    for row, value in enumerate(_node_values(top)):
        children = slice(int(ends[row]), int(ends[row + 1]))
        best = int(np.argmax(top.signs[row] * top.values[children]))
        results.append(
            GuidedResult(
                actions=top.actions[children],
                priors=top.weights[children],
                values=np.clip(top.values[children], -1.0, 1.0),  # rewards may lead beyond
                value=float(np.clip(value, -1.0, 1.0)),
                action=int(top.actions[children][best]),
                line=_line(plies, row),
                line_of=functools.partial(_line_of, plies, children.start),
                positions=positions,
            )
        )
    return results


def _line(plies: list[_PlyNodes], node: int) -> tuple[int, ...]:
    """The principal variation from inner node ``node`` of the first ply."""
    top = plies[0]
    if top.signs[node] == 0.0:
        return ()
    end = top.starts[node + 1] if node + 1 < len(top.starts) else len(top.values)
    children = slice(int(top.starts[node]), int(end))
    best = int(np.argmax(top.signs[node] * top.values[children]))
    return _line_of(plies, children.start, best)


def _line_of(plies: list[_PlyNodes], first: int, i: int) -> tuple[int, ...]:
    """The principal variation through child number ``first + i`` of the first ply."""
    child = first + i
    line = [int(plies[0].actions[child])]
    below = int(np.searchsorted(plies[0].inner, child))
    if below < len(plies[0].inner) and plies[0].inner[below] == child and len(plies) > 1:
        line += _line(plies[1:], below)
    return tuple(line)
