"""Compiled kernels that list the legal decisions of a Quantum Go turn.

A decision places a new stone, or chooses which stone of a collapsing group is kept.  It
is legal if the decisions after it can be made so that the turn ends legally.  Trying all
of them is slow and seldom necessary.  A *unit* is a single stone or an entangled group.
A point is *breathing* if a stone kept there has a liberty after captures.  Three rules
decide most cases:

1. Before the first prisoner is taken, no earlier board can return: each turn adds a
   unit, and only captures remove one.  So only suicide is illegal, and a set of points
   is legal if one of them is breathing.  The stone on that point can be kept, unless
   every stone of some touched group is next to one of the other new stones.  In that
   case two stones of the group are next to the same new stone.  Removing one of the two
   gives that new stone a liberty, and it can be kept.  In the weak game the removed
   stone may be a diagonal neighbour, which is no liberty.  There the set must also touch
   no entangled stone, as in rule 2.
2. After that, an *anchor* is a breathing point that captures nothing, touches a single
   stone, and recreates no earlier board.  A set that touches no entangled stone is legal
   if one of its points is an anchor, because the stone there can be kept.
3. If no earlier board has exactly one unit more than the present board, a set of
   breathing points that capture nothing is legal, whichever stone is kept.

Decisions that no rule covers are tried.
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

# Parameters of this module: ``like`` is an empty board of the right size, ``state`` a row, ``free``
# the points where the next new stone may stand, and ``now`` the hash that ``turn.move`` takes.


@register_jitable
def _highest_point(board, nth):
    """The ``nth`` highest point (from 1) of a board; -1 if there are fewer."""
    point = -1
    lower = count(board) - nth
    while lower >= 0:
        point = rows.lowest_point(board)
        board = without(board, one(board, point))
        lower -= 1
    return point


@register_jitable
def _classify_points(like, options, state, history):
    """Return (anchors, quiet points, touching points, whether rule 3 adds to rules 1 and 2).

    Anchors are the points that make a set legal by rule 1 or 2.  Quiet points are those of
    rule 3, or none if its condition is not met.  Touching points are the empty points that a
    set with an anchor must not contain, since they touch entangled stones."""
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
        if weak:
            return breathing, breathing, touching, True
        return breathing, breathing, nothing(like), False
    quiet = without(breathing, go_rules.capturing_points(opponent, atari, empty, g))
    anchors = without(both(quiet, law.contact(singles, g, weak)), touching)
    hashed, units = q.board_hash(options, state)
    bloom = rows.board_filter(options, history, units + 1)
    if bloom[0] != uint64(0):  # there are such earlier boards
        quiet = nothing(like)
        anchors = without(anchors, rows.possible_repeats(bloom, hashed, own, side * n, anchors))
    return anchors, quiet, touching, True


@inlined
def _certain_placements(like, options, state, history, free):
    """The points of ``free`` that are legal by rule 1, 2 or 3."""
    at = q.ledger_at(options)
    new = state[at + q.NEW]
    anchors, quiet, touching, use_quiet = _classify_points(like, options, state, history)
    placed = law.points_of(like, new)
    later = group_size(options, state[at]) - law.size(new) - 1  # stones placed after this one
    has_anchor = some(both(placed, anchors))
    certain = nothing(like)
    if not some(both(placed, touching)):
        allowed = without(free, touching)
        certain = _next_points(options, allowed, anchors, has_anchor, later)
    if use_quiet and some(quiet) and same(both(placed, quiet), placed):
        allowed = both(free, quiet)
        certain = either(certain, _next_points(options, allowed, allowed, True, later))
    return certain


@register_jitable
def _next_points(options, allowed, anchors, has_anchor, later):
    """The points for the next stone that leave a complete set possible.

    The next stone and the ``later`` stones after it must all be on ``allowed`` points, and
    the complete set must contain an anchor.  ``has_anchor``: the placed stones contain one."""
    if later == 0:
        return allowed if has_anchor else both(allowed, anchors)
    if options[q.RISING] != uint64(0):  # later stones are on points with higher numbers
        room = both(allowed, below(allowed, max(_highest_point(allowed, later), 0)))
        if has_anchor:
            return room
        last_anchor = _highest_point(both(allowed, anchors), 1)
        if last_anchor < 0:
            return nothing(allowed)
        return both(room, either(both(allowed, anchors), below(allowed, last_anchor)))
    if count(allowed) <= later or not (has_anchor or some(both(allowed, anchors))):
        return nothing(allowed)
    return allowed


@inlined
def _certain_mirrored_placements(like, options, state, history, free):
    """The points of ``free`` that are legal by rule 1, 2 or 3 in the symmetric game.

    There one point decides the whole set: the second stone is on its mirror point."""
    points = int64(options[rows.WIDTH] * options[rows.HEIGHT])
    anchors, quiet, touching, use_quiet = _classify_points(like, options, state, history)
    certain, rest = nothing(like), free
    while some(rest):
        point = rows.lowest_point(rest)
        stone = one(like, point)
        rest = without(rest, stone)
        mirrored = law.mirror(points, point)
        placed = stone
        if has(free, mirrored):
            placed = either(stone, one(like, mirrored))
        anchored = some(both(placed, anchors)) and not some(both(placed, touching))
        if anchored or (use_quiet and same(both(placed, quiet), placed)):
            certain = either(certain, stone)
    return certain


@inlined
def legal_placements(like, options, state, history, now, out):
    """Write the legal points for the next new stone to ``out``; return their number."""
    at = q.ledger_at(options)
    new = state[at + q.NEW]
    free = free_points(like, options, state)
    symmetric = options[q.SYMMETRIC] != uint64(0)
    if not symmetric and count(free) + law.size(new) < group_size(options, state[at]):
        return 0
    certain = nothing(like)
    if options[q.W_TYPE] == uint64(0):
        if symmetric:
            certain = _certain_mirrored_placements(like, options, state, history, free)
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
    """Whether the turn can end legally after a decision; overwrites the row ``child``."""
    child[:] = state
    result = move(options, child, history, now, action, True)
    if result == CONTINUES:
        return can_finish(options, child, history, now) == 1
    return result == ENDED


@inlined
def _all_certain(like, options, state, history, step):
    """Whether every decision of a collapse is legal by rule 1, 2 or 3."""
    if options[q.W_TYPE] != uint64(0):
        return False
    placed = law.points_of(like, state[q.ledger_at(options) + q.NEW])
    anchors, quiet, _, _ = _classify_points(like, options, state, history)
    if step == law.NEW_GROUP and same(both(placed, anchors), placed):
        return True
    return same(both(placed, quiet), placed)


@inlined
def legal_collapses(like, options, state, history, step, out):
    """Write the legal decisions of a collapse to ``out``; return their number.

    ``step`` is the step of the turn.  Collapses after two passes are not listed here: all of
    their decisions are legal."""
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
