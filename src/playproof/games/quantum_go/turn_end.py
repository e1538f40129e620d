"""How a turn of Quantum Go ends, compiled: the new stones stay, captures, superko.

``keep_single`` and ``keep_several`` return (taken, lost, ko, barred): the prisoners
that the mover takes and gives, the point that simple ko bars next, and whether ko or
suicide forbids the turn.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import uint64
from numba.extending import register_jitable

from playproof.games.go import rows
from playproof.games.go.rows import count, inlined, load, store
from playproof.games.quantum_go import rows as q
from playproof.rules import go as go_rules
from playproof.rules import quantum_go as law
from playproof.rules.go_board import around, both, either, has, one, some, without

CONTINUES, ENDED, ILLEGAL = 0, 1, 2  # the state of the turn after a decision


@register_jitable
def all_stones(like, state):
    n = len(like)
    out = either(load(like, state, q.BLACK * n), load(like, state, q.WHITE * n))
    out = either(out, load(like, state, q.BLACK_ENTANGLED * n))
    return either(out, load(like, state, q.WHITE_ENTANGLED * n))


@register_jitable
def add_to(state, at, x):
    for i in range(len(x)):
        state[at + i] |= x[i]


@register_jitable
def take_from(state, at, x):
    for i in range(len(x)):
        state[at + i] &= ~x[i]


@inlined
def finish(options, state, history, now, taken, lost, ko, check):
    """End the turn; return ENDED, or ILLEGAL if ``check`` is set and superko bars it."""
    at = q.ledger_at(options)
    side = q.side_of(state[at])
    prisoners = state[at + q.PRISONERS]
    can_repeat = prisoners != uint64(0) or lost > 0
    if taken + lost > 0:
        mine, theirs = q.taken_of(prisoners, side) + taken, q.taken_of(prisoners, 1 - side) + lost
        by_black, by_white = (mine, theirs) if side == 0 else (theirs, mine)
        state[at + q.PRISONERS] = q.write_prisoners(by_black, by_white)
    state[at] = q.with_field(uint64(1 - side), q.KO, 9, ko + 1)
    state[at + q.NEW] = uint64(0)
    # Every turn adds one unit and only captures remove units, so no board can return before
    # the first prisoner.
    if check and can_repeat and options[rows.SUPERKO] != uint64(0):
        h = q.row_hash(options, state)
        if rows.has_occurred(options, history, h):
            return ILLEGAL
        if (h ^ now) & rows.superko_bits(options) == uint64(0):
            return ILLEGAL
    return ENDED


@inlined
def keep_single(like, options, state, point):
    """Play a single new stone that stays, as in Go."""
    n, at = len(like), q.ledger_at(options)
    ledger = state[at]
    side = q.side_of(ledger)
    g = rows.ground_of(like, options)
    own, opponent = load(like, state, side * n), load(like, state, (1 - side) * n)
    own, opponent, atari, captured, lost = go_rules.play(
        own, opponent, load(like, state, q.ATARI * n), point, g
    )
    store(state, side * n, own)
    store(state, (1 - side) * n, opponent)
    store(state, q.ATARI * n, atari)
    taken, given, ko = count(captured), count(lost), -1
    barred = given > 0 and options[rows.SUICIDE] == uint64(0)
    if (
        options[rows.SUPERKO] == uint64(0)
        and taken == 1
        and q.field(ledger, q.OLDER_COLLAPSED, 1) == 0
    ):
        barred = barred or point == q.ko_of(ledger)
        # A lone stone in atari captured one stone: it must not be retaken at once.
        if has(atari, point) and not some(both(around(one(like, point), g), own)):
            ko = rows.lowest_point(captured)
    return taken, given, ko, barred


@inlined
def _capture(like, options, state, side, gone):
    """Remove a side's captured stones in W-type play; return the number of prisoners.

    A captured member of a group counts as absent, so the group shrinks.  Single stones are
    prisoners, and a group is one when its last stone is captured."""
    n = len(like)
    singles, entangled = side * n, (q.BLACK_ENTANGLED + side) * n
    taken = count(both(load(like, state, singles), gone))
    take_from(state, singles, gone)
    hit = both(load(like, state, entangled), gone)
    slot = 0
    while some(hit):
        group = q.group_at(options, state, slot)
        left = group
        for i in range(law.size(group)):
            if has(hit, law.member(group, i)):
                left = law.without_member(left, law.member(group, i))
        if left == group:
            slot += 1
            continue
        hit = without(hit, law.points_of(like, group))
        take_from(state, entangled, law.points_of(like, group))
        if law.size(left) > 1:
            add_to(state, entangled, law.points_of(like, left))
            q.replace_group(options, state, slot, left)
            slot += 1
        else:
            q.remove_group(options, state, slot)
            if left == uint64(0):
                taken += 1
            else:
                add_to(state, singles, law.points_of(like, left))
    return taken


@inlined
def keep_several(like, options, state, group):
    """Play the new stones that stay in W-type play, with all captures on the board."""
    n, at = len(like), q.ledger_at(options)
    side = q.side_of(state[at])
    g = rows.ground_of(like, options)
    stones = law.points_of(like, group)
    if law.size(group) > 1:
        add_to(state, (q.BLACK_ENTANGLED + side) * n, stones)
        q.append_group(options, state, group)
    else:
        add_to(state, side * n, stones)
    taken, lost, barred = 0, 0, False
    for turn in range(2):
        colour = 1 - side if turn == 0 else side
        chains = either(
            load(like, state, colour * n), load(like, state, (q.BLACK_ENTANGLED + colour) * n)
        )
        empty = without(g.whole, all_stones(like, state))
        gone = go_rules.dead(chains, empty, g)
        if some(gone):
            prisoners = _capture(like, options, state, colour, gone)
            if turn == 0:
                taken = prisoners
            else:
                lost = prisoners
                barred = options[rows.SUICIDE] == uint64(0)
    update_atari(like, options, state)
    return taken, lost, -1, barred


@register_jitable
def update_atari(like, options, state):
    """Fill in the stones in atari; return whether a chain has no liberty.

    Entangled stones belong to chains only in W-type play."""
    n = len(like)
    g = rows.ground_of(like, options)
    black, white = load(like, state, q.BLACK * n), load(like, state, q.WHITE * n)
    if options[q.W_TYPE] != uint64(0):
        black = either(black, load(like, state, q.BLACK_ENTANGLED * n))
        white = either(white, load(like, state, q.WHITE_ENTANGLED * n))
    empty = without(g.whole, all_stones(like, state))
    store(state, q.ATARI * n, go_rules.all_atari(black, white, empty, g))
    return some(either(go_rules.dead(black, empty, g), go_rules.dead(white, empty, g)))
