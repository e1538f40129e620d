"""The row of Quantum Go, and its hash.

A row begins with five boards of two or six words: black and white single stones,
black and white entangled stones, and the stones in atari.  Single words follow: the
ledger, the group being placed, the prisoners, and the grouping.  The rest are the
groups on the board, oldest first, in lanes of half a word (groups of up to three
stones) or of a word.

The grouping says which stones belong together, but not the ages of the groups, which
superko ignores: the number of groups in 8 bits, and above them the sum of the
groups' hashes.  It is part of the position; the lanes are not.

The ledger holds, from bit 0: the side whose turn it is, the passes in a row, the
step of the turn, the lane of the group that collapses now, which of the new stones
are bound, whether older groups have collapsed in this turn, the point that simple ko
bars (from 1), the point that was measured last (from 1), and which new stones
touched another stone when they were placed (used only for measurements).
The prisoners are those taken by Black, those taken by White, and the balance.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import mix, popcount
from playproof.games.go import rows

# Option words of this game, after those that it shares with Go.
(
    MEMBERS_BLACK, MEMBERS_WHITE, WEAK, SYMMETRIC, W_TYPE, BORN, LATER_STAYS, RISING, HALF_LANES,
    SLOTS,
) = range(7, 17)  # fmt: skip

# The boards of a row, and the single words after them.
BLACK, WHITE, BLACK_ENTANGLED, WHITE_ENTANGLED, ATARI, BOARDS = range(6)
NEW, PRISONERS, GROUPING, GROUPS = 1, 2, 3, 4  # after the ledger

PASSES, STEP, CURSOR, BOUND, OLDER_COLLAPSED, KO, MEASURED, TOUCHED = 1, 3, 6, 14, 21, 22, 31, 40
LEDGER_BITS = 47
TAKEN_BITS, BALANCE = 20, 40
TURN_START_BITS = 0b111  # the ledger bits that can be set at the start of a turn: side, passes

_GROUP_SALT = 0xD6E8FEB86659FD93


@register_jitable
def ledger_at(options):
    """The index of the ledger in a row."""
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
    """The point that was last measured in this step, or -1."""
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
    """The group in a lane; 0 after the last group."""
    first = ledger_at(options) + GROUPS
    if options[HALF_LANES] != uint64(0):
        word = state[first + (slot >> 1)] >> uint64(32 * (slot & 1))
        return word & uint64(0xFFFFFFFF)
    return state[first + slot]


@register_jitable
def write_lane(options, state, slot, group):
    """Write a group to a lane; the grouping is not updated."""
    first = ledger_at(options) + GROUPS
    if options[HALF_LANES] != uint64(0):
        shift = uint64(32 * (slot & 1))
        other_lane = ~(uint64(0xFFFFFFFF) << shift)
        at = first + (slot >> 1)
        state[at] = (state[at] & other_lane) | group << shift
    else:
        state[first + slot] = group


@register_jitable
def group_hash(group):
    """The summand of a group in the grouping."""
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
    """Replace the group in a lane by another one."""
    at = ledger_at(options) + GROUPING
    state[at] = state[at] - group_hash(group_at(options, state, slot)) + group_hash(group)
    write_lane(options, state, slot, group)


@register_jitable
def remove_group(options, state, slot):
    """Remove the group in a lane; younger groups move up."""
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
    """Compute the grouping from the groups."""
    grouping = uint64(0)
    for slot in range(group_count(options, state)):
        grouping += group_hash(group_at(options, state, slot))
    state[ledger_at(options) + GROUPING] = grouping


# Hash


@register_jitable
def board_hash(options, state):
    """The hash of the stones and their grouping, and the number of units."""
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
    """Whether a turn begins with this row; ``at`` is the index of the ledger."""
    return state[at] & ~uint64(TURN_START_BITS) == uint64(0) and state[at + NEW] == uint64(0)


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
