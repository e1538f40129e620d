"""Alpha-beta, compiled once for all games.

Values are from the first player's side: the first player maximises, the second
minimises, chance averages.  Whose turn it is, is asked at every node.

The search is a loop over a stack of plies rather than a recursive function:
everything it works on stays in reach, and a node costs no passing of arguments.
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

WIN = 10_000.0  # a won game, before its score: more than any evaluation
INFINITY = 1e18

# Switches: the parts of the search, each 1 (on) or 0 (off).
(
    PRUNE, SCOUT, KILLERS, HISTORY, TABLE_ON, EQUAL_DEPTH, QUIET, PATH, PROBE, BY_PLY, BY_PATH,
    BARRED,
) = range(12)  # fmt: skip

# Statistics.
NODES, EVALUATED, HITS, CUTS, FIRST_CUTS, NODE_LIMIT, STAMP, PROBED = range(8)
STATISTICS = 8

# What a stored value is.
EXACT, LOWER, UPPER = 1, 2, 3

# Move ordering: the table's move, then killers, then noisy moves, then history.
_FROM_TABLE, _KILLER, _SECOND_KILLER, _NOISY = 1 << 50, 1 << 42, 1 << 41, 1 << 40


class Space(NamedTuple):
    """The memory of a search: a row a ply, the transposition table, the rest."""

    states: Words  # (plies, words)
    lists: npt.NDArray[np.int32]  # (plies, max_actions)
    worths: npt.NDArray[np.int64]  # (plies, max_actions) how promising
    odds: npt.NDArray[np.float64]  # (plies, max_actions) of chance outcomes
    lines: npt.NDArray[np.int64]  # (plies + 1, plies + 1) length, then actions
    killers: npt.NDArray[np.int64]  # (plies, 2)
    bounds: npt.NDArray[np.float64]  # (plies, 5) see LO ... SUM
    counts: npt.NDArray[np.int64]  # (plies, 7) see SIDE ... KNOWN
    trails: Words  # (plies,) the positions on the way here, mixed
    keys_here: Words  # (plies,) this ply's key in the transposition table
    hashes: Words  # (past + plies,) history of the game, then of the path
    history: npt.NDArray[np.int64]  # (2, num_actions) cut-offs, weighted by depth
    marks: npt.NDArray[np.int64]  # (num_actions,) the last node where it was noisy
    barred: npt.NDArray[np.uint8]  # (num_actions,) 1 for moves that the root leaves out
    keys: Words  # (entries,) transposition table
    values: npt.NDArray[np.float64]  # (entries,) from the mover's side
    facts: npt.NDArray[np.int64]  # (entries,) action, depth, bound and age
    switches: npt.NDArray[np.int64]
    statistics: npt.NDArray[np.int64]
    stop: npt.NDArray[np.uint8]


# Columns of ``bounds``: the mover's window, where it began, the best value
# found, and the running average of a chance node.
LO, HI, FLOOR, BEST, SUM = range(5)
# Columns of ``counts``.
SIDE, DEPTH, COUNT, INDEX, ACTION, SCOUTING, KNOWN = range(7)

_GRID = types.Array(int64, 2, "C")
_REALS = types.Array(float64, 2, "C")
SPACE = types.NamedTuple(
    (
        ROWS, LISTS, _GRID, _REALS, _GRID, _GRID, _REALS, _GRID, WORDS, WORDS, WORDS, _GRID,
        COUNTS, STOP, WORDS, PROBABILITIES, COUNTS, COUNTS, COUNTS, STOP,
    ),
    Space,
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
def _store(space, key, value, action, depth, bound, age):
    """Keep an entry: the first slot of a bucket for the deepest of this search,
    the second for whatever came last."""
    keys, values, facts = space.keys, space.values, space.facts
    slot = int64(key & uint64(keys.shape[0] - 1)) & ~1
    if keys[slot] != key:
        old = facts[slot]
        deeper = (old >> 16) & 0xFFFF > depth and old & 255 == age & 255
        if keys[slot + 1] == key or deeper:
            slot += 1
        else:  # what it replaces is kept as the latest
            keys[slot + 1], values[slot + 1], facts[slot + 1] = keys[slot], values[slot], old
    keys[slot] = key
    values[slot] = value
    facts[slot] = (action + 1) << 32 | depth << 16 | bound << 8 | age & 255


@register_jitable
def _rate(space, ply, side, n, hint, stamp):
    """How promising each of the ``n`` moves at ``ply`` is."""
    legal, worth, switches = space.lists, space.worths, space.switches
    for i in range(n):
        action = int64(legal[ply, i])
        value = space.history[side, action] if switches[HISTORY] != 0 else 0
        if space.marks[action] == stamp:
            value += _NOISY
        if switches[KILLERS] != 0:
            if space.killers[ply, 0] == action:
                value += _KILLER
            elif space.killers[ply, 1] == action:
                value += _SECOND_KILLER
        if action == hint:
            value += _FROM_TABLE
        worth[ply, i] = value


@register_jitable
def _bring_best(space, ply, first, n):
    """Bring the most promising of the moves from ``first`` on to that place."""
    legal, worth = space.lists, space.worths
    best = first
    for i in range(first + 1, n):
        if worth[ply, i] > worth[ply, best]:
            best = i
    # Moved down rather than swapped, so that equals keep the game's order.
    action, value = legal[ply, best], worth[ply, best]
    for i in range(best, first, -1):
        legal[ply, i], worth[ply, i] = legal[ply, i - 1], worth[ply, i - 1]
    legal[ply, first], worth[ply, first] = action, value


@register_jitable
def _note_line(space, ply, action):
    """The best line at ``ply`` is ``action`` and the line below it."""
    lines = space.lines
    length = lines[ply + 1, 0]
    lines[ply, 0] = length + 1
    lines[ply, 1] = action
    for j in range(1, length + 1):
        lines[ply, 1 + j] = lines[ply + 1, j]


@register_jitable
def _note_cut(space, ply, side, action, depth, index):
    """Remember a move that refuted: it may refute the neighbours too."""
    space.statistics[CUTS] += 1
    space.statistics[FIRST_CUTS] += index == 0
    if space.switches[KILLERS] != 0 and space.killers[ply, 0] != action:
        space.killers[ply, 1] = space.killers[ply, 0]
        space.killers[ply, 0] = action
    if space.switches[HISTORY] != 0:
        space.history[side, action] += depth * depth


@register_jitable
def _leave_out(space, n):
    """The root's ``n`` moves without those that are barred; how many there are."""
    kept = 0
    for i in range(n):
        if space.barred[space.lists[0, i]] == 0:
            space.lists[0, kept] = space.lists[0, i]
            kept += 1
    return kept


@kernel(float64(TABLE, WORDS, WORDS, SPACE, int64, int64, uint64, int64))
def search(kernels, options, tables, space, depth, known, trail, base):
    """The value of ``space.states[0]`` to ``depth`` plies; its line in ``lines[0]``.

    ``known`` hashes of ``space.hashes`` are the game's past, ``trail`` is their
    mixture, ``base`` the ply of the root.  Below depth 0, if the switch QUIET
    is on, only noisy moves are looked at, and the mover may stand as it is.
    With PROBE on, a position whose result the game's probe knows is a leaf,
    but not the root: there the move is wanted.  With BARRED on, the root has the
    moves that are not barred; its value is then not that of the position, and is
    not stored.
    If it is stopped the value is that of the moves the root has finished.
    """
    actions, apply, player = actions_of(kernels), apply_of(kernels), player_of(kernels)
    outcome, score, hash_ = outcome_of(kernels), score_of(kernels), hash_of(kernels)
    chance, evaluate, noisy = chance_of(kernels), evaluate_of(kernels), noisy_of(kernels)
    probe, probing = probe_of(kernels), space.switches[PROBE] != 0
    bounds, counts, switches = space.bounds, space.counts, space.switches
    statistics, stop, lines, lists = space.statistics, space.stop, space.lines, space.lists
    prune, plies = switches[PRUNE] != 0, space.states.shape[0]
    limit = statistics[NODE_LIMIT]

    ply, entering = 0, True
    alpha, beta = -INFINITY, INFINITY  # the window of the node that is entered
    counts[0, DEPTH], counts[0, KNOWN], space.trails[0] = depth, known, trail
    counts[0, ACTION] = -1  # it may be stopped before it has begun
    value = 0.0  # of the node just left, from the first player's side
    while True:
        state = space.states[ply]
        past = space.hashes[: counts[ply, KNOWN]]
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
                    # The evaluation may tell near wins from far ones.
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
            # An inner node: its window from the mover's side, its moves in order.
            counts[ply, SIDE], counts[ply, INDEX], counts[ply, SCOUTING] = side, -1, 0
            counts[ply, ACTION] = -1
            sign = -1.0 if side == 1 else 1.0
            lo, hi = (-beta, -alpha) if side == 1 else (alpha, beta)
            bounds[ply, HI], bounds[ply, BEST], bounds[ply, SUM] = hi, -INFINITY, 0.0
            here = hash_(options, state)
            key = here
            if switches[BY_PATH] != 0:
                key ^= mix(space.trails[ply])
            if switches[BY_PLY] != 0:
                key ^= mix(uint64(base + ply) + uint64(0x51ED))
            space.keys_here[ply] = key
            if side == CHANCE:
                n = chance(options, tables, state, past, lists[ply], space.odds[ply])
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
                    _rate(space, ply, side, n, -1, -1)
            else:
                hint = int64(-1)
                if switches[TABLE_ON] != 0:
                    slot = find_entry(space.keys, key)
                    if slot >= 0:
                        fact, stored = space.facts[slot], space.values[slot]
                        hint, bound = (fact >> 32) - 1, (fact >> 8) & 255
                        reach = (fact >> 16) & 0xFFFF
                        enough = reach >= counts[ply, DEPTH]
                        if switches[EQUAL_DEPTH] != 0:
                            enough = reach == counts[ply, DEPTH]
                        decided = bound == EXACT or (
                            prune
                            and (
                                (bound == LOWER and stored >= hi)
                                or (bound == UPPER and stored <= lo)
                            )
                        )
                        # At the root the line is wanted, not the value alone.
                        if enough and decided and ply > 0:
                            statistics[HITS] += 1
                            value, ply, entering = sign * stored, ply - 1, False
                            continue
                n = actions(options, tables, state, past, lists[ply])
                if ply == 0 and switches[BARRED] != 0:
                    n = _leave_out(space, n)
                if prune and n > 1:
                    # Noisy moves are listed where the child will list its own.
                    statistics[STAMP] += 1
                    loud = noisy(options, tables, state, past, lists[ply + 1])
                    for i in range(loud):
                        space.marks[lists[ply + 1, i]] = statistics[STAMP]
                    _rate(space, ply, side, n, hint, statistics[STAMP])
            bounds[ply, LO], bounds[ply, FLOOR] = lo, lo
            counts[ply, COUNT] = n
            # What every child of this node shares.
            counts[ply + 1, DEPTH] = counts[ply, DEPTH] - 1
            counts[ply + 1, KNOWN] = counts[ply, KNOWN]
            if switches[PATH] != 0:
                space.hashes[counts[ply, KNOWN]] = here
                counts[ply + 1, KNOWN] += 1
            space.trails[ply + 1] = space.trails[ply] ^ mix(here)
        else:
            # Back from a child, whose value is ``value``.
            side, index = counts[ply, SIDE], counts[ply, INDEX]
            sign = -1.0 if side == 1 else 1.0
            if stop[0] != 0:
                return bounds[0, BEST] * (1.0 if counts[0, SIDE] == 0 else -1.0)
            if side == CHANCE:
                bounds[ply, SUM] += space.odds[ply, index] * value
            else:
                worth = sign * value
                lo, hi = bounds[ply, LO], bounds[ply, HI]
                if counts[ply, SCOUTING] != 0 and lo < worth < hi:
                    # Better than the scout was told to expect: look again, properly.
                    counts[ply, SCOUTING] = 0
                    alpha, beta = (-hi, -lo) if side == 1 else (lo, hi)
                    ply, entering = ply + 1, True
                    space.states[ply, :] = state
                    apply(options, tables, space.states[ply], past, int64(lists[ply - 1, index]))
                    continue
                action = int64(lists[ply, index])
                if worth > bounds[ply, BEST]:
                    bounds[ply, BEST], counts[ply, ACTION] = worth, action
                    _note_line(space, ply, action)
                bounds[ply, LO] = lo = max(lo, worth)
                if prune and lo >= hi:
                    if counts[ply, DEPTH] > 0:
                        _note_cut(space, ply, side, action, counts[ply, DEPTH], index)
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
                    _bring_best(space, ply, index, n)
                lo, hi = bounds[ply, LO], bounds[ply, HI]
                # Most later moves are worse: ask with an empty window first.
                scouting = switches[SCOUT] != 0 and index > 0 and counts[ply, DEPTH] > 1
                counts[ply, SCOUTING] = scouting
                if scouting:
                    hi = min(hi, np.nextafter(lo, INFINITY))
                alpha, beta = (-hi, -lo) if side == 1 else (lo, hi)
            ply, entering = ply + 1, True
            space.states[ply, :] = state
            apply(options, tables, space.states[ply], past, int64(lists[ply - 1, index]))
            continue
        if side == CHANCE:
            value = bounds[ply, SUM]
        else:
            best = bounds[ply, BEST]
            value = sign * best
            partly = ply == 0 and switches[BARRED] != 0
            if switches[TABLE_ON] != 0 and counts[ply, DEPTH] > 0 and not partly:
                bound = EXACT
                if prune and best >= bounds[ply, HI]:
                    bound = LOWER
                elif prune and best <= bounds[ply, FLOOR]:
                    bound = UPPER
                key, reach = space.keys_here[ply], counts[ply, DEPTH]
                _store(space, key, best, counts[ply, ACTION], reach, bound, base)
        ply, entering = ply - 1, False
        if ply < 0:
            return value
