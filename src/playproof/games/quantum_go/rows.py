"""The row of Quantum Go, and its hash.

A row holds, with boards of two or six words each: black and white single
stones, black and white entangled stones, the stones in atari, then the ledger,
the group being placed, the prisoners, the grouping, and all groups on the
board, oldest first, in lanes of half a word (up to three stones a group) or of
a word.

The grouping says which stones belong together whatever the groups' ages, for
superko must not see those: the number of groups in 8 bits, and above them the
sum of a hash of each.  It is the position's; the lanes are not.

The ledger, from bit 0: the side whose turn it is, the passes in a row, the
step of the turn, the place of the group that collapses now, which of the new
stones are bound, whether older groups collapsed in this turn, the point that
simple ko bars (from 1), the point that was measured last (from 1), and which
new stones touched something when they were placed (for measurements alone).
The prisoners: those taken by Black, by White, and the balance.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import mix, popcount
from playproof.games.go import rows

# Options of this game, after those that it shares with Go.
(
    MEMBERS_BLACK, MEMBERS_WHITE, WEAK, SYMMETRIC, W_TYPE, BORN, LATER_STAYS, RISING, HALF_LANES,
    SLOTS,
) = range(7, 17)  # fmt: skip

# Boards, each of so many words; single words after the boards.
BLACK, WHITE, BLACK_ENTANGLED, WHITE_ENTANGLED, ATARI, BOARDS = range(6)
NEW, PRISONERS, GROUPING, GROUPS = 1, 2, 3, 4  # after the ledger

PASSES, STEP, CURSOR, BOUND, OLDER_COLLAPSED, KO, MEASURED, TOUCHED = 1, 3, 6, 14, 21, 22, 31, 40
LEDGER_BITS = 47
TAKEN_BITS, BALANCE = 20, 40
TURN_BEGINS = 0b111  # ledger bits that may be set where a turn begins: side and passes

_GROUP_SALT = 0xD6E8FEB86659FD93


@register_jitable
def ledger_at(options):
    """Where the ledger stands in a row."""
    return BOARDS * int64(options[rows.BOARD_WORDS])


@register_jitable
def field(ledger, shift, bits):
    return int64(ledger >> uint64(shift)) & ((1 << bits) - 1)


@register_jitable
def with_field(ledger, shift, bits, value):
    mask = uint64((1 << bits) - 1) << uint64(shift)
    return (ledger & ~mask) | uint64(value) << uint64(shift)


@register_jitable
def side_of(ledger):
    return int64(ledger & uint64(1))


@register_jitable
def passes_of(ledger):
    return field(ledger, PASSES, 2)


@register_jitable
def step_of(ledger):
    return field(ledger, STEP, 3)


@register_jitable
def cursor_of(ledger):
    return field(ledger, CURSOR, 8)


@register_jitable
def bound_of(ledger):
    return field(ledger, BOUND, 7)


@register_jitable
def ko_of(ledger):
    """The point that simple ko bars, or -1."""
    return field(ledger, KO, 9) - 1


@register_jitable
def measured_of(ledger):
    """The point that was measured last in this step, or -1."""
    return field(ledger, MEASURED, 9) - 1


@register_jitable
def taken_of(prisoners, side):
    return int64(prisoners >> uint64(TAKEN_BITS * side)) & ((1 << TAKEN_BITS) - 1)


@register_jitable
def balance_of(prisoners):
    return int64(prisoners >> uint64(BALANCE)) & ((1 << rows.BALANCE_BITS) - 1)


@register_jitable
def write_prisoners(by_black, by_white):
    balance = (by_black - by_white) & ((1 << rows.BALANCE_BITS) - 1)
    word = uint64(by_black) | uint64(by_white) << uint64(TAKEN_BITS)
    return word | uint64(balance) << uint64(BALANCE)


# Groups, oldest first


@register_jitable
def group_at(options, state, slot):
    """The group in a lane; 0 beyond the last."""
    first = ledger_at(options) + GROUPS
    if options[HALF_LANES] != uint64(0):
        word = state[first + (slot >> 1)] >> uint64(32 * (slot & 1))
        return word & uint64(0xFFFFFFFF)
    return state[first + slot]


@register_jitable
def write_lane(options, state, slot, group):
    """Write a group, without a look at the grouping."""
    first = ledger_at(options) + GROUPS
    if options[HALF_LANES] != uint64(0):
        shift = uint64(32 * (slot & 1))
        keep = ~(uint64(0xFFFFFFFF) << shift)
        at = first + (slot >> 1)
        state[at] = (state[at] & keep) | group << shift
    else:
        state[first + slot] = group


@register_jitable
def group_hash(group):
    """What a group adds to the grouping."""
    return (mix(group ^ uint64(_GROUP_SALT)) << uint64(8)) + uint64(1)


@register_jitable
def group_count(options, state):
    slots = int64(options[SLOTS])
    n = 0
    while n < slots and group_at(options, state, n) != uint64(0):
        n += 1
    return n


@register_jitable
def append_group(options, state, group):
    write_lane(options, state, group_count(options, state), group)
    state[ledger_at(options) + GROUPING] += group_hash(group)


@register_jitable
def replace_group(options, state, slot, group):
    """Put another group in the place of one."""
    at = ledger_at(options) + GROUPING
    state[at] = state[at] - group_hash(group_at(options, state, slot)) + group_hash(group)
    write_lane(options, state, slot, group)


@register_jitable
def remove_group(options, state, slot):
    """Take a group out; younger ones move up."""
    state[ledger_at(options) + GROUPING] -= group_hash(group_at(options, state, slot))
    slots = int64(options[SLOTS])
    while slot < slots:
        following = group_at(options, state, slot + 1) if slot + 1 < slots else uint64(0)
        write_lane(options, state, slot, following)
        if following == uint64(0):
            break
        slot += 1


@register_jitable
def update_grouping(options, state):
    """Fill in the grouping from the groups."""
    grouping = uint64(0)
    for slot in range(group_count(options, state)):
        grouping += group_hash(group_at(options, state, slot))
    state[ledger_at(options) + GROUPING] = grouping


# Hash


@register_jitable
def board_hash(options, state):
    """(hash of the stones and their grouping, units)"""
    n = int64(options[rows.BOARD_WORDS])
    grouping = state[ledger_at(options) + GROUPING]
    h, units = rows.word_hash(-1, grouping), int64(grouping & uint64(0xFF))
    for i in range(ATARI * n):
        h += rows.word_hash(i, state[i])
    for i in range(BLACK_ENTANGLED * n):
        units += popcount(state[i])
    return h, units


@register_jitable
def is_turn_start(state, at):
    """Whether a turn begins here; ``at`` is the ledger's place."""
    return state[at] & ~uint64(TURN_BEGINS) == uint64(0) and state[at + NEW] == uint64(0)


@register_jitable
def row_hash(options, state):
    at = ledger_at(options)
    ledger, prisoners = state[at], state[at + PRISONERS]
    board, units = board_hash(options, state)
    if is_turn_start(state, at) and options[rows.SUPERKO] != uint64(0):
        return rows.turn_hash(
            options, board, units, side_of(ledger), passes_of(ledger), balance_of(prisoners)
        )
    h = mix(board ^ mix(ledger ^ mix(state[at + NEW] ^ uint64(_GROUP_SALT))))
    if options[rows.TERRITORY] != uint64(0):
        h = mix(h + (prisoners >> uint64(BALANCE)))
    return h & ~uint64(rows.START)
