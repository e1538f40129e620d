"""Which decisions of Quantum Go leave a legal turn, compiled.

A set of points may be played if the remaining choices of the turn can be made so that
it ends legally, and each choice is offered only if such an end remains.  Trying all of
them is slow and seldom necessary.  Call a point *breathing* if a stone that stays there
has a liberty after captures.  Then three rules decide most cases:

1. Before the first prisoner no board can return (each turn adds a unit, and only
   captures remove one), so only suicide is barred, and one breathing point is enough.
   If the choices of the turn allow the stone on it to be kept, it is kept.  They do not
   only if all stones of some touched group are next to the other new stones.  Then two
   of these are next to the same new stone; removing one of the two gives that new stone
   a liberty, and it may be kept.  (In the weak game, stones may be in contact diagonally,
   which gives no liberty; there rule 2 is used.)
2. With prisoners, an *anchor* is a breathing point that captures nothing, touches a
   single stone, and recreates no earlier board.  In a set that touches no entangled
   stone, the stone on an anchor may be kept.
3. If no earlier board has one unit more than the present one, a set of breathing points
   that capture nothing is legal whatever is kept.

All other decisions are tried.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

from playproof.games.go import rows
from playproof.games.go.rows import count, inlined, load
from playproof.games.quantum_go import rows as q
from playproof.games.quantum_go.turn import (
    below,
    can_finish,
    decisions,
    free_points,
    group_size,
    move,
)
from playproof.games.quantum_go.turn_end import CONTINUES, ENDED, all_stones
from playproof.rules import go as go_rules
from playproof.rules import quantum_go as law
from playproof.rules.go_board import both, either, has, nothing, one, same, some, without


@register_jitable
def _highest(x, nth):
    """The ``nth`` highest point (from 1) of a board; -1 if there are fewer."""
    point = -1
    left = count(x) - nth
    if left < 0:
        return point
    while left >= 0:
        point = rows.lowest_point(x)
        x = without(x, one(x, point))
        left -= 1
    return point


@register_jitable
def certain_points(like, options, state, history):
    """(anchors, quiet points, touching points, whether rule 3 adds anything to 1 and 2)

    Anchors are the points of rule 1 or 2; quiet points are those of rule 3, none if its
    condition is not met; touching points are in contact with entangled stones."""
    n, at = len(like), q.ledger_at(options)
    side = q.side_of(state[at])
    g, weak = rows.ground_of(like, options), options[q.WEAK] != uint64(0)
    own, opponent = load(like, state, side * n), load(like, state, (1 - side) * n)
    atari = load(like, state, q.ATARI * n)
    stones = all_stones(like, state)
    empty = without(g.whole, stones)
    breathing = go_rules.breathing_points(own, opponent, atari, empty, g)
    ko = q.ko_of(state[at])
    if ko >= 0:
        breathing = without(breathing, one(like, ko))
    singles = either(own, opponent)
    touching = both(law.contact(without(stones, singles), g, weak), empty)
    if options[rows.SUPERKO] == uint64(0) or state[at + q.PRISONERS] == uint64(0):
        return breathing, breathing, touching if weak else nothing(like), weak
    quiet = without(breathing, go_rules.capturing_points(opponent, atari, empty, g))
    anchors = without(both(quiet, law.contact(singles, g, weak)), touching)
    hashed, units = q.board_hash(options, state)
    signs = rows.board_filter(options, history, units + 1)
    if signs[0] != uint64(0):
        quiet = nothing(like)
        anchors = without(anchors, rows.possible_repeats(signs, hashed, own, side * n, anchors))
    return anchors, quiet, touching, True


@inlined
def _certain_placements(like, options, state, history, free):
    """The points of ``free`` that are legal by rule 1, 2 or 3."""
    at = q.ledger_at(options)
    new = state[at + q.NEW]
    anchors, quiet, touching, use_quiet = certain_points(like, options, state, history)
    placed = law.points_of(like, new)
    left = group_size(options, state[at]) - law.size(new) - 1  # to be placed after this one
    anchored = some(both(placed, anchors))
    certain = nothing(like)
    if not some(both(placed, touching)):
        base = without(free, touching)
        certain = _completions(options, base, anchors, anchored, left)
    if use_quiet and some(quiet) and same(both(placed, quiet), placed):
        base = both(free, quiet)
        certain = either(certain, _completions(options, base, base, True, left))
    return certain


@register_jitable
def _completions(options, base, anchors, anchored, left):
    """The points of ``base`` that can be placed next if the whole set is to be from ``base`` and to
    have an anchor; ``left`` points follow."""
    if left == 0:
        return base if anchored else both(base, anchors)
    if options[q.RISING] != uint64(0):  # later points have higher numbers
        room = both(base, below(base, max(_highest(base, left), 0)))
        if anchored:
            return room
        top = _highest(both(base, anchors), 1)
        if top < 0:
            return nothing(base)
        return both(room, either(both(base, anchors), below(base, top)))
    if count(base) <= left or not (anchored or some(both(base, anchors))):
        return nothing(base)
    return base


@inlined
def _certain_mirrored(like, options, state, history, free):
    """The same for the symmetric game, in which one point decides the whole placement."""
    points = int64(options[rows.WIDTH] * options[rows.HEIGHT])
    anchors, quiet, touching, use_quiet = certain_points(like, options, state, history)
    certain, rest = nothing(like), free
    while some(rest):
        point = rows.lowest_point(rest)
        stone = one(like, point)
        rest = without(rest, stone)
        other = law.mirror(points, point)
        both_stones = stone
        if has(free, other):
            both_stones = either(stone, one(like, other))
        anchored = some(both(both_stones, anchors)) and not some(both(both_stones, touching))
        if anchored or (use_quiet and same(both(both_stones, quiet), both_stones)):
            certain = either(certain, stone)
    return certain


@inlined
def legal_placements(like, options, state, history, now, out):
    """List the legal points for the next new stone; return their number."""
    at = q.ledger_at(options)
    new = state[at + q.NEW]
    free = free_points(like, options, state)
    symmetric = options[q.SYMMETRIC] != uint64(0)
    if not symmetric and count(free) + law.size(new) < group_size(options, state[at]):
        return 0
    certain = nothing(like)
    if options[q.W_TYPE] == uint64(0):
        if symmetric:
            certain = _certain_mirrored(like, options, state, history, free)
        else:
            certain = _certain_placements(like, options, state, history, free)
    n = rows.list_points(certain, out, 0)
    rest = without(free, certain)
    if some(rest):
        child = np.empty_like(state)
        while some(rest):
            point = rows.lowest_point(rest)
            rest = without(rest, one(like, point))
            if _leaves_legal_turn(options, state, history, now, point, child):
                out[n] = point
                n += 1
    return n


@register_jitable
def _leaves_legal_turn(options, state, history, now, action, child):
    child[:] = state
    result = move(options, child, history, now, action, True)
    if result == CONTINUES:
        return can_finish(options, child, history, now) == 1
    return result == ENDED


@inlined
def _all_certain(like, options, state, history, step):
    """Whether every decision of a collapse is legal by rule 1 or 3."""
    if options[q.W_TYPE] != uint64(0):
        return False
    placed = law.points_of(like, state[q.ledger_at(options) + q.NEW])
    anchors, quiet, _, _ = certain_points(like, options, state, history)
    if step == law.NEW_GROUP and same(both(placed, anchors), placed):
        return True
    return same(both(placed, quiet), placed)


@inlined
def legal_collapses(like, options, state, history, step, out):
    """List the legal decisions of a collapse before two passes; return their number."""
    n = decisions(options, state, out)
    if n == 1 or _all_certain(like, options, state, history, step):
        return n
    child = np.empty_like(state)
    legal = 0
    for i in range(n):
        if _leaves_legal_turn(options, state, history, uint64(0), int64(out[i]), child):
            out[legal] = out[i]
            legal += 1
    return legal
