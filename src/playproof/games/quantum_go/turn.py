"""One turn of Quantum Go as a state machine of single decisions, compiled.

``move`` makes one decision.  It follows the rules of placing, collapse and capture,
but does not know whether the turn can still end legally; ``can_finish`` finds that
out by trying.  A decision is a point, or the number after the last point: a pass,
or, where a W-group is measured, the result that the stone is present.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import boolean, int64, uint64
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.kernels import LIST, WORDS
from playproof.games.go import rows
from playproof.games.go.rows import NARROW, WIDE, inlined, load
from playproof.games.quantum_go import rows as q
from playproof.games.quantum_go.turn_end import (
    CONTINUES,
    ENDED,
    ILLEGAL,
    add_to,
    all_stones,
    finish,
    keep_several,
    keep_single,
    take_from,
    update_atari,
)
from playproof.rules import quantum_go as law
from playproof.rules.go_board import both, either, has, put, some, without

PLACING, STAYS, COLLAPSES = 0, 1, 2  # what happens to the new group after a stone is added


# In this module a parameter ``like`` is an empty board of the right size, ``state`` a row.


@register_jitable
def group_size(options, ledger):
    return int64(options[q.MEMBERS_BLACK + q.side_of(ledger)])


# Collapse


@register_jitable
def _next_touched_group(options, state, near, slot, entangled):
    """The lane of the first group, from ``slot`` on, that belongs to ``entangled`` and has a stone
    in ``near``; -1 if there is none."""
    slots = int64(options[q.SLOTS])
    while slot < slots:
        group = q.group_at(options, state, slot)
        if group == uint64(0):
            return -1
        if has(entangled, law.member(group, 0)):
            for i in range(law.size(group)):
                if has(near, law.member(group, i)):
                    return slot
        slot += 1
    return -1


@inlined
def _advance(like, options, state):
    """Move the cursor to the next group that must collapse; False if there is none."""
    n, at = len(like), q.ledger_at(options)
    weak = options[q.WEAK] != uint64(0)
    new = state[at + q.NEW]
    near = law.contact(law.points_of(like, new), rows.ground_of(like, options), weak)
    born = options[q.BORN] != uint64(0)
    while q.step_of(state[at]) < law.NEW_GROUP:
        ledger = state[at]
        step, side = q.step_of(ledger), q.side_of(ledger)
        colour = side if step == law.OWN_OLDER else 1 - side
        entangled = load(like, state, (q.BLACK_ENTANGLED + colour) * n)
        if born:  # groups are measured in the order of age, whoever owns them
            other = load(like, state, (q.BLACK_ENTANGLED + 1 - colour) * n)
            entangled = either(entangled, other)
        slot = -1
        if some(both(entangled, near)):
            slot = _next_touched_group(options, state, near, q.cursor_of(ledger), entangled)
        if slot >= 0:
            ledger = q.with_field(ledger, q.CURSOR, 8, slot)
            if born:
                first = law.member(q.group_at(options, state, slot), 0)
                own = has(load(like, state, (q.BLACK_ENTANGLED + side) * n), first)
                ledger = q.with_field(ledger, q.STEP, 3, law.OWN_OLDER if own else law.OPPONENTS)
            state[at] = ledger
            return True
        ledger = q.with_field(ledger, q.CURSOR, 8, 0)
        state[at] = q.with_field(ledger, q.STEP, 3, law.NEW_GROUP if born else step + 1)
    return law.size(new) > 1


@inlined
def _advance_left_over(like, options, state):
    """After two passes, move the cursor to the next group that is left over; after the last one
    the game ends."""
    n, at = len(like), q.ledger_at(options)
    while q.step_of(state[at]) < law.OVER:
        ledger = state[at]
        step, side = q.step_of(ledger), q.side_of(ledger)
        colour = side if step == law.LEFT_OVER else 1 - side
        entangled = load(like, state, (q.BLACK_ENTANGLED + colour) * n)
        slot = _next_touched_group(options, state, entangled, 0, entangled)
        if slot >= 0:
            state[at] = q.with_field(ledger, q.CURSOR, 8, slot)
            return
        ledger = q.with_field(ledger, q.CURSOR, 8, 0)
        state[at] = q.with_field(ledger, q.STEP, 3, step + 1)


@register_jitable
def next_measured(like, options, state, group):
    """The stone of a W-group that is measured next; -1 if there is none.

    It is the lowest touched stone that has not been measured in this step.  Of a group left
    over after two passes it is the lowest stone."""
    at = q.ledger_at(options)
    ledger, new = state[at], state[at + q.NEW]
    if q.step_of(ledger) > law.NEW_GROUP:
        return law.member(group, 0)
    g, weak = rows.ground_of(like, options), options[q.WEAK] != uint64(0)
    touched = law.contact(law.points_of(like, new), g, weak)
    for i in range(law.size(group)):
        point = law.member(group, i)
        if q.step_of(ledger) == law.NEW_GROUP:
            hit = q.field(ledger, q.TOUCHED, 7) >> i & 1 != 0
        else:
            hit = has(touched, point)
        if hit and point > q.measured_of(ledger):
            return point
    return -1


@register_jitable
def _renumber_marks(ledger, before, left):
    """The ledger with the marks of the new group updated after it has lost a member.

    ``before`` and ``left`` are the group before and after."""
    bound, touched = q.bound_of(ledger), q.field(ledger, q.TOUCHED, 7)
    for i in range(law.size(before)):
        if law.member(before, i) != law.member(left, i):
            low = (1 << i) - 1
            bound = bound & low | bound >> 1 & ~low
            touched = touched & low | touched >> 1 & ~low
            break
    return q.with_field(q.with_field(ledger, q.BOUND, 7, bound), q.TOUCHED, 7, touched)


@register_jitable
def _shrink_group(like, options, state, group, action):
    """What a decision leaves of a W-group, and whether the group is measured again."""
    at = q.ledger_at(options)
    points = int64(options[rows.WIDTH] * options[rows.HEIGHT])
    if action == points:  # the measured stone is present: the others vanish
        stays = next_measured(like, options, state, group)
        return law.with_member(uint64(0), stays), False
    left = law.without_member(group, action)
    if options[q.BORN] != uint64(0) and law.size(left) > 1:
        if q.step_of(state[at]) == law.NEW_GROUP:
            state[at] = _renumber_marks(state[at], group, left)
        state[at] = q.with_field(state[at], q.MEASURED, 9, action + 1)
        return left, next_measured(like, options, state, left) >= 0
    return left, False


@inlined
def _collapse_older(like, options, state, action):
    """Make one decision about the older group at the cursor.

    New stones that touch what is left of the group become bound."""
    n, at = len(like), q.ledger_at(options)
    ledger = state[at]
    slot, step = q.cursor_of(ledger), q.step_of(ledger)
    theirs = step in (law.OPPONENTS, law.OTHERS_LEFT_OVER)
    owner = 1 - q.side_of(ledger) if theirs else q.side_of(ledger)
    group = q.group_at(options, state, slot)
    again = False
    if options[q.W_TYPE] != uint64(0):
        left, again = _shrink_group(like, options, state, group, action)
    else:
        left = law.with_member(uint64(0), action)
    entangled = (q.BLACK_ENTANGLED + owner) * n
    stones = law.points_of(like, left)
    take_from(state, entangled, law.points_of(like, group))
    if law.size(left) > 1:
        add_to(state, entangled, stones)
        q.replace_group(options, state, slot, left)
        slot += 1
    else:
        add_to(state, owner * n, stones)
        q.remove_group(options, state, slot)
    if options[q.W_TYPE] != uint64(0):  # here entangled stones belong to chains
        update_atari(like, options, state)
    if step > law.NEW_GROUP:
        state[at] = q.with_field(state[at], q.MEASURED, 9, 0)
        return
    if again:
        return
    weak = options[q.WEAK] != uint64(0)
    bound = law.bound_by(state[at + q.NEW], stones, rows.ground_of(like, options), weak)
    ledger = q.with_field(state[at], q.BOUND, 7, q.bound_of(ledger) | bound)
    ledger = q.with_field(ledger, q.MEASURED, 9, 0)
    ledger = q.with_field(ledger, q.CURSOR, 8, slot)
    state[at] = q.with_field(ledger, q.OLDER_COLLAPSED, 1, 1)


# Placing


@inlined
def _place(like, options, state, point):
    """Add a stone to the new group; return PLACING, STAYS or COLLAPSES."""
    at = q.ledger_at(options)
    ledger = state[at]
    stones = all_stones(like, state)
    new = law.with_member(state[at + q.NEW], point)
    size = group_size(options, ledger)
    if options[q.SYMMETRIC] != uint64(0):
        other = law.mirror(int64(options[rows.WIDTH] * options[rows.HEIGHT]), point)
        size = 1
        if other != point and not has(stones, other):
            new, size = law.with_member(new, other), 2
    state[at + q.NEW] = new
    if law.size(new) < size:
        return PLACING
    g, weak = rows.ground_of(like, options), options[q.WEAK] != uint64(0)
    board = law.points_of(like, new)
    if not law.collapses(board, stones, g, weak):
        return STAYS
    ledger = q.with_field(ledger, q.STEP, 3, law.OWN_OLDER)
    if options[q.W_TYPE] != uint64(0) and options[q.BORN] != uint64(0):
        touched = law.bound_by(new, either(stones, board), g, weak)
        ledger = q.with_field(ledger, q.TOUCHED, 7, touched)
    state[at] = ledger
    return COLLAPSES


@inlined
def _pass(like, options, state):
    at = q.ledger_at(options)
    side = q.side_of(state[at])
    if q.passes_of(state[at]) == 0:
        state[at] = uint64(1 - side) | uint64(1 << q.PASSES)
        return False
    over = uint64(side) | uint64(2 << q.PASSES)
    state[at] = q.with_field(over, q.STEP, 3, law.LEFT_OVER)
    return True


@inlined
def _move(like, options, state, history, now, action, check):
    at = q.ledger_at(options)
    step = q.step_of(state[at])
    left = uint64(0)  # what is left of the new group
    collapsing = over = False
    if step == law.PLACE and action == int64(options[rows.WIDTH] * options[rows.HEIGHT]):
        over = _pass(like, options, state)
        if not over:
            return ENDED
    elif step == law.PLACE:
        placed = _place(like, options, state, action)
        if placed == PLACING:
            return CONTINUES
        left = state[at + q.NEW]
        collapsing = placed == COLLAPSES
    elif step == law.NEW_GROUP:
        left = law.with_member(uint64(0), action)
        if options[q.W_TYPE] != uint64(0):
            left, again = _shrink_group(like, options, state, state[at + q.NEW], action)
            if again:
                state[at + q.NEW] = left
                return CONTINUES
    else:
        _collapse_older(like, options, state, action)
        over = step > law.NEW_GROUP
        if not over and q.measured_of(state[at]) >= 0:
            return CONTINUES
        collapsing, left = not over, state[at + q.NEW]
    if over:
        _advance_left_over(like, options, state)
        return ENDED
    if collapsing and _advance(like, options, state):
        return CONTINUES
    taken, lost, ko, barred = 0, 0, -1, False
    if options[q.W_TYPE] != uint64(0):
        taken, lost, ko, barred = keep_several(like, options, state, left)
    elif law.size(left) == 1:
        taken, lost, ko, barred = keep_single(like, options, state, law.member(left, 0))
    else:  # nothing was touched: the group stays entangled
        side = q.side_of(state[at])
        add_to(state, (q.BLACK_ENTANGLED + side) * len(like), law.points_of(like, left))
        q.append_group(options, state, left)
    ended = finish(options, state, history, now, taken, lost, ko, check)
    return ILLEGAL if barred else ended


@kernel(int64(WORDS, WORDS, WORDS, uint64, int64, boolean))
def move(options, state, history, now, action, check):
    """Make one decision in place; return CONTINUES, ENDED or ILLEGAL.

    ``check`` applies superko when the turn ends.  ``now`` is the hash of the board before
    the turn if the history does not have it yet, else 0.
    """
    if options[rows.BOARD_WORDS] == uint64(2):
        return _move(NARROW, options, state, history, now, action, check)
    return _move(WIDE, options, state, history, now, action, check)


# Possible decisions


@register_jitable
def free_points(like, options, state):
    """The empty points for the next stone of the group."""
    at = q.ledger_at(options)
    new = state[at + q.NEW]
    g = rows.ground_of(like, options)
    taken = either(all_stones(like, state), law.points_of(like, new))
    free = without(g.whole, taken)
    if options[q.RISING] != uint64(0) and new != uint64(0):
        free = without(free, below(like, law.member(new, law.size(new) - 1)))
    return free


@register_jitable
def below(like, point):
    """The board of all points with a lower number."""
    for i in range(len(like)):
        bits = min(max(point - 64 * i, 0), 64)
        word = uint64(0)
        if bits > 0:
            word = uint64(0xFFFFFFFFFFFFFFFF) >> uint64(64 - bits)
        like = put(like, i, word)
    return like


@inlined
def _list_decisions(like, options, state, out):
    at = q.ledger_at(options)
    ledger, new = state[at], state[at + q.NEW]
    step = q.step_of(ledger)
    if step == law.PLACE:
        return rows.list_points(free_points(like, options, state), out, 0)
    group = new if step == law.NEW_GROUP else q.group_at(options, state, q.cursor_of(ledger))
    bound = q.bound_of(ledger) if step == law.NEW_GROUP else 0
    w_type = options[q.W_TYPE] != uint64(0)
    n = 0
    if w_type and options[q.BORN] != uint64(0):
        points = int64(options[rows.WIDTH] * options[rows.HEIGHT])
        measured = next_measured(like, options, state, group)
        place = 0
        while law.member(group, place) != measured:
            place += 1
        if bound & ~(1 << place) or bound == 0:
            out[n] = measured
            n += 1
        if bound >> place & 1 or bound == 0:
            out[n] = points
            n += 1
        return n
    for i in range(law.size(group)):
        # One of the bound stones must stay.
        stays = bound & ~(1 << i) if w_type else bound >> i & 1
        if bound == 0 or stays:
            out[n] = law.member(group, i)
            n += 1
    return n


@kernel(int64(WORDS, WORDS, LIST))
def decisions(options, state, out):
    """List the decisions that the rules of placing and collapse allow, whether or not a legal
    turn follows; passes are left out.  Returns their number."""
    if options[rows.BOARD_WORDS] == uint64(2):
        return _list_decisions(NARROW, options, state, out)
    return _list_decisions(WIDE, options, state, out)


@kernel(int64(WORDS, WORDS, WORDS, uint64))
def can_finish(options, state, history, now):
    """1 if some sequence of decisions ends this turn legally, else 0."""
    points = int64(options[rows.WIDTH] * options[rows.HEIGHT])
    out = np.empty(points + 1, np.int32)
    child = np.empty_like(state)
    n = decisions(options, state, out)
    for i in range(n):
        child[:] = state
        result = move(options, child, history, now, int64(out[i]), True)
        if result == ENDED:
            return 1
        if result == CONTINUES and can_finish(options, child, history, now) == 1:
            return 1
    return 0
