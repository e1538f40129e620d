"""Full-width search that counts points: the readings of the Choko paper's Minimax.

Every line is followed to a fixed depth. Only moves at a node that is refuted already are left out,
never at the first two plies: the value of each move at the root is exact. The readings differ in
two settings.

``ends`` says what a game that ends is worth:

known      its result, beyond all points, as in ``alphabeta``
points     its points alone: a win is worth no more than the points that it brings
published  as in the code that the paper's authors published. There, a position without moves is a
           draw, so the side that has just won sees a draw, unless the win comes on the last ply. On
           the way, a tenth of the points that either side gains and two for a win of either side
           are added to the value of the line.

``ties`` says which of equally good moves is played: the ``first`` that the game lists, the one with
the ``lowest`` number, or one at ``random``.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float64, int64, types, void
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.errors import UsageError
from playproof.core.kernels import (
    CHANCE,
    COUNTS,
    LISTS,
    ONGOING,
    PROBABILITIES,
    ROWS,
    TABLE,
    WORDS,
    Words,
    actions_of,
    apply_of,
    chance_of,
    evaluate_of,
    hash_of,
    outcome_of,
    player_of,
    score_of,
)
from playproof.core.state import State
from playproof.core.stopping import STOP, StopFlag, deadline, interruptible, stop_flag
from playproof.search.full_width.config import ENDS, FullWidthConfig

_WIN = 10_000.0  # as in alpha-beta: more than any points
_KNOWN, _POINTS, _PUBLISHED = range(len(ENDS))
_REWARD, _WIN_REWARD = 0.1, 2.0  # the paper's, for a captured piece and for a win
_NEVER = 2**62
_SHORT = 3  # plies


class _Stack(NamedTuple):
    """The nodes on the path from the root, and the results of the root's moves."""

    states: Words  # (plies, words)
    lists: npt.NDArray[np.int32]  # (plies, max_actions)
    odds: npt.NDArray[np.float64]  # (plies, max_actions) at chance nodes
    nodes: npt.NDArray[np.int64]  # (plies, 3) columns SIDE to INDEX
    bests: npt.NDArray[np.float64]  # (plies, 2) columns BEST and REWARD
    lines: npt.NDArray[np.int64]  # (plies, plies + 1) length, then actions, of the best line
    hashes: Words  # (past + plies,) of the game's past, then of the path
    root_values: npt.NDArray[np.float64]  # (n,) from the mover's side, of each move at the root
    root_lines: npt.NDArray[np.int64]  # (n, plies + 1)
    counters: npt.NDArray[np.int64]  # nodes so far, their limit (0 for none), moves finished
    stop: npt.NDArray[np.uint8]


_SIDE, _COUNT, _INDEX = range(3)
_BEST, _EDGE = range(2)  # _EDGE: the reward of the move that leads to the node
_NODES, _LIMIT, _FINISHED = range(3)
_GRID, _REALS = types.Array(int64, 2, "C"), types.Array(float64, 2, "C")
_STACK = types.NamedTuple(
    (ROWS, LISTS, _REALS, _GRID, _REALS, _GRID, WORDS, PROBABILITIES, _GRID, COUNTS, STOP), _Stack
)


@register_jitable
def _leaf_value(ends, over, result, points, plies_left, capped):
    """The value of a leaf from the root's side; ``points`` and ``result`` are from that side."""
    if ends == _KNOWN and over:
        return result * _WIN + points
    if ends == _PUBLISHED and over and (plies_left > 0 or capped):
        return 0.0
    return points


@register_jitable
def _record(stack, ply, action, value, better):
    """Make ``action`` the best of the node at ``ply``, followed by the best line below it."""
    stack.bests[ply, _BEST] = value
    if better:
        length = stack.lines[ply + 1, 0]
        stack.lines[ply, 0] = length + 1
        stack.lines[ply, 1] = action
        stack.lines[ply, 2 : 2 + length] = stack.lines[ply + 1, 1 : 1 + length]


@register_jitable
def _is_refuted(nodes, bests, ply, root_side):
    """Whether the other side, to move just before, has something at least as good already."""
    side, other = nodes[ply, _SIDE], nodes[ply - 1, _SIDE]
    if other == CHANCE or (side == root_side) == (other == root_side):
        return False
    value, bound = bests[ply, _BEST] + bests[ply, _EDGE], bests[ply - 1, _BEST]
    return value >= bound if side == root_side else value <= bound


@register_jitable
def _reward(side, gain, result):
    """What the player ``side`` gets for a move, by the published code; ``result`` is its outcome.

    ``gain`` is how much the first player's score grows."""
    reward = _REWARD * (-gain if side == 1 else gain)
    if result == (-1 if side == 1 else 1):
        reward += _WIN_REWARD
    return reward


@register_jitable
def _back_up(stack, ply, value, root_side):
    """Take ``value`` of the current child of the node at ``ply`` into account there."""
    nodes, bests = stack.nodes, stack.bests
    index, side = nodes[ply, _INDEX], nodes[ply, _SIDE]
    action = int64(stack.lists[ply, index])
    if ply == 0:
        stack.root_values[index] = value
        _record(stack, 0, action, value, True)
        stack.root_lines[index, :] = stack.lines[0]
        stack.counters[_FINISHED] = index + 1
    elif side == CHANCE:
        _record(stack, ply, action, bests[ply, _BEST] + stack.odds[ply, index] * value, False)
    elif (side == root_side and value > bests[ply, _BEST]) or (
        side != root_side and value < bests[ply, _BEST]
    ):
        _record(stack, ply, action, value, True)
        if ply > 1 and _is_refuted(nodes, bests, ply, root_side):
            nodes[ply, _INDEX] = nodes[ply, _COUNT]  # no further move matters


@kernel(void(TABLE, WORDS, WORDS, _STACK, int64, int64, int64, int64))
def _search(kernels, options, tables, stack, depth, ends, past_length, cap):
    """Fill in ``root_values`` and ``root_lines`` for the moves listed at the root.

    ``cap`` is the ply, counted from the root, at which the game is called off.
    """
    actions, apply, player = actions_of(kernels), apply_of(kernels), player_of(kernels)
    outcome, score, evaluate = outcome_of(kernels), score_of(kernels), evaluate_of(kernels)
    chance, hash_ = chance_of(kernels), hash_of(kernels)
    states, nodes, bests, counters = stack.states, stack.nodes, stack.bests, stack.counters
    lists = stack.lists
    stack.hashes[past_length] = hash_(options, states[0])
    ply, root_side = 0, nodes[0, _SIDE]
    sign = -1.0 if root_side == 1 else 1.0
    while True:
        nodes[ply, _INDEX] += 1
        index = nodes[ply, _INDEX]
        if index < nodes[ply, _COUNT]:
            if stack.stop[0] != 0 or 0 < counters[_LIMIT] <= counters[_NODES]:
                return
            counters[_NODES] += 1
            here, child = stack.hashes[: past_length + ply], states[ply + 1]
            after = stack.hashes[: past_length + ply + 1]
            child[:] = states[ply]
            apply(options, tables, child, here, int64(lists[ply, index]))
            result = outcome(options, tables, child, after)
            over, left, side = result != ONGOING, depth - ply - 1, nodes[ply, _SIDE]
            bests[ply + 1, _EDGE] = 0.0
            if ends == _PUBLISHED and side != CHANCE:
                gain = score(options, tables, child, after)
                gain -= score(options, tables, states[ply], here)
                bests[ply + 1, _EDGE] = _reward(side, gain, result)
            stack.lines[ply + 1, 0] = 0
            if not over and left > 0:
                ply += 1
                nodes[ply, _SIDE], nodes[ply, _INDEX] = player(options, child), -1
                mine = nodes[ply, _SIDE] == root_side
                bests[ply, _BEST] = -np.inf if mine else np.inf
                if nodes[ply, _SIDE] == CHANCE:
                    bests[ply, _BEST] = 0.0
                    nodes[ply, _COUNT] = chance(
                        options, tables, child, after, lists[ply], stack.odds[ply]
                    )
                else:
                    nodes[ply, _COUNT] = actions(options, tables, child, after, lists[ply])
                stack.hashes[past_length + ply] = hash_(options, child)
                continue
            if over:
                points = sign * score(options, tables, child, after)
            else:
                points = sign * evaluate(options, tables, child, after)
            value = _leaf_value(ends, over, sign * result, points, left, ply + 1 >= cap)
        else:
            if ply == 0:
                return
            value = bests[ply, _BEST]
            ply -= 1
        # Back up ``value`` of the current child of the node at ``ply``.
        value += bests[ply + 1, _EDGE]
        _back_up(stack, ply, value, root_side)


@dataclass(frozen=True)
class MoveValue:
    """A move at the root and its value, from the first player's side."""

    action: int
    value: float
    line: tuple[int, ...]


@dataclass(frozen=True)
class FullWidthResult:
    """The moves of a position, best first, as ties were decided.

    ``moves`` lacks those that a search with a limit did not finish."""

    moves: tuple[MoveValue, ...]
    depth: int
    nodes: int
    seconds: float


def search(
    state: State,
    config: FullWidthConfig,
    *,
    word: int = 0,
    actions: Sequence[int] = (),
    nodes: int = 0,
    seconds: float | None = None,
    stop: StopFlag | None = None,
) -> FullWidthResult:
    """Search ``state``, which must not be finished.

    ``word`` decides ties at random. If ``actions`` are given, only they are searched. A limit on
    ``nodes`` (0 for none) or ``seconds``, or raising ``stop[0]``, ends the search early.
    """
    game = state.game
    candidates = [a for a in _listed(state, config) if not actions or a in actions]
    if not candidates:
        raise UsageError("none of the moves to search is legal here")
    started = time.perf_counter()
    flag = stop_flag() if stop is None else stop
    stack = _make_stack(state, candidates, config.depth, nodes, flag)
    left = game.actions_left(state)

    def run(flag: StopFlag) -> None:
        _search(
            game.kernel_table, game.option_words, game.tables, stack, config.depth,
            ENDS.index(config.ends), len(state.history), _NEVER if left is None else left,
        )  # fmt: skip

    with deadline(seconds, lambda: flag.fill(1)):
        # A search of milliseconds needs no thread of its own to be interrupted.
        run(flag) if config.depth <= _SHORT else interruptible(run, flag)
    finished = int(stack.counters[_FINISHED])
    order = _order(stack.root_values[:finished], config.ties, word)
    sign = -1.0 if state.current_player == 1 else 1.0
    moves = tuple(
        MoveValue(candidates[i], sign * float(stack.root_values[i]), _line(stack.root_lines[i]))
        for i in order
    )
    if not moves:  # stopped before the first move was finished
        moves = (MoveValue(candidates[0], state.score, (candidates[0],)),)
    elapsed = time.perf_counter() - started
    return FullWidthResult(moves, config.depth, int(stack.counters[_NODES]), elapsed)


def _listed(state: State, config: FullWidthConfig) -> list[int]:
    """The legal actions: in the game's own order if the first of equal moves is played."""
    if config.ties != "first":
        return state.legal_actions()
    game = state.game
    out = np.empty(game.action_room, np.int32)
    past = np.array(state.history, np.uint64)
    n = game.kernels.actions(game.option_words, game.tables, state.row.copy(), past, out)
    return [int(action) for action in out[:n]]


def _order(values: npt.NDArray[np.float64], ties: str, word: int) -> list[int]:
    """The places of the moves, best first."""
    places = np.arange(len(values))
    if ties == "random":
        np.random.default_rng(word).shuffle(places)
    return sorted(places.tolist(), key=lambda place: -float(values[place]))  # equals keep order


def _line(line: npt.NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(int(action) for action in line[1 : 1 + int(line[0])])


def _make_stack(
    state: State, candidates: Sequence[int], depth: int, nodes: int, flag: StopFlag
) -> _Stack:
    game, plies = state.game, depth + 1
    stack = _Stack(
        states=np.zeros((plies, game.words), np.uint64),
        lists=np.zeros((plies, game.action_room), np.int32),
        odds=np.zeros((plies, game.action_room), np.float64),
        nodes=np.zeros((plies, 3), np.int64),
        bests=np.zeros((plies, 2), np.float64),
        lines=np.zeros((plies + 1, plies + 2), np.int64),
        hashes=np.zeros(len(state.history) + plies, np.uint64),
        root_values=np.zeros(len(candidates), np.float64),
        root_lines=np.zeros((len(candidates), plies + 2), np.int64),
        counters=np.array([0, nodes, 0], np.int64),
        stop=flag,
    )
    stack.states[0] = state.row
    stack.lists[0, : len(candidates)] = candidates
    stack.hashes[: len(state.history)] = state.history
    stack.nodes[0] = int(state.current_player or 0), len(candidates), -1
    return stack
