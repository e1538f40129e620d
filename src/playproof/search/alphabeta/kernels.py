"""Alpha-beta, compiled once for all games.

Values are from the first player's side: the first player maximises, the second minimises, and
chance averages. The kernel asks the game at every node whose turn it is.

The search is a loop over a stack of plies rather than a recursive function, so that entering a
node passes no arguments and all state stays in one workspace.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float64, int64, types, uint64
from numba.extending import register_jitable

from playproof.core.bits import mix
from playproof.core.compiling import kernel
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
    noisy_of,
    outcome_of,
    player_of,
    probe_of,
    score_of,
)
from playproof.core.stopping import STOP

WIN = 10_000.0  # the value of a won game without its score: more than any evaluation
INFINITY = 1e18

# Switches: techniques of the search, each 1 (on) or 0 (off).
(
    PRUNE, SCOUT, KILLERS, HISTORY, TABLE_ON, EQUAL_DEPTH, QUIET, PATH, PROBE, BY_PLY, BY_PATH,
    EXCLUDED,
) = range(12)  # fmt: skip

# Statistics, with the node limit and the stamp of the latest node among them.
NODES, EVALUATED, HITS, CUTS, FIRST_CUTS, NODE_LIMIT, STAMP, PROBED = range(8)
STATISTICS = 8

# The kind of a stored value: exact or a bound.
EXACT, LOWER, UPPER = 1, 2, 3

# Move ordering: the table's move, then killers, then noisy moves, then by history.
_FROM_TABLE, _KILLER, _SECOND_KILLER, _NOISY = 1 << 50, 1 << 42, 1 << 41, 1 << 40


class Workspace(NamedTuple):
    """The memory of a search: the stack of plies, the transposition table and the rest."""

    states: Words  # (plies, words)
    lists: npt.NDArray[np.int32]  # (plies, max_actions) actions of the node
    ratings: npt.NDArray[np.int64]  # (plies, max_actions) for move ordering
    odds: npt.NDArray[np.float64]  # (plies, max_actions) probabilities of chance outcomes
    lines: npt.NDArray[np.int64]  # (plies + 1, plies + 1) length, then actions, of the best line
    killers: npt.NDArray[np.int64]  # (plies, 2)
    bounds: npt.NDArray[np.float64]  # (plies, 5) columns LO to SUM
    counts: npt.NDArray[np.int64]  # (plies, 7) columns SIDE to PAST
    path_hashes: Words  # (plies,) the positions before this node, hashed regardless of order
    node_keys: Words  # (plies,) the node's key in the transposition table
    hashes: Words  # (past + plies,) of the game's past, then of the path
    history: npt.NDArray[np.int64]  # (2, num_actions) cut-offs, weighted by depth
    noisy_stamps: npt.NDArray[np.int64]  # (num_actions,) the last node where it was noisy
    excluded: npt.NDArray[np.uint8]  # (num_actions,) 1 for moves excluded at the root
    keys: Words  # (size,) of the transposition table; 0 in an empty slot
    values: npt.NDArray[np.float64]  # (size,) from the mover's side
    entries: npt.NDArray[np.int64]  # (size,) action, depth, bound and age, packed
    switches: npt.NDArray[np.int64]
    statistics: npt.NDArray[np.int64]
    stop: npt.NDArray[np.uint8]


# Columns of ``bounds``: the window from the mover's side, its initial lower end, the best value so
# far, and the running average of a chance node.
LO, HI, FLOOR, BEST, SUM = range(5)
# Columns of ``counts``: the mover, the depth left, the number of actions, the index of the current
# one, the best action, whether a scout search is under way, and the number of earlier hashes.
SIDE, DEPTH, COUNT, INDEX, ACTION, SCOUTING, PAST = range(7)

_GRID = types.Array(int64, 2, "C")
_REALS = types.Array(float64, 2, "C")
WORKSPACE = types.NamedTuple(
    (
        ROWS, LISTS, _GRID, _REALS, _GRID, _GRID, _REALS, _GRID, WORDS, WORDS, WORDS, _GRID,
        COUNTS, STOP, WORDS, PROBABILITIES, COUNTS, COUNTS, COUNTS, STOP,
    ),
    Workspace,
)  # fmt: skip


@register_jitable
def terminal_value(outcome, score):
    return outcome * WIN + score


@register_jitable
def find_entry(keys, key):
    """The slot of ``key`` in its bucket of two, or -1."""
    slot = int64(key & uint64(keys.shape[0] - 1)) & ~1
    if keys[slot] == key:
        return slot
    if keys[slot + 1] == key:
        return slot + 1
    return -1


@register_jitable
def _store(work, key, value, action, depth, bound, age):
    """Store an entry.

    The first slot of a bucket is for the deepest entry of this search, the second for the latest.
    """
    keys, values, entries = work.keys, work.values, work.entries
    slot = int64(key & uint64(keys.shape[0] - 1)) & ~1
    if keys[slot] != key:
        old = entries[slot]
        deeper = (old >> 16) & 0xFFFF > depth and old & 255 == age & 255
        if keys[slot + 1] == key or deeper:
            slot += 1
        else:  # the entry that is replaced becomes the latest
            keys[slot + 1], values[slot + 1], entries[slot + 1] = keys[slot], values[slot], old
    keys[slot] = key
    values[slot] = value
    entries[slot] = (action + 1) << 32 | depth << 16 | bound << 8 | age & 255


@register_jitable
def _store_node(work, ply, best, age):
    """Store the value of a finished node, as exact or as a bound by its window."""
    bound = EXACT
    if work.switches[PRUNE] != 0:
        if best >= work.bounds[ply, HI]:
            bound = LOWER
        elif best <= work.bounds[ply, FLOOR]:
            bound = UPPER
    action, depth = work.counts[ply, ACTION], work.counts[ply, DEPTH]
    _store(work, work.node_keys[ply], best, action, depth, bound, age)


@register_jitable
def _rate(work, ply, side, n, hint, stamp):
    """Rate each of the ``n`` moves at ``ply`` for move ordering."""
    legal, ratings, switches = work.lists, work.ratings, work.switches
    for i in range(n):
        action = int64(legal[ply, i])
        value = work.history[side, action] if switches[HISTORY] != 0 else 0
        if work.noisy_stamps[action] == stamp:
            value += _NOISY
        if switches[KILLERS] != 0:
            if work.killers[ply, 0] == action:
                value += _KILLER
            elif work.killers[ply, 1] == action:
                value += _SECOND_KILLER
        if action == hint:
            value += _FROM_TABLE
        ratings[ply, i] = value


@register_jitable
def _move_best_first(work, ply, first, n):
    """Move the best rated of the moves from ``first`` on to that place."""
    legal, ratings = work.lists, work.ratings
    best = first
    for i in range(first + 1, n):
        if ratings[ply, i] > ratings[ply, best]:
            best = i
    # The moves between are shifted rather than swapped, so that ties keep the game's order.
    action, value = legal[ply, best], ratings[ply, best]
    for i in range(best, first, -1):
        legal[ply, i], ratings[ply, i] = legal[ply, i - 1], ratings[ply, i - 1]
    legal[ply, first], ratings[ply, first] = action, value


@register_jitable
def _update_line(work, ply, action):
    """Set the best line at ``ply`` to ``action`` followed by the best line below it."""
    lines = work.lines
    length = lines[ply + 1, 0]
    lines[ply, 0] = length + 1
    lines[ply, 1] = action
    for j in range(1, length + 1):
        lines[ply, 1 + j] = lines[ply + 1, j]


@register_jitable
def _record_cutoff(work, ply, side, action, depth, index):
    """Record a move that caused a cut-off as killer and in the history: it may do so elsewhere."""
    work.statistics[CUTS] += 1
    work.statistics[FIRST_CUTS] += index == 0
    if work.switches[KILLERS] != 0 and work.killers[ply, 0] != action:
        work.killers[ply, 1] = work.killers[ply, 0]
        work.killers[ply, 0] = action
    if work.switches[HISTORY] != 0:
        work.history[side, action] += depth * depth


@register_jitable
def _remove_excluded(work, n):
    """Remove the excluded moves from the root's ``n`` moves; returns how many remain."""
    kept = 0
    for i in range(n):
        if work.excluded[work.lists[0, i]] == 0:
            work.lists[0, kept] = work.lists[0, i]
            kept += 1
    return kept


@kernel(float64(TABLE, WORDS, WORDS, WORKSPACE, int64, int64, uint64, int64))
def search(kernels, options, tables, work, depth, past_length, path_hash, base):
    """The value of ``work.states[0]`` to ``depth`` plies, with its line in ``work.lines[0]``.

    The first ``past_length`` of ``work.hashes`` are the game's past, ``path_hash`` combines them,
    and ``base`` is the ply of the root. Below depth 0, with the switch QUIET, only noisy moves are
    searched, and the mover may stand pat. With PROBE, a position that the game's probe knows is a
    leaf; the root is not probed, because its move is needed. With EXCLUDED, the root searches only
    moves that are not excluded, and its value is not stored, since it is not that of the position.
    A search that is stopped returns the best value among the root's finished moves.
    """
    actions, apply, player = actions_of(kernels), apply_of(kernels), player_of(kernels)
    outcome, score, hash_ = outcome_of(kernels), score_of(kernels), hash_of(kernels)
    chance, evaluate, noisy = chance_of(kernels), evaluate_of(kernels), noisy_of(kernels)
    probe, probing = probe_of(kernels), work.switches[PROBE] != 0
    bounds, counts, switches = work.bounds, work.counts, work.switches
    statistics, stop, lines, lists = work.statistics, work.stop, work.lines, work.lists
    prune, plies = switches[PRUNE] != 0, work.states.shape[0]
    limit = statistics[NODE_LIMIT]

    ply, entering = 0, True
    alpha, beta = -INFINITY, INFINITY  # the window of the node being entered
    counts[0, DEPTH], counts[0, PAST], work.path_hashes[0] = depth, past_length, path_hash
    counts[0, ACTION] = -1  # the search may be stopped before its first move
    value = 0.0  # of the node just left, from the first player's side
    while True:
        state = work.states[ply]
        past = work.hashes[: counts[ply, PAST]]
        if entering:
            lines[ply, 0] = 0
            statistics[NODES] += 1
            if limit > 0 and statistics[NODES] > limit:
                stop[0] = 1
            if stop[0] != 0:
                return bounds[0, BEST] * (1.0 if counts[0, SIDE] == 0 else -1.0)
            result = outcome(options, tables, state, past)
            quiet = counts[ply, DEPTH] <= 0
            side = player(options, state)
            over = result != ONGOING
            if probing and not over and ply > 0:
                result = probe(options, tables, state, past)
                if result != ONGOING:
                    # The evaluation may prefer near wins to far ones.
                    statistics[PROBED] += 1
                    value = terminal_value(result, evaluate(options, tables, state, past))
                    ply, entering = ply - 1, False
                    continue
            if over or ply + 1 >= plies or (quiet and (switches[QUIET] == 0 or side == CHANCE)):
                if over:
                    value = terminal_value(result, score(options, tables, state, past))
                else:
                    statistics[EVALUATED] += 1
                    value = evaluate(options, tables, state, past)
                ply, entering = ply - 1, False
                if ply < 0:
                    return value
                continue
            # An inner node: set its window from the mover's side, and list its moves.
            counts[ply, SIDE], counts[ply, INDEX], counts[ply, SCOUTING] = side, -1, 0
            counts[ply, ACTION] = -1
            sign = -1.0 if side == 1 else 1.0
            lo, hi = (-beta, -alpha) if side == 1 else (alpha, beta)
            bounds[ply, HI], bounds[ply, BEST], bounds[ply, SUM] = hi, -INFINITY, 0.0
            here = hash_(options, state)
            key = here
            if switches[BY_PATH] != 0:
                key ^= mix(work.path_hashes[ply])
            if switches[BY_PLY] != 0:
                key ^= mix(uint64(base + ply) + uint64(0x51ED))
            work.node_keys[ply] = key
            if side == CHANCE:
                n = chance(options, tables, state, past, lists[ply], work.odds[ply])
            elif quiet:
                statistics[EVALUATED] += 1
                best = sign * evaluate(options, tables, state, past)
                bounds[ply, BEST], lo = best, max(lo, best)
                n = noisy(options, tables, state, past, lists[ply])
                if n == 0 or (prune and best >= hi):
                    value, ply, entering = sign * best, ply - 1, False
                    if ply < 0:
                        return value
                    continue
                if prune and n > 1:
                    _rate(work, ply, side, n, -1, -1)
            else:
                hint = int64(-1)
                if switches[TABLE_ON] != 0:
                    # Not a function of its own: that would cost a tenth of the speed.
                    slot = find_entry(work.keys, key)
                    if slot >= 0:
                        entry, stored = work.entries[slot], work.values[slot]
                        hint, bound = (entry >> 32) - 1, (entry >> 8) & 255
                        reach = (entry >> 16) & 0xFFFF
                        deep_enough = reach >= counts[ply, DEPTH]
                        if switches[EQUAL_DEPTH] != 0:
                            deep_enough = reach == counts[ply, DEPTH]
                        decides = bound == EXACT or (
                            prune
                            and (
                                (bound == LOWER and stored >= hi)
                                or (bound == UPPER and stored <= lo)
                            )
                        )
                        # The root needs a line and not only a value.
                        if deep_enough and decides and ply > 0:
                            statistics[HITS] += 1
                            value, ply, entering = sign * stored, ply - 1, False
                            continue
                n = actions(options, tables, state, past, lists[ply])
                if ply == 0 and switches[EXCLUDED] != 0:
                    n = _remove_excluded(work, n)
                if prune and n > 1:
                    # The list is written to the child's row, which the child overwrites.
                    statistics[STAMP] += 1
                    noisy_count = noisy(options, tables, state, past, lists[ply + 1])
                    for i in range(noisy_count):
                        work.noisy_stamps[lists[ply + 1, i]] = statistics[STAMP]
                    _rate(work, ply, side, n, hint, statistics[STAMP])
            bounds[ply, LO], bounds[ply, FLOOR] = lo, lo
            counts[ply, COUNT] = n
            # These are the same for all children of this node.
            counts[ply + 1, DEPTH] = counts[ply, DEPTH] - 1
            counts[ply + 1, PAST] = counts[ply, PAST]
            if switches[PATH] != 0:
                work.hashes[counts[ply, PAST]] = here
                counts[ply + 1, PAST] += 1
            work.path_hashes[ply + 1] = work.path_hashes[ply] ^ mix(here)
        else:
            # Returned from a child, whose value is ``value``.
            side, index = counts[ply, SIDE], counts[ply, INDEX]
            sign = -1.0 if side == 1 else 1.0
            if stop[0] != 0:
                return bounds[0, BEST] * (1.0 if counts[0, SIDE] == 0 else -1.0)
            if side == CHANCE:
                bounds[ply, SUM] += work.odds[ply, index] * value
            else:
                mover_value = sign * value
                lo, hi = bounds[ply, LO], bounds[ply, HI]
                if counts[ply, SCOUTING] != 0 and lo < mover_value < hi:
                    # The scout search failed high: search again with the full window.
                    counts[ply, SCOUTING] = 0
                    alpha, beta = (-hi, -lo) if side == 1 else (lo, hi)
                    ply, entering = ply + 1, True
                    work.states[ply, :] = state
                    apply(options, tables, work.states[ply], past, int64(lists[ply - 1, index]))
                    continue
                action = int64(lists[ply, index])
                if mover_value > bounds[ply, BEST]:
                    bounds[ply, BEST], counts[ply, ACTION] = mover_value, action
                    _update_line(work, ply, action)
                bounds[ply, LO] = lo = max(lo, mover_value)
                if prune and lo >= hi:
                    if counts[ply, DEPTH] > 0:
                        _record_cutoff(work, ply, side, action, counts[ply, DEPTH], index)
                    counts[ply, INDEX] = counts[ply, COUNT]  # no further move matters

        # The next child, or the end of this node.
        index = counts[ply, INDEX] + 1
        n = counts[ply, COUNT]
        if index < n:
            counts[ply, INDEX] = index
            if side == CHANCE or not prune:
                alpha, beta = -INFINITY, INFINITY  # an average needs exact values
            else:
                if n - index > 1:
                    _move_best_first(work, ply, index, n)
                lo, hi = bounds[ply, LO], bounds[ply, HI]
                # Most later moves are worse, so they are tried with a null window first.
                scouting = switches[SCOUT] != 0 and index > 0 and counts[ply, DEPTH] > 1
                counts[ply, SCOUTING] = scouting
                if scouting:
                    hi = min(hi, np.nextafter(lo, INFINITY))
                alpha, beta = (-hi, -lo) if side == 1 else (lo, hi)
            ply, entering = ply + 1, True
            work.states[ply, :] = state
            apply(options, tables, work.states[ply], past, int64(lists[ply - 1, index]))
            continue
        if side == CHANCE:
            value = bounds[ply, SUM]
        else:
            best = bounds[ply, BEST]
            value = sign * best
            partial = ply == 0 and switches[EXCLUDED] != 0
            if switches[TABLE_ON] != 0 and counts[ply, DEPTH] > 0 and not partial:
                _store_node(work, ply, best, base)
        ply, entering = ply - 1, False
        if ply < 0:
            return value
